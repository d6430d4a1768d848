"""The exact loss of UCB for every theta = sqrt(alpha) of a range at once: the merging sweep.

The range is held as pieces in order, each with the counts of pulls that its runs share. A round cuts a piece where
the leader changes, counts the pulls, and merges neighbours whose counts have become equal: what follows depends on the
counts alone. A piece owns a slot, a row of the state arrays, so that cutting and merging move no states.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, integer, jit, lean
from banditune.kernels.lines.batch import Batch, task_tables, workspace
from banditune.kernels.lines.envelope import Lines, leader_right_of, overtaken_at
from banditune.kernels.lines.pieces import Pieces, Slots, empty_pieces, empty_slots, more_pieces, more_slots
from banditune.kernels.lines.tables import (
    TaskTables,
    certain_leaders,
    certain_tilted_leader,
    loss_of_counts,
    room_for_lines,
    set_lines,
    set_tilted_lines,
)
from banditune.kernels.numerics.arrays import enlarge
from banditune.kernels.watch import DONE, WHOLE, Watch, is_stopped

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

    left: NDArray[np.float64]
    value: NDArray[np.float64]


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
def choose_tilted(pieces: Pieces, n_pieces: int, slots: Slots, growth: float, tables: TaskTables) -> int:
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


@inline
def cut(
    pieces: Pieces, n_pieces: int, cuts: Pieces, slots: Slots, tables: TaskTables, growth: float, lines: Lines
) -> int:
    """Copy the pieces to `cuts`, those in doubt cut wherever their leader changes; return the new number.

    -1 if there is not room for so many: then no piece has changed, and with more room they can be cut again.
    """
    left, owner, arm, last = pieces
    new_left, new_owner, new_arm, _ = cuts
    counts, means, roots, free = slots
    n_free = free.size - n_pieces
    n_new = 0
    unit = 1.0 if tables.tilted else growth
    for piece in range(n_pieces):
        slot, best = owner[piece], arm[piece]
        start, end = left[piece], left[piece + 1]
        if best < 0 or best != last[piece]:
            if tables.tilted:
                set_tilted_lines(lines, counts, slot, tables, growth)
            else:
                set_lines(lines, counts, slot, tables)
            if best < 0:
                best = leader_right_of(lines, start, unit)
            while best != last[piece]:
                edge, by = overtaken_at(lines, best, start, end, unit)
                if edge >= end:
                    break
                if n_free == 0:
                    return integer(-1)
                n_free -= 1
                part = free[n_free]
                for i in range(counts.shape[1]):
                    counts[part, i], means[part, i], roots[part, i] = counts[slot, i], means[slot, i], roots[slot, i]
                new_left[n_new], new_owner[n_new], new_arm[n_new] = start, part, best
                n_new += 1
                start = edge
                # what overtakes first and leads at the right end leads in between: a third line would cross it twice
                best = by if by == last[piece] else leader_right_of(lines, start, unit)
        new_left[n_new], new_owner[n_new], new_arm[n_new] = start, slot, best
        n_new += 1
    new_left[n_new] = left[n_pieces]
    return n_new


@inline
def pull_and_merge(source: Pieces, n_pieces: int, target: Pieces, slots: Slots, tables: TaskTables) -> int:
    """Count each piece's pull and write it to `target`, neighbours with equal counts as one; return their number."""
    left, owner, arm, _ = source
    new_left, new_owner, _, _ = target
    counts, means, roots, free = slots
    mean_table, inverse_roots = tables.means, tables.inverse_roots
    n_free = free.size - n_pieces
    end = left[n_pieces]
    kept = 0
    for piece in range(n_pieces):
        slot, pulled = np.uintp(owner[piece]), np.uintp(arm[piece])  # unsigned: no test for counting from the end
        count = counts[slot, pulled] + 1
        counts[slot, pulled] = count
        means[slot, pulled] = mean_table[pulled, np.uintp(count)]
        roots[slot, pulled] = inverse_roots[np.uintp(count)]
        same = kept > 0 and arm[piece] != arm[piece - 1]  # two that differ and pull the same arm differ still
        if same:
            before = np.uintp(new_owner[kept - 1])
            for i in range(counts.shape[1]):
                if counts[before, i] != counts[slot, i]:
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
    pieces: Pieces, n_pieces: int, cuts: Pieces, slots: Slots, tables: TaskTables, lines: Lines, t: int, horizon: int
) -> tuple[int, int, int]:
    """Play rounds t..horizon in all pieces, as far as there is room.

    Returns the first round not played, the number of pieces, and how often one was cut.
    """
    n_cuts = 0
    while t <= horizon:
        growth = tables.growth[t]
        doubtful = 0
        if t <= tables.n_first:
            pieces.arm[0] = t - 1
        elif tables.tilted:
            doubtful = choose_tilted(pieces, n_pieces, slots, growth, tables)
        else:
            doubtful = choose(pieces, n_pieces, slots, growth, tables.size, tables.largest_root)
        if doubtful == 0:
            n_pieces = pull_and_merge(pieces, n_pieces, pieces, slots, tables)
        else:
            n_new = cut(pieces, n_pieces, cuts, slots, tables, growth, lines)
            if n_new < 0:
                break
            n_cuts += n_new - n_pieces
            n_pieces = pull_and_merge(cuts, n_new, pieces, slots, tables)
        t += 1
    return t, n_pieces, n_cuts


