"""How the pieces of a range choose by an index that is made of parts (`bonus`)."""

import numpy as np

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.lines import bonus as parts
from banditune.kernels.lines.bonus_tables import BonusTables, draw_nearly, index_slope, set_bonus_lines
from banditune.kernels.lines.envelope import SLACK, Lines, find_overtaking, leader, leader_right_of
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.kl_divergence import (
    ROUNDING,
    compare_at,
    find_overtaking_from,
    index_distance,
    leader_at_level,
)
from banditune.kernels.lines.pieces import Pieces, Slots
from banditune.kernels.numerics.counter_random import NEAR_BETA

OTHERS, DRAWN = -1, -2  # forms of lines that are neither products nor posteriors; posteriors that are drawn for ahead
ROUNDED_UP = 1.0 + 2.0**-40  # more than what products and differences of floats lose
LEAST_LEVEL = 1e-300  # of KL-UCB, just right of 0


@inline
def near_slope(
    slots: Slots, row: np.uintp, arm: int, tables: TaskTables, index: BonusTables, form: int, t: int
) -> float:
    """Return the slope of an arm's index in round t; that of a sample but for rounding.

    `form` is known when this is compiled; it is OTHERS for the rare ones.
    """
    if form == parts.PRODUCT:
        return float(slots.roots[row, arm] * index.factors[arm])
    if form == DRAWN:
        return float(index.deviations[arm, np.uintp(slots.known[row, arm])])
    if form == parts.POSTERIOR:
        return draw_nearly(tables, index, arm, np.uintp(slots.known[row, arm]), t)
    known, counted = np.uintp(slots.known[row, arm]), np.uintp(slots.counted[row, arm])
    return index_slope(tables, index, arm, known, counted, slots.roots[row, arm])


@inline
def slack_at(x: float, tables: TaskTables, index: BonusTables, form: int) -> float:
    """Return how far the values of two lines at x are apart if which is higher is certain."""
    if form in (parts.POSTERIOR, DRAWN):
        return SLACK * (max(tables.size, 1.0) + x) + 2.0 * NEAR_BETA * x
    return float(SLACK * (tables.size + x * index.now[parts.STEEPEST]))


@inline
def certain_leader_by(
    slots: Slots, row: np.uintp, low: float, high: float, tables: TaskTables, index: BonusTables, form: int
) -> int:
    """Return the arm with the highest mean + x slope from x = low to high beyond any rounding; -1 if in doubt.

    It leads at low, by more than any line can gain on another.
    """
    best = next_best = -np.inf
    steepest, flattest = -np.inf, np.inf
    leads, t = 0, int(index.now[parts.ROUND])
    for arm in range(slots.means.shape[1]):
        slope = near_slope(slots, row, arm, tables, index, form, t)
        value = slots.means[row, arm] + low * slope
        lesser = value if value < best else best
        next_best = lesser if lesser > next_best else next_best
        leads = arm if value > best else leads
        best = value if value > best else best
        steepest = slope if slope > steepest else steepest
        flattest = slope if slope < flattest else flattest
    gain = (high - low) * (steepest - flattest) * ROUNDED_UP
    return leads if best - next_best - gain > slack_at(high, tables, index, form) else -1


@inline
def certain_leaders_by(
    slots: Slots, row: np.uintp, low: float, high: float, tables: TaskTables, index: BonusTables, form: int
) -> tuple[int, int]:
    """Return the arms with the highest mean + x slope at x = low and high beyond any rounding; -1 if in doubt.

    What leads at both ends leads between them.
    """
    best_low = best_high = next_low = next_high = -np.inf
    first, last, t = 0, 0, int(index.now[parts.ROUND])
    for arm in range(slots.means.shape[1]):
        slope, mean = near_slope(slots, row, arm, tables, index, form, t), slots.means[row, arm]
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
    first = first if best_low - next_low > slack_at(low, tables, index, form) else -1
    last = last if best_high - next_high > slack_at(high, tables, index, form) else -1
    return first, last


@inline
def choose_by_lines(
    pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables, form: int
) -> int:
    """Write the arms that lead at both ends of each piece; count the pieces where they differ or are in doubt."""
    left, owner, arm, last = pieces
    doubtful = 0
    for piece in range(n_pieces):
        slot, low, high = np.uintp(owner[piece]), left[piece], left[piece + 1]
        one = other = certain_leader_by(slots, slot, low, high, tables, index, form)
        if one < 0:
            one, other = certain_leaders_by(slots, slot, low, high, tables, index, form)
        arm[piece], last[piece] = one, other
        if one != other or one < 0:
            doubtful += 1
    return doubtful


