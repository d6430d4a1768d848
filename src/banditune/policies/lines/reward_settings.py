"""What some policies know of the rewards beforehand: their bounds or how far these are apart, and a prior of rates."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from banditune.errors import ParameterError
from banditune.policies.parameters import Number, Option, Setting
from banditune.validation import finite_number, format_value

UNIFORM, LEARNED = "uniform", "learned"
LEAST, MOST = 1e-3, 1e6  # of a prior's successes and failures

REWARD_RANGE = Number(
    "reward_range",
    default=1.0,
    option=Option("width of the range of the rewards", "1; more if they need it", "values", float, "R"),
)


class Bounds(Setting):
    """Where rewards lie: (low, high), taken as 0 to 1."""

    lists: ClassVar[tuple[type, ...]] = ()

    def value(self, given: object) -> tuple[float, float]:
        """Return the bounds as two floats."""
        if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
            raise ParameterError(f"{self.name} must be (low, high), got {format_value(given)}")
        low, high = finite_number("the low bound", given[0]), finite_number("the high bound", given[1])
        if not low < high:
            raise ParameterError(f"{self.name} must have low < high, got ({low!r}, {high!r})")
        return low, high

    def plain(self, value: Any) -> Any:
        """Return a list, as JSON has it."""
        return list(value)


class RatePrior(Setting):
    """The prior of an arm's rate, Beta(a, b): two numbers, "uniform", or "learned" from past tasks."""

    def value(self, given: object) -> Any:
        """Return the numbers (a, b), or the word that they are learned."""
        if given in (UNIFORM, LEARNED):
            return (1.0, 1.0) if given == UNIFORM else LEARNED
        if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
            wanted = f'two numbers (a, b), "{UNIFORM}" or "{LEARNED}"'
            raise ParameterError(f"{self.name} must be {wanted}; got {format_value(given)}")
        numbers = (finite_number(f"{name} of {self.name}", each, least=LEAST, most=MOST)
                   for name, each in zip("ab", given, strict=True))  # fmt: skip
        return tuple(numbers)

    def are_several(self, given: object) -> bool:
        """Tell whether several priors are given: two numbers are one prior; words in a list are compared."""
        return isinstance(given, list) and all(isinstance(each, str) for each in given)

    def plain(self, value: Any) -> Any:
        """Return a list or a word, as JSON has it."""
        return value if isinstance(value, str) else list(value)

    def describe(self, value: Any) -> str:
        """Return the prior by name."""
        return f"prior {value}" if isinstance(value, str) else f"prior Beta({value[0]:.4g}, {value[1]:.4g})"

    def needs_tasks(self, value: Any) -> bool:
        """Tell whether it is fitted to past tasks."""
        return bool(value == LEARNED)

    def fit(self, value: Any, tasks: Iterable[Any], settings: Mapping[str, Any]) -> Any:
        """Fit it to the rates of all arms of the tasks: their means, as the bounds of the rewards take them."""
        low, high = settings["bounds"]
        rates = [(np.clip((task.means - low) / (high - low), 0.0, 1.0), task.lengths) for task in tasks]
        return fit_rates(np.concatenate([means for means, _ in rates]), np.concatenate([pulls for _, pulls in rates]))


def fit_rates(rates: Any, pulls: Any) -> tuple[float, float]:
    """Fit Beta(a, b) to observed rates by their mean and variance, less what their own errors add to it.

    >>> [round(each, 2) for each in fit_rates(np.array([0.2, 0.4, 0.6, 0.8]), np.full(4, 1e9))]
    [1.38, 1.38]
    """
    mean = float(np.clip(np.mean(rates), 1e-6, 1.0 - 1e-6))
    errors = float(np.mean(rates * (1.0 - rates) / pulls))
    variance = float(np.var(rates, ddof=1)) - errors if rates.size > 1 else 0.0
    strength = mean * (1.0 - mean) / variance - 1.0 if variance > 0.0 else MOST
    a, b = (float(np.clip(share * strength, LEAST, MOST)) for share in (mean, 1.0 - mean))
    return a, b
