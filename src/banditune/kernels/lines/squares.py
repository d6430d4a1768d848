"""From theta = sqrt(alpha) back to alpha, without moving an edge."""

import numpy as np
from numpy.typing import NDArray


def least_squares_of(roots: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each root the smallest float whose (rounded) square root is not below it.

    So alpha lies right of the edge just when the theta that a game computes from it does. In plain NumPy: few floats
    are ever moved, and compiling a loop would take longer than many sweeps do.
    """
    squares = roots * roots
    while (short := np.sqrt(squares) < roots).any():
        squares[short] = np.nextafter(squares[short], np.inf)
    while True:
        before = np.nextafter(squares, -np.inf)
        enough = (before >= 0.0) & (np.sqrt(np.maximum(before, 0.0)) >= roots)
        if not enough.any():
            return squares
        squares[enough] = before[enough]
