"""UCB by the book: Algorithm 1 of the paper in exact fractions and 50 digits."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import mpmath

mpmath.mp.dps = 50


@cache
def bonus(alpha: float, t: int, pulls: int) -> mpmath.mpf:
    """sqrt(alpha log t / pulls)."""
    return mpmath.sqrt(mpmath.mpf(alpha) * mpmath.log(t) / pulls)


def naive_arms(rewards: Sequence[Sequence[float]], horizon: int, alpha: float) -> list[int]:
    """The arms UCB(alpha) pulls when arm i gives rewards[i] in order."""
    n = len(rewards)
    pulls = [0] * n
    total = [Fraction(0)] * n
    arms = []
    for t in range(1, horizon + 1):
        if t <= n:
            arm = t - 1
        else:
            means = [total[i] / pulls[i] for i in range(n)]
            index = [
                mpmath.mpf(m.numerator) / m.denominator + bonus(alpha, t, p) for m, p in zip(means, pulls, strict=True)
            ]
            arm = index.index(max(index))
        total[arm] += Fraction(rewards[arm][pulls[arm]])
        pulls[arm] += 1
        arms.append(arm)
    return arms


def naive_prior_arms(
    rewards: Sequence[Sequence[float]],
    horizon: int,
    alpha: float | mpmath.mpf,
    priors: Sequence[float | Fraction],
    weight: float,
) -> tuple[list[int], float]:
    """The arms UCB pulls when arm i is expected to give priors[i], which counts for `weight` pulls; no first rounds.

    Means are fractions of the very floats given, so that equal ones tie. Also how close the other calls were: the least
    difference between the highest index and a lower one.
    """
    n = len(rewards)
    pulls, total = [0] * n, [Fraction(weight) * Fraction(prior) for prior in priors]
    arms, closest = [], mpmath.inf
    for t in range(1, horizon + 1):
        index = []
        for i in range(n):
            mean = total[i] / (Fraction(weight) + pulls[i])
            spread = mpmath.sqrt(mpmath.mpf(alpha) * mpmath.log(t) / (mpmath.mpf(weight) + pulls[i]))
            index.append(mpmath.mpf(mean.numerator) / mean.denominator + spread)
        arm = index.index(max(index))
        closest = min([closest, *(index[arm] - other for other in index if other < index[arm])])
        total[arm] += Fraction(rewards[arm][pulls[arm]])
        pulls[arm] += 1
        arms.append(arm)
    return arms, float(closest)


def naive_regret(rewards: Sequence[Sequence[float]], arms: Sequence[int]) -> float:
    """The regret of pulling these arms when the averages of all rewards are the true means."""
    means = [sum(map(Fraction, row), Fraction(0)) / len(row) for row in rewards]
    return float(sum((max(means) - means[arm] for arm in arms), Fraction(0)))


def naive_reward(rewards: Sequence[Sequence[float]], arms: Sequence[int]) -> float:
    """The rewards received."""
    pulls = [0] * len(rewards)
    received = Fraction(0)
    for arm in arms:
        received += Fraction(rewards[arm][pulls[arm]])
        pulls[arm] += 1
    return float(received)
