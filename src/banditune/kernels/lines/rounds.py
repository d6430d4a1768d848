"""Rounds of the merging sweep: all pieces of a range choose, are cut where that differs, pull, and merge."""

import numpy as np

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.lines.bonus import GROWTH, NO_COIN, PRODUCT
from banditune.kernels.lines.bonus_rounds import changes_at, choose_by_bonus, leads_from
from banditune.kernels.lines.bonus_tables import BonusTables, begin_indices, first_rounds, set_bonus_lines, width_of
from banditune.kernels.lines.envelope import Lines, find_overtaking, leader_right_of
from banditune.kernels.lines.feedback import Feedback, find_owed_first
from banditune.kernels.lines.index import (
    TaskTables,
    certain_leaders,
    certain_tilted_leader,
    set_lines,
    set_tilted_lines,
)
from banditune.kernels.lines.pending import copy_pending, give_shares, settle
from banditune.kernels.lines.pieces import Pieces, Slots


@inline
def choose(pieces: Pieces, n_pieces: int, slots: Slots, growth: float, size: float, largest_root: float) -> int:
    """Write the arms that lead at both ends of each piece; count the pieces where they differ or are in doubt."""
    left, owner, arm, last = pieces
    means, roots = slots.means, slots.roots
    doubtful = 0
    for piece in range(n_pieces):
        low, high = left[piece] * growth, left[piece + 1] * growth
        one, other = certain_leaders(means, roots, np.uintp(owner[piece]), low, high, size, largest_root)
        arm[piece], last[piece] = one, other
        if one != other or one < 0:
            doubtful += 1
    return doubtful


@lean
def choose_with_tilts(pieces: Pieces, n_pieces: int, slots: Slots, growth: float, tables: TaskTables) -> int:
    """As `choose`, where priors change along the range."""
    doubtful = 0
    for piece in range(n_pieces):
        slot = pieces.owner[piece]
        one = certain_tilted_leader(slots.means, slots.roots, slot, tables, growth, pieces.left[piece])
        other = certain_tilted_leader(slots.means, slots.roots, slot, tables, growth, pieces.left[piece + 1])
        pieces.arm[piece], pieces.last[piece] = one, other
        if one != other or one < 0:
            doubtful += 1
    return doubtful


@lean
def choose_all(
    pieces: Pieces,
    n_pieces: int,
    slots: Slots,
    tables: TaskTables,
    index: BonusTables | None,
    feedback: Feedback | None,
    lines: Lines,
    t: int,
) -> int:
    """Write the arms at both ends of each piece in round t; count the pieces where they differ or are in doubt.

    What is asked of `index` is decided when this is compiled: UCB, which has none, pays nothing for it.
    """
    if index is not None:
        begin_indices(index, feedback, t)
        if index.bonus.form == PRODUCT and index.bonus.coin == NO_COIN:  # as UCB, with other widths
            return choose(pieces, n_pieces, slots, index.now[GROWTH], tables.size, index.widest)
        is_late = feedback is not None and (feedback.batch > 1 or feedback.delay > 0)
        return choose_by_bonus(pieces, n_pieces, slots, tables, index, lines, is_late)
    if tables.tilted:
        return choose_with_tilts(pieces, n_pieces, slots, tables.growth[t], tables)
    return choose(pieces, n_pieces, slots, tables.growth[t], tables.size, tables.largest_root)


@inline
def set_lines_of(
    lines: Lines, slots: Slots, row: int, tables: TaskTables, index: BonusTables | None, growth: float
) -> None:
    """Write the lines of all arms in the state slots[row]."""
    if index is not None:
        set_bonus_lines(lines, slots.known, slots.counted, row, tables, index)
    elif tables.tilted:
        set_tilted_lines(lines, slots.counts, row, tables, growth)
    else:
        set_lines(lines, slots.counts, row, tables)


@inline
def next_edge(
    lines: Lines, best: int, low: float, high: float, unit: float, index: BonusTables | None
) -> tuple[float, int]:
    """Find the first float in (low, high) where the choice changes from `best`, and to which arm; else `high`."""
    if index is None:
        return find_overtaking(lines, best, low, high, unit)
    return changes_at(lines, best, low, high, index)


@inline
def leads_right_of(lines: Lines, x: float, unit: float, index: BonusTables | None) -> int:
    """Return the arm that is chosen just right of x."""
    if index is None:
        return leader_right_of(lines, x, unit)
    return leads_from(lines, x, index)


