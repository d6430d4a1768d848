"""The rules by number: one way to choose and one way to learn for all of them; and those that need few lines.

Of indices the highest is pulled, ties go to the lowest arm, and every arm is pulled once before that: t is the round, p
the pulls of an arm so far, m its mean reward and v the variance of its rewards, all in [0, 1]. The numbers drawn in
round t come from the policy's key and t, so that choosing twice gives the same arm.
"""

import numpy as np

from banditune.kernels.jit import integer, jit
from banditune.kernels.lines.bonus import Bonus, add_square
from banditune.kernels.lines.bonus_run import next_arm_by_bonus
from banditune.kernels.lines.feedback import IMMEDIATE
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.counter_random import uniform
from banditune.kernels.simulator import state as at
from banditune.kernels.simulator.state import count_reward, draw_row, scale_reward
from banditune.kernels.simulator.tuner_rules import choose_cdt, learn_cdt, learn_syndicated
from banditune.kernels.simulator.ucb_rule import choose_ucb, learn_ucb
from banditune.kernels.simulator.weight_rules import learn_exp3, learn_tsallis


@jit
def choose_line(arms: Floats, own: Floats, key: np.uint64) -> int:
    """Return the arm with the highest index; its parts are where settings of other rules are."""
    n_arms = arms.shape[0]
    counts, sums, squares = np.empty(n_arms, np.int64), np.empty((n_arms, 2)), np.empty((n_arms, 2))
    for arm in range(n_arms):
        counts[arm] = int(arms[arm, at.PULLS])
        sums[arm, 0], sums[arm, 1] = arms[arm, at.SUM], arms[arm, at.SUM_LOW]
        squares[arm, 0], squares[arm, 1] = arms[arm, at.DEVIATIONS], arms[arm, at.EXTRA]
    form, width, growth, coin = int(own[at.FIRST]), int(own[at.SECOND]), int(own[at.SCHEDULE]), int(own[at.THIRD])
    horizon, power, span, low = own[at.HORIZON], own[at.LEAST], own[at.MOST], own[at.WEIGHT]
    bonus = Bonus(form, width, growth, coin, horizon, power, span, low, own[at.CHOSEN], own[at.ROWS])
    none, nothing = np.zeros(n_arms, np.int64), np.zeros(n_arms)
    return next_arm_by_bonus(counts, none, sums, squares, own[at.THETA], bonus, IMMEDIATE, key, nothing, 0.0)


@jit
def learn_line(arms: Floats, own: Floats, arm: int, value: float) -> None:
    """Count a pull, and the square of its reward."""
    count_reward(arms, own, arm, value)
    high, low = add_square(arms[arm, at.DEVIATIONS], arms[arm, at.EXTRA], value)
    arms[arm, at.DEVIATIONS], arms[arm, at.EXTRA] = high, low


# A table of functions would be compiled anew for each rule: they have numbers, and `choose` and `learn` ask for them.
UCB, LINES, EXP3, TSALLIS_INF, SYNDICATED, CDT = range(6)


@jit
def choose(kind: int, arms: Floats, own: Floats, table: Floats, key: np.uint64) -> int:
    """Return the arm that a rule pulls next; nothing changes, so that asking twice gives the same answer."""
    arm = integer(0)
    if kind in (UCB, SYNDICATED):
        arm = choose_ucb(arms, own)
    elif kind == LINES:
        arm = choose_line(arms, own, key)
    elif kind == CDT:
        arm = choose_cdt(arms, own, key)
    else:
        arm = draw_row(arms, integer(at.CHANCE), uniform(key, int(own[at.ROUNDS])))
    return arm


@jit
def learn(kind: int, arms: Floats, own: Floats, table: Floats, key: np.uint64, arm: int, reward: float) -> None:
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
