"""How far the mean of independent numbers from 0 to 1 may lie from what is expected of them."""

import math

HALVINGS = 60


def divergence(p: float, q: float) -> float:
    """The Kullback-Leibler divergence of Bernoulli(p) from Bernoulli(q).

    >>> divergence(0.5, 0.5), round(divergence(0.1, 0.3), 4)
    (0.0, 0.1163)
    """
    return _share(p, q) + _share(1.0 - p, 1.0 - q)


def _share(p: float, q: float) -> float:
    if p <= 0.0:
        return 0.0
    return math.inf if q <= 0.0 else p * math.log(p / q)


def upper_mean(mean: float, cost: float) -> float:
    """What is expected is at most this: the largest q with divergence(mean, q) <= cost.

    For the mean of n independent numbers it fails with a probability of at most exp(-n cost): Chernoff's bound, which
    holds for all numbers from 0 to 1, since none spread more than those that are 0 or 1.

    >>> upper_mean(0.0, 0.1) == -math.expm1(-0.1), upper_mean(1.0, 0.1)
    (True, 1.0)
    """
    low, high = mean, 1.0
    if mean <= 0.0:
        return -math.expm1(-cost)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if divergence(mean, middle) <= cost:
            low = middle
        else:
            high = middle
    return high


def lower_mean(mean: float, cost: float) -> float:
    """What is expected is at least this: `upper_mean` the other way round.

    >>> lower_mean(1.0, 0.1) == math.exp(-0.1)
    True
    """
    return 1.0 - upper_mean(1.0 - mean, cost)


def reach(n: int, delta: float) -> float:
    """The mean of n independent numbers exceeds what is expected by more than this with a chance of at most delta.

    Hoeffding's inequality, for numbers from 0 to 1.

    >>> round(reach(200, 0.05), 4)
    0.0865
    """
    return math.sqrt(math.log(1.0 / delta) / (2.0 * n))