@inline
def cut(
    pieces: Pieces,
    n_pieces: int,
    cuts: Pieces,
    slots: Slots,
    tables: TaskTables,
    index: BonusTables | None,
    feedback: Feedback | None,
    growth: float,
    lines: Lines,
) -> int:
    """Copy the pieces to `cuts`, those in doubt cut wherever their leader changes; return the new number.

    -1 if there is not room for so many: then no piece has changed, and with more room they can be cut again.
    """
    left, owner, arm, last = pieces
    new_left, new_owner, new_arm, _ = cuts
    counts, means, roots, free = slots.counts, slots.means, slots.roots, slots.free
    n_free = free.size - n_pieces
    n_new = 0
    unit = 1.0 if index is not None or tables.tilted else growth
    for piece in range(n_pieces):
        slot, best = owner[piece], arm[piece]
        start, end = left[piece], left[piece + 1]
        if best < 0 or best != last[piece]:
            set_lines_of(lines, slots, slot, tables, index, growth)
            if best < 0:
                best = leads_right_of(lines, start, unit, index)
            while best != last[piece]:
                edge, by = next_edge(lines, best, start, end, unit, index)
                if edge >= end:
                    break
                if n_free == 0:
                    return integer(-1)
                n_free -= 1
                part = free[n_free]
                for i in range(counts.shape[1]):
                    counts[part, i], means[part, i], roots[part, i] = counts[slot, i], means[slot, i], roots[slot, i]
                if feedback is not None:
                    copy_pending(slots, slot, part)
                new_left[n_new], new_owner[n_new], new_arm[n_new] = start, part, best
                n_new += 1
                start = edge
                # what overtakes first and leads at the right end leads in between: a third line would cross it twice
                best = by if by == last[piece] else leads_right_of(lines, start, unit, index)
        new_left[n_new], new_owner[n_new], new_arm[n_new] = start, slot, best
        n_new += 1
    new_left[n_new] = left[n_pieces]
    return n_new


@inline
def pull_and_merge(
    source: Pieces,
    n_pieces: int,
    target: Pieces,
    slots: Slots,
    tables: TaskTables,
    index: BonusTables | None,
    feedback: Feedback | None,
    t: int,
) -> int:
    """Count each piece's pull and write it to `target`, neighbours with equal counts as one; return their number."""
    left, owner, arm, _ = source
    new_left, new_owner, _, _ = target
    counts, means, roots, free = slots.counts, slots.means, slots.roots, slots.free
    mean_table = tables.means
    if index is None:
        widths, is_own = tables.inverse_roots, False
    else:
        widths, is_own = index.widths[0], index.is_own != 0
    n_free = free.size - n_pieces
    end = left[n_pieces]
    kept = 0
    for piece in range(n_pieces):
        slot, pulled = np.uintp(owner[piece]), np.uintp(arm[piece])  # unsigned: no test for counting from the end
        count = counts[slot, pulled] + 1
        counts[slot, pulled] = count
        differs = piece > 0 and arm[piece] != arm[piece - 1]
        if feedback is not None:
            same = settle(slots, slot, pulled, differs, tables, index, feedback, t) and kept > 0
        else:
            means[slot, pulled] = mean_table[pulled, np.uintp(count)]
            roots[slot, pulled] = widths[np.uintp(count)]
            if is_own:
                roots[slot, pulled] = width_of(tables, index, pulled, np.uintp(count), np.uintp(count))
            same = differs  # two that differ and pull the same arm differ still
        if same:
            before = np.uintp(new_owner[kept - 1])
            for i in range(counts.shape[1]):
                if counts[before, i] != counts[slot, i]:
                    same = False
                    break
                if feedback is not None and slots.known[before, i] != slots.known[slot, i]:
                    same = False
                    break
        if same:
            free[n_free] = slot
            n_free += 1
        else:
            new_left[kept], new_owner[kept] = left[piece], slot
            kept += 1
    new_left[kept] = end
    return kept


@lean
def advance(
    pieces: Pieces,
    n_pieces: int,
    cuts: Pieces,
    slots: Slots,
    tables: TaskTables,
    index: BonusTables | None,
    feedback: Feedback | None,
    lines: Lines,
    t: int,
    horizon: int,
) -> tuple[int, int, int]:
    """Play rounds t..horizon in all pieces, as far as there is room.

    Returns the first round not played, the number of pieces, and how often one was cut.
    """
    n_cuts = 0
    while t <= horizon:
        growth = tables.growth[t]
        doubtful = 0
        first = integer(t - 1 if t <= first_rounds(tables, index) else -1)
        if feedback is not None:
            first = find_owed_first(
                feedback, slots.counts, slots.known, pieces.owner[0], first_rounds(tables, index) > 0
            )
        if first >= 0:
            pieces.arm[0] = first
        else:
            doubtful = choose_all(pieces, n_pieces, slots, tables, index, feedback, lines, t)
            if feedback is not None and feedback.floor > 0.0:
                doubtful -= give_shares(pieces, n_pieces, slots, feedback, t)
        if doubtful == 0:
            n_pieces = pull_and_merge(pieces, n_pieces, pieces, slots, tables, index, feedback, t)
        else:
            n_new = cut(pieces, n_pieces, cuts, slots, tables, index, feedback, growth, lines)
            if n_new < 0:
                break
            n_cuts += n_new - n_pieces
            n_pieces = pull_and_merge(cuts, n_new, pieces, slots, tables, index, feedback, t)
        t += 1
    return t, n_pieces, n_cuts
