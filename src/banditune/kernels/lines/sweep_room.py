"""The room that the sweeps of a batch of tasks work in, one after the other."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import lean
from banditune.kernels.lines.coin_tosses import Events
from banditune.kernels.lines.feedback import Feedback
from banditune.kernels.lines.pieces import Pieces, Slots
from banditune.kernels.numerics.arrays import Floats, Integers


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
