"""Which arm a run recommends, by what it pulled and received."""

import numpy as np

from banditune.kernels.jit import integer, jit, lean
from banditune.kernels.lines.run import record
from banditune.kernels.numerics.arrays import Floats, Integers


@lean
def recommend(counts: Integers, sums: Floats, by_pulls: bool) -> int:
    """Return the arm with the highest mean of what counts (n,) pulls gave, or the most of them; ties to the lowest.

    Rewards add up to sums (n, 2), high and low part, as in the sweep: see `kernels.lines.index.recommend_arm`.
    """
    best, most = integer(0), -np.inf
    for arm in range(counts.size):
        if counts[arm] > 0:
            value = float(counts[arm]) if by_pulls else sums[arm, 0] / float(counts[arm])
            if value > most:
                best, most = integer(arm), value
    return best


@jit
def recommend_after(arms: Integers, rewards: Floats, n_arms: int, by_pulls: bool) -> int:
    """Return the arm that is recommended after pulls (T,) that gave these rewards."""
    counts, sums = np.zeros(n_arms, np.int64), np.zeros((n_arms, 2))
    for t in range(arms.size):
        record(counts, sums, arms[t], rewards[t])
    return recommend(counts, sums, by_pulls)


@jit
def recommend_so_far(arms: Integers, rewards: Floats, n_arms: int, by_pulls: bool) -> Integers:
    """Return the arm that is recommended after each of the pulls: (T,)."""
    counts, sums, recommended = np.zeros(n_arms, np.int64), np.zeros((n_arms, 2)), np.empty(arms.size, np.int64)
    for t in range(arms.size):
        record(counts, sums, arms[t], rewards[t])
        recommended[t] = recommend(counts, sums, by_pulls)
    return recommended
