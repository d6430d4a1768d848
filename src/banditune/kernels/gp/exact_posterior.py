"""What a Gaussian process knows of some points after observing others: sure, in about 32 digits.

The same numbers as in `posterior`, for the few points that plain floats cannot tell apart, and for runs. Observing
one more thing adds a row, so that a run that goes on costs one row a round.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.posterior import Evidence, Observed, Strain
from banditune.kernels.jit import jit
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add, divide, multiply, root_of, scale, subtract_product


class Known(NamedTuple):
    """How observations moved some points, high and low parts: (rows, points) each of them, (points,) all."""

    rows: Floats
    rows_low: Floats
    mean: Floats  # by how much the mean is above that of the prior
    mean_low: Floats
    lost: Floats  # by how much the variance is below that of the prior
    lost_low: Floats


@jit
def make_prior(width: int, n_rows: int) -> Known:
    """Return what is known of so many points before any observation, with room for that many."""
    rows, rows_low = np.empty((n_rows, width)), np.empty((n_rows, width))
    return Known(rows, rows_low, np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width))


@jit
def take_away_surely(high: Floats, low: Floats, factor: float, factor_low: float, row: Floats, row_low: Floats) -> None:
    """Subtract a multiple of a row."""
    for k in range(high.size):
        high[k], low[k] = subtract_product(high[k], low[k], factor, factor_low, row[k], row_low[k])


@jit
def divide_surely(high: Floats, low: Floats, divisor: float, divisor_low: float) -> None:
    """Divide a row."""
    share, share_low = divide(1.0, 0.0, divisor, divisor_low)
    for k in range(high.size):
        high[k], low[k] = multiply(high[k], low[k], share, share_low)


@jit
def observe(
    known: Known,
    j: int,
    column: int,
    covariances: Floats,
    columns: Integers,
    noise: float,
    noise_low: float,
    seen: float,
    seen_low: float,
) -> tuple[float, float, float, float]:
    """Learn of observation number j, made at that column; return the root of its variance, and the surprise over it."""
    row, row_low = known.rows[j], known.rows_low[j]
    for k in range(columns.size):
        row[k], row_low[k] = covariances[columns[column], columns[k]], 0.0
    for u in range(j):
        before, before_low = known.rows[u], known.rows_low[u]
        take_away_surely(row, row_low, before[column], before_low[column], before, before_low)
    spread, spread_low = add(row[column], row_low[column], noise, noise_low)
    spread, spread_low = root_of(spread, spread_low)
    gap, gap_low = add(seen, seen_low, -known.mean[column], -known.mean_low[column])
    surprise, surprise_low = divide(gap, gap_low, spread, spread_low)
    divide_surely(row, row_low, spread, spread_low)
    mean, mean_low, lost, lost_low = known.mean, known.mean_low, known.lost, known.lost_low
    for k in range(columns.size):
        lost[k], lost_low[k] = subtract_product(lost[k], lost_low[k], -row[k], -row_low[k], row[k], row_low[k])
    take_away_surely(mean, mean_low, -surprise, -surprise_low, row, row_low)
    return spread, spread_low, surprise, surprise_low


class Sure(NamedTuple):
    """How observations moved some points, and how that changes with the logarithm of the noise: (points,) each."""

    mean: Floats
    mean_low: Floats
    lost: Floats
    lost_low: Floats
    mean_slope: Floats
    variance_slope: Floats
    strain: Strain
    n_observed: int


@jit
def sure_posterior(covariances: Floats, observed: Observed, noise: float, points: Integers) -> Sure:
    """Return what is known of points (k,), where one reward has this noise."""
    places, m = observed.places, observed.places.size
    columns = np.concatenate((places, points))
    known = make_prior(columns.size, m)
    noises = np.empty(m)
    diagonal, diagonal_low, surprises, surprises_low = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for j in range(m):
        noises[j], noise_low = divide(noise, 0.0, observed.counts[j], 0.0)
        seen, seen_low = observed.averages[j], observed.averages_low[j]
        later = Known(  # what was observed before is not asked for any more
            known.rows[:, j:],
            known.rows_low[:, j:],
            known.mean[j:],
            known.mean_low[j:],
            known.lost[j:],
            known.lost_low[j:],
        )
        diagonal[j], diagonal_low[j], surprises[j], surprises_low[j] = observe(
            later, j, 0, covariances, columns[j:], noises[j], noise_low, seen, seen_low
        )
    pulls, pulls_low = known.rows[:, m:].copy(), known.rows_low[:, m:].copy()
    forces, forces_low = surprises.copy(), surprises_low.copy()
    drag, drag_low = np.empty(m), np.empty(m)
    variance_slope, mean_slope, mean_slope_low = np.zeros(points.size), np.zeros(points.size), np.zeros(points.size)
    force = norm = trace = 0.0
    for j in range(m - 1, -1, -1):
        for u in range(j + 1, m):
            factor, factor_low = known.rows[j, u], known.rows_low[j, u]
            forces[j], forces_low[j] = subtract_product(
                forces[j], forces_low[j], factor, factor_low, forces[u], forces_low[u]
            )
            take_away_surely(pulls[j], pulls_low[j], factor, factor_low, pulls[u], pulls_low[u])
        forces[j], forces_low[j] = divide(forces[j], forces_low[j], diagonal[j], diagonal_low[j])
        divide_surely(pulls[j], pulls_low[j], diagonal[j], diagonal_low[j])
        for k in range(points.size):
            variance_slope[k] += noises[j] * pulls[j, k] * pulls[j, k]
        force += noises[j] * forces[j] * forces[j]
        norm += surprises[j] * surprises[j]
        trace += covariances[places[j], places[j]] / noises[j]
    for j in range(m):
        drag[j], drag_low[j] = scale(forces[j], forces_low[j], noises[j])
        for u in range(j):
            drag[j], drag_low[j] = subtract_product(
                drag[j], drag_low[j], known.rows[u, j], known.rows_low[u, j], drag[u], drag_low[u]
            )
        drag[j], drag_low[j] = divide(drag[j], drag_low[j], diagonal[j], diagonal_low[j])
        take_away_surely(mean_slope, mean_slope_low, drag[j], drag_low[j], known.rows[j, m:], known.rows_low[j, m:])
    strain = Strain(np.sqrt(force), np.sqrt(norm), trace + m)
    return Sure(
        known.mean[m:], known.mean_low[m:], known.lost[m:], known.lost_low[m:], mean_slope, variance_slope, strain, m
    )


@jit
def sure_posteriors(covariances: Floats, evidence: Evidence, noise: float, points: Integers) -> tuple[Sure, Sure]:
    """Return what is known of points (k,) for their means, and for their spreads."""
    known = sure_posterior(covariances, evidence.known, noise, points)
    if not evidence.is_late:
        return known, known
    return known, sure_posterior(covariances, evidence.counted, noise, points)
