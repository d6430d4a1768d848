"""Arrays with more room, and whether their numbers have a size that can be computed with."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit

Number = TypeVar("Number", np.float64, np.int64)


@jit
def enlarge(array: NDArray[Number], size: int) -> NDArray[Number]:
    """A copy of a 1-D array with room for `size` elements."""
    larger = np.empty(size, array.dtype)
    for k in range(array.size):
        larger[k] = array[k]
    return larger


@jit
def enlarge_rows(array: NDArray[Number], rows: int) -> NDArray[Number]:
    """A copy of a 2-D array with room for that many rows."""
    larger = np.empty((rows, array.shape[1]), array.dtype)
    for row in range(array.shape[0]):
        for column in range(array.shape[1]):
            larger[row, column] = array[row, column]
    return larger


@jit
def first_beyond(numbers: NDArray[np.float64], smallest: float, largest: float) -> int:
    """The position of the first number that is neither 0 nor from `smallest` to `largest` in size; -1 if none is."""
    for position in range(numbers.size):
        size = abs(numbers[position])
        if not (smallest <= size <= largest or size == 0.0):
            return position
    return -1


@jit
def widest_spread(flat: NDArray[np.float64], starts: NDArray[np.int64], means: NDArray[np.float64]) -> float:
    """The largest difference within a segment flat[starts[k]:starts[k + 1]], or between two of the means."""
    widest = means.max() - means.min()
    for k in range(starts.size - 1):
        if starts[k + 1] > starts[k]:
            segment = flat[starts[k] : starts[k + 1]]
            widest = max(widest, segment.max() - segment.min())
    return float(widest)
