"""A batch at once, where pending pulls are counted and nothing is drawn: how its rounds are divided among the arms.

Within a batch means stay as they are, and so does the growth of the bonus. So a further pull of an arm has an index of
its own, the lower the more pulls there are, and a batch takes the highest of all arms' further pulls. How many each arm
gets changes along the range only where a pull that is left out draws level with one that is taken: one round after the
other need not be looked at. The choices are those of `rounds`, to the last bit.
"""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.lines.bonus import CAPPED, NO_COIN, PRODUCT, STEEPEST
from banditune.kernels.lines.bonus_tables import BonusTables, begin_indices, first_rounds
from banditune.kernels.lines.envelope import SLACK, Lines
from banditune.kernels.lines.exchange import (
    exchange_some,
    find_change,
    find_worst_pair,
    improve,
    is_settled,
    level_out,
    set_items,
    sketch_items,
)
from banditune.kernels.lines.feedback import Feedback, find_owed_first
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.pending import copy_pending, learn_batch
from banditune.kernels.lines.pieces import Pieces, Slots

MOST_GUESSES = 4  # how a batch is divided, before pulls are exchanged one by one


@inline
def can_divide_batch(
    pieces: Pieces, slots: Slots, tables: TaskTables, index: BonusTables, feedback: Feedback, t: int
) -> bool:
    """Tell whether a batch begins with round t that is divided at once: among arms that are owed nothing, by lines."""
    is_line = index.bonus.form <= CAPPED and (index.bonus.form != PRODUCT or index.bonus.coin == NO_COIN)
    if not is_line or feedback.counts_pending == 0 or feedback.floor > 0.0:
        return False
    if feedback.batch == 1 or (t - 1) % feedback.batch != 0:
        return False
    needs_each = first_rounds(tables, index) > 0
    return find_owed_first(feedback, slots.counts, slots.known, pieces.owner[0], needs_each) < 0


@inline
def settle_items(
    lines: Lines,
    taken: NDArray[np.int64],
    slots: Slots,
    slot: int,
    start: float,
    end: float,
    tables: TaskTables,
    index: BonusTables,
) -> bool:
    """Take what is best at `start`, as far as plain floats tell; return whether they leave no doubt up to `end`."""
    at_start = at_end = False
    for guess in range(MOST_GUESSES):
        if guess > 0:
            level_out(lines, taken, start, slots, slot, tables, index)
        at_start, at_end = is_settled(taken, start, end, slots, slot, tables, index)
        if at_start:
            break
    if at_start and at_end:
        return True
    for arm in range(taken.size):
        sketch_items(lines, arm, taken, slots, slot, tables, index)
    slack = SLACK * (tables.size + start * index.now[STEEPEST])
    if not exchange_some(lines, taken, start, slack, slots, slot, tables, index):
        return False
    return bool(find_worst_pair(lines, taken, end)[0] > SLACK * (tables.size + end * index.now[STEEPEST]))


@lean
def divide_batch(
    pieces: Pieces,
    n_pieces: int,
    cuts: Pieces,
    slots: Slots,
    tables: TaskTables,
    index: BonusTables,
    feedback: Feedback,
    lines: Lines,
    taken: NDArray[np.int64],
    t: int,
    last: int,
) -> tuple[int, int, int]:
    """Play rounds t..last of the batch that begins with t in all pieces.

    Returns the first round not played, the number of pieces, and how often one was cut; if there is not room for so
    many, none is played. taken (n,) is room for what arms get.
    """
    n_arms = taken.size
    begin_indices(index, feedback, t)
    n_free, n_new = slots.free.size - n_pieces, 0
    for arm in range(n_arms):
        taken[arm] = 0
    taken[0] = last - t + 1
    for piece in range(n_pieces):
        slot, start, end = pieces.owner[piece], pieces.left[piece], pieces.left[piece + 1]
        edge = end
        if not settle_items(lines, taken, slots, slot, start, end, tables, index):
            for arm in range(n_arms):
                set_items(lines, arm, taken, slots, slot, tables, index)
            improve(lines, taken, start, slots, slot, tables, index)
            edge = find_change(lines, taken, start, end)
        while edge < end:
            if n_free == 0:
                restore(pieces, piece, slots)
                return t, n_pieces, integer(0)
            n_free -= 1
            part = slots.free[n_free]
            copy_pending(slots, slot, part)
            take(slots, part, taken)
            cuts.left[n_new], cuts.owner[n_new] = start, part
            n_new += 1
            start = edge
            improve(lines, taken, start, slots, slot, tables, index)
            edge = find_change(lines, taken, start, end)
        take(slots, slot, taken)
        cuts.left[n_new], cuts.owner[n_new] = start, slot
        n_new += 1
    cuts.left[n_new] = pieces.left[n_pieces]
    kept = merge(cuts, n_new, pieces, slots, tables, index, last % feedback.batch == 0)
    return last + 1, kept, integer(n_new - n_pieces)


@inline
def take(slots: Slots, slot: int, taken: NDArray[np.int64]) -> None:
    """Count what arms get in a batch."""
    for arm in range(taken.size):
        slots.counts[slot, arm] = slots.known[slot, arm] + taken[arm]


@inline
def restore(pieces: Pieces, n_done: int, slots: Slots) -> None:
    """Undo what was counted of the first pieces: before a batch all pulls are known."""
    for piece in range(n_done):
        slot = pieces.owner[piece]
        for arm in range(slots.counts.shape[1]):
            slots.counts[slot, arm] = slots.known[slot, arm]


@inline
def merge(
    source: Pieces, n_pieces: int, target: Pieces, slots: Slots, tables: TaskTables, index: BonusTables, is_over: bool
) -> int:
    """Write pieces to `target`, neighbours that have become alike as one; return their number.

    If the batch is over, all its rewards become known.
    """
    n_free, kept = slots.free.size - n_pieces, 0
    end = source.left[n_pieces]
    for piece in range(n_pieces):
        slot = source.owner[piece]
        same = kept > 0
        for arm in range(slots.counts.shape[1] if same else 0):
            before = target.owner[kept - 1]
            same = same and slots.counts[before, arm] == slots.counts[slot, arm]
            same = same and (is_over or slots.known[before, arm] == slots.known[slot, arm])
        if same:
            slots.free[n_free] = slot
            n_free += 1
            continue
        learn_batch(slots, np.uintp(slot), is_over, tables, index)
        target.left[kept], target.owner[kept] = source.left[piece], slot
        kept += 1
    target.left[kept] = end
    return kept
