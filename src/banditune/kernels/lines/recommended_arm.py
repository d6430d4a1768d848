"""Which arm a run recommends at its end, by what it pulled and received."""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit
from banditune.kernels.lines.run import record


@jit
def recommend_after(arms: NDArray[np.int64], rewards: NDArray[np.float64], n_arms: int, by_pulls: bool) -> int:
    """Return the arm with the highest mean of what pulls (T,) gave, or the most of them; ties to the lowest.

    Sums are those of the sweep, to the last bit: see `kernels.lines.index.recommend_arm`.
    """
    counts, sums = np.zeros(n_arms, np.int64), np.zeros((n_arms, 2))
    for t in range(arms.size):
        record(counts, sums, arms[t], rewards[t])
    best, most = 0, -np.inf
    for arm in range(n_arms):
        if counts[arm] > 0:
            value = float(counts[arm]) if by_pulls else sums[arm, 0] / float(counts[arm])
            if value > most:
                best, most = arm, value
    return best


def recommend_so_far(
    arms: NDArray[np.int64], rewards: NDArray[np.float64], n_arms: int, by_pulls: bool
) -> NDArray[np.int64]:
    """Return the arm that a run would recommend after each of its rounds: (T,)."""
    return np.array([recommend_after(arms[:t], rewards[:t], n_arms, by_pulls) for t in range(1, arms.size + 1)])
