"""What arms are expected to give before they are pulled: by their names, or by their numbers."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval
from banditune.errors import ParameterError
from banditune.policies.parameters import Setting
from banditune.tasks.arrays import LARGEST
from banditune.validation import finite_number, format_value

WEIGHTS = 6  # that are tried of a range of weights


class PriorMeans(Setting):
    """None, or a mean for each arm: a mapping from names (or numbers from 0), or a list in the arms' order."""

    lists: ClassVar[tuple[type, ...]] = ()

    def value(self, given: object) -> Any:
        """None, a mapping, or a tuple."""
        if given is None:
            return None
        if isinstance(given, Mapping) and given:
            return {arm: self._mean(mean, f"{self.name} of arm {format_value(arm)}") for arm, mean in given.items()}
        if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) and len(given):
            if all(isinstance(each, Sequence) and len(each) == 2 for each in given):  # as `plain` writes a mapping
                return self.value(dict(given))
            return tuple(self._mean(mean, f"{self.name} of arm {k}") for k, mean in enumerate(given))
        wanted = "None, or a mean for each arm (a mapping or a list)"
        raise ParameterError(f"{self.name} must be {wanted}; got {format_value(given)}")

    def range(self, given: Iterable[object]) -> tuple[float, float]:
        """Return a range to search the means in: a pair or an Interval."""
        which = (f"the {end} end of {self.name}" for end in ("low", "high"))
        low, high = (self._mean(end, named) for named, end in zip(which, given, strict=True))
        if not low < high:
            raise ParameterError(f"the range of {self.name} must have low < high, got ({low!r}, {high!r})")
        return low, high

    def plain(self, value: Any) -> Any:
        """Return pairs of arm and mean: what JSON can hold, whatever the arms are called."""
        return [[arm, mean] for arm, mean in value.items()] if isinstance(value, Mapping) else value

    def describe(self, value: Any) -> str:
        """Return how many there are."""
        return "" if value is None else f"{len(value)} prior means"

    @staticmethod
    def _mean(given: object, named: str) -> float:
        mean = finite_number(named, given)
        if abs(mean) > LARGEST:
            raise ParameterError(f"{named} must be at most {LARGEST:g} in size, got {mean!r}")
        return mean


def means_of(priors: Any, arms: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return the prior means of some arms; an arm that nothing is known of is taken to be as good as the best that is.

    >>> means_of({"red": 0.2, "blue": 0.4}, ["blue", "green"])
    array([0.4, 0.4])
    """
    if isinstance(priors, Mapping):
        best = max(priors.values())
        return np.array([priors.get(arm, best) for arm in arms])
    if len(priors) != len(arms):
        raise ParameterError(f"prior_means must hold a mean for each of {len(arms)} arms, got {len(priors)}")
    return np.array(priors)


def is_range(given: object) -> bool:
    """Tell whether prior means are to be searched in a range, an Interval or a tuple. A list holds means."""
    return isinstance(given, Interval) or (isinstance(given, tuple) and len(given) == 2)


def prior_ranges(known: Mapping[str, Setting], priors: Mapping[str, Any]) -> tuple[Interval, list[float]]:
    """Return the range to search prior means in, and the weights to try."""
    low, high = known["prior_means"].range(priors["prior_means"])  # type: ignore[attr-defined]
    return Interval(low, high), _weights(known["prior_weight"], priors.get("prior_weight"))


def _weights(known: Setting, given: Any) -> list[float]:
    """Return the weights to try: one, or of a range some that are equally far apart on a logarithmic scale."""
    if given is None:
        return [known.default]
    if not isinstance(given, Iterable) or isinstance(given, str):
        return [known.value(given)]
    ends = known.values(given)
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise ParameterError(f"prior_weight must be a number or (low, high) with low < high, got {given!r}")
    return [float(weight) for weight in np.geomspace(ends[0], ends[1], WEIGHTS)]
