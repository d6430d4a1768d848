"""Means with 95% intervals."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banditune.guarantees.estimates import half_width


@dataclass(frozen=True, slots=True)
class PlusMinus:
    """A mean and the half width of its 95% interval; as text with two digits of the half width.

    >>> str(PlusMinus(28.264, 1.052)), str(PlusMinus(1307.2, 57.5)), str(PlusMinus(0.5, 0.0))
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


def estimated(values: ArrayLike) -> PlusMinus:
    """The mean of independent values, with Student's interval; of a single value the interval is unknown, and 0.

    >>> str(estimated([1.0, 2.0, 3.0, 4.0, 5.0]))
    '3.0 ± 2.0'
    """
    given = np.asarray(values, np.float64)
    return PlusMinus(float(given.mean()), half_width(given) if given.size > 1 else 0.0)
