"""The two corrals' steps: how the probabilities of the bases change with the loss of the one that was followed.

`rows` (M, ARM_WIDTH) is a row for each base, `own` as in `state`. Losses are in [0, 1].
"""

import math

import numpy as np

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.simulator.state import CHANCE, EXTRA, FIRST, ROUNDS, SECOND
from banditune.kernels.simulator.weight_rules import tsallis_shift

CORRAL, STOCHASTIC_CORRAL = 0, 1  # kinds of corrals

# of a row: how often its limit was passed; its probability before some of everything is mixed in; its rate, or what its
# rate is multiplied by; the limit of its inverse probability. EXTRA is its estimated loss, CHANCE what is drawn from.
PASSED, WEIGHT, RATE, LIMIT = range(4)

MOST_STEPS = 200  # of Newton's method or halving; fewer than ten are usual


@inline
def mix(rows: Floats, share: float) -> None:
    """Draw from the weights, but with probability `share` from all bases alike."""
    for row in range(rows.shape[0]):
        rows[row, CHANCE] = (1.0 - share) * rows[row, WEIGHT] + share / rows.shape[0]


@jit
def barrier_step(rows: Floats, base: int, loss: float) -> None:
    """Online mirror descent with the log barrier, where only `base` has a loss; Agarwal et al. (2017), Algorithm 2.

    Find x with sum 1 / (1/p + rate (loss - x)) = 1. It lies between the least and the largest loss, and left of where a
    summand has its pole; the sum is convex there. A step of Newton's that would leave this range is replaced by its
    middle. The new weights are divided by their sum, which differs from 1 by rounding alone.
    """
    n_rows = rows.shape[0]
    low, high = 0.0, loss
    for row in range(n_rows):
        high = min(high, (loss if row == base else 0.0) + 1.0 / (rows[row, RATE] * rows[row, WEIGHT]))
    x = total = 0.0
    for _ in range(MOST_STEPS):
        total = slope = 0.0
        for row in range(n_rows):
            weight = 1.0 / (1.0 / rows[row, WEIGHT] + rows[row, RATE] * ((loss if row == base else 0.0) - x))
            total += weight
            slope += rows[row, RATE] * weight * weight
        low, high = (low, x) if total > 1.0 else (x, high)
        nearer = x - (total - 1.0) / slope
        if not low < nearer < high:
            nearer = 0.5 * (low + high)
        if nearer == x or not low < nearer < high:
            break
        x = nearer
    for row in range(n_rows):
        inverse = 1.0 / rows[row, WEIGHT] + rows[row, RATE] * ((loss if row == base else 0.0) - x)
        rows[row, WEIGHT] = 1.0 / (inverse * total)


@jit
def corral_step(rows: Floats, own: Floats, base: int, loss: float) -> None:
    """CORRAL (Agarwal et al., 2017, Algorithm 1); FIRST is its gamma, SECOND its beta."""
    own[ROUNDS] += 1.0
    if loss > 0.0:
        barrier_step(rows, base, loss / rows[base, CHANCE])
    mix(rows, own[FIRST])
    for row in range(rows.shape[0]):
        if 1.0 / rows[row, CHANCE] > rows[row, LIMIT]:
            rows[row, LIMIT] = 2.0 / rows[row, CHANCE]
            rows[row, RATE] *= own[SECOND]
            rows[row, PASSED] += 1.0


@jit
def stochastic_step(rows: Floats, own: Floats, base: int, loss: float) -> None:
    """Learn a loss as the corral of Arora, Marinov and Mohri (2021) for stochastic bandits; SECOND is its beta."""
    own[ROUNDS] += 1.0
    rows[base, EXTRA] += loss / rows[base, WEIGHT]
    set_stochastic_chances(rows, own)


@jit
def set_stochastic_chances(rows: Floats, own: Floats) -> None:
    """Write the weights of the next round t: those of Tsallis-INF with rates RATE / sqrt(t).

    Where a limit is passed the rate grows, and the estimated losses are shifted such that the weights stay as they are.
    """
    n_rows, t = rows.shape[0], own[ROUNDS] + 1.0
    rates = np.empty(n_rows)
    for row in range(n_rows):
        rates[row] = rows[row, RATE] / math.sqrt(t)
    shift = tsallis_shift(rows, rates, integer(WEIGHT))
    for row in range(n_rows):
        if 1.0 / rows[row, WEIGHT] > rows[row, LIMIT]:
            rows[row, LIMIT] *= 2.0
            rows[row, RATE] *= own[SECOND]
            rows[row, PASSED] += 1.0
            for other in range(n_rows):
                rows[other, EXTRA] -= shift
            rows[row, EXTRA] /= own[SECOND]
            shift = 0.0
    mix(rows, 1.0 / t)


@jit
def corral_learn(kind: int, rows: Floats, own: Floats, base: int, loss: float) -> None:
    """Learn what following a base cost."""
    if kind == CORRAL:
        corral_step(rows, own, base, loss)
    else:
        stochastic_step(rows, own, base, loss)
