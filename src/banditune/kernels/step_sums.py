"""Sums of many step functions, held end to end: curve k owns the pieces starts[k]:starts[k + 1].

Piece j of a curve starts at left[j] and has the value values[j]; all curves begin at one common point. Sums are carried
in double-doubles, so that they do not depend on the order of the curves.
"""

import math

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.double_double import add
from banditune.kernels.jit import jit

ROUNDING = 1.0 + 1e-9

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@jit
def tidy(left: Floats, values: Floats, ends: Integers, high: float) -> tuple[Floats, Floats, Integers]:
    """Drop pieces without width and join neighbours of equal value, in curves that end at ends[k] and at `high`."""
    kept = 0
    start = 0
    new_left, new_values, new_ends = np.empty_like(left), np.empty_like(values), np.empty_like(ends)
    for curve in range(ends.size):
        first = kept
        for piece in range(start, ends[curve]):
            end = left[piece + 1] if piece + 1 < ends[curve] else high
            if left[piece] < end and (kept == first or values[piece] != new_values[kept - 1]):
                new_left[kept], new_values[kept] = left[piece], values[piece]
                kept += 1
        start = ends[curve]
        new_ends[curve] = kept
    return new_left[:kept].copy(), new_values[:kept].copy(), new_ends


@jit
def values_at(left: Floats, values: Floats, starts: Integers, x: float) -> Floats:
    """The value of every curve at x: (curves,)."""
    found = np.empty(starts.size - 1)
    for curve in range(found.size):
        low, high = starts[curve], starts[curve + 1]
        while high - low > 1:
            middle = (low + high) // 2
            if left[middle] <= x:
                low = middle
            else:
                high = middle
        found[curve] = values[low]
    return found


@jit
def mean_of_curves(
    left: Floats, values: Floats, starts: Integers, order: Integers, curve_of: Integers, member: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """The mean of the curves that are members, as left edges and values.

    order lists the pieces that do not begin a curve, by their left edges; curve_of says whose a piece is.
    """
    high, low = 0.0, 0.0
    count = 0
    for curve in range(member.size):
        if member[curve]:
            high, low = add(high, low, values[starts[curve]], 0.0)
            count += 1
    new_left, new_values = np.empty(order.size + 1), np.empty(order.size + 1)
    used = 0
    edge = left[0]
    for k in range(order.size + 1):
        piece = order[k] if k < order.size else -1
        if piece >= 0 and not member[curve_of[piece]]:
            continue
        if piece < 0 or left[piece] != edge:
            mean = high / count
            if used == 0 or mean != new_values[used - 1]:
                new_left[used], new_values[used] = edge, mean
                used += 1
        if piece >= 0:
            edge = left[piece]
            high, low = add(high, low, values[piece], 0.0)
            high, low = add(high, low, -values[piece - 1], 0.0)
    return new_left[:used].copy(), new_values[:used].copy()


@jit
def signed_maxima(
    left: Floats, values: Floats, starts: Integers, order: Integers, curve_of: Integers, signs: Floats, middle: float
) -> Floats:
    """The largest value of sum_k signs[d, k] (curve k - middle), for each draw d of signs (draws, curves): (draws,).

    In plain floats: draws differ by far more than these sums are rounded.
    """
    largest = np.empty(signs.shape[0])
    for draw in range(largest.size):
        total = 0.0
        for curve in range(signs.shape[1]):
            total += signs[draw, curve] * (values[starts[curve]] - middle)
        most = -math.inf
        edge = left[0]
        for k in range(order.size):
            piece = order[k]
            if left[piece] != edge:
                most = max(most, total)
                edge = left[piece]
            total += signs[draw, curve_of[piece]] * (values[piece] - values[piece - 1])
        largest[draw] = max(most, total)
    return largest


@jit
def plausible_range(
    left: Floats, values: Floats, starts: Integers, order: Integers, curve_of: Integers, best: Floats, end: float
) -> tuple[float, float]:
    """From the first to the last point whose mean loss is within one standard error of that at the best point.

    best (curves,) holds each curve's value at the best point. With d the differences to it, the mean of d is within its
    standard error of zero just where (sum d)**2 <= sum d**2. That is an equality where only one curve differs, so
    rounding is given its share.
    """
    high, low = 0.0, 0.0
    square, square_low = 0.0, 0.0
    for curve in range(best.size):
        difference = values[starts[curve]] - best[curve]
        high, low = add(high, low, difference, 0.0)
        square, square_low = add(square, square_low, difference * difference, 0.0)
    first, last = math.inf, -math.inf
    edge = left[0]
    for k in range(order.size + 1):
        piece = order[k] if k < order.size else -1
        following = left[piece] if piece >= 0 else end
        if following != edge:
            if high <= 0.0 or high * high <= square * ROUNDING:
                first, last = min(first, edge), following
            edge = following
        if piece >= 0:
            new, old = values[piece] - best[curve_of[piece]], values[piece - 1] - best[curve_of[piece]]
            high, low = add(high, low, new, 0.0)
            high, low = add(high, low, -old, 0.0)
            square, square_low = add(square, square_low, new * new, 0.0)
            square, square_low = add(square, square_low, -(old * old), 0.0)
    return first, last
