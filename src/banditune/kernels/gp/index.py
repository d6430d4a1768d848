"""GP-UCB's index of some points as a function of one free parameter: value, slope, how far it may bend, and rounding.

The free parameter is the noise, by its logarithm, or the multiple of the bonus, by its root. As functions of the
logarithm z of the noise, a variance v and a mean mu obey |v''| <= v' <= v and |mu''| <= sqrt(v') F, with F the `force`
of the observations; and v' and F^2 grow at most by the factor e^|dz|. So what is computed at one noise bounds the index
around it.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.exact_posterior import Sure, sure_posterior
from banditune.kernels.gp.posterior import Floats, Integers, Observed, Posterior, Prior, posterior
from banditune.kernels.jit import jit
from banditune.kernels.numerics.double_double import add, add_float, root_of, scale

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


class Errors(NamedTuple):
    """How far off plain floats may be for some points, and the force of the observations (see `Strain`)."""

    mean: Floats  # (points,)
    lost: Floats
    force: float


@jit
def tie_width(prior: Prior, observed: Observed) -> float:
    """Indices that differ by no more than this count as equal."""
    largest = spread = level = 0.0
    for j in range(observed.averages.size):
        largest = max(largest, abs(observed.averages[j]))
    for k in range(prior.means.size):
        spread = max(spread, prior.covariances[k, k])
        level = max(level, abs(prior.means[k]))
    return TIE * (largest + math.sqrt(spread) + level)


@jit
def noise_at(asked: Asked, value: float) -> float:
    """The noise where the free parameter has this value."""
    return value if asked.free == NOISE else asked.noise


@jit
def width_at(asked: Asked, value: float) -> float:
    """The factor of the bonus where the free parameter has this value."""
    return asked.width if asked.free == NOISE else math.sqrt(value) * asked.width


@jit
def base_index(prior: Prior, asked: Asked, value: float, point: int) -> tuple[float, float]:
    """The index of a point before any observation."""
    spread, spread_low = prior.covariances[point, point], 0.0
    if not asked.squared:
        spread, spread_low = root_of(spread, 0.0)
    bonus, bonus_low = scale(spread, spread_low, width_at(asked, value))
    return add_float(bonus, bonus_low, prior.means[point])


@jit
def bound_bends(
    asked: Asked,
    value: float,
    spread: float,
    variance_slope: float,
    mean_slope: float,
    push: float,
    bends: Floats,
) -> float:
    """The slope of an index by the free parameter; fill in how far it may bend: (3,)."""
    if asked.free == BONUS:
        return asked.width * spread
    width = width_at(asked, value)
    if asked.squared:
        bends[0] = push + width * variance_slope
        return mean_slope + width * variance_slope
    bends[0] = push
    if spread <= 0.0:
        return mean_slope
    ratio = variance_slope / (spread * spread)
    bends[1] = 0.5 * width * spread * ratio
    bends[2] = 0.25 * width * spread * ratio * ratio
    return mean_slope + 0.5 * width * variance_slope / spread


@jit
def indices_of(prior: Prior, asked: Asked, value: float, points: Integers, moved: Posterior, errors: Errors) -> Indices:
    """The indices of points (k,) that observations moved by this much; far points are moved, and off, by little."""
    size, width = points.size, width_at(asked, value)
    high, low, slope, rounding = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    bends = np.zeros((size, 3))
    for k in range(size):
        variance, lost, error = prior.covariances[points[k], points[k]], moved.lost[k], errors.lost[k]
        left = max(variance - lost, 0.0)
        spread, deficit, spread_error = left, lost, error
        if not asked.squared:
            spread = math.sqrt(left)
            deficit = lost / (math.sqrt(variance) + spread) if variance > 0.0 else 0.0
            spread_error = error / spread if spread > 0.0 else 0.0
        base, base_low = base_index(prior, asked, value, points[k])
        high[k], low[k] = add_float(base, base_low, moved.mean[k] - width * deficit)
        rounded = PLAIN * (abs(moved.mean[k]) + 6.0 * width * deficit) + SURE * (
            abs(base) + abs(prior.means[points[k]])
        )
        rounding[k] = errors.mean[k] + width * spread_error + rounded
        if not error <= 0.25 * left:
            rounding[k] = 0.0 if variance == 0.0 else math.inf
        push = math.sqrt(moved.variance_slope[k]) * errors.force
        slope[k] = bound_bends(asked, value, spread, moved.variance_slope[k], moved.mean_slope[k], push, bends[k])
    return Indices(high, low, slope, bends, rounding)


@jit
def plain_indices(
    prior: Prior, observed: Observed, asked: Asked, value: float, points: Integers, room: Floats
) -> Indices:
    """The indices of points (k,), in plain floats; room is for `posterior`."""
    moved, strain = posterior(prior.covariances, observed, noise_at(asked, value), points, room)
    steps = PLAIN * 2.0 * (observed.places.size + 2)
    magnified = steps * strain.relative if steps * strain.relative <= 0.1 else math.inf
    mean, lost = np.zeros(points.size), np.zeros(points.size)
    for k in range(points.size):
        if moved.lost[k] > 0.0:
            mean[k] = magnified * math.sqrt(moved.variance_slope[k]) * strain.force
            mean[k] += steps * math.sqrt(moved.lost[k]) * strain.norm
            lost[k] = magnified * moved.variance_slope[k] + steps * moved.lost[k]
    return indices_of(prior, asked, value, points, moved, Errors(mean, lost, strain.force))


@jit
def sure_indices(prior: Prior, observed: Observed, asked: Asked, value: float, points: Integers) -> Indices:
    """The indices of points (k,), in about 32 digits."""
    known = sure_posterior(prior.covariances, observed, noise_at(asked, value), points)
    return sure_indices_of(prior, asked, value, points, known, observed.places.size)


@jit
def sure_indices_of(
    prior: Prior, asked: Asked, value: float, points: Integers, known: Sure, n_observed: int
) -> Indices:
    """The indices of points (k,) of which this is known, in about 32 digits."""
    size, width = points.size, width_at(asked, value)
    high, low, slope, rounding = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    bends = np.zeros((size, 3))
    steps, strain = SURE * 2.0 * (n_observed + 2), known.strain
    magnified = steps * strain.relative
    for k in range(size):
        variance, change = prior.covariances[points[k], points[k]], known.variance_slope[k]
        spread, spread_low = known.variance[k], known.variance_low[k]
        push = math.sqrt(change) * strain.force
        error = magnified * change + steps * variance
        rounding[k] = magnified * push + steps * math.sqrt(variance) * strain.norm
        unsure = magnified > 0.1 or (spread <= 4.0 * error and variance > 0.0)
        if not asked.squared:
            spread, spread_low = root_of(spread, spread_low)
            error = error / spread if spread > 0.0 else 0.0
        bonus, bonus_low = scale(spread, spread_low, width)
        mean, mean_low = add_float(known.mean[k], known.mean_low[k], prior.means[points[k]])
        high[k], low[k] = add(mean, mean_low, bonus, bonus_low)
        rounding[k] += width * error + SURE * (abs(prior.means[points[k]]) + abs(mean) + 2.0 * bonus)
        if unsure:
            rounding[k] = math.inf
        slope[k] = bound_bends(asked, value, spread, change, known.mean_slope[k], push, bends[k])
    return Indices(high, low, slope, bends, rounding)


@jit
def difference(seen: Indices, one: int, other: int) -> float:
    """By how much one index is above the other."""
    gap, _ = add(seen.high[one], seen.low[one], -seen.high[other], -seen.low[other])
    return gap


@jit
def is_within(seen: Indices, one: int, other: int, level: float) -> bool:
    """Whether one index is above the other by no more than a level, of which the last digit counts."""
    gap, rest = add(seen.high[one], seen.low[one], -seen.high[other], -seen.low[other])
    return gap < level or (gap == level and rest <= 0.0)


@jit
def leader_of(high: Floats, low: Floats, tie: float) -> int:
    """The choice that is made: of the indices that are not below the highest by more than a tie, the first."""
    best = 0
    for k in range(1, high.size):
        gap, _ = add(high[k], low[k], -high[best], -low[best])
        if gap > 0.0:
            best = k
    for k in range(best):
        gap, rest = add(high[best], low[best], -high[k], -low[k])
        if gap < tie or (gap == tie and rest <= 0.0):
            return k
    return best
