"""Parts of the range that wait for their turn in a sweep, and the pieces that it has found."""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import jit
from banditune.kernels.numerics.arrays import Floats, Integers, enlarge


class Part(NamedTuple):
    """A part of the range in which all runs were alike so far."""

    low: float
    high: float
    round: int  # the next to be played
    counted: int  # rounds so far
    loss: float  # so far


class Shelf(NamedTuple):
    """Parts that were put aside, the last one the leftmost, each with the row of its run."""

    low: Floats
    high: Floats
    round: Integers
    counted: Integers
    loss: Floats
    row: Integers


class Pieces(NamedTuple):
    """Pieces of the range, those of one horizon in order."""

    left: Floats
    loss: Floats
    counted: Integers  # rounds that were not passed over
    horizon: Integers  # which one, by its number


@jit
def put_aside(shelf: Shelf, place: int, part: Part, row: int) -> None:
    """Keep a part for later."""
    shelf.low[place], shelf.high[place], shelf.loss[place] = part.low, part.high, part.loss
    shelf.round[place], shelf.counted[place], shelf.row[place] = part.round, part.counted, row


@jit
def take_up(shelf: Shelf, place: int) -> tuple[Part, int]:
    """Return a part that was put aside, and the row of its run."""
    part = Part(shelf.low[place], shelf.high[place], shelf.round[place], shelf.counted[place], shelf.loss[place])
    return part, shelf.row[place]


@jit
def empty_shelf(size: int) -> Shelf:
    """Return a shelf with room for so many parts."""
    rounds, counted, row = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    return Shelf(np.zeros(size), np.zeros(size), rounds, counted, np.zeros(size), row)


@jit
def larger_shelf(shelf: Shelf, size: int) -> Shelf:
    """Return the same parts with room for more."""
    return Shelf(
        enlarge(shelf.low, size),
        enlarge(shelf.high, size),
        enlarge(shelf.round, size),
        enlarge(shelf.counted, size),
        enlarge(shelf.loss, size),
        enlarge(shelf.row, size),
    )


@jit
def empty_pieces(size: int) -> Pieces:
    """Room for so many pieces."""
    return Pieces(np.empty(size), np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64))


@jit
def larger_pieces(pieces: Pieces, size: int) -> Pieces:
    """Return the same pieces with room for more."""
    return Pieces(
        enlarge(pieces.left, size),
        enlarge(pieces.loss, size),
        enlarge(pieces.counted, size),
        enlarge(pieces.horizon, size),
    )
