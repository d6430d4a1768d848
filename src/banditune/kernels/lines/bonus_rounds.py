"""How the pieces of a range choose by an index that is made of parts (`bonus`)."""

import numpy as np

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.lines.bonus import (
    CHOSEN,
    DIVERGENCE,
    EDGE,
    EXPLORE,
    GROWTH,
    POSTERIOR,
    PRODUCT,
    STEEPEST,
    committed,
)
from banditune.kernels.lines.bonus_tables import BonusTables, index_slope, set_bonus_lines
from banditune.kernels.lines.divergence import ROUNDING, compare_at, index_distance, leader_at_level, overtaken_from
from banditune.kernels.lines.envelope import SLACK, Lines, leader, leader_right_of, overtaken_at
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.pieces import Pieces, Slots

LEAST_LEVEL = 1e-300  # of KL-UCB, just right of 0


@inline
def certain_leaders_by(
    slots: Slots, row: np.uintp, low: float, high: float, tables: TaskTables, index: BonusTables, is_product: bool
) -> tuple[int, int]:
    """The arms whose index mean + x slope is highest at x = low and at x = high beyond any rounding; -1 if in doubt.

    What leads at both ends leads between them. `is_product` is known when this is compiled: most slopes are products.
    """
    best_low = best_high = next_low = next_high = -np.inf
    steepest = index.now[STEEPEST]
    first = last = 0
    size = max(tables.size, 1.0) if not is_product and index.bonus.form == POSTERIOR else tables.size
    for arm in range(slots.means.shape[1]):
        slope = slots.roots[row, arm] * index.factors[arm]
        if not is_product:
            known, counted = np.uintp(slots.known[row, arm]), np.uintp(slots.counted[row, arm])
            slope = index_slope(tables, index, arm, known, counted, slots.roots[row, arm])
        mean = slots.means[row, arm]
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
    first = first if best_low - next_low > SLACK * (size + low * steepest) else -1
    last = last if best_high - next_high > SLACK * (size + high * steepest) else -1
    return first, last


@inline
def choose_by_lines(
    pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables, is_product: bool
) -> int:
    """Write the arms that lead at both ends of each piece; count the pieces where they differ or are in doubt."""
    left, owner, arm, last = pieces
    doubtful = 0
    for piece in range(n_pieces):
        slot, low, high = np.uintp(owner[piece]), left[piece], left[piece + 1]
        one, other = certain_leaders_by(slots, slot, low, high, tables, index, is_product)
        arm[piece], last[piece] = one, other
        if one != other or one < 0:
            doubtful += 1
    return doubtful


@lean
def choose_by_edge(
    pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables, lines: Lines, is_late: bool
) -> int:
    """The same where x explores from an edge on; below it the highest mean is pulled."""
    left, owner, arm, last = pieces
    edge, chosen = index.now[EDGE], integer(int(index.now[CHOSEN]))
    doubtful = 0
    for piece in range(n_pieces):
        if left[piece] >= edge:
            arm[piece] = last[piece] = chosen
            continue
        slot = owner[piece]
        best = committed(index.bonus, slots.counts, slot, is_late)
        if best < 0:
            best, _ = certain_leaders_by(slots, np.uintp(slot), 0.0, 0.0, tables, index, True)
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
    """The arm with the highest index of KL-UCB at a level beyond any rounding; -1 if in doubt."""
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
        one = certain_leader_at(slots, slot, left[piece] * index.now[GROWTH], guess, tables, index)
        guess = one if one >= 0 else guess
        other = certain_leader_at(slots, slot, left[piece + 1] * index.now[GROWTH], guess, tables, index)
        guess = other if other >= 0 else guess
        arm[piece], last[piece] = one, other
        if one != other or one < 0:
            doubtful += 1
    return doubtful


@lean
def choose_by_bonus(
    pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables, lines: Lines, is_late: bool
) -> int:
    """Write the arms at both ends of each piece; count the pieces that have to be cut, or looked at closely."""
    if index.bonus.form >= EXPLORE:
        return choose_by_edge(pieces, n_pieces, slots, tables, index, lines, is_late)
    if index.bonus.form == DIVERGENCE:
        return choose_by_level(pieces, n_pieces, slots, tables, index)
    if index.bonus.form == PRODUCT:
        return choose_by_lines(pieces, n_pieces, slots, tables, index, True)
    return choose_by_lines(pieces, n_pieces, slots, tables, index, False)


@lean
def changes_at(lines: Lines, best: int, low: float, high: float, index: BonusTables) -> tuple[float, int]:
    """The first float in (low, high) at which the choice changes from `best`, and to which arm; `high` if nowhere."""
    if index.bonus.form >= EXPLORE:
        return index.now[EDGE], int(index.now[CHOSEN])
    if index.bonus.form == DIVERGENCE:
        return overtaken_from(lines, best, low, high, index.now[GROWTH], index.bonus.width, index.bonus.span)
    return overtaken_at(lines, best, low, high, 1.0)


@lean
def leads_from(lines: Lines, x: float, index: BonusTables) -> int:
    """The arm that is chosen just right of x."""
    if index.bonus.form == DIVERGENCE:
        level = max(x * index.now[GROWTH], LEAST_LEVEL)
        return leader_at_level(lines, level, index.bonus.width, index.bonus.span)
    return leader_right_of(lines, x, 1.0)