@jit
def append_curve(
    steps: Steps, used: int, pieces: Pieces, n_pieces: int, counts: NDArray[np.int64], tables: TaskTables
) -> tuple[Steps, int]:
    """Write the loss of every piece behind steps[:used], joining neighbours of equal loss; return the new use."""
    if used + n_pieces > steps.left.size:
        room = 2 * (used + n_pieces)
        steps = Steps(enlarge(steps.left, room), enlarge(steps.value, room))
    first = used
    for piece in range(n_pieces):
        loss = loss_of_counts(counts[pieces.owner[piece]], tables)
        if used == first or steps.value[used - 1] != loss:
            steps.left[used], steps.value[used] = pieces.left[piece], loss
            used += 1
    return steps, used


@jit
def begin_sweep(tables: TaskTables, low: float, high: float) -> Sweep:
    """A sweep of [low, high] before the first round: one piece, of runs that have pulled nothing."""
    n_arms = tables.gaps.size
    capacity = integer(FIRST_ROOM)
    pieces, slots = empty_pieces(capacity), empty_slots(capacity, n_arms)
    pieces.left[0], pieces.left[1], pieces.owner[0] = low, high, slots.free[capacity - 1]
    for arm in range(n_arms):
        slots.means[pieces.owner[0], arm], slots.roots[pieces.owner[0], arm] = (
            tables.means[arm, 0],
            tables.inverse_roots[0],
        )
    lines = room_for_lines(n_arms, tables.tilted or tables.weight > 0.0)
    return Sweep(pieces, empty_pieces(capacity), slots, lines)


@jit
def advance_sweep(sweep: Sweep, n_pieces: int, tables: TaskTables, t: int, horizon: int) -> tuple[Sweep, int, int]:
    """The sweep after rounds t..horizon, in more room if it needs it; the number of pieces, and of cuts made."""
    cuts_made = integer(0)
    while t <= horizon:
        t, n_pieces, n_cuts = advance(sweep.pieces, n_pieces, sweep.cuts, sweep.slots, tables, sweep.lines, t, horizon)
        cuts_made += n_cuts
        if t <= horizon:
            capacity = 2 * sweep.slots.free.size
            slots = more_slots(sweep.slots, n_pieces, capacity)
            sweep = Sweep(more_pieces(sweep.pieces, capacity), empty_pieces(capacity), slots, sweep.lines)
    return sweep, n_pieces, cuts_made


@jit
def sweep_task(
    watch: Watch,
    tables: TaskTables,
    horizons: NDArray[np.int64],
    low: float,
    high: float,
    steps: Steps,
    used: int,
    ends: NDArray[np.int64],
) -> tuple[Steps, int, int]:
    """Append one task's curve for each of the increasing horizons to steps[:used], and write where each ends.

    Returns the steps, their new use, and the number of histories: one more than there were cuts.
    """
    sweep = begin_sweep(tables, low, high)
    t, n_pieces, histories = integer(1), integer(1), integer(1)
    for k in range(horizons.size):
        while t <= horizons[k]:
            if is_stopped(watch):
                return steps, used, histories
            until = min(horizons[k], t + LOOK_AFTER // (n_pieces * tables.gaps.size))
            sweep, n_pieces, n_cuts = advance_sweep(sweep, n_pieces, tables, t, until)
            histories += n_cuts
            watch[DONE] += until + 1 - t
            t = until + 1
        steps, used = append_curve(steps, used, sweep.pieces, n_pieces, sweep.slots.counts, tables)
        ends[k] = used
    return steps, used, histories


@jit
def sweep_batch(
    watch: Watch, batch: Batch, horizons: NDArray[np.int64], low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """The curves of all tasks of a batch for theta in [low, high].

    Returns left edges and values of the steps of all curves end to end; where each curve ends, (tasks, horizons); and
    the number of histories of each task, (tasks,).
    """
    n_tasks = batch.starts.size - 1
    room = workspace(batch)
    steps, used = Steps(np.empty(16 * n_tasks), np.empty(16 * n_tasks)), integer(0)
    ends = np.empty((n_tasks, horizons.size), np.int64)
    histories = np.empty(n_tasks, np.int64)
    watch[DONE], watch[WHOLE] = 0.0, n_tasks * horizons[-1]
    for task in range(n_tasks):
        if is_stopped(watch):
            break
        tables = task_tables(batch, task, room)
        steps, used, histories[task] = sweep_task(watch, tables, horizons, low, high, steps, used, ends[task])
    return steps.left[:used].copy(), steps.value[:used].copy(), ends, histories
