"""The mean of the largest of many step functions, at every point: the sum of the largest values is kept exactly.

Curves are held as in `step_sums`. From one edge to the next a curve changes its value; the values of all are kept in
order, so that the sum of the largest changes by two of them at most.
"""

import math

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, jit
from banditune.kernels.numerics.accumulators import Layout, add_bits, round_number, settle
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.step_sums import ROUNDING, SETTLE


@inline
def find_place(ranked: Floats, value: float, after_equals: bool) -> int:
    """Return the first place in increasing numbers at which one is not below a value, or behind those that equal it."""
    low, high = 0, ranked.size
    while low < high:
        middle = (low + high) // 2
        if ranked[middle] < value or (after_equals and ranked[middle] == value):
            low = middle + 1
        else:
            high = middle
    return low


@inline
def replace_ranked_value(ranked: Floats, bits: Integers, value: float, by: float, bits_by: int) -> None:
    """Put another number in the place of a value among increasing numbers, and its bits beside it."""
    if by >= value:
        place, end = find_place(ranked, value, True) - 1, find_place(ranked, by, False) - 1
        for k in range(place, end):
            ranked[k], bits[k] = ranked[k + 1], bits[k + 1]
        place = max(place, end)
    else:
        place, end = find_place(ranked, value, False), find_place(ranked, by, True)
        for k in range(place, end, -1):
            ranked[k], bits[k] = ranked[k - 1], bits[k - 1]
        place = min(place, end)
    ranked[place], bits[place] = by, bits_by


@jit
def tail_of_curves(
    left: Floats,
    values: Floats,
    bits: Integers,
    starts: Integers,
    order: Integers,
    curve_of: Integers,
    member: NDArray[np.bool_],
    n_largest: int,
    layout: Layout,
) -> tuple[Floats, Floats]:
    """Average the n_largest values of the curves that are members, as edges and values: see `mean_of_curves`.

    values (pieces,) come with their bits, which are summed in digits of the given layout.
    """
    digits, scratch = np.zeros(layout.digits, np.int64), np.empty(layout.digits, np.int64)
    first = starts[:-1][member]
    ranks = np.argsort(values[first])
    ranked, ranked_bits = values[first][ranks], bits[first][ranks]
    cut = ranked.size - n_largest
    for k in range(cut, ranked.size):
        add_bits(digits, layout.unit, ranked_bits[k], 1)
        if (k - cut) & SETTLE == 0:
            settle(digits)
    new_left, new_values = np.empty(order.size + 1), np.empty(order.size + 1)
    used = 0
    edge = left[0]
    for j in range(order.size + 1):
        piece = order[j] if j < order.size else -1
        if piece >= 0 and not member[curve_of[piece]]:
            continue
        if piece < 0 or left[piece] != edge:
            settle(digits)
            mean = round_number(digits, layout.unit, scratch) / n_largest
            if used == 0 or mean != new_values[used - 1]:
                new_left[used], new_values[used] = edge, mean
                used += 1
        if piece >= 0:
            edge = left[piece]
            old, least = values[piece - 1], ranked[cut]
            add_bits(digits, layout.unit, bits[piece - 1] if old >= least else ranked_bits[cut], -1)
            replace_ranked_value(ranked, ranked_bits, old, values[piece], bits[piece])
            # the sum now has the n_largest - 1 largest of the others: what is missing is the new one or the next
            new = max(values[piece], ranked[cut])
            add_bits(digits, layout.unit, bits[piece] if new == values[piece] else ranked_bits[cut], 1)
    return new_left[:used].copy(), new_values[:used].copy()


@jit
def spread_tail(losses: Floats, n_largest: int, spread: Floats) -> None:
    """Write t + (n / k) max(loss - t, 0) for each of the losses (n,), t being the k-th largest: see `spread_losses`."""
    cut = np.sort(losses)[losses.size - n_largest]
    for k in range(losses.size):
        spread[k] = cut + max(losses[k] - cut, 0.0) * (losses.size / n_largest)


@jit
def find_tail_within_one_se(
    left: Floats,
    values: Floats,
    starts: Integers,
    order: Integers,
    curve_of: Integers,
    best: Floats,
    n_largest: int,
    end: float,
    widening: float,
) -> tuple[float, float]:
    """Return the first and the last point whose tail mean is within one standard error of that at the best point.

    best (curves,) holds each curve's value there. The standard error is that of the mean of paired differences of what
    `spread_tail` makes of the values.
    """
    n = best.size
    of_best = np.empty(n)
    spread_tail(best, n_largest, of_best)
    now = values[starts[:-1]].copy()
    ranked = np.sort(now)
    ranked_bits, cut, weight = np.zeros(n, np.int64), n - n_largest, n / n_largest
    first, last = math.inf, -math.inf
    edge = left[0]
    for j in range(order.size + 1):
        piece = order[j] if j < order.size else -1
        following = left[piece] if piece >= 0 else end
        if following != edge:
            total, squares, least = 0.0, 0.0, ranked[cut]
            for k in range(n):
                difference = least + max(now[k] - least, 0.0) * weight - of_best[k]
                total += difference
                squares += difference * difference
            if total <= 0.0 or total * total <= squares * widening * ROUNDING:
                first, last = min(first, edge), following
            edge = following
        if piece >= 0:
            replace_ranked_value(ranked, ranked_bits, values[piece - 1], values[piece], 0)
            now[curve_of[piece]] = values[piece]
    return first, last
