"""UCB whose alpha is tuned while it plays, by another bandit whose arms are values of alpha: all share what was seen.

`table` (rows, ARM_WIDTH) holds what the tuner remembers of each value. Rewards are in [0, 1].
"""

import math

import numpy as np

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.counter_random import normal_quantile, random_bits, uniform
from banditune.kernels.simulator import state as at
from banditune.kernels.simulator.state import draw_row
from banditune.kernels.simulator.ucb_rule import choose_ucb, learn_ucb
from banditune.kernels.simulator.weight_rules import exp3_step

POINT = 1  # of a row of the table: where its value is, sqrt(alpha) for Syndicated, from 0 to 1 for CDT
ROOT_OF_TURN = 1.0 / math.sqrt(2.0 * math.pi)


@jit
def next_candidate(own: Floats, table: Floats, key: np.uint64) -> None:
    """Syndicated: draw the candidate of the next round."""
    row = draw_row(table, integer(at.CHANCE), uniform(key, int(own[at.ROUNDS])))
    own[at.CHOSEN], own[at.THETA] = row, table[row, POINT]


@jit
def learn_syndicated(arms: Floats, own: Floats, table: Floats, key: np.uint64, arm: int, value: float) -> None:
    """Syndicated bandits (Ding et al., 2022) for one parameter: EXP3 over candidates, with FIRST as its gamma."""
    exp3_step(table, int(own[at.CHOSEN]), value, own[at.FIRST])
    learn_ucb(arms, own, arm, value)
    next_candidate(own, table, key)


@inline
def radius(table: Floats, row: int, log_horizon: float) -> float:
    """Return how far around a point its mean reward says something."""
    return math.sqrt(6.5 * log_horizon / table[row, at.PULLS])


@jit
def find_uncovered_point(table: Floats, n_rows: int, log_horizon: float) -> float:
    """Return the middle of the first part of [0, 1] that no point covers; -1 if there is none."""
    reached = 0.0
    while reached < 1.0:
        further, start = reached, 1.0
        for row in range(n_rows):
            reach = radius(table, row, log_horizon)
            if table[row, POINT] - reach <= reached:
                further = max(further, table[row, POINT] + reach)
            else:
                start = min(start, table[row, POINT] - reach)
        if further == reached:
            return 0.5 * (reached + start)
        reached = further
    return -1.0


@jit
def next_point(own: Floats, table: Floats, key: np.uint64) -> None:
    """CDT: the point of the next round. A new one where something is not covered, else one by Thompson sampling.

    The first THIRD rounds are played at random. After every SECOND rounds it starts afresh, from a point near the
    middle. FIRST is the logarithm of the horizon.
    """
    since = int(own[at.ROUNDS]) - int(own[at.THIRD])
    if since < 0:
        own[at.CHOSEN] = -1.0
        return
    round_key = random_bits(key, int(own[at.ROUNDS]))
    n_rows = int(own[at.ROWS])
    if since % int(own[at.SECOND]) == 0:
        n_rows = 0
    new = 0.3 + 0.4 * uniform(round_key, 0) if n_rows == 0 else find_uncovered_point(table, n_rows, own[at.FIRST])
    chosen = integer(0)
    if new >= 0.0 and n_rows < table.shape[0]:
        chosen, n_rows = n_rows, n_rows + 1
        table[chosen, at.PULLS], table[chosen, at.MEAN], table[chosen, POINT] = 0.0, 0.0, new
    else:
        best = -np.inf
        for row in range(n_rows):
            luck = max(normal_quantile(uniform(round_key, row + 1)), ROOT_OF_TURN)
            value = table[row, at.MEAN] + math.sqrt(13.0 / table[row, at.PULLS]) * luck
            if value > best:
                best, chosen = value, integer(row)
    own[at.CHOSEN], own[at.ROWS] = chosen, n_rows
    own[at.THETA] = own[at.LEAST] + (own[at.MOST] - own[at.LEAST]) * table[chosen, POINT]


@jit
def choose_cdt(arms: Floats, own: Floats, key: np.uint64) -> int:
    """Any arm in the first rounds, then UCB's with the point's alpha."""
    if own[at.CHOSEN] >= 0.0:
        return choose_ucb(arms, own)
    return integer(min(arms.shape[0] - 1, int(uniform(key, int(own[at.ROUNDS])) * arms.shape[0])))


@jit
def learn_cdt(arms: Floats, own: Floats, table: Floats, key: np.uint64, arm: int, value: float) -> None:
    """Continuous dynamic tuning (Kang et al., 2024): the zooming algorithm over alpha, with restarts."""
    row = int(own[at.CHOSEN])
    if row >= 0:
        table[row, at.PULLS] += 1.0
        table[row, at.MEAN] += (value - table[row, at.MEAN]) / table[row, at.PULLS]
    learn_ucb(arms, own, arm, value)
    next_point(own, table, key)
