"""Whether numbers have a size that can be computed with."""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit


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
