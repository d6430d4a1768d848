"""The exact loss for every value of a range at once, of UCB and of all whose index is a line: the merging sweep.

The range is held as pieces in order, each with the counts of pulls that its runs share. A round cuts a piece where
the leader changes, counts the pulls, and merges neighbours whose counts have become equal (`rounds.pull_and_merge`):
what follows depends on the counts alone. A piece owns a slot, a row of the state arrays, so that cutting and merging
move no states.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import integer, jit, lean
from banditune.kernels.lines.allocation import can_divide_batch, divide_batch
from banditune.kernels.lines.batch import Batch, Workspace, tables_within, workspace
from banditune.kernels.lines.bonus_tables import BonusRoom, BonusTables, LineBatch, make_room, tabulate_bonus, width_of
from banditune.kernels.lines.coin_tosses import Events, can_toss_batch, toss_rounds
from banditune.kernels.lines.envelope import PLAIN, WITH_PRIORS, Lines
from banditune.kernels.lines.feedback import Feedback, find_batch_end
from banditune.kernels.lines.index import TaskTables, loss_of_counts, room_for_lines
from banditune.kernels.lines.pieces import Pieces, Slots, empty_pieces, empty_slots, more_pieces, more_slots
from banditune.kernels.lines.rounds import advance
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.watch import DONE, WHOLE, Watch, is_stopped


class Room(NamedTuple):
    """What the sweeps of a batch work in, one after the other: as `sweep.Sweep`, but for any number of arms."""

    pieces: Pieces
    cuts: Pieces
    counts: Integers  # (capacity * most arms,)
    means: Floats
    roots: Floats
    free: Integers  # (capacity,)
    known: Integers  # (capacity * most arms,), the others as large as late rewards need; (0,) where none are
    recent: Integers  # (capacity * delay,)
    parted: Integers  # (capacity,)
    taken: Integers  # (most arms,)
    events: Events  # (capacity,)
    lines: Floats  # (2 * most arms * columns of lines,)


@lean
def states_in(room: Room, n_arms: int, feedback: Feedback | None) -> Slots:
    """Return the states of tasks with so many arms."""
    capacity = room.free.size
    shape, size = (capacity, n_arms), capacity * n_arms
    counts, means = room.counts[:size].reshape(shape), room.means[:size].reshape(shape)
    known, counted, delay = counts, counts, 0
    if feedback is not None:
        known, delay = room.known[:size].reshape(shape), feedback.delay
        counted = counts if feedback.counts_pending != 0 else known
    recent = room.recent[: capacity * delay].reshape((capacity, delay))
    return Slots(counts, means, room.roots[:size].reshape(shape), room.free, known, counted, recent, room.parted)


def enlarge_room(room: Room, n_pieces: int) -> Room:
    """Twice the room, for what it holds and as much again."""
    old = room.free.size
    pieces, cuts = (Pieces(*(with_room(each, each.size + old) for each in some)) for some in (room.pieces, room.cuts))
    free = with_room(room.free, 2 * old)
    free[old - n_pieces : 2 * old - n_pieces] = np.arange(old, 2 * old)
    counts, means, roots = (with_room(each, 2 * each.size) for each in (room.counts, room.means, room.roots))
    known, recent, parted = (with_room(each, 2 * each.size) for each in (room.known, room.recent, room.parted))
    events = Events(*(with_room(each, 2 * each.size) for each in room.events))
    return Room(pieces, cuts, counts, means, roots, free, known, recent, parted, room.taken, events, room.lines)


def with_room(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return a copy of a 1-D array with room for `size` elements."""
    larger = np.empty(size, array.dtype)
    larger[: array.size] = array
    return larger


LOOK_AFTER = 2**16  # indices computed, about: a tenth of a millisecond

FIRST_ROOM = 32  # pieces; there is room for more when there are more


class Sweep(NamedTuple):
    """What a sweep works in: the pieces, room to cut them, their states, and room for the lines of one of them."""

    pieces: Pieces
    cuts: Pieces
    slots: Slots
    lines: Lines


class Steps(NamedTuple):
    """Step functions end to end: step k starts at left[k] and has the value value[k]."""

    left: Floats
    value: Floats


@lean
def write_curve(steps: Steps, used: int, pieces: Pieces, n_pieces: int, counts: Integers, tables: TaskTables) -> int:
    """Write the loss of every piece behind steps[:used], joining neighbours of equal loss; return the new use."""
    first = used
    for piece in range(n_pieces):
        loss = loss_of_counts(counts[pieces.owner[piece]], tables)
        if used == first or steps.value[used - 1] != loss:
            steps.left[used], steps.value[used] = pieces.left[piece], loss
            used += 1
    return used


