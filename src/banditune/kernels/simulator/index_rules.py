"""Rules that pull the arm with the highest index, ties to the lowest arm; every arm once before that.

t is the round, p the pulls of an arm so far, m its mean reward and v the variance of its rewards, all in [0, 1].
"""

import math

import numpy as np

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.simulator.state import (
    DEVIATIONS,
    FIRST,
    MEAN,
    MOSS,
    PULLS,
    ROUNDS,
    SECOND,
    UCB_TUNED,
    UCB_V,
    UNPULLED,
    Numbers,
    count_reward,
    first_unpulled,
)

MOST_STEPS = 100  # of Newton's method; fewer than ten are usual


@jit
def kl_bound(mean: float, level: float) -> float:
    """The largest q with kl(mean, q) <= level, kl being the divergence of Bernoulli distributions.

    Newton's method from the right of the root, where the divergence is convex: it only ever moves left.
    """
    if mean >= 1.0:
        return 1.0
    if mean <= 0.0:
        return 1.0 - math.exp(-level)
    q = min(mean + math.sqrt(0.5 * level), 1.0 - 1e-16)  # Pinsker's inequality: the root is not beyond it
    for _ in range(MOST_STEPS):
        excess = mean * math.log(mean / q) + (1.0 - mean) * math.log((1.0 - mean) / (1.0 - q)) - level
        if excess <= 0.0:
            break
        step = excess * q * (1.0 - q) / (q - mean)
        if not q - step > mean or q - step == q:
            break
        q -= step
    return q


@inline
def index(kind: int, own: Numbers, pulls: float, mean: float, variance: float, log_round: float, n_arms: int) -> float:
    """What an arm is judged by.

    UCB-Tuned (Auer et al., 2002): m + sqrt(log t / p * min(1/4, v + sqrt(2 log t / p))).
    UCB-V (Audibert et al., 2009): m + sqrt(2 v e / p) + 3 c e / p, where e = zeta log t; zeta is FIRST, c is SECOND.
    MOSS (Audibert and Bubeck, 2009): m + sqrt(max(0, log(T / (n p))) / p); the horizon T is FIRST.
    KL-UCB (Garivier and Cappé, 2011): the largest q with p kl(m, q) <= log t + c log log t; c is FIRST.
    """
    if kind == UCB_TUNED:
        spread = variance + math.sqrt(2.0 * log_round / pulls)
        return mean + math.sqrt(log_round / pulls * min(0.25, spread))
    if kind == UCB_V:
        effort: float = own[FIRST] * log_round
        extra: float = 3.0 * own[SECOND] * effort / pulls
        return mean + math.sqrt(2.0 * variance * effort / pulls) + extra
    if kind == MOSS:
        return mean + math.sqrt(max(0.0, math.log(own[FIRST] / (n_arms * pulls))) / pulls)
    effort = log_round
    if own[FIRST] > 0.0:
        effort += own[FIRST] * math.log(max(1.0, log_round))
    return kl_bound(mean, effort / pulls)


@jit
def choose_by_index(kind: int, arms: Numbers, own: Numbers) -> int:
    """The arm with the highest index."""
    if own[UNPULLED] > 0.0:
        return first_unpulled(arms)
    log_round = math.log(own[ROUNDS] + 1.0)
    best, leads = -np.inf, integer(0)
    for arm in range(arms.shape[0]):
        pulls = arms[arm, PULLS]
        value = index(kind, own, pulls, arms[arm, MEAN], arms[arm, DEVIATIONS] / pulls, log_round, arms.shape[0])
        if value > best:
            best, leads = value, integer(arm)
    return leads


@jit
def learn_with_spread(arms: Numbers, own: Numbers, arm: int, value: float) -> None:
    """Count a pull, and how far its reward is from the mean before and after it (Welford, 1962)."""
    before = arms[arm, MEAN]
    count_reward(arms, own, arm, value)
    arms[arm, DEVIATIONS] += (value - before) * (value - arms[arm, MEAN])
