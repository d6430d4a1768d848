"""What a Gaussian process knows of some points after observing others: fast, in plain floats.

Observation j is the average of some rewards at a place, with the variance noise_j. Row j of `rows` says how observing
it moves every column c: rows[j, c] is the covariance of the two given the observations before, over the root of
its variance. The first columns are the places themselves, so that rows[u, j] for u < j is the Cholesky factor.

Slopes are by the logarithm of the noise: with N the diagonal of the noises and C = K + N, the mean k'C^-1 y changes by
-k'C^-1 N C^-1 y and the variance by k'C^-1 N C^-1 k.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import jit
from banditune.kernels.numerics.arrays import Floats, Integers


class Observed(NamedTuple):
    """What was observed: averages of some rewards at some places."""

    places: Integers  # (m,)
    counts: Floats  # (m,) how many rewards
    averages: Floats  # (m,) high and low part
    averages_low: Floats


class Evidence(NamedTuple):
    """What indices go by: means by rewards that are known, spreads by pulls that are counted, known or pending."""

    known: Observed
    counted: Observed  # of which places and counts matter
    is_late: bool  # whether the two differ; if not, one posterior serves both


class Prior(NamedTuple):
    """What is known of the points before any observation."""

    means: Floats  # (n,)
    covariances: Floats  # (n, n)


class Posterior(NamedTuple):
    """How observations moved some points: (points,) each; far from all that was observed these are next to nothing."""

    mean: Floats  # by how much the mean is above that of the prior
    mean_slope: Floats
    lost: Floats  # by how much the variance is below that of the prior
    variance_slope: Floats


class Strain(NamedTuple):
    """How hard the observations pull: what bounds of curvature and of rounding are made of."""

    force: float  # the root of y'C^-1 N C^-1 y: no mean bends by more than this times the root of a variance's slope
    norm: float  # the root of y'C^-1 y
    relative: float  # the trace of K over the least noise, and the number of observations: how rounding is magnified


@jit
def take_away(target: Floats, factor: float, row: Floats) -> None:
    """Subtract a multiple of a row."""
    for k in range(target.size):
        target[k] -= factor * row[k]


@jit
def posterior(
    covariances: Floats, observed: Observed, noise: float, points: Integers, room: Floats
) -> tuple[Posterior, Strain]:
    """Return what is known of points (k,), where one reward has this noise; room holds 2 m (m + k) floats."""
    places, averages, noises = observed.places, observed.averages, noise / observed.counts
    m, width = places.size, places.size + points.size
    columns = np.concatenate((places, points))
    rows, pulls = room[: m * width].reshape(m, width), room[m * width : 2 * m * width].reshape(m, width)
    diagonal, surprises = np.empty(m), np.empty(m)
    mean, lost = np.zeros(width), np.zeros(width)
    for j in range(m):
        row = rows[j]
        for k in range(j, width):
            row[k] = covariances[places[j], columns[k]]
        for u in range(j):
            take_away(row[j:], rows[u, j], rows[u, j:])
        diagonal[j] = np.sqrt(max(row[j] + noises[j], 0.0))
        surprises[j] = (averages[j] - mean[j]) / diagonal[j]
        for k in range(j, width):
            row[k] /= diagonal[j]
            mean[k] += surprises[j] * row[k]
            lost[k] += row[k] * row[k]
    forces, drag = np.empty(m), np.empty(m)
    mean_slope, variance_slope = np.zeros(points.size), np.zeros(points.size)
    strain = norm = trace = 0.0
    for j in range(m - 1, -1, -1):
        forces[j] = surprises[j]
        pull = pulls[j, m:]
        pull[:] = rows[j, m:]
        for u in range(j + 1, m):
            forces[j] -= rows[j, u] * forces[u]
            take_away(pull, rows[j, u], pulls[u, m:])
        forces[j] /= diagonal[j]
        for k in range(points.size):
            pull[k] /= diagonal[j]
            variance_slope[k] += noises[j] * pull[k] * pull[k]
        strain += noises[j] * forces[j] * forces[j]
        norm += surprises[j] * surprises[j]
        trace += covariances[places[j], places[j]] / noises[j]
    for j in range(m):
        drag[j] = noises[j] * forces[j]
        for u in range(j):
            drag[j] -= rows[u, j] * drag[u]
        drag[j] /= diagonal[j]
        take_away(mean_slope, drag[j], rows[j, m:])
    known = Posterior(mean[m:], mean_slope, lost[m:], variance_slope)
    return known, Strain(np.sqrt(strain), np.sqrt(norm), trace + m)
