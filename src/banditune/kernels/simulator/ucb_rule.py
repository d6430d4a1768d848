"""UCB as a rule of the simulator: the decisions of `bt.UCB`, to the last bit."""

import math

import numpy as np

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.lines.envelope import SLACK
from banditune.kernels.lines.index import bonus_growth
from banditune.kernels.lines.run import next_arm
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.double_double import add, two_product
from banditune.kernels.simulator import state as at
from banditune.kernels.simulator.state import count_reward


@inline
def choose_ucb(arms: Floats, own: Floats) -> int:
    """Return the arm with the highest mean + theta growth / sqrt(weight)."""
    growth = bonus_growth(int(own[at.SCHEDULE]), own[at.HORIZON], own[at.ROUNDS] + 1.0)
    leads = certain_choice(arms, own, own[at.THETA] * growth)
    if leads < 0:
        leads = exact_choice(arms, own)
    return leads


@inline
def certain_choice(arms: Floats, own: Floats, x: float) -> int:
    """Return the arm with the highest index beyond any rounding; -1 if in doubt, or if arms are not pulled yet.

    x is theta times the growth.
    """
    best = next_best = -np.inf
    reach = 0.0
    leads = integer(0)
    for arm in range(arms.shape[0]):
        bonus = x * arms[arm, at.ROOT]
        value = arms[arm, at.MEAN] + bonus
        reach = max(reach, abs(arms[arm, at.MEAN]) + bonus)
        lesser = value if value < best else best
        next_best = lesser if lesser > next_best else next_best
        leads = arm if value > best else leads
        best = value if value > best else best
    certain = best - next_best > SLACK * reach and (own[at.UNPULLED] == 0.0 or own[at.WEIGHT] > 0.0)
    return leads if certain else integer(-1)


@jit
def exact_choice(arms: Floats, own: Floats) -> int:
    """Return the choice by the rule of `bt.UCB`, for calls that are too close for floats."""
    n_arms = arms.shape[0]
    counts, sums, priors = np.empty(n_arms, np.int64), np.empty((n_arms, 2)), np.empty(n_arms)
    for arm in range(n_arms):
        counts[arm] = int(arms[arm, at.PULLS])
        sums[arm, 0], sums[arm, 1] = arms[arm, at.SUM], arms[arm, at.SUM_LOW]
        priors[arm] = arms[arm, at.EXTRA]
    return next_arm(counts, sums, own[at.THETA], priors, own[at.WEIGHT], int(own[at.SCHEDULE]), own[at.HORIZON])


@inline
def learn_ucb(arms: Floats, own: Floats, arm: int, value: float) -> None:
    """Count a pull; what was expected of the arm counts for the weight of priors."""
    count_reward(arms, own, arm, value)
    if own[at.WEIGHT] > 0.0:
        set_expectation(arms, own, arm)


@jit
def set_expectation(arms: Floats, own: Floats, arm: int) -> None:
    """Write the mean and the root of an arm with its prior."""
    weight = arms[arm, at.PULLS] + own[at.WEIGHT]
    expected, expected_low = two_product(own[at.WEIGHT], arms[arm, at.EXTRA])
    total, _ = add(arms[arm, at.SUM], arms[arm, at.SUM_LOW], expected, expected_low)
    arms[arm, at.MEAN], arms[arm, at.ROOT] = total / weight, 1.0 / math.sqrt(weight)