@lean
def set_start(
    pieces: Pieces, slots: Slots, tables: TaskTables, index: BonusTables | None, low: float, high: float
) -> None:
    """One piece, [low, high], of games that have pulled nothing; all slots but its own are free."""
    capacity = slots.free.size
    for slot in range(capacity):
        slots.free[capacity - 1 - slot] = slot
    pieces.left[0], pieces.left[1], pieces.owner[0] = low, high, 0
    for arm in range(tables.gaps.size):
        slots.counts[0, arm], slots.known[0, arm], slots.means[0, arm] = 0, 0, tables.means[arm, 0]
        slots.roots[0, arm] = width_of(tables, index, np.uintp(arm), np.uintp(0), np.uintp(0))
    if slots.parted.size > 0:
        slots.parted[0] = 0


@jit
def begin_sweep(tables: TaskTables, low: float, high: float) -> Sweep:
    """Return a sweep of [low, high] before the first round: one piece, of games that have pulled nothing."""
    n_arms = tables.gaps.size
    capacity = integer(FIRST_ROOM)
    pieces, slots = empty_pieces(capacity), empty_slots(capacity, n_arms)
    set_start(pieces, slots, tables, None, low, high)
    lines = room_for_lines(n_arms, tables.tilted or tables.weight > 0.0)
    return Sweep(pieces, empty_pieces(capacity), slots, lines)


@jit
def advance_sweep(sweep: Sweep, n_pieces: int, tables: TaskTables, t: int, horizon: int) -> tuple[Sweep, int, int]:
    """Return the sweep after rounds t..horizon, in more room if it needs it; the number of pieces, and of cuts made."""
    cuts_made = integer(0)
    while t <= horizon:
        t, n_pieces, n_cuts = advance(
            sweep.pieces, n_pieces, sweep.cuts, sweep.slots, tables, None, None, sweep.lines, t, horizon
        )
        cuts_made += n_cuts
        if t <= horizon:
            capacity = 2 * sweep.slots.free.size
            slots = more_slots(sweep.slots, n_pieces, capacity)
            sweep = Sweep(more_pieces(sweep.pieces, capacity), empty_pieces(capacity), slots, sweep.lines)
    return sweep, n_pieces, cuts_made


# How far the sweeps of a batch are: task and horizon, the next round, numbers of pieces, of steps used, and of events
TASK, HORIZON, ROUND, PIECES, USED, EVENTS, PLACES = range(7)
NOTHING, MORE_PIECES, MORE_STEPS = range(3)  # what there is not enough room for


