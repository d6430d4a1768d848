"""The rules by number: one way to choose and one way to learn for all of them; and those that need few lines.

Of indices the highest is pulled, ties go to the lowest arm, and every arm is pulled once before that: t is the round, p
the pulls of an arm so far, m its mean reward and v the variance of its rewards, all in [0, 1]. The numbers drawn in
round t come from the policy's key and t, so that choosing twice gives the same arm.
"""

import math

import numpy as np

from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.counter_random import beta_number, random_bits, uniform
from banditune.kernels.simulator.line_rule import choose_line, learn_line
from banditune.kernels.simulator.state import (
    CHANCE,
    FIRST,
    MEAN,
    PULLS,
    ROUNDS,
    SECOND,
    SUM,
    UNPULLED,
    Numbers,
    count_reward,
    draw_row,
    first_unpulled,
    scale_reward,
)
from banditune.kernels.simulator.tuner_rules import choose_cdt, learn_cdt, learn_syndicated
from banditune.kernels.simulator.ucb_rule import choose_ucb, learn_ucb
from banditune.kernels.simulator.weight_rules import learn_exp3, learn_tsallis

# A table of functions would be compiled anew for each rule: they have numbers, and `choose` and `learn` ask for them.
UCB, LINES, KL_UCB, BETA_SAMPLING, EXP3, TSALLIS_INF, SYNDICATED, CDT = range(8)


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


@jit
def choose_kl_ucb(arms: Numbers, own: Numbers) -> int:
    """KL-UCB (Garivier and Cappé, 2011): the largest q with p kl(m, q) <= log t + c log log t; c is FIRST."""
    if own[UNPULLED] > 0.0:
        return first_unpulled(arms)
    log_round = math.log(own[ROUNDS] + 1.0)
    effort = log_round
    if own[FIRST] > 0.0:
        effort += own[FIRST] * math.log(max(1.0, log_round))
    best, leads = -np.inf, integer(0)
    for arm in range(arms.shape[0]):
        value = kl_bound(arms[arm, MEAN], effort / arms[arm, PULLS])
        if value > best:
            best, leads = value, integer(arm)
    return leads


@jit
def choose(kind: int, arms: Numbers, own: Numbers, table: Numbers, key: np.uint64) -> int:
    """The arm that a rule of this kind pulls next; nothing changes, so that asking twice gives the same answer."""
    arm = integer(0)
    if kind in (UCB, SYNDICATED):
        arm = choose_ucb(arms, own)
    elif kind == LINES:
        arm = choose_line(arms, own, key)
    elif kind == KL_UCB:
        arm = choose_kl_ucb(arms, own)
    elif kind == BETA_SAMPLING:
        arm = choose_beta(arms, own, key)
    elif kind == CDT:
        arm = choose_cdt(arms, own, key)
    else:
        arm = draw_row(arms, integer(CHANCE), uniform(key, int(own[ROUNDS])))
    return arm


@jit
def learn(kind: int, arms: Numbers, own: Numbers, table: Numbers, key: np.uint64, arm: int, reward: float) -> None:
    """Learn what a pull of the arm gave."""
    value = scale_reward(own, reward)
    if kind == UCB:
        learn_ucb(arms, own, arm, value)
    elif kind == LINES:
        learn_line(arms, own, arm, value)
    elif kind == EXP3:
        learn_exp3(arms, own, arm, value)
    elif kind == TSALLIS_INF:
        learn_tsallis(arms, own, arm, value)
    elif kind == SYNDICATED:
        learn_syndicated(arms, own, table, key, arm, value)
    elif kind == CDT:
        learn_cdt(arms, own, table, key, arm, value)
    else:
        count_reward(arms, own, arm, value)
