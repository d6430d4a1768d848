"""What is known of indices within a cell, by what was computed in its middle: who may be chosen, where that changes.

The choice is the first point that is not below the highest by more than a tie. So two kinds of points matter: those
that may be the highest within the cell, and those that may be the first: none that comes after one that is within a tie
of the highest throughout. Bounds of each index tell them, however close indices are to each other, since points far
from all that was observed are moved, and bend, by as little as their covariances with it are.

On grids points tie with each other by symmetry, and bounds of each index say little about the difference of two. Where
the noise has a positive real part, so has the variance, and an index is analytic in the noise: a polynomial through the
difference of two indices is very close to it, and known to be.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.gp.index import (
    Asked,
    Indices,
    Values,
    base_indices,
    difference,
    subtract_values,
    sure_indices,
)
from banditune.kernels.gp.posterior import Floats, Integers, Observed, Prior
from banditune.kernels.jit import integer, jit

Flags = NDArray[np.bool_]
ALIKE = 1e-3
TOPS = 8  # so many of the highest are held against the others
MOST_PAIRS = 64  # that are told apart one by one
MOST_COMPARISONS = 20_000
NEVER, SOMEWHERE, ALWAYS = 0, 1, 2


class Verdict(NamedTuple):
    """Who matters within a cell."""

    kept: Integers  # positions of the points that may be chosen, or be the highest
    pairs: Integers  # (p, 2) among those: somewhere in the cell, the second may pass the first by a tie
    parted: bool  # whether each pair does so, or stops doing so, once at most; with no pairs, one point is the choice
    apart: float  # how far a point that was left out may be above one that was kept


@jit
def bend(seen: Indices, k: int, reach: float) -> float:
    """The most that an index bends within reach: a bound of its second derivative."""
    grown = math.exp(0.5 * reach)
    most: float = seen.bends[k, 0] * grown**2 + seen.bends[k, 1] * grown**3 + seen.bends[k, 2] * grown**7
    return most


@jit
def bound_moves(seen: Indices, reach: float) -> Floats:
    """How far indices may be within reach from a line through what was computed; slopes are off as indices are."""
    moves, half, grown = np.empty(seen.slope.size), 0.5 * reach * reach, math.exp(0.5 * reach)
    for k in range(moves.size):
        most = seen.bends[k, 0] * grown**2 + seen.bends[k, 1] * grown**3 + seen.bends[k, 2] * grown**7
        moves[k] = half * most + seen.rounding[k] * (1.0 + 4.0 * reach)
    return moves


@jit
def leeway(seen: Indices, moves: Floats, one: int, other: int, reach: float) -> float:
    """How far the difference of two indices may be within reach from what was computed."""
    apart: float = abs(seen.slope[one] - seen.slope[other]) * reach + moves[one] + moves[other]
    return apart


@jit
def measure_heights(seen: Values) -> Floats:
    """About by how much each index is above the first before anything was observed."""
    heights: Floats = (seen.base - seen.base[0]) + seen.moved
    return heights


@jit
def find_contenders(seen: Indices, moves: Floats, reach: float, tie: float) -> Integers:
    """Which points may win within reach: those not beaten everywhere by the one that is surely best here."""
    best, n_points, surely = integer(-1), seen.slope.size, measure_heights(seen.values) - seen.rounding
    for k in range(n_points):
        if seen.rounding[k] < math.inf and (best < 0 or surely[k] > surely[best]):
            best = k
    if best < 0:
        return np.arange(n_points)
    left = np.empty(n_points, np.int64)
    size = 0
    for k in range(n_points):
        if k == best or not difference(seen, best, k) - leeway(seen, moves, best, k, reach) > tie:
            left[size] = k
            size += 1
    return left[:size].copy()


@jit
def find_rivals(seen: Indices, moves: Floats, reach: float) -> Integers:
    """Which points may be the highest somewhere within reach."""
    size = seen.slope.size
    tops = np.argsort(-measure_heights(seen.values))[:TOPS]
    rivals = np.empty(size, np.int64)
    n_rivals = 0
    for k in range(size):
        below = False
        for top in tops:
            if top != k and difference(seen, k, top) + leeway(seen, moves, k, top, reach) < 0.0:
                below = True
                break
        if not below:
            rivals[n_rivals] = k
            n_rivals += 1
    return rivals[:n_rivals]


@jit
def judge(seen: Indices, moves: Floats, reach: float, tie: float) -> Verdict:
    """Tell who matters within reach, by bounds of each index."""
    size, rivals = seen.slope.size, find_rivals(seen, moves, reach)
    matters = np.zeros(size, np.bool_)
    matters[rivals] = True
    pairs = np.empty((MOST_PAIRS, 2), np.int64)
    n_pairs, compared, parted = integer(0), integer(0), True
    for k in range(size):
        compared += rivals.size
        if compared > MOST_COMPARISONS:
            return Verdict(np.arange(size), pairs, False, 0.0)
        within, first = ALWAYS, n_pairs
        for rival in rivals:
            if rival != k:
                gap, may_move = difference(seen, rival, k), leeway(seen, moves, rival, k, reach)
                if gap - may_move > tie:
                    within, n_pairs = NEVER, first
                    break
                if not gap + may_move <= tie:
                    within = SOMEWHERE
                    if n_pairs < MOST_PAIRS:
                        pairs[n_pairs] = k, rival
                    n_pairs += 1
        matters[k] = matters[k] or within != NEVER
        if within == ALWAYS:
            break
    for p in range(min(n_pairs, MOST_PAIRS)):
        one, other = pairs[p]
        turns = (bend(seen, one, reach) + bend(seen, other, reach)) * reach
        off = 4.0 * (seen.rounding[one] + seen.rounding[other])
        parted = parted and abs(seen.slope[one] - seen.slope[other]) - off > turns
    parted = parted and n_pairs <= MOST_PAIRS
    return Verdict(*_renumber(np.flatnonzero(matters), pairs[: min(n_pairs, MOST_PAIRS)]), parted, 0.0)


@jit
def _renumber(kept: Integers, pairs: Integers) -> tuple[Integers, Integers]:
    """The points that are kept, and pairs of them by their places among those."""
    found = np.empty(pairs.shape, np.int64)
    for p in range(pairs.shape[0]):
        found[p, 0], found[p, 1] = np.searchsorted(kept, pairs[p, 0]), np.searchsorted(kept, pairs[p, 1])
    return kept, found


@jit
def rounding_matters(seen: Indices, moves: Floats, reach: float, tie: float) -> bool:
    """Whether what is left is in doubt for the rounding of plain floats rather than for the width of the cell."""
    most = rounding = 0.0
    for k in range(1, seen.slope.size):
        errors = seen.rounding[0] + seen.rounding[k]
        rounding = max(rounding, errors)
        most = max(most, leeway(seen, moves, 0, k, reach) - errors) if errors < math.inf else most
    return rounding > max(0.1 * tie, 0.1 * most)


@jit
def look_alike(seen: Indices, reach: float) -> bool:
    """Whether some of the points hardly differ within reach, so that bounds of each say little about the two."""
    for one in range(seen.slope.size):
        for other in range(one):
            change = abs(seen.slope[one] - seen.slope[other]) * reach
            if abs(difference(seen, one, other)) + change < ALIKE * bend(seen, one, reach) * reach * reach:
                return True
    return False


NODES = 20  # of a polynomial
REACH = 0.25  # the half of a cell in which it is taken, at most
ELLIPSE = 2.95  # within the ellipse of parameter ELLIPSE / reach around a cell, the imaginary part is below pi / 2


@jit
def judge_by_polynomials(
    prior: Prior, observed: Observed, asked: Asked, value: float, reach: float, points: Integers, tie: float
) -> Verdict:
    """Tell who matters of points (k,) within reach, by the polynomials through their differences at Chebyshev's nodes.

    One that ties with another before it is left out.
    """
    size = points.size
    base, base_low, _ = base_indices(prior, asked, value, points)  # the same at all nodes
    moved, moved_low, rounding = np.empty((NODES, size)), np.empty((NODES, size)), 0.0
    for node in range(NODES):
        noise = value * math.exp(reach * math.cos(math.pi * (node + 0.5) / NODES))
        seen = sure_indices(prior, observed, asked, noise, points)
        moved[node], moved_low[node] = seen.values.moved, seen.values.moved_low
        rounding = max(rounding, seen.rounding.max())
    off = polynomial_error(prior, observed, asked, value, reach) + 2.0 * NODES * rounding
    left = np.empty(size, np.int64)
    n_left, apart = 0, 0.0
    centres, spreads, rises = np.zeros((size, size)), np.zeros((size, size)), np.ones((size, size), np.bool_)
    gaps = np.empty(NODES)
    for one in range(size):
        tied = False
        for k in range(n_left):
            other = left[k]
            for node in range(NODES):
                there = Values(base, base_low, moved[node], moved_low[node])
                gaps[node], _ = subtract_values(there, one, other)
            centre, spread, rising = bound_polynomial(gaps, off)
            centres[one, other], centres[other, one] = centre, -centre
            spreads[one, other] = spreads[other, one] = spread
            rises[one, other] = rises[other, one] = rising
            if centre + spread <= 0.25 * tie and centre - spread >= -0.25 * tie:
                tied, apart = True, max(apart, centre + spread)
                break
        if not tied:
            left[n_left] = one
            n_left += 1
    return _judge_pairs(left[:n_left], centres, spreads, rises, tie, apart)


@jit
def _judge_pairs(left: Integers, centres: Floats, spreads: Floats, rises: Flags, tie: float, apart: float) -> Verdict:
    """Tell who matters of the points that are left, by bounds of their differences."""
    matters = np.zeros(centres.shape[0], np.bool_)
    pairs = np.empty((MOST_PAIRS, 2), np.int64)
    n_pairs, parted, open_choice = integer(0), True, True
    for one in left:
        highest, within, first = True, ALWAYS, n_pairs
        for other in left:
            if other != one:
                gap, spread = centres[other, one], spreads[other, one] + apart
                highest = highest and not gap - spread > 0.0
                if gap - spread > tie:
                    within = NEVER
                elif within != NEVER and not gap + spread <= tie:
                    within = SOMEWHERE
                    if open_choice and n_pairs < MOST_PAIRS:
                        pairs[n_pairs] = one, other
                        n_pairs += 1
        if within == NEVER or not open_choice:
            n_pairs = first
        matters[one] = highest or (open_choice and within != NEVER)
        open_choice = open_choice and within != ALWAYS
    for p in range(n_pairs):
        parted = parted and rises[pairs[p, 0], pairs[p, 1]]
    parted = parted and n_pairs < MOST_PAIRS
    for p in range(n_pairs):
        matters[pairs[p, 1]] = True
    return Verdict(*_renumber(np.flatnonzero(matters), pairs[:n_pairs]), parted, apart)


@jit
def polynomial_error(prior: Prior, observed: Observed, asked: Asked, value: float, reach: float) -> float:
    """How far a polynomial through the differences of two indices may be off, within reach.

    That is 4 B rho^(1 - nodes) / (rho - 1), with B a bound of the differences in the ellipse of parameter rho.
    """
    squares = variance = 0.0
    for j in range(observed.places.size):
        squares += observed.counts[j] * observed.averages[j] * observed.averages[j]
    for k in range(prior.means.size):
        variance = max(variance, prior.covariances[k, k])
    ellipse = ELLIPSE / reach
    least_noise = value * math.exp(-0.5 * reach * (ellipse + 1.0 / ellipse))
    bonus = asked.width * (2.0 * variance if asked.squared else math.sqrt(2.0 * variance))
    most = 2.0 * (math.sqrt(variance * squares / (2.0 * least_noise)) + bonus)
    off: float = 4.0 * most * ellipse ** (1 - NODES) / (ellipse - 1.0)
    return off


@jit
def bound_polynomial(gaps: Floats, off: float) -> tuple[float, float, bool]:
    """The middle of a function that has these values at Chebyshev's nodes, how far it strays, and if it is monotone."""
    factors = np.zeros(NODES)
    for k in range(NODES):
        for node in range(NODES):
            factors[k] += gaps[node] * math.cos(math.pi * k * (node + 0.5) / NODES)
        factors[k] *= 2.0 / NODES
    spread = off
    for k in range(1, NODES):
        spread += abs(factors[k])
    slopes = np.zeros(NODES + 1)
    for k in range(NODES - 2, -1, -1):
        slopes[k] = (slopes[k + 2] if k + 2 <= NODES else 0.0) + 2.0 * (k + 1) * factors[k + 1]
    strays = off * NODES * NODES
    for k in range(1, NODES):
        strays += abs(slopes[k])
    return 0.5 * factors[0], spread, 0.5 * abs(slopes[0]) > strays
