"""How sure a mean is: Student's intervals, resampling with replacement, and folds for cross-validation."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.curves.step_function import Interval
from banditune.rng import generator

COVERED = 0.95
NORMAL = 1.959963984540054  # 97.5% of a normal distribution lie below
STUDENT = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a sample and its 95% interval, which is unbounded where one number is the whole sample."""

    mean: float
    low: float
    high: float

    def flip(self, sign: float) -> "Estimate":
        """The same estimate of sign times the thing."""
        low, high = sorted((sign * self.low, sign * self.high))
        return Estimate(sign * self.mean, low, high)


def estimate(sample: NDArray[np.float64]) -> Estimate:
    """The mean of a sample with Student's 95% interval.

    >>> found = estimate(np.array([1.0, 2.0, 3.0]))
    >>> found.mean, round(found.low, 4), round(found.high, 4)
    (2.0, -0.4841, 4.4841)
    """
    mean = float(sample.mean())
    half = half_width(sample)
    return Estimate(mean, mean - half, mean + half)


def half_width(sample: NDArray[np.float64]) -> float:
    """Half of Student's 95% interval of the mean of a sample; infinite where one number is the whole sample."""
    if sample.size < 2:
        return math.inf
    largest = float(np.abs(sample).max()) or 1.0  # squares of large numbers would overflow, of small ones vanish
    return student(sample.size - 1) * float((sample / largest).std(ddof=1)) * largest / math.sqrt(sample.size)


def student(freedom: int) -> float:
    """Below this lie 97.5% of Student's distribution with so many degrees of freedom.

    From 11 degrees on by the first terms of its expansion around the normal distribution, right to six digits.

    >>> student(4), round(student(19), 4), round(student(10_000), 4)
    (2.776445, 2.093, 1.9602)
    """
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    z = NORMAL
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
    """The interval of the bootstrap: from the percentile `below` to that as far from 100, of what resamples gave."""
    low, high = np.percentile(np.asarray(found, np.float64), (below, 100.0 - below))
    return Interval(float(low), float(high))


def assign_folds(n_tasks: int, n_folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each task, (tasks,): at random, and of equal sizes but for one task.

    >>> assign_folds(7, 3, seed=0)
    array([0, 0, 2, 1, 0, 1, 2])
    """
    return generator(seed, "folds").permutation(n_tasks) % n_folds
