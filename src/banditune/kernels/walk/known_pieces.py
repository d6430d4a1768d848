"""The counts of all runs at one time, as pieces of theta; and the sweep from one time to a later one."""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, integer, jit, lean
from banditune.kernels.lines.index import TaskTables, room_for_lines
from banditune.kernels.lines.pieces import Pieces, empty_pieces, empty_slots
from banditune.kernels.lines.sweep import LOOK_AFTER, Sweep, advance_sweep
from banditune.kernels.numerics.arrays import Floats, Integers, borrow, enlarge, enlarge_rows
from banditune.kernels.walk.line_blocks import direction_of
from banditune.kernels.walk.proof import Counts
from banditune.kernels.watch import Watch, is_stopped

FIRST_ROOM = 256


class Level(NamedTuple):
    """Pieces in the order of the walk: the runs of piece k, from left[k] on, have the counts counts[k]."""

    left: Floats  # (pieces,) with room for more
    counts: Integers  # (pieces, n)


@jit
def empty_level(n_arms: int) -> Level:
    """Room for some pieces."""
    return Level(np.empty(FIRST_ROOM), np.zeros((FIRST_ROOM, n_arms), np.int64))


@jit
def borrow_level(level: Level) -> Level:
    """Return the same level, held by another."""
    return Level(borrow(level.left), borrow(level.counts))


@lean
def are_equal(one: Counts, other: Counts) -> bool:
    """Tell whether all counts are the same."""
    equal = True
    for arm in range(one.size):
        equal = equal and one[arm] == other[arm]
    return equal


@inline
def copy(source: Counts, target: Counts) -> None:
    """Copy counts: an assignment of arrays would take longer."""
    for arm in range(source.size):
        target[arm] = source[arm]


@jit
def append_piece(level: Level, n_pieces: int, left: float, counts: Counts) -> tuple[Level, int]:
    """Add a piece on the right of a level, unless the last has the same counts; and the number of pieces."""
    if n_pieces > 0 and are_equal(level.counts[n_pieces - 1], counts):
        return level, n_pieces
    if n_pieces == level.left.size:
        level = Level(enlarge(level.left, 2 * n_pieces), enlarge_rows(level.counts, 2 * n_pieces))
    level.left[n_pieces] = left
    copy(counts, level.counts[n_pieces])
    return level, n_pieces + 1


@lean
def find_piece(level: Level, n_pieces: int, theta: float, near: int) -> int:
    """Return the piece that theta is in, sought from one nearby."""
    piece = near
    while piece > 0 and level.left[piece] > theta:
        piece -= 1
    while piece + 1 < n_pieces and level.left[piece + 1] <= theta:
        piece += 1
    return piece


@jit
def sweep_zone(
    watch: Watch,
    tables: TaskTables,
    known: Level,
    n_known: int,
    t0: int,
    until: int,
    low: float,
    high: float,
    near: int,
    found: Level,
    n_found: int,
) -> tuple[Level, int]:
    """Append the pieces of [low, high) at a later time to a level, swept round by round from those known at t0."""
    first = find_piece(known, n_known, low, near)
    last = first
    while last + 1 < n_known and known.left[last + 1] < high:
        last += 1
    n_pieces, n_arms, turned = last + 1 - first, tables.gaps.size, direction_of(tables) < 0.0
    capacity = 2 * n_pieces + 30
    pieces, slots = empty_pieces(capacity), empty_slots(capacity, n_arms)
    for k in range(n_pieces):
        piece = last - k if turned else first + k
        pieces.left[k], pieces.owner[k] = known.left[piece], slots.free[capacity - 1 - k]
        if turned and k > 0:
            pieces.left[k] = -known.left[piece + 1]
        for arm in range(n_arms):
            pulls = known.counts[piece, arm]
            slots.counts[pieces.owner[k], arm] = pulls
            slots.means[pieces.owner[k], arm] = tables.means[arm, pulls]
            slots.roots[pieces.owner[k], arm] = tables.inverse_roots[pulls]
    pieces.left[0], pieces.left[n_pieces] = (-high, -low) if turned else (low, high)
    lines = room_for_lines(n_arms, tables.tilted or tables.weight > 0.0)
    sweep, t = Sweep(pieces, empty_pieces(capacity), slots, lines), integer(t0 + 1)
    while t <= until:
        if is_stopped(watch):
            return found, n_found
        stop = min(until, t + LOOK_AFTER // (n_pieces * n_arms))
        sweep, n_pieces, _ = advance_sweep(sweep, n_pieces, tables, t, stop)
        t = stop + 1
    for k in range(n_pieces):
        piece, left = k, sweep.pieces.left[k]
        if turned:
            piece, left = n_pieces - 1 - k, -sweep.pieces.left[n_pieces - k]
        found, n_found = append_piece(found, n_found, left, sweep.slots.counts[sweep.pieces.owner[piece]])
    return found, n_found


@jit
def order_pieces(level: Level, n_pieces: int, low: float, turned: bool) -> Pieces:
    """Return the pieces of a level in the order of theta, from low on; each owns the counts of its own number."""
    left, owner = level.left, np.arange(n_pieces)
    if turned:
        left, owner = np.empty(n_pieces), owner[::-1].copy()
        left[0] = low
        for k in range(1, n_pieces):
            left[k] = -level.left[n_pieces - k]
    return Pieces(left, owner, owner, owner)
