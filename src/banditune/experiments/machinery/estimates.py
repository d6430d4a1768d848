"""Means with 95% intervals."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banditune.guarantees.estimates import student


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and the half width of its 95% interval; as text with two digits of the half width.

    >>> str(Estimate(28.264, 1.052)), str(Estimate(1307.2, 57.5)), str(Estimate(0.5, 0.0))
    ('28.3 ± 1.1', '1,307 ± 58', '0.5 ± 0')
    """

    mean: float
    half: float

    @property
    def low(self) -> float:
        """The lower end."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """The upper end."""
        return self.mean + self.half

    def __str__(self) -> str:
        if self.half <= 1e-9 * abs(self.mean):  # nothing but rounding
            return f"{self.mean:,.4g} ± 0"
        decimals = min(max(0, 1 - math.floor(math.log10(self.half))), 9)
        return f"{self.mean:,.{decimals}f} ± {self.half:,.{decimals}f}"


def estimated(values: ArrayLike) -> Estimate:
    """The mean of independent values, with Student's interval; of a single value the interval is unknown, and 0.

    >>> str(estimated([1.0, 2.0, 3.0, 4.0, 5.0]))
    '3.0 ± 2.0'
    """
    given = np.asarray(values, np.float64)
    if given.size < 2:
        return Estimate(float(given.mean()), 0.0)
    error = float(given.std(ddof=1)) / math.sqrt(given.size)
    return Estimate(float(given.mean()), student(given.size - 1) * error)
