"""What people do today: play every task with a few values of alpha, and keep the best of them."""

import math

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.lines.batch import Batch

GRID = np.arange(1, 11) / 10.0  # 0.1 0.2 ... 1.0
LANES = 4096  # runs played side by side: more would not fit the cache


def plain_grid(batch: Batch, grid: NDArray[np.float64] = GRID) -> NDArray[np.float64]:
    """The mean regret at every value of a grid, in plain Python: (values,)."""
    horizon = batch.streams.shape[1]
    growth = [0.0, *(math.sqrt(math.log(t)) for t in range(1, horizon + 1))]  # by the round
    streams, gaps = batch.streams.tolist(), batch.gaps.tolist()
    tasks = [(streams[a:b], gaps[a:b]) for a, b in zip(batch.starts[:-1], batch.starts[1:], strict=True)]
    return np.array(
        [sum(plain_regret(*task, growth, math.sqrt(alpha)) for task in tasks) / len(tasks) for alpha in grid]
    )


def plain_regret(streams: list[list[float]], gaps: list[float], growth: list[float], theta: float) -> float:
    """What one run of UCB loses."""
    n_arms = len(streams)
    sums = [stream[0] for stream in streams]
    means, roots, counts = sums.copy(), [1.0] * n_arms, [1] * n_arms
    for t in range(n_arms + 1, len(growth)):
        width = theta * growth[t]
        best, highest = 0, means[0] + width * roots[0]
        for arm in range(1, n_arms):
            index = means[arm] + width * roots[arm]
            if index > highest:
                best, highest = arm, index
        pulls = counts[best]
        sums[best] += streams[best][pulls]
        pulls += 1
        counts[best], means[best], roots[best] = pulls, sums[best] / pulls, 1.0 / math.sqrt(pulls)
    return sum(pulls * gap for pulls, gap in zip(counts, gaps, strict=True))


def numpy_grid(batch: Batch, grid: NDArray[np.float64] = GRID) -> NDArray[np.float64]:
    """The mean regret at every value of a grid, all values and many tasks side by side: (values,).

    The tasks must have equally many arms.
    """
    n_tasks = batch.starts.size - 1
    streams = batch.streams.reshape(n_tasks, -1, batch.streams.shape[1])
    gaps = batch.gaps.reshape(n_tasks, -1)
    block = max(1, LANES // grid.size)
    parts = [block_regrets(streams[k : k + block], gaps[k : k + block], grid) for k in range(0, n_tasks, block)]
    return np.asarray(np.concatenate(parts, axis=1).mean(axis=1))


def block_regrets(
    streams: NDArray[np.float64], gaps: NDArray[np.float64], grid: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The regret (values, tasks) of runs side by side on streams (tasks, n, T), with means and roots tabled."""
    n_tasks, n_arms, horizon = streams.shape
    lanes = grid.size * n_tasks
    mean_table = (np.cumsum(streams, axis=2) / np.arange(1, horizon + 1)).reshape(-1)
    root_table = 1.0 / np.sqrt(np.arange(1, horizon + 1))
    lane, theta = np.arange(lanes), np.sqrt(np.repeat(grid, n_tasks))
    first_row = np.tile(np.arange(n_tasks), grid.size) * (n_arms * horizon)
    means = np.tile(streams[:, :, 0].T, (1, grid.size))
    roots, counts = np.ones((n_arms, lanes)), np.ones((n_arms, lanes), np.int64)
    flat_means, flat_roots, flat_counts = means.reshape(-1), roots.reshape(-1), counts.reshape(-1)
    for t in range(n_arms + 1, horizon + 1):
        index = theta * math.sqrt(math.log(t)) * roots
        index += means
        arm = (index[1] > index[0]).astype(np.int64) if n_arms == 2 else index.argmax(axis=0)
        place = arm * lanes + lane
        pulls = flat_counts.take(place)
        flat_means[place] = mean_table.take(first_row + arm * horizon + pulls)
        flat_roots[place] = root_table.take(pulls)
        flat_counts[place] = pulls + 1
    by_value = counts.reshape(n_arms, grid.size, n_tasks)
    return np.asarray((by_value * gaps.T[:, None, :]).sum(axis=0))
