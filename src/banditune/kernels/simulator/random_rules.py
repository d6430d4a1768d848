"""Rules that draw: Thompson sampling, epsilon-greedy; and explore-then-commit, which does not.

The numbers drawn in round t come from the policy's key and t, so that choosing twice gives the same arm.
"""

import math

import numpy as np

from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.counter_random import beta_number, normal_quantile, random_bits, uniform
from banditune.kernels.simulator.state import (
    CHOSEN,
    FIRST,
    PULLS,
    ROUNDS,
    SECOND,
    SUM,
    THIRD,
    UNPULLED,
    Numbers,
    best_mean,
    count_reward,
    first_unpulled,
)


@jit
def choose_beta(arms: Numbers, own: Numbers, key: np.uint64) -> int:
    """Thompson sampling with a Beta(FIRST, SECOND) prior: a reward r in [0, 1] is r successes and 1 - r failures."""
    round_key = random_bits(key, int(own[ROUNDS]))
    best, leads = -np.inf, integer(0)
    for arm in range(arms.shape[0]):
        a = own[FIRST] + arms[arm, SUM]
        b = own[SECOND] + max(0.0, arms[arm, PULLS] - arms[arm, SUM])
        value = beta_number(a, b, random_bits(round_key, arm))
        if value > best:
            best, leads = value, integer(arm)
    return leads


@jit
def choose_gaussian(arms: Numbers, own: Numbers, key: np.uint64) -> int:
    """Thompson sampling for rewards of standard deviation FIRST, with prior mean SECOND and prior precision THIRD.

    With no precision nothing is known beforehand, and every arm is pulled once first.
    """
    if own[THIRD] == 0.0 and own[UNPULLED] > 0.0:
        return first_unpulled(arms)
    round_key = random_bits(key, int(own[ROUNDS]))
    certainty = 1.0 / (own[FIRST] * own[FIRST])
    best, leads = -np.inf, integer(0)
    for arm in range(arms.shape[0]):
        precision = own[THIRD] + arms[arm, PULLS] * certainty
        mean = (own[THIRD] * own[SECOND] + arms[arm, SUM] * certainty) / precision
        value = mean + normal_quantile(uniform(round_key, arm)) / math.sqrt(precision)
        if value > best:
            best, leads = value, integer(arm)
    return leads


@jit
def choose_epsilon_greedy(arms: Numbers, own: Numbers, key: np.uint64) -> int:
    """Any arm with probability FIRST, or n FIRST / t where SECOND says that it falls; else the best so far."""
    if own[UNPULLED] > 0.0:
        return first_unpulled(arms)
    n_arms = arms.shape[0]
    epsilon = own[FIRST] * n_arms / (own[ROUNDS] + 1.0) if own[SECOND] != 0.0 else own[FIRST]
    round_key = random_bits(key, int(own[ROUNDS]))
    if uniform(round_key, 0) < epsilon:
        return integer(min(n_arms - 1, int(uniform(round_key, 1) * n_arms)))
    return best_mean(arms)


@jit
def choose_committed(arms: Numbers, own: Numbers) -> int:
    """Every arm in turn until each was pulled FIRST times, then the arm it committed itself to."""
    if own[CHOSEN] >= 0.0:
        return integer(int(own[CHOSEN]))
    least = integer(0)
    for arm in range(1, arms.shape[0]):
        if arms[arm, PULLS] < arms[least, PULLS]:
            least = arm
    return least


@jit
def learn_committed(arms: Numbers, own: Numbers, arm: int, value: float) -> None:
    """Count a pull, and commit to the best arm once each was pulled FIRST times."""
    count_reward(arms, own, arm, value)
    if own[CHOSEN] < 0.0 and arms[:, PULLS].min() >= own[FIRST]:
        own[CHOSEN] = best_mean(arms)
