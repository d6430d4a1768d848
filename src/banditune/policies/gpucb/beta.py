"""How wide GP-UCB's bonus is: a number, the schedule of theory, or a multiple of it."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.policies.parameters import Number, Parameter
from banditune.validation import finite_number, format_value

OF_SCHEDULE = "of_schedule"


class Multiple(float):
    """A number that stands for so many times the schedule."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{{'{OF_SCHEDULE}': {float(self)!r}}}"


class Beta(Parameter):
    """None for the schedule of Srinivas et al. (2010), {"of_schedule": m} for m times that, or a number for all rounds.

    A range is one of multiples.
    """

    def value(self, given: object) -> Any:
        """None, a Multiple, or a number."""
        if given is None or isinstance(given, Multiple):
            return given
        if isinstance(given, Mapping):
            if set(given) != {OF_SCHEDULE}:
                raise ParameterError(
                    f'{self.name} must be a number, None, or {{"{OF_SCHEDULE}": a number}}; got {format_value(given)}'
                )
            name = f"{self.name}, of the schedule,"
            return self.as_run(finite_number(name, given[OF_SCHEDULE], least=self.least, most=self.most))
        return Number.value(self, given)

    def as_run(self, value: float) -> Multiple:
        """Return what was found in a range: a multiple of the schedule."""
        return Multiple(value)

    def describe(self, value: Any) -> str:
        """Return the number, or what of the schedule."""
        return f"{super().describe(value)} of the schedule" if isinstance(value, Multiple) else super().describe(value)

    def plain(self, value: Any) -> Any:
        """Return a multiple as `value` takes it."""
        return {OF_SCHEDULE: float(value)} if isinstance(value, Multiple) else value


def schedule(n_points: int, delta: float, t: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the roots of beta_t = 2 log(n t^2 pi^2 / (6 delta)) in the rounds t: Theorem 1 of Srinivas et al."""
    squares = t.astype(np.float64) ** 2  # integers would overflow
    roots: NDArray[np.float64] = np.sqrt(2.0 * np.log(n_points * squares * (math.pi**2 / (6.0 * delta))))
    return roots


def widths(beta: Any, n_points: int, delta: float, t: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the factor of the bonus in the rounds t: sqrt(beta_t)."""
    if beta is None or isinstance(beta, Multiple):
        return math.sqrt(1.0 if beta is None else float(beta)) * schedule(n_points, delta, t)
    return np.full(t.size, math.sqrt(beta))
