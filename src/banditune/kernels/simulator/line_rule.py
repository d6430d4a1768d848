"""Policies whose index is made of parts as a rule of the simulator: their online decisions, to the last bit."""

import numpy as np

from banditune.kernels.jit import jit
from banditune.kernels.lines.bonus import Bonus, add_square
from banditune.kernels.lines.bonus_run import next_arm_by_bonus
from banditune.kernels.lines.feedback import IMMEDIATE
from banditune.kernels.simulator.state import (
    CHOSEN,
    DEVIATIONS,
    EXTRA,
    FIRST,
    HORIZON,
    LEAST,
    MOST,
    PULLS,
    ROWS,
    SCHEDULE,
    SECOND,
    SUM,
    SUM_LOW,
    THETA,
    THIRD,
    WEIGHT,
    Numbers,
    count_reward,
)


@jit
def choose_line(arms: Numbers, own: Numbers, key: np.uint64) -> int:
    """The arm with the highest index; its parts are where settings of other rules are."""
    n_arms = arms.shape[0]
    counts, sums, squares = np.empty(n_arms, np.int64), np.empty((n_arms, 2)), np.empty((n_arms, 2))
    for arm in range(n_arms):
        counts[arm] = int(arms[arm, PULLS])
        sums[arm, 0], sums[arm, 1] = arms[arm, SUM], arms[arm, SUM_LOW]
        squares[arm, 0], squares[arm, 1] = arms[arm, DEVIATIONS], arms[arm, EXTRA]
    form, width, growth, coin = int(own[FIRST]), int(own[SECOND]), int(own[SCHEDULE]), int(own[THIRD])
    horizon, power, span, low = own[HORIZON], own[LEAST], own[MOST], own[WEIGHT]
    bonus = Bonus(form, width, growth, coin, horizon, power, span, low, own[CHOSEN], own[ROWS])
    none, nothing = np.zeros(n_arms, np.int64), np.zeros(n_arms)
    return next_arm_by_bonus(counts, none, sums, squares, own[THETA], bonus, IMMEDIATE, key, nothing, 0.0)


@jit
def learn_line(arms: Numbers, own: Numbers, arm: int, value: float) -> None:
    """Count a pull, and the square of its reward."""
    count_reward(arms, own, arm, value)
    high, low = add_square(arms[arm, DEVIATIONS], arms[arm, EXTRA], value)
    arms[arm, DEVIATIONS], arms[arm, EXTRA] = high, low
