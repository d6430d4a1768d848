"""The pulls of a batch that is divided among arms: which are taken, which are left out, and where that changes.

Of every arm two lines count: that of its first pull that is left out, in row `arm`, and that of the last that is taken,
n rows below. Where plain floats leave no doubt, no more than an arm's mean and both slopes is written, into row `arm`:
a sketch.
"""

import numpy as np

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.lines.bonus import PRODUCT
from banditune.kernels.lines.bonus_rounds import slack_at
from banditune.kernels.lines.bonus_tables import BonusTables, index_slope, set_item_line, width_of
from banditune.kernels.lines.envelope import SLACK, Lines, compare, find_crossing, is_steeper
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.pieces import Slots
from banditune.kernels.numerics.arrays import Integers

BEFORE = 3  # of a sketch: the column with the slope of the last pull that is taken; that of the next one is in 6


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
    lines: Lines, arm: int, taken: Integers, slots: Slots, slot: np.uintp, tables: TaskTables, index: BonusTables
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
    if index.is_own == 0:  # a product
        return float(index.widths[0, np.uintp(counted)] * index.factors[arm])
    width = width_of(tables, index, np.uintp(arm), np.uintp(known), np.uintp(counted))
    return index_slope(tables, index, arm, np.uintp(known), np.uintp(counted), width)


@inline
def find_sole_arm(
    lines: Lines,
    n_arms: int,
    n_pulls: int,
    low: float,
    high: float,
    slots: Slots,
    slot: np.uintp,
    tables: TaskTables,
    index: BonusTables,
) -> int:
    """Return the arm whose next n_pulls pulls lead from low to high beyond any rounding; -1 if there is none.

    The means of arms are written into their rows.
    """
    best_low = best_high = next_low = next_high = -np.inf
    first = last = 0
    for arm in range(n_arms):
        known = slots.known[slot, arm]
        mean, slope = tables.means[arm, np.uintp(known)], slope_after(tables, index, arm, known, known)
        lines[arm, 5] = mean
        value = mean + low * slope
        lesser = value if value < best_low else best_low
        next_low = lesser if lesser > next_low else next_low
        first = arm if value > best_low else first
        best_low = value if value > best_low else best_low
        value = mean + high * slope
        lesser = value if value < best_high else best_high
        next_high = lesser if lesser > next_high else next_high
        last = arm if value > best_high else last
        best_high = value if value > best_high else best_high
    known = slots.known[slot, first]
    mean, slope = lines[first, 5], slope_after(tables, index, first, known, known + n_pulls - 1)
    is_above = mean + low * slope - next_low > slack_at(low, tables, index, PRODUCT)
    is_above = is_above and mean + high * slope - next_high > slack_at(high, tables, index, PRODUCT)
    return first if is_above and first == last else -1


@inline
def sketch_items(
    lines: Lines, arm: int, taken: Integers, slots: Slots, slot: np.uintp, tables: TaskTables, index: BonusTables
) -> None:
    """Write the slopes of both lines of an arm into its row."""
    known = slots.known[slot, arm]
    count = known + taken[arm]
    lines[arm, 6] = slope_after(tables, index, arm, known, count)
    lines[arm, BEFORE] = slope_after(tables, index, arm, known, max(count - 1, 0))


