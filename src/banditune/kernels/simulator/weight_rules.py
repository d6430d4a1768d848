"""Rules that keep a probability for each arm: EXP3 and Tsallis-INF. Rewards are in [0, 1]."""

import math

import numpy as np

from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.simulator.state import CHANCE, EXTRA, FIRST, ROUNDS, count_reward

MOST_STEPS = 100  # of Newton's method; fewer than ten are usual


@jit
def set_exp3_chances(rows: Floats, gamma: float) -> None:
    """(1 - gamma) w / sum(w) + gamma / n, from the logarithms of the weights w in column EXTRA."""
    n_rows, largest = rows.shape[0], rows[:, EXTRA].max()
    total = 0.0
    for row in range(n_rows):
        rows[row, CHANCE] = math.exp(rows[row, EXTRA] - largest)
        total += rows[row, CHANCE]
    for row in range(n_rows):
        rows[row, CHANCE] = (1.0 - gamma) * rows[row, CHANCE] / total + gamma / n_rows


@jit
def exp3_step(rows: Floats, row: int, gain: float, gamma: float) -> None:
    """EXP3 (Auer et al., 2002) after the row's gain in [0, 1] was seen."""
    rows[row, EXTRA] += gamma / rows.shape[0] * gain / rows[row, CHANCE]
    set_exp3_chances(rows, gamma)


@jit
def tsallis_shift(rows: Floats, rates: Floats, column: int) -> float:
    """Solve sum w = 1 for x, w = 4 / (rate (L - x))^2, for estimated losses L in EXTRA; w goes to `column`.

    The sum is convex in x up to the least L, and at the least L - 2 / rate it is at least 1: from there Newton's method
    only ever moves left. The w are then divided by their sum, which differs from 1 by rounding alone.
    """
    n_rows = rows.shape[0]
    x: float = rows[0, EXTRA] - 2.0 / rates[0]
    for row in range(1, n_rows):
        x = min(x, rows[row, EXTRA] - 2.0 / rates[row])
    total = 0.0
    for _ in range(MOST_STEPS):
        total = slope = 0.0
        for row in range(n_rows):
            root = 2.0 / (rates[row] * (rows[row, EXTRA] - x))
            rows[row, column] = root * root
            total += root * root
            slope += rates[row] * root * root * root
        step = (total - 1.0) / slope
        if not x - step < x:
            break
        x -= step
    for row in range(n_rows):
        rows[row, column] /= total
    return x


@jit
def set_tsallis_chances(arms: Floats, own: Floats) -> None:
    """Write the probabilities of Tsallis-INF in the next round t: the rate is FIRST / sqrt(t) for all arms."""
    tsallis_shift(arms, np.full(arms.shape[0], own[FIRST] / math.sqrt(own[ROUNDS] + 1.0)), integer(CHANCE))


@jit
def learn_exp3(arms: Floats, own: Floats, arm: int, value: float) -> None:
    """Count a pull and set the probabilities of the next round."""
    exp3_step(arms, arm, value, own[FIRST])
    count_reward(arms, own, arm, value)


@jit
def learn_tsallis(arms: Floats, own: Floats, arm: int, value: float) -> None:
    """Count a pull, add to the arm's estimated loss, and set the probabilities of the next round."""
    arms[arm, EXTRA] += (1.0 - value) / arms[arm, CHANCE]
    count_reward(arms, own, arm, value)
    set_tsallis_chances(arms, own)
