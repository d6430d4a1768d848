"""A batch at once, where pending pulls are counted and nothing is drawn: how its rounds are divided among the arms.

Within a batch means stay as they are, and so does the growth of the bonus. So a further pull of an arm has an index of
its own, the lower the more pulls there are, and a batch takes the highest of all arms' further pulls. How many each arm
gets changes along the range only where a pull that is left out draws level with one that is taken: one round after the
other need not be looked at. The choices are those of `rounds`, to the last bit.
"""

import numpy as np

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.lines.batch_exchange import (
    BEFORE,
    find_change,
    find_sole_arm,
    find_worst_pair,
    improve,
    is_settled,
    level_out,
    set_items,
    sketch_items,
)
from banditune.kernels.lines.bonus import CAPPED, NO_COIN, PRODUCT
from banditune.kernels.lines.bonus_rounds import slack_at
from banditune.kernels.lines.bonus_tables import BonusTables, begin_indices, first_rounds
from banditune.kernels.lines.envelope import Lines
from banditune.kernels.lines.feedback import Feedback, find_owed_first
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.pending import learn_batch
from banditune.kernels.lines.pieces import Pieces, Slots
from banditune.kernels.numerics.arrays import Integers

MOST_GUESSES = 4  # how a batch is divided, before pulls are exchanged one by one
NEARLY = 2.0  # no guess is made where so many pulls of two arms exchanged would do


@inline
def owes_nothing(pieces: Pieces, slots: Slots, tables: TaskTables, index: BonusTables, feedback: Feedback) -> bool:
    """Tell whether rewards become known in batches of which no round is owed to an arm."""
    if feedback.batch == 1 or feedback.floor > 0.0:
        return False
    needs_each = first_rounds(tables, index) > 0
    return find_owed_first(feedback, slots.counts, slots.known, pieces.owner[0], needs_each) < 0


@inline
def can_divide_batch(
    pieces: Pieces, slots: Slots, tables: TaskTables, index: BonusTables, feedback: Feedback, t: int
) -> bool:
    """Tell whether a batch begins with round t that is divided at once: among arms that are owed nothing, by lines."""
    is_line = index.bonus.form <= CAPPED and (index.bonus.form != PRODUCT or index.bonus.coin == NO_COIN)
    if not is_line or feedback.counts_pending == 0 or (t - 1) % feedback.batch != 0:
        return False
    return owes_nothing(pieces, slots, tables, index, feedback)


