"""Sums of many step functions, held end to end: curve k owns the pieces starts[k]:starts[k + 1].

Piece j of a curve starts at left[j] and has the value values[j]; all curves begin at one common point. Sums are exact
(see `accumulators`), so that they do not depend on the order of the curves; they are rounded once, when they are used.
"""

import math

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, jit
from banditune.kernels.numerics.accumulators import Layout, add_bits, round_number, settle
from banditune.kernels.numerics.arrays import Floats, Integers

ROUNDING = 1.0 + 1e-9
SETTLE = 2**24 - 1  # digits are carried after so many numbers, before they outgrow an integer


@jit
def average_curves(
    left: Floats, values: Floats, starts: Integers, n_sets: int, high: float
) -> tuple[Floats, Floats, Integers]:
    """Average curve k of each of n_sets sets of equally many curves, which stand end to end: edges, values, ends."""
    n_curves = (starts.size - 1) // n_sets
    new_left, new_values, ends = np.empty_like(left), np.empty_like(values), np.empty(n_curves, np.int64)
    piece = np.empty(n_sets, np.int64)
    used = 0
    for curve in range(n_curves):
        first = used
        for k in range(n_sets):
            piece[k] = starts[k * n_curves + curve]
        edge = left[piece[0]]
        while edge < high:
            total, following = 0.0, high
            for k in range(n_sets):
                end = starts[k * n_curves + curve + 1]
                while piece[k] + 1 < end and left[piece[k] + 1] <= edge:
                    piece[k] += 1
                total += values[piece[k]]
                if piece[k] + 1 < end:
                    following = min(following, left[piece[k] + 1])
            if used == first or new_values[used - 1] != total / n_sets:
                new_left[used], new_values[used] = edge, total / n_sets
                used += 1
            edge = following
        ends[curve] = used
    return new_left[:used].copy(), new_values[:used].copy(), ends


@jit
def mean_of_curves(
    left: Floats,
    bits: Integers,
    starts: Integers,
    order: Integers,
    curve_of: Integers,
    member: NDArray[np.bool_],
    layout: Layout,
) -> tuple[Floats, Floats]:
    """Return the mean of the curves that are members, as left edges and values.

    order lists the pieces that do not begin a curve, by their left edges; curve_of says whose a piece is. Values come
    as their bits, which are summed in digits of the given layout.
    """
    digits, scratch = np.zeros(layout.digits, np.int64), np.empty(layout.digits, np.int64)
    count = 0
    for curve in range(member.size):
        if member[curve]:
            add_bits(digits, layout.unit, bits[starts[curve]], 1)
            count += 1
            if count & SETTLE == 0:
                settle(digits)
    new_left, new_values = np.empty(order.size + 1), np.empty(order.size + 1)
    used = 0
    edge = left[0]
    for k in range(order.size + 1):
        piece = order[k] if k < order.size else -1
        if piece >= 0 and not member[curve_of[piece]]:
            continue
        if piece < 0 or left[piece] != edge:
            settle(digits)
            mean = round_number(digits, layout.unit, scratch) / count
            if used == 0 or mean != new_values[used - 1]:
                new_left[used], new_values[used] = edge, mean
                used += 1
        if piece >= 0:
            edge = left[piece]
            add_bits(digits, layout.unit, bits[piece], 1)
            add_bits(digits, layout.unit, bits[piece - 1], -1)
    return new_left[:used].copy(), new_values[:used].copy()


@jit
def estimate_sums(
    places: Floats, jumps: Floats, curve_of: Integers, member: NDArray[np.bool_], low: float, base: float
) -> tuple[Floats, Floats]:
    """Return where the sum of the curves that are members changes, from `low` on, and about what it is from there.

    A jump of curve curve_of[k] by jumps[k] is at places[k]; `base` is the sum at `low`. Rounding is compensated, so the
    error is that of the jumps themselves.
    """
    new_places, sums = np.empty(places.size + 1), np.empty(places.size + 1)
    new_places[0], sums[0] = low, base
    total, lost = base, 0.0
    used = 0
    for k in range(places.size):
        if not member[curve_of[k]]:
            continue
        jump = jumps[k] - lost
        grown = total + jump
        lost = (grown - total) - jump
        total = grown
        if places[k] != new_places[used]:
            used += 1
            new_places[used] = places[k]
        sums[used] = total
    return new_places[: used + 1], sums[: used + 1]


@jit
def find_signed_maxima(
    left: Floats, values: Floats, starts: Integers, order: Integers, curve_of: Integers, signs: Floats, middle: float
) -> Floats:
    """Return the largest sum_k signs[d, k] (curve k - middle), for each draw of signs (draws, curves): (draws,).

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
def find_range_within_one_se(
    left: Floats,
    bits: Integers,
    layout: Layout,
    squares: Integers,
    of_squares: Layout,
    starts: Integers,
    order: Integers,
    best: Integers,
    scale: float,
    end: float,
    widening: float,
) -> tuple[float, float]:
    """Return the first and the last point whose mean loss is within one standard error of that at the best point.

    best (curves,) holds the bits of each curve's value at the best point, squares (pieces,) those of the squared
    differences to it.
    `widening` multiplies the squares: 1 for one standard error, more for more of them.
    """
    digits, scratch = np.zeros(layout.digits, np.int64), np.empty(layout.digits, np.int64)
    square_digits, square_scratch = np.zeros(of_squares.digits, np.int64), np.empty(of_squares.digits, np.int64)
    for curve in range(best.size):
        add_bits(digits, layout.unit, bits[starts[curve]], 1)
        add_bits(digits, layout.unit, best[curve], -1)
        add_bits(square_digits, of_squares.unit, squares[starts[curve]], 1)
        if curve & SETTLE == 0:
            settle(digits)
            settle(square_digits)
    first, last = math.inf, -math.inf
    edge = left[0]
    for k in range(order.size + 1):
        piece = order[k] if k < order.size else -1
        following = left[piece] if piece >= 0 else end
        if following != edge:
            settle(digits)
            settle(square_digits)
            difference = round_number(digits, layout.unit, scratch)
            square = widening * round_number(square_digits, of_squares.unit, square_scratch)
            if is_within_one_se(difference, square, scale):
                first, last = min(first, edge), following
            edge = following
        if piece >= 0:
            add_bits(digits, layout.unit, bits[piece], 1)
            add_bits(digits, layout.unit, bits[piece - 1], -1)
            add_bits(square_digits, of_squares.unit, squares[piece], 1)
            add_bits(square_digits, of_squares.unit, squares[piece - 1], -1)
    return first, last


@inline
def is_within_one_se(difference: float, square: float, scale: float) -> bool:
    """Tell whether a mean difference is no more than its standard error, from the sums of differences and squares.

    That is so just where (sum d)**2 <= sum d**2. It is an equality where only one curve differs, so rounding is given
    its share. The squares are in units of 1 / scale.
    """
    return difference <= 0.0 or (scale * difference) * (scale * difference) <= square * ROUNDING


@jit
def find_span_within_one_se(
    edges: Floats, differences: Floats, squares: Floats, scale: float, end: float
) -> tuple[float, float]:
    """Return the same from known sums: of the differences and their squares from edges[k] on, (pieces,) each."""
    first, last = math.inf, -math.inf
    for k in range(edges.size):
        if is_within_one_se(differences[k], squares[k], scale):
            first, last = min(first, edges[k]), edges[k + 1] if k + 1 < edges.size else end
    return first, last
