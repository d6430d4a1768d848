"""GP-UCB's index of some points as a function of one free parameter: value, slope, how far it may bend, and rounding.

The free parameter is the noise, by its logarithm, or the multiple of the bonus, by its root. As functions of the
logarithm z of the noise, a variance v and a mean mu obey |v''| <= v' <= v and |mu''| <= sqrt(v') F, with F the `force`
of the observations; and v' and F^2 grow at most by the factor e^|dz|. So what is computed at one noise bounds the index
around it.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.exact_posterior import Sure, sure_posteriors
from banditune.kernels.gp.posterior import Evidence, Observed, Posterior, Prior, posterior
from banditune.kernels.jit import jit
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add, add_float, divide, root_of, scale

NOISE, BONUS = 0, 1  # what is free
PLAIN, SURE = 2.0**-52, 2.0**-100  # the rounding of one operation in plain floats, and in pairs of them
TIE = 1e-15  # indices closer than this, in units of what is observed and of the prior's spread, count as equal


class Asked(NamedTuple):
    """How the index is made of mean and spread, and which parameter is free."""

    free: int  # NOISE or BONUS
    noise: float  # where it is not free
    width: float  # the factor of the bonus; where the multiple is free, at 1
    squared: bool  # whether the bonus is the variance, not its root


class Values(NamedTuple):
    """Indices as what they were before any observation, and how far observations moved them: (points,) each.

    Far from all that was observed points are moved by next to nothing, and all digits of that count where bases are
    the same.
    """

    base: Floats  # high and low part
    base_low: Floats
    moved: Floats
    moved_low: Floats


class Indices(NamedTuple):
    """The indices of some points near one value of the free parameter: (points,) each."""

    values: Values
    slope: Floats
    bends: Floats  # (points, 3) within h, the second derivative is at most bends . (e^h, e^1.5h, e^3.5h)
    rounding: Floats  # how far off the indices may be


class Errors(NamedTuple):
    """How far off plain floats may be, and how far means may bend: (points,) each."""

    mean: Floats
    lost: Floats
    push: Floats  # a bound of the second derivative of the mean (see `Strain`)


@jit
def tie_width(prior: Prior, observed: Observed) -> float:
    """Return by how much indices may differ that count as equal."""
    largest = spread = level = 0.0
    for j in range(observed.averages.size):
        largest = max(largest, abs(observed.averages[j]))
    for k in range(prior.means.size):
        spread = max(spread, prior.covariances[k, k])
        level = max(level, abs(prior.means[k]))
    return TIE * (largest + math.sqrt(spread) + level)


@jit
def noise_at(asked: Asked, value: float) -> float:
    """Return the noise where the free parameter has this value."""
    return value if asked.free == NOISE else asked.noise


@jit
def width_at(asked: Asked, value: float) -> float:
    """Return the factor of the bonus where the free parameter has this value."""
    return asked.width if asked.free == NOISE else math.sqrt(value) * asked.width


@jit
def bound_bends(
    asked: Asked, value: float, spread: float, variance_slope: float, mean_slope: float, push: float, bends: Floats
) -> float:
    """Return the slope of an index by the free parameter; fill in how far it may bend: (3,)."""
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
def base_indices(prior: Prior, asked: Asked, value: float, points: Integers) -> tuple[Floats, Floats, float]:
    """Return indices of points (k,) before any observation, in two parts, and how far off differences are."""
    base, base_low = np.empty(points.size), np.empty(points.size)
    width, alike, most, variance, bonus, bonus_low = width_at(asked, value), True, 0.0, -1.0, 0.0, 0.0
    for k in range(points.size):
        if prior.covariances[points[k], points[k]] != variance:  # mostly that of all points is the same
            variance = prior.covariances[points[k], points[k]]
            bonus, bonus_low = (variance, 0.0) if asked.squared else root_of(variance, 0.0)
            bonus, bonus_low = scale(bonus, bonus_low, width)
        base[k], base_low[k] = add_float(bonus, bonus_low, prior.means[points[k]])
        alike = alike and base[k] == base[0] and base_low[k] == base_low[0]
        most = max(most, abs(base[k]) + abs(prior.means[points[k]]))
    return base, base_low, 0.0 if alike else SURE * most


@jit
def indices_of(prior: Prior, asked: Asked, value: float, points: Integers, moved: Posterior, errors: Errors) -> Indices:
    """Return indices of points (k,) that observations moved so much; far points are moved, and off, little."""
    size, width = points.size, width_at(asked, value)
    by, slope, rounding = np.empty(size), np.empty(size), np.empty(size)
    base, base_low, base_rounding = base_indices(prior, asked, value, points)
    bends = np.zeros((size, 3))
    for k in range(size):
        variance, lost, error = prior.covariances[points[k], points[k]], moved.lost[k], errors.lost[k]
        left = max(variance - lost, 0.0)
        spread, deficit, spread_error = left, lost, error
        if not asked.squared:
            spread = math.sqrt(left)
            deficit = lost / (math.sqrt(variance) + spread) if variance > 0.0 else 0.0
            spread_error = error / spread if spread > 0.0 else 0.0
        by[k] = moved.mean[k] - width * deficit
        rounded = PLAIN * (abs(moved.mean[k]) + 6.0 * width * deficit) + base_rounding
        rounding[k] = errors.mean[k] + width * spread_error + rounded
        if not error <= 0.25 * left:
            rounding[k] = 0.0 if variance == 0.0 else math.inf
        change = moved.variance_slope[k]
        slope[k] = bound_bends(asked, value, spread, change, moved.mean_slope[k], errors.push[k], bends[k])
    return Indices(Values(base, base_low, by, np.zeros(size)), slope, bends, rounding)


@jit
def plain_indices(
    prior: Prior, evidence: Evidence, asked: Asked, value: float, points: Integers, room: Floats
) -> Indices:
    """Return the indices of points (k,), in plain floats; room is for `posterior`, of all that is counted."""
    noise, size = noise_at(asked, value), points.size
    moved, strain = posterior(prior.covariances, evidence.known, noise, points, room)
    steps, magnified = bound_rounding(evidence.known.places.size, strain.relative)
    mean, lost, push = np.zeros(size), np.zeros(size), np.empty(size)
    for k in range(size):
        push[k] = math.sqrt(moved.variance_slope[k]) * strain.force
        if moved.lost[k] > 0.0:
            mean[k] = magnified * math.sqrt(moved.variance_slope[k]) * strain.force
            mean[k] += steps * math.sqrt(moved.lost[k]) * strain.norm
    if evidence.is_late:
        counted, strain = posterior(prior.covariances, evidence.counted, noise, points, room)
        steps, magnified = bound_rounding(evidence.counted.places.size, strain.relative)
        moved = Posterior(moved.mean, moved.mean_slope, counted.lost, counted.variance_slope)
    for k in range(size):
        if moved.lost[k] > 0.0:
            lost[k] = magnified * moved.variance_slope[k] + steps * moved.lost[k]
    return indices_of(prior, asked, value, points, moved, Errors(mean, lost, push))


@jit
def bound_rounding(n_observed: int, relative: float) -> tuple[float, float]:
    """Return how far rounding takes a posterior in plain floats, and what it is magnified to; see `Strain`."""
    steps = PLAIN * 2.0 * (n_observed + 2)
    return steps, steps * relative if steps * relative <= 0.1 else math.inf


@jit
def sure_indices(prior: Prior, evidence: Evidence, asked: Asked, value: float, points: Integers) -> Indices:
    """Return the indices of points (k,), in about 32 digits."""
    known, counted = sure_posteriors(prior.covariances, evidence, noise_at(asked, value), points)
    return sure_indices_of(prior, asked, value, points, known, counted)


@jit
def move_index(
    variance: float, mean: float, mean_low: float, lost: float, lost_low: float, width: float, squared: bool
) -> tuple[float, float, float]:
    """Return how far observations moved the index of a point of this prior variance, and the spread left of it."""
    left, left_low = add(variance, 0.0, -lost, -lost_low)
    if not squared:
        whole, whole_low = root_of(variance, 0.0)
        left, left_low = root_of(left, left_low)
        whole, whole_low = add(whole, whole_low, left, left_low)
        lost, lost_low = divide(lost, lost_low, whole, whole_low) if whole > 0.0 else (0.0, 0.0)
    penalty, penalty_low = scale(lost, lost_low, width)
    moved, moved_low = add(mean, mean_low, -penalty, -penalty_low)
    return moved, moved_low, left


@jit
def sure_indices_of(prior: Prior, asked: Asked, value: float, points: Integers, known: Sure, counted: Sure) -> Indices:
    """Return the indices of points (k,) of whose means and spreads this is known, in about 32 digits."""
    size, width = points.size, width_at(asked, value)
    moved, moved_low, slope, rounding = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    base, base_low, base_rounding = base_indices(prior, asked, value, points)
    bends = np.zeros((size, 3))
    steps, strain = SURE * 2.0 * (known.n_observed + 2), known.strain
    counted_steps = SURE * 2.0 * (counted.n_observed + 2)
    magnified, counted_magnified = steps * strain.relative, counted_steps * counted.strain.relative
    for k in range(size):
        variance, change, lost = prior.covariances[points[k], points[k]], counted.variance_slope[k], counted.lost[k]
        push = math.sqrt(known.variance_slope[k]) * strain.force
        error = counted_magnified * change + counted_steps * lost
        rounding[k] = magnified * push + steps * math.sqrt(max(known.lost[k], 0.0)) * strain.norm + base_rounding
        unsure = max(magnified, counted_magnified) > 0.1 or (variance - lost <= 4.0 * error and variance > 0.0)
        moved[k], moved_low[k], spread = move_index(
            variance, known.mean[k], known.mean_low[k], lost, counted.lost_low[k], width, asked.squared
        )
        penalty = width * lost
        if not asked.squared:
            error = error / spread if spread > 0.0 else 0.0
            penalty = penalty / math.sqrt(variance) if variance > 0.0 else 0.0
        rounding[k] += width * error + SURE * (abs(known.mean[k]) + 6.0 * penalty)
        if unsure:
            rounding[k] = math.inf
        slope[k] = bound_bends(asked, value, spread, change, known.mean_slope[k], push, bends[k])
    return Indices(Values(base, base_low, moved, moved_low), slope, bends, rounding)


@jit
def subtract_values(seen: Values, one: int, other: int) -> tuple[float, float]:
    """Return by how much one index is above the other, high and low part."""
    base, base_low = add(seen.base[one], seen.base_low[one], -seen.base[other], -seen.base_low[other])
    moved, moved_low = add(seen.moved[one], seen.moved_low[one], -seen.moved[other], -seen.moved_low[other])
    return add(base, base_low, moved, moved_low)


@jit
def difference(seen: Indices, one: int, other: int) -> float:
    """Return by how much one index is above the other."""
    gap, _ = subtract_values(seen.values, one, other)
    return gap


@jit
def is_within(seen: Values, one: int, other: int, level: float) -> bool:
    """Tell whether one index is above the other by no more than a level, of which the last digit counts."""
    gap, rest = subtract_values(seen, one, other)
    return gap < level or (gap == level and rest <= 0.0)


@jit
def leader_of(seen: Values, tie: float) -> int:
    """Return the choice that is made: of the indices that are not below the highest by more than a tie, the first."""
    best = 0
    for k in range(1, seen.base.size):
        gap, _ = subtract_values(seen, k, best)
        if gap > 0.0:
            best = k
    for k in range(best):
        if is_within(seen, best, k, tie):
            return k
    return best