@lean
def sweep_tasks(
    watch: Watch,
    batch: Batch,
    space: Workspace,
    bonus_room: BonusRoom | tuple[()],
    feedback: Feedback | None,
    room: Room,
    steps: Steps,
    horizons: Integers,
    low: float,
    high: float,
    ends: Integers,
    histories: Integers,
    place: Integers,
) -> int:
    """Sweep from a place on: write the curves of all tasks to the steps, where each ends, and how many histories.

    Returns NOTHING when all is done; else what there has to be more room for, to go on from the place that is noted.
    """
    while place[TASK] < batch.starts.size - 1:
        task = place[TASK]
        tables = tables_within(batch, task, space)
        index = tabulate_bonus(bonus_room, batch, tables, task)
        n_arms = tables.gaps.size
        slots = states_in(room, n_arms, feedback)
        columns = WITH_PRIORS if tables.tilted or tables.weight > 0.0 else PLAIN
        lines = room.lines[: n_arms * columns].reshape((n_arms, columns))
        items = room.lines[: 2 * n_arms * columns].reshape((2 * n_arms, columns))
        taken = room.taken[:n_arms]
        if place[ROUND] == 0:
            set_start(room.pieces, slots, tables, index, low, high)
            place[ROUND], place[PIECES], place[EVENTS], histories[task] = 1, 1, 0, 1
        while place[HORIZON] < horizons.size:
            while place[ROUND] <= horizons[place[HORIZON]]:
                if is_stopped(watch):
                    return integer(NOTHING)
                t, n_pieces = place[ROUND], place[PIECES]
                until = min(horizons[place[HORIZON]], t + LOOK_AFTER // (n_pieces * n_arms))
                if (
                    feedback is not None
                    and index is not None
                    and can_divide_batch(room.pieces, slots, tables, index, feedback, t)
                ):
                    until = min(horizons[place[HORIZON]], t + feedback.batch - 1)
                    place[ROUND], place[PIECES], n_cuts = divide_batch(
                        room.pieces, n_pieces, room.cuts, slots, tables, index, feedback, items, taken, t, until
                    )
                elif (
                    feedback is not None
                    and index is not None
                    and can_toss_batch(room.pieces, slots, tables, index, feedback)
                ):
                    last = min(horizons[place[HORIZON]], find_batch_end(feedback, t))
                    until = min(until, last)
                    place[ROUND], place[PIECES], n_cuts, place[EVENTS] = toss_rounds(
                        room.pieces,
                        n_pieces,
                        room.cuts,
                        slots,
                        tables,
                        index,
                        feedback,
                        lines,
                        room.events,
                        place[EVENTS],
                        taken,
                        t,
                        until,
                        last,
                    )
                else:
                    if feedback is not None and feedback.batch > 1:
                        until = min(until, find_batch_end(feedback, t))
                    place[ROUND], place[PIECES], n_cuts = advance(
                        room.pieces, n_pieces, room.cuts, slots, tables, index, feedback, lines, t, until
                    )
                histories[task] += n_cuts
                watch[DONE] += place[ROUND] - t
                if place[ROUND] <= until:
                    return integer(MORE_PIECES)
            if place[USED] + place[PIECES] > steps.left.size:
                return integer(MORE_STEPS)
            place[USED] = write_curve(steps, place[USED], room.pieces, place[PIECES], slots.counts, tables)
            ends[task, place[HORIZON]] = place[USED]
            place[HORIZON] += 1
        place[TASK] += 1
        place[HORIZON] = place[ROUND] = 0
    return integer(NOTHING)


def sweep_lines(
    watch: Watch, batch: LineBatch, horizons: Integers, low: float, high: float
) -> tuple[Floats, Floats, Integers, Integers]:
    """As `sweep_batch`, by another index than UCB's."""
    return sweep_batch(watch, batch.tasks, horizons, low, high, make_room(batch), batch.feedback)


def sweep_batch(
    watch: Watch,
    batch: Batch,
    horizons: Integers,
    low: float,
    high: float,
    bonus_room: BonusRoom | tuple[()] = (),
    feedback: Feedback | None = None,
) -> tuple[Floats, Floats, Integers, Integers]:
    """Return the curves of all tasks of a batch for theta in [low, high], by UCB's index or by one made of parts.

    Returns left edges and values of the steps of all curves end to end; where each curve ends, (tasks, horizons); and
    the number of histories of each task, (tasks,). All room is made here: kernels that make none compile faster.
    """
    n_tasks, space = batch.starts.size - 1, workspace(batch)
    size = FIRST_ROOM * space.expected.shape[0]
    pieces, cuts = (Pieces(np.empty(FIRST_ROOM + 1), *np.empty((3, FIRST_ROOM), np.int64)) for _ in range(2))
    widest = space.expected.shape[0]
    taken, lines = np.empty(widest, np.int64), np.empty(2 * widest * WITH_PRIORS)
    events = Events(np.empty(FIRST_ROOM), np.empty(FIRST_ROOM, np.int64))
    states = np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty(FIRST_ROOM, np.int64)
    sizes = (0, 0, 0) if feedback is None else (size, FIRST_ROOM * feedback.delay, FIRST_ROOM)
    known, recent, parted = (np.empty(each, np.int64) for each in sizes)
    room = Room(pieces, cuts, *states, known, recent, parted, taken, events, lines)
    steps = Steps(np.empty(16 * n_tasks), np.empty(16 * n_tasks))
    ends, histories = np.empty((n_tasks, horizons.size), np.int64), np.empty(n_tasks, np.int64)
    place = np.zeros(PLACES, np.int64)
    watch[DONE], watch[WHOLE] = 0.0, n_tasks * horizons[-1]
    question = horizons, low, high, ends, histories, place
    while (missing := sweep_tasks(watch, batch, space, bonus_room, feedback, room, steps, *question)) != NOTHING:
        if missing == MORE_PIECES:
            room = enlarge_room(room, int(place[PIECES]))
        else:
            least = 2 * int(place[USED] + place[PIECES])
            steps = Steps(with_room(steps.left, least), with_room(steps.value, least))
    used = place[USED]
    return steps.left[:used].copy(), steps.value[:used].copy(), ends, histories
