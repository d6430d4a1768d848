"""The pulls of a batch that is divided among arms: which are taken, which are left out, and where that changes.

Of every arm two lines count: that of its first pull that is left out, in row `arm`, and that of the last that is taken,
n rows below. Where plain floats leave no doubt, no more than the means and slopes of lines is written.
"""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.lines.bonus import STEEPEST
from banditune.kernels.lines.bonus_tables import BonusTables, index_slope, set_item_line, width_of
from banditune.kernels.lines.envelope import SLACK, Lines, compare, crossing, is_steeper
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.pieces import Slots


@inline
def is_better(lines: Lines, i: int, j: int, n_arms: int, x: float) -> bool:
    """Tell whether line i is above line j just right of x; of equal lines, that of the lower arm is."""
    difference = compare(lines, i, j, x, 1.0)
    if difference != 0.0:
        return difference > 0.0
    if is_steeper(lines, i, j):
        return True
    return not is_steeper(lines, j, i) and i % n_arms < j % n_arms


@inline
def set_items(
    lines: Lines, arm: int, taken: NDArray[np.int64], slots: Slots, slot: int, tables: TaskTables, index: BonusTables
) -> None:
    """Write both lines of an arm."""
    n_arms, known = taken.size, np.uintp(slots.known[slot, arm])
    count = slots.known[slot, arm] + taken[arm]
    set_item_line(lines, arm, arm, known, np.uintp(count), tables, index)
    if taken[arm] > 0:
        set_item_line(lines, n_arms + arm, arm, known, np.uintp(count - 1), tables, index)


@inline
def slope_after(tables: TaskTables, index: BonusTables, arm: int, known: int, counted: int) -> float:
    """Return the slope of an arm's index after so many pulls, of which so many have known rewards."""
    width = width_of(tables, index, np.uintp(arm), np.uintp(known), np.uintp(counted))
    return index_slope(tables, index, arm, np.uintp(known), np.uintp(counted), width)


@inline
def level_out(
    lines: Lines,
    taken: NDArray[np.int64],
    x: float,
    slots: Slots,
    slot: int,
    tables: TaskTables,
    index: BonusTables,
) -> None:
    """Guess how many pulls arms get for what is left out of them to be level at x, from what those of others get.

    That is a step of Newton's method: as if an index fell evenly with further pulls.
    """
    total, weights, n_left, flat = 0.0, 0.0, integer(0), integer(-1)
    for arm in range(taken.size):
        known = slots.known[slot, arm]
        count = known + taken[arm]
        slope = slope_after(tables, index, arm, known, count)
        fall = x * (slope_after(tables, index, arm, known, max(count - 1, 0)) - slope)
        value, inverse = slots.means[slot, arm] + x * slope, 1.0 / fall if fall > 0.0 else 0.0
        lines[arm, 5], lines[arm, 6] = value, inverse
        n_left += taken[arm]
        if taken[arm] > 0:
            total, weights = total + value * inverse, weights + inverse
            if fall <= 0.0 and (flat < 0 or value > lines[flat, 5]):
                flat = integer(arm)
    level = total / weights if weights > 0.0 else np.inf
    for arm in range(taken.size):
        if taken[arm] == 0 and lines[arm, 5] > level:
            total, weights = total + lines[arm, 5] * lines[arm, 6], weights + lines[arm, 6]
    level = total / weights if weights > 0.0 else np.inf
    if flat >= 0:  # one that does not fall takes all that is left
        level, taken[flat] = lines[flat, 5], 0
    most = max(flat, 0)
    for arm in range(taken.size):
        more = min(1e9, max(-1e9, (lines[arm, 5] - level) * lines[arm, 6] + 0.5))
        taken[arm] = min(n_left, max(0, taken[arm] + integer(int(np.floor(more)))))
        n_left -= taken[arm]
        most = integer(arm) if flat < 0 and taken[arm] > taken[most] else most
    taken[most] += n_left


