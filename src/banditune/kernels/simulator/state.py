"""What a policy remembers: a row of numbers for each arm, and some of its own, in arrays whose columns are named here.

`arms` is (n, ARM_WIDTH), `own` is (OWN_WIDTH,). A rule is a pair of functions: one chooses an arm and changes nothing,
the other learns what it gave. Both the online policy and the compiled run call them, so they cannot disagree.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add_float

# of an arm: its pulls; the sum of its rewards, high and low part; their mean; the sum of their squared deviations from
# it; 1 / sqrt(pulls); what was expected of it, or its estimated loss; the probability that it is chosen next
PULLS, SUM, SUM_LOW, MEAN, DEVIATIONS, ROOT, EXTRA, CHANCE = range(8)
ARM_WIDTH = 8

# of the policy: rounds so far; rewards r are taken as (r - LOW) SCALE, and kept between 0 and 1 if CLIPPED; arms never
# pulled; sqrt(alpha) and the weight of priors for UCB; a tuner's chosen row, how many rows it has, and the range of
# sqrt(alpha) they lie in; three settings of the rule; UCB's schedule and its horizon
ROUNDS, LOW, SCALE, CLIPPED, UNPULLED, THETA, WEIGHT, CHOSEN, ROWS, LEAST, MOST, FIRST, SECOND, THIRD = range(14)
SCHEDULE, HORIZON = 14, 15
OWN_WIDTH = 16


class State(NamedTuple):
    """All that a policy goes by."""

    kind: int  # of its rule
    arms: Floats  # (n, ARM_WIDTH)
    own: Floats  # (OWN_WIDTH,)
    table: Floats  # (rows, ARM_WIDTH) what it remembers beside its arms
    key: np.uint64  # of its random numbers


class CorralState(NamedTuple):
    """All that a corral goes by, and the states of its M bases."""

    kind: int
    importance: bool  # whether every base sees the reward over its probability
    restarts: bool
    rows: Floats  # (M, ARM_WIDTH)
    own: Floats  # (OWN_WIDTH,)
    key: np.uint64
    base_kinds: Integers  # (M,)
    base_arms: Floats  # (M, n, ARM_WIDTH)
    base_own: Floats  # (M, OWN_WIDTH)
    base_tables: Floats  # (M, rows, ARM_WIDTH)
    base_keys: NDArray[np.uint64]  # (M,)


def new_state(kind: int, n_arms: int, n_rows: int, key: np.uint64) -> State:
    """Return the state before the first round, for rewards that are taken as they are."""
    own = np.zeros(OWN_WIDTH)
    own[SCALE], own[UNPULLED], own[CHOSEN] = 1.0, n_arms, -1.0
    return State(kind, np.zeros((n_arms, ARM_WIDTH)), own, np.zeros((n_rows, ARM_WIDTH)), key)


def state_after(kind: int, counts: Integers, sums: Floats, key: int = 0) -> State:
    """Return the state after counts (n,) pulls with rewards that add up to sums (n, 2), high and low part."""
    state, pulled = new_state(kind, counts.size, 0, np.uint64(key)), counts > 0
    state.arms[:, PULLS], state.arms[:, [SUM, SUM_LOW]] = counts, sums
    state.arms[pulled, MEAN], state.arms[pulled, ROOT] = sums[pulled, 0] / counts[pulled], 1.0 / np.sqrt(counts[pulled])
    state.own[ROUNDS], state.own[UNPULLED] = counts.sum(), (~pulled).sum()
    return state


@inline
def scale_reward(own: Floats, reward: float) -> float:
    """Return a reward as the policy takes it."""
    value: float = (reward - own[LOW]) * own[SCALE]
    return min(max(value, 0.0), 1.0) if own[CLIPPED] != 0.0 else value


@inline
def count_reward(arms: Floats, own: Floats, arm: int, value: float) -> None:
    """Count a pull of the arm that gave `value`, as taken."""
    own[ROUNDS] += 1.0
    pulls = arms[arm, PULLS] + 1.0
    own[UNPULLED] -= 1.0 if pulls == 1.0 else 0.0
    arms[arm, PULLS] = pulls
    high, low = add_float(arms[arm, SUM], arms[arm, SUM_LOW], value)
    arms[arm, SUM], arms[arm, SUM_LOW] = high, low
    arms[arm, MEAN] = high / pulls
    arms[arm, ROOT] = 1.0 / math.sqrt(pulls)


@jit
def draw_row(rows: Floats, column: int, u: float) -> int:
    """Return the row that the uniform number u falls on, where `column` holds the rows' probabilities."""
    reached = 0.0
    for row in range(rows.shape[0]):
        reached += rows[row, column]
        if u < reached:
            return integer(row)
    return integer(rows.shape[0] - 1)
