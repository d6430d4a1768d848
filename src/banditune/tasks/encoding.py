"""Configurations as points, features as contexts: numbers and categories, encoded alike in all tasks."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import FileError, ParameterError
from banditune.validation import format_count, format_names, format_value

LINEAR, LOG, CATEGORY = "linear", "log", "category"
KINDS = (LINEAR, LOG, CATEGORY)
NUMBER, ONE_HOT = "number", "one-hot"  # of features: a number as it is; 1 for the category that it is, 0 for the others
APART = math.sqrt(0.5)  # two different categories are at distance 1, as are the ends of a number's range


def parameter_kinds(given: Any) -> dict[str, str | None]:
    """Return the parameters of a configuration and their kinds, None where that is to be found out.

    >>> parameter_kinds(["depth", "rate:log"])
    {'depth': None, 'rate': 'log'}
    """
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, Sequence) and not isinstance(given, str) and all(isinstance(each, str) for each in given):
        pairs = [_split(each) for each in given]
    else:
        raise ParameterError(f'parameters must be names, as in ["depth", "rate:log"]; got {format_value(given)}')
    for name, kind in pairs:
        if not isinstance(name, str) or not name or (kind is not None and kind not in KINDS):
            raise ParameterError(
                f"a parameter is a column's name and, if any, {format_names(KINDS)}; got {format_value((name, kind))}"
            )
    kinds = dict(pairs)
    if not kinds or len(kinds) < len(pairs):
        raise ParameterError(f"parameters must be different names, at least one; got {format_value(given)}")
    return kinds


def _split(given: str) -> tuple[str, str | None]:
    name, colon, kind = given.rpartition(":")
    return (name, kind) if colon and kind in KINDS else (given, None)


@dataclass(frozen=True, slots=True)
class Axis:
    """One parameter or feature: a number, of a parameter from `low` to `high`, or one of some categories."""

    name: str
    kind: str
    low: float = 0.0
    high: float = 0.0
    categories: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How many coordinates it takes."""
        return len(self.categories) if self.kind in (CATEGORY, ONE_HOT) else 1

    def coordinates(self, value: Any) -> list[float]:
        """Return the place of a value: a number from 0 to 1, or the mark of its category; none if it is unknown."""
        if self.kind == ONE_HOT:
            return [float(str(value).strip() == each) for each in self.categories]
        if self.kind == CATEGORY:
            return [APART * (_write_category(value) == _write_category(each)) for each in self.categories]
        number = _number(value)
        if number is None or (self.kind == LOG and number <= 0.0):
            wanted = "a number above 0" if self.kind == LOG else "a number"
            raise ParameterError(f'parameter "{self.name}" must be {wanted}, got {format_value(value)}')
        if self.kind == NUMBER:
            return [number]
        low, high, at = (math.log(x) if self.kind == LOG else x for x in (self.low, self.high, number))
        return [(at - low) / (high - low) if low < high else at - low]


@dataclass(frozen=True, slots=True)
class Encoding:
    """How configurations become points, or features with categories contexts."""

    axes: tuple[Axis, ...]

    @classmethod
    def learn(cls, kinds: Mapping[str, str | None], configurations: Sequence[Sequence[str]]) -> "Encoding":
        """Return the encoding of configurations, each a text for every parameter.

        Numbers are laid out from the least to the greatest there is; what holds anything else is a category.
        """
        columns = list(zip(*configurations, strict=True))
        return cls(
            tuple(_axis(name, kind, column) for (name, kind), column in zip(kinds.items(), columns, strict=True))
        )

    @property
    def width(self) -> int:
        """How many coordinates a point has."""
        return sum(axis.width for axis in self.axes)

    def points(self, configurations: Iterable[Any]) -> NDArray[np.float64]:
        """Encode configurations as points (n, d): mappings from names to values, or values in their order."""
        rows = [self._row(each, number) for number, each in enumerate(configurations)]
        if not rows:
            raise ParameterError("at least one configuration is needed, got none")
        return np.array(rows)

    def _row(self, configuration: Any, number: int) -> list[float]:
        if isinstance(configuration, Mapping):
            if missing := [axis.name for axis in self.axes if axis.name not in configuration]:
                raise ParameterError(
                    f"configurations[{number}] has no {format_names(missing)}; got {format_value(configuration)}"
                )
            values = [configuration[axis.name] for axis in self.axes]
        else:
            values = list(configuration)
            if len(values) != len(self.axes):
                names = format_names(axis.name for axis in self.axes)
                raise ParameterError(f"configurations[{number}] must hold {names}; got {format_value(configuration)}")
        return [x for axis, value in zip(self.axes, values, strict=True) for x in axis.coordinates(value)]

    def describe_categories(self) -> Iterator[str]:
        """Say of each feature of categories how many features it became."""
        for axis in self.axes:
            if axis.kind == ONE_HOT:
                more = ", ..." if axis.width > 5 else ""
                became = f"{format_count(axis.width, 'feature')} of 0 and 1: {', '.join(axis.categories[:5])}{more}"
                yield f'"{axis.name}" is text, and became {became}'

    def label(self, values: Sequence[str]) -> str:
        """Return what a configuration is called."""
        return ", ".join(f"{axis.name}={value}" for axis, value in zip(self.axes, values, strict=True))

    def to_json(self) -> list[dict[str, object]]:
        """Return the encoding as plain data."""
        return [asdict(axis) for axis in self.axes]

    @classmethod
    def from_json(cls, saved: Any) -> "Encoding":
        """Return the encoding from what `to_json` gave."""
        try:
            axes = [Axis(**{**each, "categories": tuple(each["categories"])}) for each in saved]
        except (KeyError, TypeError) as error:
            raise FileError(f"a saved encoding of configurations cannot be used: {error!r}") from None
        return cls(tuple(axes))


def _axis(name: str, kind: str | None, column: Sequence[str]) -> Axis:
    """Return the axis of a parameter with these values."""
    numbers = [_number(value) for value in column]
    known = [number for number in numbers if number is not None]
    if kind == CATEGORY or (kind is None and len(known) < len(numbers)):
        return Axis(name, CATEGORY, categories=tuple(sorted(set(column))))
    kind = kind or LINEAR
    bad = [value for value, x in zip(column, numbers, strict=True) if x is None or (kind == LOG and x <= 0.0)]
    if bad:
        wanted = "numbers above 0" if kind == LOG else "numbers"
        raise FileError(f'parameter "{name}" is {kind} and must hold {wanted}, got {format_value(bad[0])}')
    return Axis(name, kind, min(known), max(known))


def _write_category(value: Any) -> str:
    """Return a category's name: a number is the same however it is written, and so is a truth value."""
    number = None if isinstance(value, bool) else _number(value)
    return repr(number) if number is not None else str(value).lower() if isinstance(value, bool) else str(value).strip()


def _number(value: Any) -> float | None:
    """Return the finite number that a value is or says, if it is one."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
