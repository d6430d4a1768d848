"""How far the mean of independent numbers from 0 to 1 may lie from what is expected of them: by tails, and by betting.

A gambler who stakes a share of what he has on "the mean is larger than m", and may decide on the share by what he has
seen so far, cannot be expected to win if the mean is m. To have multiplied his money by 1 / delta at any time happens
with a probability of at most delta (Ville's inequality). So every m against which he did is ruled out (Waudby-Smith and
Ramdas, 2024).
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval

BOLDEST = 0.9  # the largest share of his money that the gambler can lose in a bet
HALVINGS = 50

Floats = NDArray[np.float64]


def divergence(p: float, q: float) -> float:
    """Return the Kullback-Leibler divergence of Bernoulli(p) from Bernoulli(q).

    >>> divergence(0.5, 0.5), round(divergence(0.1, 0.3), 4)
    (0.0, 0.1163)
    """
    return _share(p, q) + _share(1.0 - p, 1.0 - q)


def _share(p: float, q: float) -> float:
    if p <= 0.0:
        return 0.0
    return math.inf if q <= 0.0 else p * math.log(p / q)


def bound_mean_above(mean: float, cost: float) -> float:
    """Bound what is expected from above: the largest q with divergence(mean, q) <= cost.

    For the mean of n independent numbers it fails with a probability of at most exp(-n cost): Chernoff's bound, which
    holds for all numbers from 0 to 1, since none spread more than those that are 0 or 1.

    >>> bound_mean_above(0.0, 0.1) == -math.expm1(-0.1), bound_mean_above(1.0, 0.1)
    (True, 1.0)
    """
    if mean <= 0.0:
        return -math.expm1(-cost)
    return _find_turning_point(lambda q: divergence(mean, q) > cost, 1.0, mean)


def bound_mean_below(mean: float, cost: float) -> float:
    """Bound what is expected from below: `bound_mean_above` the other way round.

    >>> bound_mean_below(1.0, 0.1) == math.exp(-0.1)
    True
    """
    return 1.0 - bound_mean_above(1.0 - mean, cost)


def reach(n: int, delta: float) -> float:
    """Bound how far the mean of n independent numbers exceeds what is expected, but for a chance of delta.

    Hoeffding's inequality, for numbers from 0 to 1.

    >>> round(reach(200, 0.05), 4)
    0.0865
    """
    return math.sqrt(math.log(1.0 / delta) / (2.0 * n))


def mean_interval(numbers: Floats, delta: float) -> Interval:
    """Bound the expectation of independent numbers from 0 to 1 on both sides, with probability at least 1 - delta.

    >>> mean_interval(np.full(50, 0.25), 0.1).high < 0.35
    True
    """
    return _between(numbers, np.ones_like(numbers), delta, most=1.0, least_below=1.0)


def bound_expectation_above(numbers: Floats, delta: float) -> float:
    """Bound the expectation of independent numbers from 0 to 1 from above, with probability at least 1 - delta.

    The better of Chernoff's bound, good where numbers are few, and of betting, good where they are many and spread
    little; each has half of delta.

    >>> bound_expectation_above(np.full(1000, 0.1), 0.1) < 0.11
    True
    """
    by_chernoff = bound_mean_above(float(numbers.mean()), math.log(2.0 / delta) / numbers.size)
    return min(by_chernoff, _upper_ratio(numbers, np.ones_like(numbers), math.log(2.0 / delta), 1.0, 1.0))


def ratio_interval(above: Floats, below: Floats, delta: float, most: float) -> Interval:
    """Bound the ratio of the expectations of paired numbers from 0 to 1, with probability at least 1 - delta.

    If the ratio is r, above - r below has the mean 0: that is what is bet against, on either side with half of delta.
    Ratios are looked at from 0 to `most`; where that is the upper end, nothing is known of larger ones.
    """
    return _between(above, below, delta, most, least_below=0.0)


def _between(above: Floats, below: Floats, delta: float, most: float, least_below: float) -> Interval:
    goal = math.log(2.0 / delta)
    ends = _lower_ratio(above, below, goal, most), _upper_ratio(above, below, goal, most, least_below)
    return Interval(min(ends), max(ends))


def _lower_ratio(above: Floats, below: Floats, goal: float, most: float) -> float:
    """Find the largest ratio below which bets on a larger one have won exp(goal) against all; 0 if none is."""
    stakes = _stakes(above, below, goal)

    def is_ruled_out(ratio: float) -> bool:
        bold = np.minimum(stakes, BOLDEST / ratio) if ratio > 0.0 else stakes
        return _log_wealth(bold * (above - ratio * below)) >= goal

    return _find_turning_point(is_ruled_out, 0.0, most)


def _upper_ratio(above: Floats, below: Floats, goal: float, most: float, least_below: float) -> float:
    """Find the least ratio above which bets on a smaller one have won exp(goal) against all; `most` if none.

    `least_below` is what the numbers below are known beforehand not to fall short of.
    """
    stakes = _stakes(above, below, goal)

    def is_ruled_out(ratio: float) -> bool:
        loses = 1.0 - ratio * least_below  # at most, by such a bet
        bold = np.minimum(stakes, BOLDEST / loses) if loses > 0.0 else stakes
        return _log_wealth(bold * (ratio * below - above)) >= goal

    return _find_turning_point(is_ruled_out, most, 0.0)


def _stakes(above: Floats, below: Floats, goal: float) -> Floats:
    """Return what to stake each time, by the spread seen before: nearly the best there is for so many bets."""
    n = above.size
    seen = np.arange(1, n + 1)
    ratio = (0.5 + np.cumsum(above)) / (1.0 + np.cumsum(below))  # after each number
    spread = (0.25 + np.cumsum((above - ratio * below) ** 2)) / (1.0 + seen)
    before = np.append(0.25, spread[:-1])
    return np.sqrt(2.0 * goal / (n * before))


def scale_losses(losses: Floats, limits: Interval) -> Floats:
    """Return losses that lie between limits as numbers from 0 to 1."""
    return np.clip((losses - limits.low) / limits.width, 0.0, 1.0)


def _log_wealth(gains: Floats) -> float:
    """Return the log of the most that the gambler ever had, having begun with 1."""
    return float(np.cumsum(np.log1p(gains)).max())


def _find_turning_point(is_ruled_out: Callable[[float], bool], first: float, last: float) -> float:
    """Return how far numbers are ruled out on the way from the first to the last; the first if it is not."""
    if not is_ruled_out(first):
        return first
    for _ in range(HALVINGS):
        middle = 0.5 * (first + last)
        first, last = (middle, last) if is_ruled_out(middle) else (first, middle)
    return first
