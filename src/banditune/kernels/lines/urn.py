"""Draws without replacement."""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit


@jit
def draw_from_urn(uniform: NDArray[np.float64], balls: int, ones: int) -> NDArray[np.float64]:
    """The first balls drawn from an urn in which so many are 1 and the others 0, one for each uniform number."""
    drawn = np.zeros(uniform.size)
    for k in range(uniform.size):
        if uniform[k] * (balls - k) < ones:
            drawn[k] = 1.0
            ones -= 1
    return drawn
