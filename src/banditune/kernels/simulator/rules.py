"""The rules by number: one way to choose and one way to learn for all of them."""

import numpy as np

from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.counter_random import uniform
from banditune.kernels.simulator.index_rules import choose_by_index, learn_with_spread
from banditune.kernels.simulator.random_rules import (
    choose_beta,
    choose_committed,
    choose_epsilon_greedy,
    choose_gaussian,
    learn_committed,
)
from banditune.kernels.simulator.state import (
    BETA_SAMPLING,
    CDT,
    CHANCE,
    EPSILON_GREEDY,
    EXP3,
    EXPLORE_THEN_COMMIT,
    GAUSSIAN_SAMPLING,
    KL_UCB,
    ROUNDS,
    SYNDICATED,
    TSALLIS_INF,
    UCB,
    UCB_TUNED,
    Numbers,
    count_reward,
    draw_row,
    scale_reward,
)
from banditune.kernels.simulator.tuner_rules import choose_cdt, learn_cdt, learn_syndicated
from banditune.kernels.simulator.ucb_rule import choose_ucb, learn_ucb
from banditune.kernels.simulator.weight_rules import learn_exp3, learn_tsallis


@jit
def choose(kind: int, arms: Numbers, own: Numbers, table: Numbers, key: np.uint64) -> int:
    """The arm that a rule of this kind pulls next; nothing changes, so that asking twice gives the same answer."""
    arm = integer(0)
    if kind in (UCB, SYNDICATED):
        arm = choose_ucb(arms, own)
    elif UCB_TUNED <= kind <= KL_UCB:
        arm = choose_by_index(kind, arms, own)
    elif kind == BETA_SAMPLING:
        arm = choose_beta(arms, own, key)
    elif kind == GAUSSIAN_SAMPLING:
        arm = choose_gaussian(arms, own, key)
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