@lean
def choose_by_edge(
    pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables, lines: Lines, is_late: bool
) -> int:
    """Return the same where x explores from an edge on; below it the highest mean is pulled."""
    left, owner, arm, last = pieces
    edge, chosen = index.now[parts.EDGE], integer(int(index.now[parts.CHOSEN]))
    doubtful = 0
    for piece in range(n_pieces):
        if left[piece] >= edge:
            arm[piece] = last[piece] = chosen
            continue
        slot = owner[piece]
        best = parts.find_committed_arm(index.bonus, slots.counts, slot, is_late)
        if best < 0:
            best, _ = certain_leaders_by(slots, np.uintp(slot), 0.0, 0.0, tables, index, parts.PRODUCT)
        if best < 0:
            set_bonus_lines(lines, slots.known, slots.counted, slot, tables, index)
            best = leader(lines, 0.0, 1.0)
        arm[piece], last[piece] = best, best if left[piece + 1] <= edge else chosen
        if arm[piece] != last[piece]:
            doubtful += 1
    return doubtful


@lean
def certain_leader_at(
    slots: Slots, row: np.uintp, level: float, guess: int, tables: TaskTables, index: BonusTables
) -> int:
    """Return the arm with the highest index of KL-UCB at a level beyond any rounding; -1 if in doubt."""
    family, best = index.bonus.width, guess
    if level == 0.0:
        return integer(-1)
    distance, rest = index_distance(family, slots.means[row, best], level / float(slots.counted[row, best]))
    for arm in range(slots.means.shape[1]):
        if arm == best:
            continue
        pulls = slots.counted[row, arm]
        behind = slots.means[row, best] - slots.means[row, arm]
        if pulls >= slots.counted[row, best] and behind > ROUNDING * abs(slots.means[row, best]):
            continue
        ahead = compare_at(family, slots.means[row, arm], float(pulls), level, slots.means[row, best], distance, rest)
        if ahead == 0:
            sums, p, q = tables.sums, np.uintp(slots.known[row, arm]), np.uintp(slots.known[row, best])
            same = pulls == slots.counted[row, best] and p == q and sums[arm, p, 0] == sums[best, p, 0]
            if not (same and sums[arm, p, 1] == sums[best, p, 1]):
                return integer(-1)
            best = min(arm, best)
        elif ahead > 0:
            best = arm
            distance, rest = index_distance(family, slots.means[row, best], level / float(pulls))
    return best


@lean
def choose_by_level(pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables) -> int:
    """As `choose_by_lines` for KL-UCB: what leads at both ends leads between them, as two indices cross once."""
    left, owner, arm, last = pieces
    doubtful, guess = 0, integer(0)
    for piece in range(n_pieces):
        slot = np.uintp(owner[piece])
        one = certain_leader_at(slots, slot, left[piece] * index.now[parts.GROWTH], guess, tables, index)
        guess = one if one >= 0 else guess
        other = certain_leader_at(slots, slot, left[piece + 1] * index.now[parts.GROWTH], guess, tables, index)
        guess = other if other >= 0 else guess
        arm[piece], last[piece] = one, other
        if one != other or one < 0:
            doubtful += 1
    return doubtful


@inline
def choose_by_form(
    pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables, posterior: int
) -> int:
    """Return the same by whichever form of lines the index has; that of posteriors is POSTERIOR, or DRAWN."""
    if index.bonus.form == parts.PRODUCT:
        return choose_by_lines(pieces, n_pieces, slots, tables, index, parts.PRODUCT)
    if index.bonus.form == parts.POSTERIOR:
        return choose_by_lines(pieces, n_pieces, slots, tables, index, posterior)
    return choose_by_lines(pieces, n_pieces, slots, tables, index, OTHERS)


@lean
def choose_by_bonus(
    pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables, lines: Lines, is_late: bool
) -> int:
    """Write the arms at both ends of each piece; count the pieces that have to be cut, or looked at closely."""
    if index.bonus.form >= parts.EXPLORE:
        return choose_by_edge(pieces, n_pieces, slots, tables, index, lines, is_late)
    if index.bonus.form == parts.DIVERGENCE:
        return choose_by_level(pieces, n_pieces, slots, tables, index)
    return choose_by_form(pieces, n_pieces, slots, tables, index, parts.POSTERIOR)


@inline
def changes_at(lines: Lines, best: int, low: float, high: float, index: BonusTables) -> tuple[float, int]:
    """Find the first float in (low, high) where the choice changes from `best`, and to which arm; else `high`."""
    if index.bonus.form >= parts.EXPLORE:
        return index.now[parts.EDGE], int(index.now[parts.CHOSEN])
    if index.bonus.form == parts.DIVERGENCE:
        return find_overtaking_from(
            lines, best, low, high, index.now[parts.GROWTH], index.bonus.width, index.bonus.span
        )
    return find_overtaking(lines, best, low, high, 1.0)


@inline
def leads_from(lines: Lines, x: float, index: BonusTables) -> int:
    """Return the arm that is chosen just right of x."""
    if index.bonus.form == parts.DIVERGENCE:
        level = max(x * index.now[parts.GROWTH], LEAST_LEVEL)
        return leader_at_level(lines, level, index.bonus.width, index.bonus.span)
    return leader_right_of(lines, x, 1.0)
