"""The pieces a parameter range is cut into during a sweep, and the states they own."""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import jit
from banditune.kernels.numerics.arrays import Floats, Integers, enlarge, enlarge_rows


class Pieces(NamedTuple):
    """The parameter range in order: piece k is [left[k], left[k + 1])."""

    left: Floats  # (capacity + 1,)
    owner: Integers  # (capacity,) the slot with the piece's state
    arm: Integers  # (capacity,) the arm that leads at its left end in this round; -1: in doubt
    last: Integers  # (capacity,) the arm that leads at its right end; -1: in doubt


class Slots(NamedTuple):
    """The states of pieces, one row each; free[:capacity - n_pieces] are the rows that no piece owns."""

    counts: Integers  # (capacity, n)
    means: Floats  # (capacity, n)
    roots: Floats  # (capacity, n) 1 / sqrt(count)
    free: Integers  # (capacity,)
    known: Integers  # (capacity, n) the pulls whose rewards are known: those that means go by
    counted: Integers  # (capacity, n) the pulls that bonuses go by; both are `counts` where nothing is late
    recent: Integers  # (capacity, delay) the arms of the last rounds, round t in column t % delay
    parted: Integers  # (capacity,) the last round in which a piece pulled another arm than that left of it


@jit
def empty_pieces(capacity: int) -> Pieces:
    """Room for that many pieces."""
    return Pieces(
        np.empty(capacity + 1), np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    )


@jit
def empty_slots(capacity: int, n_arms: int) -> Slots:
    """Return that many slots, all free, where no reward is late; the lowest is taken first."""
    shape, free = (capacity, n_arms), np.empty(capacity, np.int64)
    for slot in range(capacity):  # as np.arange, which takes longer to compile
        free[capacity - 1 - slot] = slot
    counts = np.zeros(shape, np.int64)
    return Slots(counts, np.zeros(shape), np.zeros(shape), free, counts, counts, counts[:0], free[:0])


@jit
def more_pieces(pieces: Pieces, capacity: int) -> Pieces:
    """Return the same pieces with room for more."""
    return Pieces(
        enlarge(pieces.left, capacity + 1),
        enlarge(pieces.owner, capacity),
        enlarge(pieces.arm, capacity),
        enlarge(pieces.last, capacity),
    )


@jit
def more_slots(slots: Slots, n_pieces: int, capacity: int) -> Slots:
    """Return the same slots and further free ones, where no reward is late."""
    old = slots.free.size
    free = enlarge(slots.free, capacity)
    for slot in range(old, capacity):
        free[slot - n_pieces] = slot
    counts, means = enlarge_rows(slots.counts, capacity), enlarge_rows(slots.means, capacity)
    roots = enlarge_rows(slots.roots, capacity)
    return Slots(counts, means, roots, free, counts, counts, counts[:0], free[:0])
