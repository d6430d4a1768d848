"""UCB by the book: Algorithm 1 of the paper, and other schedules, in exact fractions and 50 digits."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import mpmath

mpmath.mp.dps = 50


SAME = mpmath.mpf(10) ** -40  # relative: what differs by less differs by rounding


@cache
def growth(schedule: str, horizon: int, t: int) -> mpmath.mpf:
    """The square root of what a schedule multiplies alpha with in round t."""
    remaining = mpmath.log(mpmath.mpf(horizon + 1) / min(t, max(horizon, 1)))
    return mpmath.sqrt({"log": mpmath.log(t), "constant": mpmath.mpf(1), "remaining": remaining}[schedule])


@cache
def root(pulls: int, weight: float = 0.0) -> mpmath.mpf:
    """The square root of a number of pulls and the weight of a prior."""
    return mpmath.sqrt(mpmath.mpf(weight) + pulls)


@cache
def bonus(alpha: float, t: int, pulls: int, schedule: str = "log", horizon: int = 0) -> mpmath.mpf:
    """sqrt(alpha log t / pulls), or what another schedule has for log t.

    The root of alpha is that of floats: with the schedule "constant" all numbers but it are algebraic, and indices that
    tie for an irrational root would not for the float.
    """
    return mpmath.mpf(math.sqrt(alpha)) * growth(schedule, horizon, t) / root(pulls)


def highest(index: Sequence[mpmath.mpf]) -> int:
    """The place of the highest number; the first of several that are equal but for rounding."""
    top = max(index)
    return next(k for k, each in enumerate(index) if top - each <= SAME * max(abs(top), abs(each)))


def naive_arms(rewards: Sequence[Sequence[float]], horizon: int, alpha: float, schedule: str = "log") -> list[int]:
    """The arms UCB(alpha) pulls when arm i gives rewards[i] in order."""
    n = len(rewards)
    pulls = [0] * n
    total = [Fraction(0)] * n
    means = [mpmath.mpf(0)] * n
    arms = []
    for t in range(1, horizon + 1):
        if t <= n:
            arm = t - 1
        else:
            arm = highest([m + bonus(alpha, t, p, schedule, horizon) for m, p in zip(means, pulls, strict=True)])
        total[arm] += Fraction(rewards[arm][pulls[arm]])
        pulls[arm] += 1
        mean = total[arm] / pulls[arm]
        means[arm] = mpmath.mpf(mean.numerator) / mean.denominator
        arms.append(arm)
    return arms


def naive_crossing(rewards: Sequence[Sequence[float]], horizon: int, alpha: float) -> bool:
    """Whether arms with different pulls tie for the highest index in some round, with the schedule "constant"."""
    pulls, total = [0] * len(rewards), [Fraction(0)] * len(rewards)
    for t, arm in enumerate(naive_arms(rewards, horizon, alpha, "constant")):
        if t >= len(rewards):
            index = [
                mpmath.mpf(s.numerator) / s.denominator / p + bonus(alpha, t, p, "constant", horizon)
                for s, p in zip(total, pulls, strict=True)
            ]
            leaders = {p for p, each in zip(pulls, index, strict=True) if abs(index[arm] - each) <= SAME * abs(each)}
            if len(leaders) > 1:
                return True
        total[arm] += Fraction(rewards[arm][pulls[arm]])
        pulls[arm] += 1
    return False


def naive_prior_arms(
    rewards: Sequence[Sequence[float]],
    horizon: int,
    alpha: float | mpmath.mpf,
    priors: Sequence[float | Fraction],
    weight: float,
    schedule: str = "log",
) -> tuple[list[int], float]:
    """The arms UCB pulls when arm i is expected to give priors[i], which counts for `weight` pulls; no first rounds.

    Means are fractions of the very floats given, so that equal ones tie. Also how close the other calls were: the least
    difference between the highest index and a lower one.
    """
    n = len(rewards)
    theta = mpmath.mpf(math.sqrt(alpha)) if isinstance(alpha, float) else mpmath.sqrt(alpha)
    pulls, total = [0] * n, [Fraction(weight) * Fraction(prior) for prior in priors]
    arms, closest = [], mpmath.inf
    for t in range(1, horizon + 1):
        index = []
        for i in range(n):
            mean = total[i] / (Fraction(weight) + pulls[i])
            spread = theta * growth(schedule, horizon, t) / root(pulls[i], weight)
            index.append(mpmath.mpf(mean.numerator) / mean.denominator + spread)
        arm = highest(index)
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