@inline
def is_settled(
    taken: NDArray[np.int64],
    low: float,
    high: float,
    slots: Slots,
    slot: int,
    tables: TaskTables,
    index: BonusTables,
) -> tuple[bool, bool]:
    """Whether all pulls that are taken are above all that are left out, beyond any rounding: at low, and at high."""
    most_low = most_high = -np.inf
    least_low = least_high = np.inf
    for arm in range(taken.size):
        known, mean = slots.known[slot, arm], slots.means[slot, arm]
        count = known + taken[arm]
        slope = slope_after(tables, index, arm, known, count)
        most_low, most_high = max(most_low, mean + low * slope), max(most_high, mean + high * slope)
        if taken[arm] > 0:
            slope = slope_after(tables, index, arm, known, count - 1)
            least_low, least_high = min(least_low, mean + low * slope), min(least_high, mean + high * slope)
    steepest = index.now[STEEPEST]
    at_low = least_low - most_low > SLACK * (tables.size + low * steepest)
    return at_low, least_high - most_high > SLACK * (tables.size + high * steepest)


@inline
def sketch_items(
    lines: Lines, arm: int, taken: NDArray[np.int64], slots: Slots, slot: int, tables: TaskTables, index: BonusTables
) -> None:
    """Write means and slopes of both lines of an arm."""
    n_arms, known = taken.size, slots.known[slot, arm]
    count = known + taken[arm]
    lines[arm, 5] = lines[n_arms + arm, 5] = slots.means[slot, arm]
    lines[arm, 6] = slope_after(tables, index, arm, known, count)
    if taken[arm] > 0:
        lines[n_arms + arm, 6] = slope_after(tables, index, arm, known, count - 1)


@inline
def find_worst_pair(lines: Lines, taken: NDArray[np.int64], x: float) -> tuple[float, int, int]:
    """By how much what is taken is above what is left out of other arms at x, at least; which arms these are."""
    n_arms, best, worst, from_best = taken.size, integer(0), integer(0), np.inf
    most = second = -np.inf
    least, next_best = np.inf, integer(0)
    for arm in range(n_arms):
        value = lines[arm, 5] + x * lines[arm, 6]
        if value > most:
            best, most, next_best, second = integer(arm), value, best, most
        elif value > second:
            next_best, second = integer(arm), value
    for arm in range(n_arms):
        if taken[arm] > 0:
            value = lines[n_arms + arm, 5] + x * lines[n_arms + arm, 6]
            if arm == best:
                from_best = value
            elif value < least:
                worst, least = integer(arm), value
    if from_best - second < least - most:
        return from_best - second, next_best, best
    return least - most, best, worst


@inline
def exchange_some(
    lines: Lines,
    taken: NDArray[np.int64],
    x: float,
    slack: float,
    slots: Slots,
    slot: int,
    tables: TaskTables,
    index: BonusTables,
) -> bool:
    """Exchange pulls at x as long as plain floats leave no doubt that it is for the better; whether they never do."""
    above, best, worst = find_worst_pair(lines, taken, x)
    while above < -slack:
        taken[best] += 1
        taken[worst] -= 1
        sketch_items(lines, best, taken, slots, slot, tables, index)
        sketch_items(lines, worst, taken, slots, slot, tables, index)
        above, best, worst = find_worst_pair(lines, taken, x)
    return bool(above > slack)


@lean
def improve(
    lines: Lines,
    taken: NDArray[np.int64],
    x: float,
    slots: Slots,
    slot: int,
    tables: TaskTables,
    index: BonusTables,
) -> None:
    """Exchange pulls until just right of x none that is left out is better than one that is taken."""
    n_arms = taken.size
    while True:
        best, worst = integer(0), integer(-1)
        for arm in range(n_arms):
            if arm > 0 and is_better(lines, arm, best, n_arms, x):
                best = arm
            if taken[arm] > 0 and (worst < 0 or is_better(lines, worst + n_arms, arm + n_arms, n_arms, x)):
                worst = arm
        if best == worst or not is_better(lines, best, worst + n_arms, n_arms, x):
            return
        taken[best] += 1
        taken[worst] -= 1
        set_items(lines, best, taken, slots, slot, tables, index)
        set_items(lines, worst, taken, slots, slot, tables, index)


@lean
def find_change(lines: Lines, taken: NDArray[np.int64], low: float, high: float) -> float:
    """The first float in (low, high) at which a pull that is left out draws level with one that is taken; else high."""
    n_arms, edge = taken.size, high
    for one in range(n_arms):
        for other in range(n_arms):
            if one == other or taken[other] == 0:
                continue
            i, j = one, n_arms + other
            if compare(lines, i, j, edge, 1.0) > 0.0 and is_steeper(lines, i, j):
                level = max(crossing(lines, i, j, 1.0), np.nextafter(low, np.inf))
                edge = min(level, edge)
    return edge
