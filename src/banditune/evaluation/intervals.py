"""How sure a mean is: Student's intervals, and resampling with replacement."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.curves.step_function import Interval

COVERED = 0.95
NORMAL = 1.959963984540054  # 97.5% of a normal distribution lie below
STUDENT = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139)


@dataclass(frozen=True, slots=True, repr=False)
class Estimate:
    """The mean of a sample and its 95% interval, which is unbounded where one number is the whole sample.

    >>> Estimate(0.841, 0.514, 1.2449)
    Estimate(mean=0.841, low=0.514, high=1.245)
    >>> Estimate(0.841, 0.514, 1.2449).describe_difference()
    '+0.841 (+0.514 to +1.24)'
    """

    mean: float
    low: float
    high: float

    def __repr__(self) -> str:
        return f"Estimate(mean={self.mean:.4g}, low={self.low:.4g}, high={self.high:.4g})"

    def describe_difference(self) -> str:
        """Return it as a difference with its interval, or alone where that is unbounded."""
        mean, low, high = (part + 0.0 for part in (self.mean, self.low, self.high))  # never -0
        return f"{mean:+.3g} ({low:+.3g} to {high:+.3g})" if math.isfinite(low) else f"{mean:+.3g}"

    def flip(self, sign: float) -> "Estimate":
        """Return the same estimate of sign times the thing."""
        low, high = sorted((sign * self.low, sign * self.high))
        return Estimate(sign * self.mean, low, high)

    def to_list(self) -> list[float | None]:
        """Return mean, low and high, with None for what is not finite, which JSON has no word for."""
        return [part if math.isfinite(part) else None for part in (self.mean, self.low, self.high)]


def pair_to_json(loss: Estimate, difference: Estimate) -> dict[str, object]:
    """Return a loss, and by how much it differs from another, as plain data."""
    (mean, *interval), (extra, *around) = loss.to_list(), difference.to_list()
    return {"loss": mean, "interval": interval, "difference": extra, "difference_interval": around}


def estimate(sample: NDArray[np.float64]) -> Estimate:
    """Return the mean of a sample with Student's 95% interval.

    >>> found = estimate(np.array([1.0, 2.0, 3.0]))
    >>> found.mean, round(found.low, 4), round(found.high, 4)
    (2.0, -0.4841, 4.4841)
    """
    mean = float(sample.mean())
    half = half_width(sample)
    return Estimate(mean, mean - half, mean + half)


def standard_error(sample: NDArray[np.float64]) -> float:
    """Return the standard error of a sample's mean."""
    return float(sample.std(ddof=1) / math.sqrt(sample.size))


def measure_mean(sample: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean of a sample and its standard error; nan for fewer than two numbers."""
    return (float(sample.mean()), standard_error(sample)) if sample.size > 1 else (math.nan, math.nan)


def half_width(sample: NDArray[np.float64], covered: float = COVERED) -> float:
    """Return half of Student's interval of the mean of a sample; infinite where one number is the whole sample."""
    if sample.size < 2:
        return math.inf
    largest = float(np.abs(sample).max()) or 1.0  # squares of large numbers would overflow, of small ones vanish
    return student(sample.size - 1, covered) * float((sample / largest).std(ddof=1)) * largest / math.sqrt(sample.size)


def estimate_skewed_mean(sample: NDArray[np.float64], covered: float = COVERED) -> Estimate:
    """Return the mean of a sample with an interval that follows its skewness, by Hall's transformation of Student's t.

    Of differences between two policies, a few are often far larger than the others; Student's interval would then reach
    too far on one side and not far enough on the other (Hall, 1992). Without skewness it is Student's.

    >>> found = estimate_skewed_mean(np.array([1.0, 2.0, 3.0]))
    >>> round(found.low, 4), round(found.high, 4)
    (-0.4841, 4.4841)
    >>> rare = estimate_skewed_mean(np.array([1.0] * 19 + [-9.0]))
    >>> round(rare.low, 2), round(rare.high, 2)
    (-2.79, 1.16)
    """
    mean, half = float(sample.mean()), half_width(sample, covered)
    if half == 0.0 or math.isinf(half):
        return Estimate(mean, mean - half, mean + half)
    quantile = student(sample.size - 1, covered)
    away = sample - mean
    off = away / float(np.abs(away).max())
    skewness = float((off**3).mean() / (off**2).mean() ** 1.5) / math.sqrt(sample.size)
    low, high = (mean - half * _untransform(end, skewness) / quantile for end in (quantile, -quantile))
    return Estimate(mean, low, high)


def _untransform(x: float, skewness: float) -> float:
    """Invert Hall's cubic x = t + s t^2 / 3 + s^2 t^3 / 27 + s / 6, s being the skewness over sqrt(n)."""
    if abs(skewness) < 1e-9:
        return x
    return 3.0 * (math.cbrt(1.0 + skewness * (x - skewness / 6.0)) - 1.0) / skewness


FARTHEST = 2.0**20  # beyond so many times a ratio, its interval counts as unbounded


def estimate_ratio(numerators: NDArray[np.float64], denominators: NDArray[np.float64]) -> Estimate:
    """Return the ratio of two paired means, the second above 0, with a 95% interval (Fieller; `estimate_skewed_mean`).

    A ratio is inside where the interval of the mean of numerator - ratio * denominator holds 0: so 1 is outside just
    where that of the paired difference excludes 0.

    >>> found = estimate_ratio(np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 4.5, 5.5, 8.0]))
    >>> round(found.low, 3), found.mean, round(found.high, 3)
    (0.369, 0.5, 0.586)
    """
    ratio = float(numerators.mean() / denominators.mean())

    def is_inside(other: float) -> bool:
        found = estimate_skewed_mean(numerators - other * denominators)
        return found.low <= 0.0 <= found.high

    ends = []
    for side in (-1.0, 1.0):
        step, unit = 0.0, max(abs(ratio), 1.0)
        far = 2.0**-10
        while far <= FARTHEST and is_inside(ratio + side * far * unit):
            step, far = far, 2.0 * far
        if far > FARTHEST:
            ends.append(side * math.inf)
            continue
        for _ in range(50):
            middle = 0.5 * (step + far)
            step, far = (middle, far) if is_inside(ratio + side * middle * unit) else (step, middle)
        ends.append(ratio + side * far * unit)
    return Estimate(ratio, *ends)


@lru_cache(maxsize=1_024)  # an interval of a ratio takes hundreds of means of one sample's size
def student(freedom: int, covered: float = COVERED) -> float:
    """Return the end of the interval around 0 that holds a share, 95% by default, of Student's distribution.

    From 11 degrees on, or for another share, by the first terms of its expansion around the normal distribution: right
    to six digits for 95%, to three from 9 degrees on for up to 99%.

    >>> student(4), round(student(19), 4), round(student(10_000), 4), round(student(9, 0.99), 3)
    (2.776445, 2.093, 1.9602, 3.25)
    """
    if covered == COVERED and freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    z = NORMAL if covered == COVERED else NormalDist().inv_cdf(0.5 + 0.5 * covered)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** (k + 1) for k, term in enumerate(terms))


def resamples(random: np.random.Generator, size: int, times: int) -> Iterator[NDArray[np.int64]]:
    """So many times, the places of as many values drawn with replacement."""
    return (random.integers(size, size=size) for _ in range(times))


def percentile_interval(found: ArrayLike, below: float = 50.0 * (1.0 - COVERED)) -> Interval:
    """Return the bootstrap interval: from the percentile `below` to that as far from 100, of resamples."""
    low, high = np.percentile(np.asarray(found, np.float64), (below, 100.0 - below))
    return Interval(float(low), float(high))
