"""The rules by number: one way to choose and one way to learn for all of them; and those that need few lines.

Of indices the highest is pulled, ties go to the lowest arm, and every arm is pulled once before that: t is the round, p
the pulls of an arm so far, m its mean reward and v the variance of its rewards, all in [0, 1]. The numbers drawn in
round t come from the policy's key and t, so that choosing twice gives the same arm.
"""

import math

import numpy as np

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.numerics.counter_random import beta_number, random_bits, uniform
from banditune.kernels.simulator.line_rule import choose_line, learn_line
from banditune.kernels.simulator.state import (
    CHANCE,
    CHOSEN,
    DEVIATIONS,
    FIRST,
    MEAN,
    PULLS,
    ROUNDS,
    SECOND,
    SUM,
    UNPULLED,
    Numbers,
    best_mean,
    count_reward,
    draw_row,
    first_unpulled,
    scale_reward,
)
from banditune.kernels.simulator.tuner_rules import choose_cdt, learn_cdt, learn_syndicated
from banditune.kernels.simulator.ucb_rule import choose_ucb, learn_ucb
from banditune.kernels.simulator.weight_rules import learn_exp3, learn_tsallis

# A table of functions would be compiled anew for each rule: they have numbers, and `choose` and `learn` ask for them.
UCB, LINES, UCB_TUNED, UCB_V, KL_UCB, BETA_SAMPLING, EPSILON_GREEDY, EXPLORE_THEN_COMMIT = range(8)
EXP3, TSALLIS_INF, SYNDICATED, CDT = range(8, 12)


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
def index(kind: int, own: Numbers, pulls: float, mean: float, variance: float, log_round: float) -> float:
    """What an arm is judged by.

    UCB-Tuned (Auer et al., 2002): m + sqrt(log t / p * min(1/4, v + sqrt(2 log t / p))).
    UCB-V (Audibert et al., 2009): m + sqrt(2 v e / p) + 3 c e / p, where e = zeta log t; zeta is FIRST, c is SECOND.
    KL-UCB (Garivier and Cappé, 2011): the largest q with p kl(m, q) <= log t + c log log t; c is FIRST.
    """
    if kind == UCB_TUNED:
        spread = variance + math.sqrt(2.0 * log_round / pulls)
        return mean + math.sqrt(log_round / pulls * min(0.25, spread))
    if kind == UCB_V:
        effort: float = own[FIRST] * log_round
        extra: float = 3.0 * own[SECOND] * effort / pulls
        return mean + math.sqrt(2.0 * variance * effort / pulls) + extra
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
        value = index(kind, own, pulls, arms[arm, MEAN], arms[arm, DEVIATIONS] / pulls, log_round)
        if value > best:
            best, leads = value, integer(arm)
    return leads


@jit
def learn_with_spread(arms: Numbers, own: Numbers, arm: int, value: float) -> None:
    """Count a pull, and how far its reward is from the mean before and after it (Welford, 1962)."""
    before = arms[arm, MEAN]
    count_reward(arms, own, arm, value)
    arms[arm, DEVIATIONS] += (value - before) * (value - arms[arm, MEAN])


@jit
def choose(kind: int, arms: Numbers, own: Numbers, table: Numbers, key: np.uint64) -> int:
    """The arm that a rule of this kind pulls next; nothing changes, so that asking twice gives the same answer."""
    arm = integer(0)
    if kind in (UCB, SYNDICATED):
        arm = choose_ucb(arms, own)
    elif kind == LINES:
        arm = choose_line(arms, own, key)
    elif UCB_TUNED <= kind <= KL_UCB:
        arm = choose_by_index(kind, arms, own)
    elif kind == BETA_SAMPLING:
        arm = choose_beta(arms, own, key)
    elif kind == EPSILON_GREEDY:
        arm = choose_epsilon_greedy(arms, own, key)
    elif kind == EXPLORE_THEN_COMMIT:
        arm = choose_committed(arms, own)
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
    elif UCB_TUNED <= kind <= KL_UCB:
        learn_with_spread(arms, own, arm, value)
    elif kind == EXPLORE_THEN_COMMIT:
        learn_committed(arms, own, arm, value)
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
