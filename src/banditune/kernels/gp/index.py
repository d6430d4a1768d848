"""GP-UCB's index of some points as a function of one free parameter: value, slope, how far it may bend, and rounding.

The free parameter is the noise, by its logarithm, or the multiple of the bonus, by its root. As functions of the
logarithm z of the noise, a variance v and a mean mu obey |v''| <= v' <= v and |mu''| <= sqrt(v') F, with F the `force`
of the observations; and v' and F^2 grow at most by the factor e^|dz|. So what is computed at one noise bounds the index
around it.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.exact_posterior import sure_posterior
from banditune.kernels.gp.posterior import Floats, Integers, Observed, Strain, posterior
from banditune.kernels.jit import jit
from banditune.kernels.numerics.double_double import add, root_of, scale

NOISE, BONUS = 0, 1  # what is free
PLAIN, SURE = 2.0**-52, 2.0**-100  # the rounding of one operation in plain floats, and in pairs of them
TIE = 1e-15  # indices closer than this, in units of what is observed and of the prior's spread, count as equal


class Asked(NamedTuple):
    """How the index is made of mean and spread, and which parameter is free."""

    free: int  # NOISE or BONUS
    noise: float  # where it is not free
    width: float  # the factor of the bonus; where the multiple is free, at 1
    squared: bool  # whether the bonus is the variance, not its root


class Indices(NamedTuple):
    """The indices of some points near one value of the free parameter: (points,) each."""

    high: Floats
    low: Floats
    slope: Floats
    bends: Floats  # (points, 3) within h, the second derivative is at most bends . (e^h, e^1.5h, e^3.5h)
    rounding: Floats  # how far off the indices may be


@jit
def tie_width(covariances: Floats, observed: Observed) -> float:
    """Indices that differ by no more than this count as equal."""
    largest = spread = 0.0
    for j in range(observed.averages.size):
        largest = max(largest, abs(observed.averages[j]))
    for k in range(covariances.shape[0]):
        spread = max(spread, covariances[k, k])
    return TIE * (largest + math.sqrt(spread))


@jit
def noise_at(asked: Asked, value: float) -> float:
    """The noise where the free parameter has this value."""
    return value if asked.free == NOISE else asked.noise


@jit
def width_at(asked: Asked, value: float) -> float:
    """The factor of the bonus where the free parameter has this value."""
    return asked.width if asked.free == NOISE else math.sqrt(value) * asked.width


@jit
def indices_from(
    asked: Asked,
    value: float,
    mean: Floats,
    mean_low: Floats,
    mean_slope: Floats,
    variance: Floats,
    variance_low: Floats,
    variance_slope: Floats,
    prior: Floats,
    strain: Strain,
    n_observed: int,
    unit: float,
) -> Indices:
    """The indices of points of which this is known; `unit` is the rounding of one operation."""
    size, width = mean.size, width_at(asked, value)
    high, low, slope, rounding = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    bends = np.zeros((size, 3))
    steps = unit * 2.0 * (n_observed + 2)
    magnified = steps * strain.relative
    for k in range(size):
        push = math.sqrt(variance_slope[k]) * strain.force
        mean_error = magnified * push + steps * math.sqrt(prior[k]) * strain.norm
        error = magnified * variance_slope[k] + steps * prior[k]
        spread, spread_low, spread_error = variance[k], variance_low[k], error
        spread_slope, ratio = variance_slope[k], 0.0
        if not asked.squared:
            spread, spread_low = root_of(variance[k], variance_low[k])
            if spread > 0.0:
                spread_error = error / spread
                spread_slope = 0.5 * variance_slope[k] / spread
                ratio = variance_slope[k] / variance[k]
        bonus, bonus_low = scale(spread, spread_low, width)
        high[k], low[k] = add(mean[k], mean_low[k], bonus, bonus_low)
        rounding[k] = mean_error + width * spread_error + unit * (abs(mean[k]) + 2.0 * bonus)
        if magnified > 0.1 or (variance[k] <= 4.0 * error and prior[k] > 0.0):
            rounding[k] = math.inf
        if asked.free == BONUS:
            slope[k] = asked.width * spread
        else:
            slope[k] = mean_slope[k] + width * spread_slope
            bends[k, 0] = push + (width * variance_slope[k] if asked.squared else 0.0)
            bends[k, 1] = 0.5 * bonus * ratio
            bends[k, 2] = 0.25 * bonus * ratio * ratio
    return Indices(high, low, slope, bends, rounding)


@jit
def plain_indices(
    covariances: Floats, observed: Observed, asked: Asked, value: float, points: Integers, room: Floats
) -> Indices:
    """The indices of points (k,), in plain floats; room is for `posterior`."""
    known, strain = posterior(covariances, observed, noise_at(asked, value), points, room)
    nothing, prior = np.zeros(points.size), np.empty(points.size)
    for k in range(points.size):
        prior[k] = covariances[points[k], points[k]]
    return indices_from(
        asked,
        value,
        known.mean,
        nothing,
        known.mean_slope,
        known.variance,
        nothing,
        known.variance_slope,
        prior,
        strain,
        observed.places.size,
        PLAIN,
    )


@jit
def sure_indices(covariances: Floats, observed: Observed, asked: Asked, value: float, points: Integers) -> Indices:
    """The indices of points (k,), in about 32 digits."""
    known, mean_slope, variance_slope, strain = sure_posterior(covariances, observed, noise_at(asked, value), points)
    m = observed.places.size
    prior = np.empty(points.size)
    for k in range(points.size):
        prior[k] = covariances[points[k], points[k]]
    return indices_from(
        asked,
        value,
        known.mean[m:],
        known.mean_low[m:],
        mean_slope[m:],
        known.variance[m:],
        known.variance_low[m:],
        variance_slope[m:],
        prior,
        strain,
        m,
        SURE,
    )


@jit
def difference(seen: Indices, one: int, other: int) -> float:
    """By how much one index is above the other."""
    gap, _ = add(seen.high[one], seen.low[one], -seen.high[other], -seen.low[other])
    return gap


@jit
def leader_of(high: Floats, low: Floats, tie: float) -> int:
    """The choice that is made: of the indices that are not below the highest by more than a tie, the first."""
    best = 0
    for k in range(1, high.size):
        gap, _ = add(high[k], low[k], -high[best], -low[best])
        if gap > 0.0:
            best = k
    for k in range(best):
        gap, _ = add(high[best], low[best], -high[k], -low[k])
        if gap <= tie:
            return k
    return best
