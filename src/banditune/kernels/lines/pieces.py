"""The pieces a parameter range is cut into during a sweep, and the states they own."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit
from banditune.kernels.numerics.arrays import enlarge, enlarge_rows


class Pieces(NamedTuple):
    """The parameter range in order: piece k is [left[k], left[k + 1])."""

    left: NDArray[np.float64]  # (capacity + 1,)
    owner: NDArray[np.int64]  # (capacity,) the slot with the piece's state
    arm: NDArray[np.int64]  # (capacity,) the arm that leads at its left end in this round; -1: in doubt
    last: NDArray[np.int64]  # (capacity,) the arm that leads at its right end; -1: in doubt


class Slots(NamedTuple):
    """The states of pieces, one row each; free[:capacity - n_pieces] are the rows that no piece owns."""

    counts: NDArray[np.int64]  # (capacity, n)
    means: NDArray[np.float64]  # (capacity, n)
    roots: NDArray[np.float64]  # (capacity, n) 1 / sqrt(count)
    free: NDArray[np.int64]  # (capacity,)
    known: NDArray[np.int64]  # (capacity, n) the pulls whose rewards are known: those that means go by
    counted: NDArray[np.int64]  # (capacity, n) the pulls that bonuses go by; both are `counts` where nothing is late
    recent: NDArray[np.int64]  # (capacity, delay) the arms of the last rounds, round t in column t % delay
    parted: NDArray[np.int64]  # (capacity,) the last round in which a piece pulled another arm than that left of it


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
