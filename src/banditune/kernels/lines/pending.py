"""What a state knows where rewards are late: how it is copied, and what it learns after a round."""

import numpy as np

from banditune.kernels.jit import inline, jit
from banditune.kernels.lines.bonus_tables import BonusTables, width_of
from banditune.kernels.lines.feedback import Feedback, find_owed_share
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.pieces import Pieces, Slots
from banditune.kernels.numerics.arrays import Integers


@jit
def add_pending(slots: Slots, known: Integers, feedback: Feedback) -> Slots:
    """Slots whose rewards are late; of known (capacity, n) pulls the rewards are known."""
    counted = slots.counts if feedback.counts_pending != 0 else known
    capacity = slots.free.size
    recent, parted = np.zeros((capacity, feedback.delay), np.int64), np.zeros(capacity, np.int64)
    return Slots(slots.counts, slots.means, slots.roots, slots.free, known, counted, recent, parted)


@inline
def copy_pending(slots: Slots, slot: int, part: int) -> None:
    """Copy what a state knows of late rewards to another slot."""
    for i in range(slots.known.shape[1]):
        slots.known[part, i] = slots.known[slot, i]
    for i in range(slots.recent.shape[1]):
        slots.recent[part, i] = slots.recent[slot, i]
    slots.parted[part] = slots.parted[slot]


@inline
def give_shares(pieces: Pieces, n_pieces: int, slots: Slots, feedback: Feedback, t: int) -> int:
    """Let every piece pull the arm that is owed a share in round t, if one is; return how many were in doubt."""
    settled = 0
    for piece in range(n_pieces):
        owed = find_owed_share(feedback, slots.counts, pieces.owner[piece], t)
        if owed >= 0:
            if pieces.arm[piece] < 0 or pieces.arm[piece] != pieces.last[piece]:
                settled += 1
            pieces.arm[piece] = pieces.last[piece] = owed
    return settled


@inline
def refresh(slots: Slots, slot: np.uintp, arm: np.uintp, tables: TaskTables, index: BonusTables | None) -> None:
    """Write the mean and the width of an arm, by its pulls that are known and counted."""
    known, counted = np.uintp(slots.known[slot, arm]), np.uintp(slots.counted[slot, arm])
    slots.means[slot, arm] = tables.means[arm, known]
    slots.roots[slot, arm] = width_of(tables, index, arm, known, counted)


@inline
def learn_batch(slots: Slots, slot: np.uintp, is_over: bool, tables: TaskTables, index: BonusTables | None) -> None:
    """Refresh what a state goes by after pulls of a batch; if it is over, all its rewards are known."""
    for arm in range(slots.known.shape[1]):
        if is_over:
            slots.known[slot, arm] = slots.counts[slot, arm]
        refresh(slots, slot, np.uintp(arm), tables, index)


@inline
def settle(
    slots: Slots,
    slot: np.uintp,
    pulled: np.uintp,
    differs: bool,
    tables: TaskTables,
    index: BonusTables | None,
    feedback: Feedback,
    t: int,
) -> bool:
    """Learn the rewards that become known after round t; return whether a piece may be as that left of it by now.

    With a delay it is if both have pulled the same arms since the last reward that is known, and all arms as often. In
    a batch the rewards that are known have to be the same; those that pull the same arm differ still.
    """
    if feedback.delay > 0:
        if differs:
            slots.parted[slot] = t
        place = t % feedback.delay
        if t > feedback.delay:
            arm = np.uintp(slots.recent[slot, place])
            slots.known[slot, arm] += 1
            refresh(slots, slot, arm, tables, index)
        slots.recent[slot, place] = pulled
        refresh(slots, slot, pulled, tables, index)
        return bool(t - slots.parted[slot] >= feedback.delay)
    if t % feedback.batch == 0:
        learn_batch(slots, slot, True, tables, index)
        return True
    refresh(slots, slot, pulled, tables, index)
    return differs