@inline
def settle_items(
    lines: Lines,
    taken: Integers,
    n_pulls: int,
    slots: Slots,
    slot: np.uintp,
    start: float,
    end: float,
    tables: TaskTables,
    index: BonusTables,
) -> bool:
    """Take what is best at `start`, as far as plain floats tell; return whether they leave no doubt up to `end`.

    The first guess goes by what is taken in the piece before.
    """
    n_arms, n_guesses, n_left = taken.size, 0, 0
    sole = find_sole_arm(lines, n_arms, n_pulls, start, end, slots, slot, tables, index)
    if sole >= 0:
        for arm in range(n_arms):
            taken[arm] = n_pulls if arm == sole else 0
        return True
    for arm in range(n_arms):
        sketch_items(lines, arm, taken, slots, slot, tables, index)
    slack, above, best, worst, fall = slack_at(start, tables, index, PRODUCT), -np.inf, 0, 0, 0.0
    while n_left != 0 or above < -slack:
        if n_left == 0 and n_guesses < MOST_GUESSES and above < -NEARLY * fall:
            n_guesses += 1
            n_left = level_out(lines, taken, n_pulls, start)
            for arm in range(n_arms):
                sketch_items(lines, arm, taken, slots, slot, tables, index)
        else:
            if n_left >= 0:
                taken[best] += 1
                sketch_items(lines, best, taken, slots, slot, tables, index)
            if n_left <= 0:
                taken[worst] -= 1
                sketch_items(lines, worst, taken, slots, slot, tables, index)
            n_left -= 1 if n_left > 0 else -1 if n_left < 0 else 0
        if n_left == 0 and is_settled(lines, taken, start, end, tables, index):
            return True
        above, best, worst = find_worst_pair(lines, taken, start)
        fall = start * (lines[best, BEFORE] - lines[best, 6] + lines[worst, BEFORE] - lines[worst, 6])
    if above <= slack:
        return False
    above, best, worst = find_worst_pair(lines, taken, end)
    return above > slack_at(end, tables, index, PRODUCT)


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
    taken: Integers,
    t: int,
    last: int,
) -> tuple[int, int, int]:
    """Play rounds t..last of the batch that begins with t in all pieces.

    Returns the first round not played, the number of pieces, and how often one was cut; if there is not room for so
    many, none is played: what pieces become is written to slots that are free. taken (n,) is room for what arms get.
    """
    n_arms, n_pulls, is_over = taken.size, last - t + 1, last % feedback.batch == 0
    begin_indices(index, feedback, t)
    n_free, kept, n_cuts = slots.free.size - n_pieces, 0, 0
    for arm in range(n_arms):
        taken[arm] = 0
    taken[0] = n_pulls
    for piece in range(n_pieces):
        slot, start, end = np.uintp(pieces.owner[piece]), pieces.left[piece], pieces.left[piece + 1]
        edge = end
        if not settle_items(lines, taken, n_pulls, slots, slot, start, end, tables, index):
            for arm in range(n_arms):
                set_items(lines, arm, taken, slots, slot, tables, index)
            improve(lines, taken, start, slots, slot, tables, index)
            edge = find_change(lines, taken, start, end)
        while True:
            if kept == n_free:
                return t, n_pieces, integer(0)
            # the other rounds of a batch go by means and widths; to divide one takes no more than counts
            kept = keep_part(cuts, kept, n_free, start, slots, slot, taken, is_over, not is_over, tables, index)
            if edge >= end:
                break
            n_cuts, start = n_cuts + 1, edge
            improve(lines, taken, start, slots, slot, tables, index)
            edge = find_change(lines, taken, start, end)
    replace_pieces(pieces, n_pieces, cuts, kept, slots)
    return last + 1, kept, integer(n_cuts)


@inline
def keep_part(
    parts: Pieces,
    kept: int,
    n_free: int,
    start: float,
    slots: Slots,
    slot: np.uintp,
    taken: Integers,
    is_over: bool,
    learns: bool,
    tables: TaskTables,
    index: BonusTables,
) -> int:
    """Write what a piece becomes from `start` on behind the parts kept, unless it is as the last; return their number.

    Arms get what is taken; if the batch is over, its rewards become known. States are written to slots that are free,
    from the last of n_free on, one after the other; means and widths only if it learns them.
    """
    is_new = kept == 0
    if not is_new:
        before = np.uintp(parts.owner[kept - 1])
        for arm in range(taken.size):
            is_new = is_new or slots.counts[before, arm] != slots.known[slot, arm] + taken[arm]
            is_new = is_new or (not is_over and slots.known[before, arm] != slots.known[slot, arm])
            if is_new:
                break
    if not is_new:
        return kept
    parts.left[kept], parts.owner[kept] = start, slots.free[n_free - 1 - kept]
    target = np.uintp(parts.owner[kept])
    for arm in range(taken.size):
        known = slots.known[slot, arm]
        slots.counts[target, arm] = known + taken[arm]
        slots.known[target, arm] = known + taken[arm] if is_over else known
    if learns:
        learn_batch(slots, target, False, tables, index)
    return kept + 1


@inline
def replace_pieces(pieces: Pieces, n_pieces: int, others: Pieces, n_others: int, slots: Slots) -> None:
    """Put other pieces, whose slots were the last that were free, in place of pieces, whose slots become free."""
    n_free = slots.free.size - n_pieces - n_others
    for piece in range(n_pieces):
        slots.free[n_free + n_pieces - 1 - piece] = pieces.owner[piece]
    end = pieces.left[n_pieces]
    for piece in range(n_others):
        pieces.left[piece], pieces.owner[piece] = others.left[piece], others.owner[piece]
    pieces.left[n_others] = end
