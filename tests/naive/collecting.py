"""Which rewards a range of alpha needs, by the book: UCB is played inside every interval that could differ.

Two indices can change places only where they are equal. So every alpha at which two arms tie, after whatever pulls and
in whatever round, is worked out in 50 digits, and a game is played between each two neighbours of them.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, product

import mpmath

from tests.naive.ucb import naive_arms

APART = mpmath.mpf("1e-14")  # ties closer than this, relatively, are taken for one: floats hardly tell them apart


def naive_ties(rewards: Sequence[Sequence[float]], horizon: int) -> list[mpmath.mpf]:
    """Every theta = sqrt(alpha) > 0 at which two arms tie in a round after some pulls, in order."""
    n = len(rewards)
    sums = [list(accumulate(map(Fraction, row), initial=Fraction(0))) for row in rewards]
    ties = set()
    for t in range(n + 1, horizon + 1):
        for i, j in combinations(range(n), 2):
            for p, q in product(range(1, t), repeat=2):
                if p == q or p + q > t - 1 - (n - 2) or (n == 2 and p + q != t - 1):
                    continue
                gap = sums[i][p] / p - sums[j][q] / q
                rise = mpmath.sqrt(mpmath.log(t)) * (1 / mpmath.sqrt(q) - 1 / mpmath.sqrt(p))
                ties.add(mpmath.mpf(gap.numerator) / gap.denominator / rise)
    return sorted(theta for theta in ties if theta > 0)


def naive_games(rewards: Sequence[Sequence[float]], horizon: int, low: float, high: float) -> list[tuple[int, ...]]:
    """How often every game of alpha in (low, high) has pulled each arm in the end, from left to right."""
    first, last = mpmath.sqrt(mpmath.mpf(low)), mpmath.sqrt(mpmath.mpf(high))
    bounds = [first, *(theta for theta in naive_ties(rewards, horizon) if first < theta < last), last]
    found: list[tuple[int, ...]] = []
    for start, end in pairwise(bounds):
        if end - start > APART * end:
            arms = naive_arms(rewards, horizon, ((start + end) / 2) ** 2)
            pulls = tuple(arms.count(arm) for arm in range(len(rewards)))
            found += [] if found and found[-1] == pulls else [pulls]
    return found


def naive_needs(rewards: Sequence[Sequence[float]], horizon: int, low: float, high: float) -> list[int]:
    """The most pulls of each arm in any game of alpha in (low, high)."""
    return [max(pulls) for pulls in zip(*naive_games(rewards, horizon, low, high), strict=True)]
