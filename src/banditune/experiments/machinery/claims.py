"""What the paper says beside what was found: means with their intervals, and claims that are judged by them."""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from banditune.evaluation.intervals import half_width, student


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


def estimate_mean(values: ArrayLike) -> PlusMinus:
    """Return the mean of independent values, with Student's interval; of a single value the interval is unknown, and 0.

    >>> str(estimate_mean([1.0, 2.0, 3.0, 4.0, 5.0]))
    '3.0 ± 2.0'
    """
    given = np.asarray(values, np.float64)
    return PlusMinus(float(given.mean()), half_width(given) if given.size > 1 else 0.0)


def estimate_difference(values: ArrayLike, others: ArrayLike) -> PlusMinus:
    """Return the mean of some independent values minus that of others, with Welch's interval.

    >>> str(estimate_difference([5.0, 6.0, 7.0], [1.0, 2.0, 3.0]))
    '4.0 ± 2.3'
    """
    one, two = (np.asarray(each, np.float64) for each in (values, others))
    squares = np.array([each.var(ddof=1) / each.size for each in (one, two)])
    total = float(squares.sum())
    degrees = total**2 / float((squares**2 / np.array([one.size - 1, two.size - 1])).sum()) if total > 0.0 else 1.0
    return PlusMinus(float(one.mean() - two.mean()), student(max(1, int(degrees))) * math.sqrt(total))


class Agreement(StrEnum):
    """Whether what was found agrees with the paper."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"  # the interval found holds both answers
    BEYOND = "-"  # the paper says nothing of it, or it could not be done here


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of the table "paper | here | agrees?"."""

    what: str
    paper: str
    here: str
    agrees: Agreement
    criterion: str  # when it is said to agree


def judge(holds: bool) -> Agreement:
    """Yes or no."""
    return Agreement.YES if holds else Agreement.NO


def judge_sign(*differences: PlusMinus) -> Agreement:
    """Tell whether all differences are above 0: no, if one is below; else undecided where an interval holds 0.

    >>> [str(judge_sign(PlusMinus(mean, half=1.0))) for mean in (2.0, 0.5, -2.0)]
    ['yes', 'undecided', 'no']
    """
    if any(each.high < 0.0 for each in differences):
        return Agreement.NO
    return Agreement.YES if all(each.low > 0.0 for each in differences) else Agreement.UNDECIDED


def beyond(what: str, here: str) -> Claim:
    """Return a line about something that the paper does not report."""
    return Claim(what, "not reported", here, Agreement.BEYOND, "")
