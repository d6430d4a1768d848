"""What a policy says about the things it is run with."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from banditune.errors import ParameterError
from banditune.validation import finite_number, format_value, one_of, yes_or_no


class Scale(NamedTuple):
    """A scale on which values are equally far apart, and the way back."""

    there: Callable[[float], float]
    back: Callable[[float], float]


SCALES = {
    "plain": Scale(float, float),
    "root": Scale(math.sqrt, lambda root: root**2),
    "log": Scale(math.log, math.exp),
}


@dataclass(frozen=True, slots=True)
class Option:
    """How a setting is given on the command line."""

    help: str
    default: str | None = None  # what is said to happen where it is not given
    takes: Literal["range", "values", "value"] = "range"
    of: type = str  # what values are
    metavar: str = "LOW HIGH"


@dataclass(frozen=True, slots=True)
class Setting:
    """Something a policy is run with. Several values of it can be compared."""

    name: str
    default: Any
    option: Option | None = field(default=None, kw_only=True)  # None: it is not given on the command line

    lists: ClassVar[tuple[type, ...]] = (Iterable,)  # what several values are given in, if they can be compared

    def value(self, given: object) -> Any:
        """Return a value to run with."""
        raise NotImplementedError

    def are_several(self, given: object) -> bool:
        """Tell whether several things are given: a range, or values to compare."""
        return isinstance(given, self.lists) and not isinstance(given, str | Mapping)

    def plain(self, value: Any) -> Any:
        """Return the value as JSON can hold it; `value` takes it back."""
        return value

    def describe(self, value: Any) -> str:
        """Return the value as a person would say it; empty if there is nothing to say."""
        if value is None:
            return ""
        return f"{self.name} = {f'{value:.4g}' if isinstance(value, float) else value}"

    def needs_tasks(self, value: Any) -> bool:
        """Tell whether past tasks have to be looked at before this value can be run with."""
        return False

    def fit(self, value: Any, tasks: Iterable[Any], settings: Mapping[str, Any]) -> Any:
        """Return what this value, which needs tasks, means with such ones and the other settings."""
        return value

    def values(self, given: Iterable[object]) -> list[Any]:
        """Return values to compare, each once."""
        found: list[Any] = []
        for each in given:
            value = self.value(each)
            found += [] if value in found else [value]
        if not found:
            raise ParameterError(f"{self.name} must be a value or several to compare, got an empty list")
        return found


@dataclass(frozen=True, slots=True)
class Number(Setting):
    """A number a policy is run with."""

    default: float
    least: float = 0.0
    most: float = math.inf

    def value(self, given: object) -> float:
        """Return a value to run with."""
        if isinstance(given, Iterable) and not isinstance(given, str):
            raise ParameterError(f"{self.name} must be one number here, not a range; got {format_value(given)}")
        return finite_number(self.name, given, least=self.least, most=self.most)


@dataclass(frozen=True, slots=True)
class Parameter(Number):
    """A number that can be searched over a whole range.

    `scale` is the scale in which the policy's index is affine, or changes evenly, and so the one in which the middle of
    a piece is taken.
    `usual` are the usual values, the first of them the one to compare with.
    """

    scale: Literal["root", "plain", "log"] = "plain"
    usual: tuple[float, ...] = ()

    def range(self, given: Iterable[object]) -> tuple[float, float]:
        """Return a range to search: two numbers in a tuple, list, array or Interval."""
        try:
            ends = list(given)
        except TypeError:  # an array of no dimension is an Iterable, but cannot be iterated over
            ends = []
        if len(ends) != 2:
            raise ParameterError(f"the range of {self.name} must be (low, high), got {format_value(given)}")
        low, high = (
            finite_number(f"the {which} end of {self.name}", end, least=self.least, most=self.most)
            for which, end in zip(("low", "high"), ends, strict=True)
        )
        if not low < high:
            raise ParameterError(f"the range of {self.name} must have low < high, got ({low!r}, {high!r})")
        return low, high

    def as_run(self, value: float) -> Any:
        """Return a value of a searched range as a policy is run with it."""
        return value

    def describe_range(self, low: float, high: float) -> str:
        """Say which values are searched."""
        return f"every {self.name} from {low:g} to {high:g}"

    def describe_precision(self) -> str:
        """Say of which values a curve tells the loss."""
        return f"exact for every {self.name}"

    def divide(self, low: float, high: float, parts: int) -> list[float]:
        """Divide [low, high] into so many parts, equally wide in the index's scale; fewer if floats run out."""
        there, back = SCALES[self.scale]
        bounds = [back(float(bound)) for bound in np.linspace(there(low), there(high), parts + 1)]
        return [low, *sorted({bound for bound in bounds[1:-1] if low < bound < high}), high]

    def inside(self, low: float, high: float) -> float:
        """Return the middle of a piece [low, high), in the scale of the index."""
        there, back = SCALES[self.scale]
        middle = back(0.5 * (there(low) + there(high)))
        return middle if low < middle < high else low


@dataclass(frozen=True, slots=True)
class WholeParameter(Parameter):
    """A whole number that can be searched; between two of them nothing changes."""

    def value(self, given: object) -> int:
        """Return a whole number to run with."""
        number = Number.value(self, given)
        if number != math.floor(number):
            raise ParameterError(f"{self.name} must be a whole number, got {given!r}")
        return int(number)

    def range(self, given: Iterable[object]) -> tuple[float, float]:
        """Return a range that ends behind the last whole number that is given, so that it is searched, too."""
        low, high = Parameter.range(self, given)
        return float(math.ceil(low)), math.floor(high) + 0.5

    def describe_range(self, low: float, high: float) -> str:
        """Say which values are searched."""
        return f"every whole number of {self.name} from {low:g} to {math.floor(high):g}"

    def as_run(self, value: float) -> int:
        """Return the whole number below, as which a value runs."""
        return math.floor(value)


@dataclass(frozen=True, slots=True)
class Flag(Setting):
    """Something a policy does or does not do."""

    default: bool

    def value(self, given: object) -> bool:
        """Tell whether to do it."""
        return yes_or_no(self.name, given)

    def describe(self, value: Any) -> str:
        """Return its name, if it is done."""
        return self.name if value else ""


@dataclass(frozen=True, slots=True)
class Probability(Number):
    """A number between 0 and 1, neither of them."""

    def value(self, given: object) -> float:
        """Return the probability."""
        number = Number.value(self, given)
        if not 0.0 < number < 1.0:
            raise ParameterError(f"{self.name} must be above 0 and below 1, got {number!r}")
        return number


@dataclass(frozen=True, slots=True)
class Choice(Setting):
    """One of some words."""

    default: str
    choices: tuple[str, ...]

    def value(self, given: object) -> str:
        """Return the word."""
        return one_of(self.name, given, self.choices)


def round_up(spread: float) -> float:
    """Round a spread of rewards up to one digit: what a range that fits their scale is made of. 1 for none.

    >>> round_up(0.0312)
    0.04
    """
    if spread == 0.0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(spread))
    return math.ceil(spread / unit) * unit
