"""From theta = sqrt(alpha) back to alpha, without moving an edge."""

import math

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit


@jit
def least_squares_of(roots: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each root the smallest float whose (rounded) square root is not below it.

    So alpha lies right of the edge just when the theta that a game computes from it does.
    """
    squares = np.empty_like(roots)
    for k in range(roots.size):
        square = roots[k] * roots[k]
        while math.sqrt(square) < roots[k]:
            square = np.nextafter(square, np.inf)
        before = np.nextafter(square, -np.inf)
        while before >= 0.0 and math.sqrt(before) >= roots[k]:
            square, before = before, np.nextafter(before, -np.inf)
        squares[k] = square
    return squares
