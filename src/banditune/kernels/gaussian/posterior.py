"""What a Gaussian prior over all arms comes to after some pulls: a function of counts and sums, and of nothing else.

The posterior given the mean reward of each pulled arm is computed afresh, one arm after the other in their order, and
its means and spreads are rounded to a grid some 11 digits below the scale of the prior. So runs that come to the same
counts by different orders know the same to the last bit, and arms that are alike in arithmetic tie: what is left of
rounding errors is far below the grid. Runs, sweeps and online policies all call `set_lines`.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, jit
from banditune.kernels.lines.envelope import PLAIN, Lines
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.counter_random import normal_quantile, random_bits, uniform

FINEST = -36  # the grid's step is 2**FINEST of the prior's scale
SMALL = 2.0**-40  # of a variance: what remains of it by rounding alone when an arm is known from others


class Prior(NamedTuple):
    """What is expected of n arms: their means are normal, and so are rewards around them."""

    means: Floats  # (n,)
    covariance: Floats  # (n, n)
    noise: float  # the variance of a reward
    root: Floats  # (n, n) lower triangular, its square is the covariance
    grid: float  # a power of two
    is_flat: bool  # whether nothing is expected: every arm is pulled once first, and known by its own rewards alone


class Room(NamedTuple):
    """Room to compute a posterior in."""

    rows: Floats  # (n, n) the covariances of an arm with all, given those before it
    gains: Floats  # (n, n) how its mean reward moves all
    means: Floats  # (n,)
    variances: Floats  # (n,)
    deviations: Floats  # (n,) how far a sample is from the means
    lines: Lines  # (n, PLAIN)


@jit
def make_room(n_arms: int) -> Room:
    """Return room for so many arms."""
    rows, gains, lines = np.empty((n_arms, n_arms)), np.empty((n_arms, n_arms)), np.zeros((n_arms, PLAIN))
    return Room(rows, gains, np.empty(n_arms), np.empty(n_arms), np.empty(n_arms), lines)


@jit
def factor(covariance: Floats) -> Floats:
    """Return a lower triangular matrix (n, n) whose square is the covariance; columns that add nothing are zero."""
    n = covariance.shape[0]
    root = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            rest = covariance[i, j]
            for k in range(j):
                rest -= root[i, k] * root[j, k]
            if i == j:
                root[j, j] = math.sqrt(rest) if rest > SMALL * covariance[j, j] else 0.0
            elif root[j, j] > 0.0:
                root[i, j] = rest / root[j, j]
    return root


@jit
def make_prior(means: Floats, covariance: Floats, noise: float, is_flat: bool, samples: bool) -> Prior:
    """Return the prior; the root of the covariance is only computed where it is sampled from."""
    scale = math.sqrt(noise)
    for i in range(means.size):
        scale = max(scale, abs(means[i]), math.sqrt(covariance[i, i]))
    _, exponent = math.frexp(scale)
    root = factor(covariance) if samples and not is_flat else covariance
    return Prior(means, covariance, noise, root, math.ldexp(1.0, exponent + FINEST), is_flat)


@inline
def normal_coin(key: np.uint64, t: int, number: int) -> float:
    """Return a standard normal number of round t."""
    return normal_quantile(uniform(random_bits(key, t), number))


@jit
def draw_coins(key: np.uint64, t: int, prior: Prior, drawn: Floats) -> None:
    """Write what is drawn for round t into (2, n): a sample of the prior around its means, and an error of each arm."""
    n = prior.means.size
    for i in range(n):
        drawn[0, i], drawn[1, i] = 0.0, normal_coin(key, t, 2 * i + 1)
    for k in range(n if not prior.is_flat else 0):
        coin = normal_coin(key, t, 2 * k)
        for i in range(k, n):
            drawn[0, i] += prior.root[i, k] * coin


@jit
def condition(counts: Integers, totals: Floats, prior: Prior, drawn: Floats, room: Room) -> None:
    """Compute the posterior after counts (n,) pulls with these totals (n,) into the room: means, variances, deviations.

    The deviations are those of a sample of the posterior, by Matheron's rule: a sample of the prior, drawn[0],
    conditioned on what it and errors drawn[1] of the arms' mean rewards would have shown.
    """
    rows, gains, means, variances, deviations, _ = room
    n, used = means.size, 0
    for i in range(n):
        means[i], variances[i], deviations[i] = prior.means[i], prior.covariance[i, i], drawn[0, i]
    for arm in range(n):
        if counts[arm] == 0:
            continue
        for i in range(n):
            rows[used, i] = prior.covariance[arm, i]
        for before in range(used):
            gain = gains[before, arm]
            for i in range(n):
                rows[used, i] -= gain * rows[before, i]
        pulls = float(counts[arm])
        error_variance = prior.noise / pulls
        whole = max(rows[used, arm], 0.0) + error_variance
        error = totals[arm] / pulls - means[arm]
        shown = -(deviations[arm] + math.sqrt(error_variance) * drawn[1, arm])
        for i in range(n):
            gain = rows[used, i] / whole
            gains[used, i] = gain
            means[i] += gain * error
            variances[i] -= gain * rows[used, i]
            deviations[i] += gain * shown
        used += 1


@jit
def average(counts: Integers, totals: Floats, prior: Prior, drawn: Floats, room: Room) -> None:
    """As `condition`, where nothing is expected; while there are arms without pulls, these are known to be better."""
    pulled = True
    for arm in range(counts.size):
        pulled = pulled and counts[arm] > 0
    for arm in range(counts.size):
        if pulled:
            pulls = float(counts[arm])
            room.means[arm], room.variances[arm] = totals[arm] / pulls, prior.noise / pulls
            room.deviations[arm] = math.sqrt(prior.noise / pulls) * drawn[1, arm]
        else:
            room.means[arm] = prior.grid if counts[arm] == 0 else 0.0
            room.variances[arm] = room.deviations[arm] = 0.0


@jit
def find_means(known: Integers, totals: Floats, prior: Prior, drawn: Floats, room: Room) -> None:
    """Compute the posterior after known (n,) pulls with these totals (n,) into the room."""
    if prior.is_flat:
        average(known, totals, prior, drawn, room)
    else:
        condition(known, totals, prior, drawn, room)


@inline
def spread_of(room: Room, arm: int, samples: bool, grid: float) -> float:
    """Return how steep the line of an arm is, on the grid."""
    slope = room.deviations[arm] if samples else math.sqrt(max(room.variances[arm], 0.0))
    return float(np.rint(slope / grid)) * grid


@jit
def find_spreads(counted: Integers, prior: Prior, drawn: Floats, room: Room) -> None:
    """Write the spread after counted (n,) pulls, whatever they gave, into the third column of room.lines."""
    find_means(counted, drawn[0], prior, drawn, room)  # no totals: spreads do not go by them
    for arm in range(counted.size):
        room.lines[arm, 2] = spread_of(room, arm, False, prior.grid)


@jit
def set_lines(
    known: Integers, counted: Integers, totals: Floats, prior: Prior, drawn: Floats, samples: bool, room: Room
) -> None:
    """Write the index of every arm into room.lines, as a line in the scale: see `kernels.lines.envelope`.

    It is mean + scale * spread, or where the policy samples mean + scale * deviation; those lines are lifted alike for
    quick comparisons, so that none falls. Means and deviations go by known (n,) pulls with these totals (n,), spreads
    by counted (n,) pulls, of which some may be pending.
    """
    lines, grid, lift = room.lines, prior.grid, 0.0
    is_pending = False
    for arm in range(known.size):
        is_pending = is_pending or known[arm] != counted[arm]
    if is_pending and not samples:
        find_spreads(counted, prior, drawn, room)
    find_means(known, totals, prior, drawn, room)
    for arm in range(known.size):
        slope = lines[arm, 2] if is_pending and not samples else spread_of(room, arm, samples, grid)
        mean = float(np.rint(room.means[arm] / grid)) * grid
        lift = max(lift, -slope)
        lines[arm, 0], lines[arm, 1], lines[arm, 2], lines[arm, 3] = mean, 0.0, slope, 0.0
        lines[arm, 4], lines[arm, 5], lines[arm, 6] = 1.0, mean, slope
    if lift > 0.0:
        for arm in range(known.size):
            lines[arm, 6] += lift
