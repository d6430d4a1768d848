"""What a Gaussian process knows of all points at one noise, learned one observation at a time: fast, in plain floats.

One more observation costs a pass over the rows of covariances, since the small inverse of C = K + N is kept: a product
k'x with C x = b is k'C^-1 b to within |N^-1/2 (b - C x)| times the root of the variance's slope k'C^-1 N C^-1 k, and
the rest b - C x is computed. So errors are known, do not grow from one observation to the next, and are as small for
points far from all that was observed as their covariances with it are.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.index import PLAIN, Asked, Errors, Indices, indices_of
from banditune.kernels.gp.posterior import Observed, Posterior, Prior
from banditune.kernels.jit import jit
from banditune.kernels.numerics.arrays import Floats, Integers, enlarge


class Reference(NamedTuple):
    """What is known at one noise: (t,) of each observation, (n,) of each point."""

    value: float  # of the free parameter
    noise: float
    places: Integers  # (t,)
    noises: Floats  # (t,)
    seen: Floats  # (t,)
    matrix: Floats  # (t, t) K + N
    inverse: Floats  # (t, t) about its inverse
    moved: Posterior
    lost_error: Floats  # (n,)
    slope_error: Floats  # (n,) of the slope of the variance
    mean_error: float  # over the root of the slope of the variance
    force: float  # see `Strain`


class Solved(NamedTuple):
    """The solution x of C x = b, and how far k'x may be off, over the root of k'C^-1 N C^-1 k."""

    x: Floats
    error: float


@jit
def multiply_matrix(matrix: Floats, vector: Floats) -> Floats:
    """Return the product of a matrix (t, t) and a vector (t,)."""
    product = np.zeros(vector.size)
    for j in range(vector.size):
        for u in range(vector.size):
            product[j] += matrix[j, u] * vector[u]
    return product


@jit
def solve(matrix: Floats, inverse: Floats, noises: Floats, right: Floats) -> Solved:
    """Solve C x = b, with a step of refinement."""
    size = right.size
    x, steps = multiply_matrix(inverse, right), PLAIN * (size + 4)
    for _ in range(2):
        x += multiply_matrix(inverse, right - multiply_matrix(matrix, x))
    error = norm = trace = 0.0
    for j in range(size):
        rest, rounding = right[j], abs(right[j])
        for u in range(size):
            rest -= matrix[j, u] * x[u]
            rounding += abs(matrix[j, u] * x[u])
        rest = abs(rest) + steps * rounding
        error += rest * rest / noises[j]
        norm += x[j] * x[j]
        trace += matrix[j, j]
    if size == 0:
        return Solved(x, 0.0)
    largest = trace / math.sqrt(noises.min()) + math.sqrt(noises.max())  # times the root, of the length of k
    return Solved(x, math.sqrt(error) + steps * math.sqrt(norm) * largest)


@jit
def begin(prior: Prior, value: float, noise: float) -> Reference:
    """Nothing is observed yet."""
    n, none = prior.means.size, np.empty(0)
    moved = Posterior(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))
    errors, square = (np.zeros(n), np.zeros(n)), np.empty((0, 0))
    return Reference(value, noise, np.empty(0, np.int64), none, none, square, square, moved, *errors, 0.0, 0.0)


@jit
def learn_variances(prior: Prior, known: Reference, place: int, count: float, average: float) -> Reference:
    """Take in so many more rewards at a place, with this average; the means are yet to be worked out."""
    covariances, t, n = prior.covariances, known.places.size, prior.means.size
    noise, before = known.noise / count, known.moved.variance_slope
    beside = np.empty(t)
    for j in range(t):
        beside[j] = covariances[known.places[j], place]
    pull = solve(known.matrix, known.inverse, known.noises, beside)
    drag = solve(known.matrix, known.inverse, known.noises, known.noises * pull.x)
    row, turn = covariances[place].copy(), np.zeros(n)
    weigh_rows(covariances, known.places, -pull.x, drag.x, row, turn)
    width = np.sqrt(before + known.slope_error)
    steps = PLAIN * (t + 4)
    variance = row[place] + noise
    off = (pull.error * width[place] + steps * (abs(row[place]) + covariances[place, place] + noise)) / variance
    if not 0.0 <= off < 0.01:
        off = math.inf
    square = (known.noises * pull.x * pull.x).sum() + noise
    lost, slope = known.moved.lost.copy(), before.copy()
    lost_error, slope_error = known.lost_error.copy(), known.slope_error.copy()
    for k in range(n):
        share = row[k] / variance
        row_error = pull.error * width[k] + steps * abs(row[k])
        share_error = row_error / variance + abs(share) * off
        lost[k] += row[k] * share
        lost_error[k] += abs(row[k]) * share_error + row_error * (abs(share) + share_error) + PLAIN * lost[k]
        slope[k] += share * (share * square - 2.0 * turn[k])
        size = abs(turn[k]) + abs(share) * square
        slope_error[k] += 2.0 * (abs(share) + share_error) * drag.error * width[k] + 2.0 * size * share_error
        slope_error[k] += 8.0 * PLAIN * (before[k] + abs(share) * size) + share_error * share_error * square
        slope[k] = max(slope[k], 0.0)
    places, noises, seen = enlarge(known.places, t + 1), enlarge(known.noises, t + 1), enlarge(known.seen, t + 1)
    places[t], noises[t], seen[t] = place, noise, average
    matrix, inverse = _border(known, beside, covariances[place, place] + noise, pull.x, variance)
    moved = Posterior(known.moved.mean, known.moved.mean_slope, lost, slope)
    return Reference(
        known.value,
        known.noise,
        places,
        noises,
        seen,
        matrix,
        inverse,
        moved,
        lost_error,
        slope_error,
        math.inf,
        math.inf,
    )


@jit
def weigh_rows(
    covariances: Floats, places: Integers, factors: Floats, others: Floats, total: Floats, other: Floats
) -> None:
    """Add the rows of covariances at places (t,), weighed in two ways, to two totals (n,)."""
    for j in range(places.size):
        fresh, factor, another = True, factors[j], others[j]
        for u in range(j):
            fresh = fresh and places[u] != places[j]
        if fresh:  # all observations of a place at once
            for u in range(j + 1, places.size):
                if places[u] == places[j]:
                    factor += factors[u]
                    another += others[u]
            row = covariances[places[j]]
            for k in range(total.size):
                total[k] += factor * row[k]
                other[k] += another * row[k]


@jit
def _border(known: Reference, beside: Floats, corner: float, pull: Floats, variance: float) -> tuple[Floats, Floats]:
    """Return the matrix with one more observation, and its inverse."""
    t = beside.size
    matrix, inverse = np.empty((t + 1, t + 1)), np.empty((t + 1, t + 1))
    for j in range(t):
        for u in range(t):
            matrix[j, u] = known.matrix[j, u]
            inverse[j, u] = known.inverse[j, u] + pull[j] * pull[u] / variance
        matrix[j, t] = matrix[t, j] = beside[j]
        inverse[j, t] = inverse[t, j] = -pull[j] / variance
    matrix[t, t], inverse[t, t] = corner, 1.0 / variance
    return matrix, inverse


@jit
def learn_means(prior: Prior, known: Reference) -> Reference:
    """Work out the means, and how they change with the noise."""
    weights = solve(known.matrix, known.inverse, known.noises, known.seen)
    change = solve(known.matrix, known.inverse, known.noises, known.noises * weights.x)
    mean, mean_slope = np.zeros(prior.means.size), np.zeros(prior.means.size)
    weigh_rows(prior.covariances, known.places, weights.x, -change.x, mean, mean_slope)
    rounded = PLAIN * math.sqrt((known.seen * known.seen / known.noises).sum())
    force = math.sqrt((known.noises * weights.x * weights.x).sum())
    return Reference(
        known.value,
        known.noise,
        known.places,
        known.noises,
        known.seen,
        known.matrix,
        known.inverse,
        Posterior(mean, mean_slope, known.moved.lost, known.moved.variance_slope),
        known.lost_error,
        known.slope_error,
        max(weights.error, change.error) + rounded,
        force + weights.error,
    )


@jit
def learn(prior: Prior, known: Reference, place: int, reward: float) -> Reference:
    """Return what is known after one more reward at a place."""
    return learn_means(prior, learn_variances(prior, known, place, 1.0, reward))


@jit
def refer(prior: Prior, observed: Observed, value: float, noise: float) -> Reference:
    """Return what is known at one noise after all that was observed."""
    known = begin(prior, value, noise)
    for j in range(observed.places.size):
        known = learn_variances(prior, known, observed.places[j], observed.counts[j], observed.averages[j])
    return learn_means(prior, known)


@jit
def reference_indices(prior: Prior, asked: Asked, known: Reference, counted: Reference, value: float) -> Indices:
    """Return the indices of all points at this value: that of the references, unless the parameter is beta.

    Means go by what is known, spreads by what is counted.
    """
    n = prior.means.size
    mean, push, lost, slope = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for k in range(n):
        width = math.sqrt(known.moved.variance_slope[k] + known.slope_error[k])
        mean[k], push[k] = known.mean_error * width, width * known.force
        slope[k] = counted.moved.variance_slope[k] + counted.slope_error[k]
        lost[k] = max(counted.lost_error[k], counted.slope_error[k])
    above = Posterior(known.moved.mean, known.moved.mean_slope, counted.moved.lost, slope)
    return indices_of(prior, asked, value, np.arange(n), above, Errors(mean, lost, push))
