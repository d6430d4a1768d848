"""Running sums and means of reward streams, without rounding that depends on the order."""

import numpy as np

from banditune.kernels.jit import inline, jit, lean
from banditune.kernels.numerics.arrays import Floats, Integers, widest_spread
from banditune.kernels.numerics.double_double import add


@inline
def with_reward(
    high: float, low: float, reward: float, expected: float, expected_low: float, weight: float, expects: bool
) -> tuple[float, float, float]:
    """Add one to the sum of an arm's rewards, in two parts; also the mean of them and of what was expected."""
    high, low = add(high, low, reward, 0.0)
    total = high
    if expects:
        total, _ = add(high, low, expected, expected_low)
    return high, low, total / weight


@lean
def prefix_sums(streams: Floats, expected: Floats, weights: Floats, sums: Floats, means: Floats) -> float:
    """Fill the sum of the first p rewards of every arm, and with what is expected of it the mean, for every p.

    Returns the size of the largest reward.

    streams (n, T); expected (n, 2) and sums (n, T + 1, 2), high and low part; weights (T + 1,), what p pulls and the
    expectation count for; means (n, T + 1). Where nothing is expected, means[:, 0] is not used.
    """
    largest = 0.0
    for arm in range(streams.shape[0]):
        high, low = 0.0, 0.0
        sums[arm, 0, 0], sums[arm, 0, 1] = high, low
        means[arm, 0] = expected[arm, 0] / weights[0] if weights[0] > 0.0 else 0.0
        for position in range(streams.shape[1]):
            reward, weight = streams[arm, position], weights[position + 1]
            largest = max(largest, abs(reward))
            high, low, means[arm, position + 1] = with_reward(
                high, low, reward, expected[arm, 0], expected[arm, 1], weight, weights[0] > 0.0
            )
            sums[arm, position + 1, 0], sums[arm, position + 1, 1] = high, low
    return largest


@jit
def segment_means(flat: Floats, starts: Integers) -> Floats:
    """Return the mean of each segment flat[starts[k]:starts[k + 1]]: (k,)."""
    means = np.empty(starts.size - 1)
    for k in range(means.size):
        high, low = 0.0, 0.0
        for position in range(starts[k], starts[k + 1]):
            high, low = add(high, low, flat[position], 0.0)
        means[k] = high / (starts[k + 1] - starts[k])
    return means


@jit
def widest_spread_of_tasks(flat: Floats, begins: Integers, tasks: Integers) -> float:
    """Return the largest spread of any task: of an arm's rewards flat[begins[i]:begins[i + 1]], or of the arms' means.

    Task k has the arms tasks[k]:tasks[k + 1].
    """
    means, widest = segment_means(flat, begins), 0.0
    for k in range(tasks.size - 1):
        here = widest_spread(flat, begins[tasks[k] : tasks[k + 1] + 1], means[tasks[k] : tasks[k + 1]])
        widest = max(widest, here)
    return widest
