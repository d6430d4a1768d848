"""Arrays with more room."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit

Number = TypeVar("Number", np.float64, np.int64)


@jit
def enlarged(array: NDArray[Number], size: int) -> NDArray[Number]:
    """A copy of a 1-D array with room for `size` elements."""
    larger = np.empty(size, array.dtype)
    for k in range(array.size):
        larger[k] = array[k]
    return larger


@jit
def enlarged_rows(array: NDArray[Number], rows: int) -> NDArray[Number]:
    """A copy of a 2-D array with room for that many rows."""
    larger = np.empty((rows, array.shape[1]), array.dtype)
    for row in range(array.shape[0]):
        for column in range(array.shape[1]):
            larger[row, column] = array[row, column]
    return larger