@inline
def level_out(lines: Lines, taken: Integers, n_pulls: int, x: float) -> int:
    """Guess how many pulls arms get for all that are taken to be above one level at x, and all left out below it.

    That is a step of Newton's method: as if an index fell evenly with further pulls. Arms that would get less than none
    get none, and the others are levelled without them. Returns how many pulls are left, below 0 if there are too many.
    """
    n_arms, flat, highest = taken.size, -1, -np.inf
    level, total, weights = -np.inf, -float(n_pulls), 0.0
    for arm in range(n_arms):
        value, fall = lines[arm, 5] + x * lines[arm, 6], x * (lines[arm, BEFORE] - lines[arm, 6])
        is_flat = fall <= 0.0
        inverse = 0.0 if is_flat else 1.0 / fall
        share = 0.0 if is_flat else taken[arm] + value * inverse + 0.5  # of pulls above the level 0, about
        if is_flat:
            taken[arm] = 0
            flat, highest = (arm, value) if value > highest else (flat, highest)
        lines[arm, 0], lines[arm, 1], lines[arm, 2] = value, inverse, share
        total, weights = total + share, weights + inverse
    n_above, n_before = n_arms, n_arms + 1
    while weights > 0.0 and n_above < n_before:
        level, n_before, n_above = total / weights, n_above, 0
        total, weights = -float(n_pulls), 0.0
        for arm in range(n_arms):
            is_above = lines[arm, 2] > level * lines[arm, 1]
            total += lines[arm, 2] if is_above else 0.0
            weights += lines[arm, 1] if is_above else 0.0
            n_above += int(is_above)
    level, n_left = max(level, highest), n_pulls
    for arm in range(n_arms):
        more = min(1e9, max(-1e9, np.ceil((lines[arm, 0] - level) * lines[arm, 1])))
        taken[arm] = min(n_pulls, max(0, taken[arm] + int(more)))
        n_left -= taken[arm]
    if level == highest:  # one that does not fall takes all that is left
        taken[flat], n_left = max(n_left, 0), min(n_left, 0)
    return n_left


@inline
def is_settled(lines: Lines, taken: Integers, low: float, high: float, tables: TaskTables, index: BonusTables) -> bool:
    """Tell whether all pulls that are taken are above all that are left out, beyond any rounding, from low to high."""
    most_low = most_high = -np.inf
    least_low = least_high = np.inf
    for arm in range(taken.size):
        mean, slope = lines[arm, 5], lines[arm, 6]
        value = mean + low * slope
        most_low = value if value > most_low else most_low
        value = mean + high * slope
        most_high = value if value > most_high else most_high
        mean, slope = mean if taken[arm] > 0 else np.inf, lines[arm, BEFORE]
        value = mean + low * slope
        least_low = value if value < least_low else least_low
        value = mean + high * slope
        least_high = value if value < least_high else least_high
    at_low = least_low - most_low > slack_at(low, tables, index, PRODUCT)
    return at_low and least_high - most_high > slack_at(high, tables, index, PRODUCT)


@inline
def find_worst_pair(lines: Lines, taken: Integers, x: float) -> tuple[float, int, int]:
    """Return by how much what is taken is above what is left out of other arms at x, at least; which arms these are."""
    n_arms, best, next_best, worst = taken.size, 0, 0, 0
    most = second = -np.inf
    least = from_best = np.inf
    for arm in range(n_arms):
        value = lines[arm, 5] + x * lines[arm, 6]
        is_best = value > most
        next_best = best if is_best else arm if value > second else next_best
        second = most if is_best else value if value > second else second
        best, most = arm if is_best else best, value if is_best else most
    for arm in range(n_arms):
        value = lines[arm, 5] + x * lines[arm, BEFORE] if taken[arm] > 0 else np.inf
        from_best = value if arm == best else from_best
        value = np.inf if arm == best else value
        worst, least = arm if value < least else worst, value if value < least else least
    if from_best - second < least - most:
        return from_best - second, next_best, best
    return least - most, best, worst


@lean
def improve(
    lines: Lines, taken: Integers, x: float, slots: Slots, slot: np.uintp, tables: TaskTables, index: BonusTables
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
def find_change(lines: Lines, taken: Integers, low: float, high: float) -> float:
    """Find the first float in (low, high) where a pull left out draws level with one that is taken; else high."""
    n_arms, edge, least = taken.size, high, np.inf
    for other in range(n_arms):
        if taken[other] > 0:
            mean, rise = lines[n_arms + other, 5], high * lines[n_arms + other, 6]
            least = min(least, mean + rise - SLACK * (abs(mean) + abs(rise)))
    for one in range(n_arms):
        mean, rise = lines[one, 5], high * lines[one, 6]
        if mean + rise + SLACK * (abs(mean) + abs(rise)) < least:  # it draws level with none, up to high
            continue
        for other in range(n_arms):
            if one == other or taken[other] == 0:
                continue
            i, j = one, n_arms + other
            if compare(lines, i, j, edge, 1.0) > 0.0 and is_steeper(lines, i, j):
                level = max(find_crossing(lines, i, j, 1.0), np.nextafter(low, np.inf))
                edge = min(level, edge)
    return edge
