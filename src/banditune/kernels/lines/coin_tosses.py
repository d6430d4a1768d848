"""Rounds of a batch where coins decide: pieces are cut once, when the batch is over.

Within a batch nothing becomes known, and pending pulls do not count, so a round chooses by its coins and by what was
known before. Pieces need not be cut for that: it is noted where along the range another arm is pulled, an event, and
what the parts of a piece have pulled follows from its events in order. The choices are those of `rounds`, to the last
bit.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.lines.allocation import keep_part, owes_nothing, replace_pieces
from banditune.kernels.lines.bonus import POSTERIOR
from banditune.kernels.lines.bonus_rounds import DRAWN, choose_by_form
from banditune.kernels.lines.bonus_tables import (
    BonusTables,
    begin_indices,
    draw_listed_pulls,
    list_draws,
    set_bonus_lines,
)
from banditune.kernels.lines.envelope import Lines, find_overtaking, leader_right_of
from banditune.kernels.lines.feedback import Feedback, find_batch_end
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.pieces import Pieces, Slots
from banditune.kernels.numerics.arrays import Floats, Integers


class Events(NamedTuple):
    """From edge[k] on, arm swap[k] % n is pulled in some round of the batch, before it arm swap[k] // n."""

    edge: Floats  # (capacity,)
    swap: Integers  # (capacity,)


@inline
def can_toss_batch(pieces: Pieces, slots: Slots, tables: TaskTables, index: BonusTables, feedback: Feedback) -> bool:
    """Tell whether pieces can be cut at the batch's end: no arm is owed a round, and only known rewards count."""
    if index.bonus.form > POSTERIOR or feedback.is_whole != 0 or feedback.counts_pending != 0:
        return False
    return owes_nothing(pieces, slots, tables, index, feedback)


@inline
def choose_and_pull(
    pieces: Pieces,
    n_pieces: int,
    slots: Slots,
    tables: TaskTables,
    index: BonusTables,
    lines: Lines,
    events: Events,
    n_events: int,
) -> int:
    """Count a round's pull at the left end of every piece, and note its events; return the new number of those.

    -1 if there is not room to cut at so many: then nothing has been counted.
    """
    left, owner, arm, last = pieces
    n_arms, room = slots.counts.shape[1], slots.free.size - 2 * n_pieces  # what they become is written beside them
    if n_events > room:
        return integer(-1)
    if index.bonus.form == POSTERIOR:
        draw_listed_pulls(tables, index)
    doubtful = choose_by_form(pieces, n_pieces, slots, tables, index, DRAWN)
    for piece in range(n_pieces if doubtful > 0 else 0):
        if arm[piece] >= 0 and arm[piece] == last[piece]:
            continue
        set_bonus_lines(lines, slots.known, slots.counted, owner[piece], tables, index)
        start, end = left[piece], left[piece + 1]
        if arm[piece] < 0:
            arm[piece] = leader_right_of(lines, start, 1.0)
        best = arm[piece]
        while best != last[piece]:
            edge, by = find_overtaking(lines, best, start, end, 1.0)
            if edge >= end:
                break
            if n_events == room:
                return integer(-1)
            start = edge
            by = by if by == last[piece] else leader_right_of(lines, start, 1.0)
            events.edge[n_events], events.swap[n_events] = edge, best * n_arms + by
            n_events += 1
            best = by
    for piece in range(n_pieces):
        slots.counts[np.uintp(owner[piece]), np.uintp(arm[piece])] += 1
    return n_events


@inline
def swap_events(events: Events, one: int, other: int) -> None:
    """Let two events change places."""
    edge, swap = events
    edge[one], edge[other] = edge[other], edge[one]
    swap[one], swap[other] = swap[other], swap[one]


@inline
def sink_event(events: Events, top: int, size: int) -> None:
    """Let an event of a heap of that size sink until none below it is later."""
    while 2 * top + 1 < size:
        below = 2 * top + 1
        if below + 1 < size and events.edge[below + 1] > events.edge[below]:
            below += 1
        if events.edge[below] <= events.edge[top]:
            break
        swap_events(events, top, below)
        top = below


@lean
def sort_events(events: Events, n_events: int) -> None:
    """Put events in order of their edges, by a heap: in place."""
    for k in range(n_events // 2):
        sink_event(events, n_events // 2 - 1 - k, n_events)
    for k in range(n_events - 1):
        swap_events(events, integer(0), n_events - 1 - k)
        sink_event(events, integer(0), n_events - 1 - k)


@inline
def cut_at_events(
    pieces: Pieces,
    n_pieces: int,
    cuts: Pieces,
    slots: Slots,
    events: Events,
    n_events: int,
    taken: Integers,
    is_over: bool,
    tables: TaskTables,
    index: BonusTables,
) -> tuple[int, int]:
    """Cut the pieces at all their events, and merge parts that have become alike; return their number, and of cuts.

    What parts become is written to slots that are free. taken (n,) is room for what arms got.
    """
    n_arms, n_free, kept, n_cuts, k = slots.counts.shape[1], slots.free.size - n_pieces, 0, 0, 0
    sort_events(events, n_events)
    for piece in range(n_pieces):
        slot, start, end = np.uintp(pieces.owner[piece]), pieces.left[piece], pieces.left[piece + 1]
        for arm in range(n_arms):
            taken[arm] = slots.counts[slot, arm] - slots.known[slot, arm]
        while True:
            kept = keep_part(cuts, kept, n_free, start, slots, slot, taken, is_over, True, tables, index)
            if k == n_events or events.edge[k] >= end:
                break
            n_cuts, start = n_cuts + 1, events.edge[k]
            while k < n_events and events.edge[k] == start:
                taken[events.swap[k] // n_arms] -= 1
                taken[events.swap[k] % n_arms] += 1
                k += 1
    replace_pieces(pieces, n_pieces, cuts, kept, slots)
    return kept, n_cuts


@lean
def toss_rounds(
    pieces: Pieces,
    n_pieces: int,
    cuts: Pieces,
    slots: Slots,
    tables: TaskTables,
    index: BonusTables,
    feedback: Feedback,
    lines: Lines,
    events: Events,
    n_events: int,
    taken: Integers,
    t: int,
    until: int,
    last: int,
) -> tuple[int, int, int, int]:
    """Play rounds t..until of a batch, as far as there is room; after round `last` pieces are cut, and merge.

    Returns the first round not played, the number of pieces, how often one was cut, and the number of events noted.
    """
    n_cuts = integer(0)
    if index.bonus.form == POSTERIOR:
        list_draws(index, slots.known, pieces.owner[:n_pieces], find_batch_end(feedback, t))
    while t <= until:
        begin_indices(index, feedback, t)
        noted = choose_and_pull(pieces, n_pieces, slots, tables, index, lines, events, n_events)
        if noted < 0:
            break
        if t == last:
            is_over = last % feedback.batch == 0
            n_pieces, n_cuts = cut_at_events(
                pieces, n_pieces, cuts, slots, events, noted, taken, is_over, tables, index
            )
            noted = integer(0)
        n_events = noted
        t += 1
    return t, n_pieces, n_cuts, n_events
