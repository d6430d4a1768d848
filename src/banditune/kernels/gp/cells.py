"""What is known of indices within a cell, by what was computed in its middle: who may be chosen, where that changes.

The choice is the first point that is not below the highest by more than a tie. So two kinds of points matter: those
that may be the highest within the cell, and those that may be the first: none that comes after one that is within a tie
of the highest throughout. Bounds of each index tell them, however close indices are to each other, since points far
from all that was observed are moved, and bend, by as little as their covariances with it are.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.index import PLAIN, Indices, Values, difference
from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.arrays import Floats, Integers

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
    """Return the most that an index bends within reach: a bound of its second derivative."""
    grown = math.exp(0.5 * reach)
    most: float = seen.bends[k, 0] * grown**2 + seen.bends[k, 1] * grown**3 + seen.bends[k, 2] * grown**7
    return most


@jit
def bound_moves(seen: Indices, reach: float) -> Floats:
    """Bound how far indices within reach are from a line through what was computed; slopes are off as indices are."""
    moves, half, grown = np.empty(seen.slope.size), 0.5 * reach * reach, math.exp(0.5 * reach)
    for k in range(moves.size):
        most = seen.bends[k, 0] * grown**2 + seen.bends[k, 1] * grown**3 + seen.bends[k, 2] * grown**7
        moves[k] = half * most + seen.rounding[k] * (1.0 + 4.0 * reach)
    return moves


@jit
def leeway(seen: Indices, moves: Floats, one: int, other: int, reach: float) -> float:
    """Return how far the difference of two indices may be within reach from what was computed."""
    apart: float = abs(seen.slope[one] - seen.slope[other]) * reach + moves[one] + moves[other]
    return apart


@jit
def measure_heights(seen: Values) -> Floats:
    """Estimate by how much each index is above the first before anything was observed."""
    heights: Floats = (seen.base - seen.base[0]) + seen.moved
    return heights


@jit
def find_contenders(seen: Indices, moves: Floats, reach: float, tie: float) -> Integers:
    """Return which points may win within reach: those not beaten everywhere by the one that is surely best here."""
    best, n_points, heights = integer(-1), seen.slope.size, measure_heights(seen.values)
    surely = heights - seen.rounding
    for k in range(n_points):
        if seen.rounding[k] < math.inf and (best < 0 or surely[k] > surely[best]):
            best = k
    if best < 0:
        return np.arange(n_points)
    left = np.empty(n_points, np.int64)
    size = 0
    for k in range(n_points):
        apart, off = leeway(seen, moves, best, k, reach), 4.0 * PLAIN * (abs(heights[best]) + abs(heights[k]))
        base = seen.values.base
        if base[best] != base[k] or seen.values.base_low[best] != seen.values.base_low[k]:
            off += 4.0 * PLAIN * (abs(base[best]) + abs(base[k]))
        if k != best and heights[best] - heights[k] - off - apart > tie:  # without a look at the last digits
            continue
        if k == best or not difference(seen, best, k) - apart > tie:
            left[size] = k
            size += 1
    return left[:size].copy()


@jit
def find_tops(heights: Floats) -> Integers:
    """Return the places of the highest few."""
    left, tops = heights.copy(), np.empty(min(TOPS, heights.size), np.int64)
    for k in range(tops.size):
        tops[k] = left.argmax()
        left[tops[k]] = -math.inf
    return tops


@jit
def find_rivals(seen: Indices, moves: Floats, reach: float) -> Integers:
    """Return which points may be the highest somewhere within reach."""
    size = seen.slope.size
    tops = find_tops(measure_heights(seen.values))
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
    return Verdict(*renumber(np.flatnonzero(matters), pairs[: min(n_pairs, MOST_PAIRS)]), parted, 0.0)


@jit
def renumber(kept: Integers, pairs: Integers) -> tuple[Integers, Integers]:
    """Return the points that are kept, and pairs of them by their places among those."""
    found = np.empty(pairs.shape, np.int64)
    for p in range(pairs.shape[0]):
        found[p, 0], found[p, 1] = np.searchsorted(kept, pairs[p, 0]), np.searchsorted(kept, pairs[p, 1])
    return kept, found


@jit
def does_rounding_matter(seen: Indices, moves: Floats, reach: float, tie: float) -> bool:
    """Tell whether what is left is in doubt for the rounding of plain floats rather than for the width of the cell."""
    most = rounding = 0.0
    for k in range(1, seen.slope.size):
        errors = seen.rounding[0] + seen.rounding[k]
        rounding = max(rounding, errors)
        most = max(most, leeway(seen, moves, 0, k, reach) - errors) if errors < math.inf else most
    return rounding > max(0.1 * tie, 0.1 * most)


@jit
def look_alike(seen: Indices, reach: float) -> bool:
    """Tell whether some of the points hardly differ within reach, so that bounds of each say little about the two."""
    for one in range(seen.slope.size):
        for other in range(one):
            change = abs(seen.slope[one] - seen.slope[other]) * reach
            if abs(difference(seen, one, other)) + change < ALIKE * bend(seen, one, reach) * reach * reach:
                return True
    return False
