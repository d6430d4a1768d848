"""How the pieces of a range choose by an index that is made of parts (`bonus`)."""

import numpy as np

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.lines.bonus import CHOSEN, EDGE, EXPLORE, STEEPEST, committed, slope_of
from banditune.kernels.lines.bonus_tables import BonusTables, set_bonus_lines
from banditune.kernels.lines.envelope import SLACK, Lines, leader, overtaken_at
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.pieces import Pieces, Slots


@inline
def certain_leaders_by(
    slots: Slots, row: np.uintp, low: float, high: float, size: float, index: BonusTables
) -> tuple[int, int]:
    """The arms whose index mean + x slope is highest at x = low and at x = high beyond any rounding; -1 if in doubt.

    No mean is larger than `size`. What leads at both ends leads between them.
    """
    best_low = best_high = next_low = next_high = -np.inf
    steepest = index.now[STEEPEST]
    first = last = 0
    bonus = index.bonus
    for arm in range(slots.means.shape[1]):
        second = index.seconds[np.uintp(slots.counts[row, arm])] if index.is_own != 0 else 0.0
        slope = slope_of(bonus, slots.roots[row, arm], second, index.factors[arm])
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
def choose_by_lines(pieces: Pieces, n_pieces: int, slots: Slots, size: float, index: BonusTables) -> int:
    """Write the arms that lead at both ends of each piece; count the pieces where they differ or are in doubt."""
    left, owner, arm, last = pieces
    doubtful = 0
    for piece in range(n_pieces):
        one, other = certain_leaders_by(slots, np.uintp(owner[piece]), left[piece], left[piece + 1], size, index)
        arm[piece], last[piece] = one, other
        if one != other or one < 0:
            doubtful += 1
    return doubtful


@lean
def choose_by_edge(
    pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables, lines: Lines
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
        best = committed(index.bonus, slots.counts, slot)
        if best < 0:
            best, _ = certain_leaders_by(slots, np.uintp(slot), 0.0, 0.0, tables.size, index)
        if best < 0:
            set_bonus_lines(lines, slots.counts, slot, tables, index)
            best = leader(lines, 0.0, 1.0)
        arm[piece], last[piece] = best, best if left[piece + 1] <= edge else chosen
        if arm[piece] != last[piece]:
            doubtful += 1
    return doubtful


@lean
def choose_by_bonus(
    pieces: Pieces, n_pieces: int, slots: Slots, tables: TaskTables, index: BonusTables, lines: Lines
) -> int:
    """Write the arms at both ends of each piece; count the pieces that have to be cut, or looked at closely."""
    if index.bonus.form >= EXPLORE:
        return choose_by_edge(pieces, n_pieces, slots, tables, index, lines)
    return choose_by_lines(pieces, n_pieces, slots, tables.size, index)


@lean
def changes_at(lines: Lines, best: int, low: float, high: float, index: BonusTables) -> tuple[float, int]:
    """The first float in (low, high) at which the choice changes from `best`, and to which arm; `high` if nowhere."""
    if index.bonus.form >= EXPLORE:
        return index.now[EDGE], int(index.now[CHOSEN])
    return overtaken_at(lines, best, low, high, 1.0)
