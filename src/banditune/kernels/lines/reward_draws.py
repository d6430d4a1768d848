"""Streams of rewards drawn by counting: what an arm gives at a position depends on its key and the position alone.

So a longer stream begins with the shorter one, and every draw of a task has streams of its own. Row k of what is drawn
is arm arms[k] of a task with the key keys[k], and is written to streams[rows[k]].
"""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.counter_random import normal_quantile, random_bits, uniform

Keys = NDArray[np.uint64]


@jit
def resample_rewards(
    flat: Floats, own: Integers, pools: Integers, keys: Keys, arms: Integers, rows: Integers, streams: Floats
) -> None:
    """Write the recorded rewards of each arm, then rewards drawn with replacement.

    own (k, 2) says where the arm's rewards begin and end in `flat`; pools (k, 2), where those to draw from do.
    """
    for k in range(keys.size):
        key, row = random_bits(keys[k], arms[k]), rows[k]
        first, n_known = own[k, 0], min(own[k, 1] - own[k, 0], streams.shape[1])
        for position in range(n_known):
            streams[row, position] = flat[first + position]
        first, size = pools[k, 0], pools[k, 1] - pools[k, 0]
        for position in range(n_known, streams.shape[1]):
            streams[row, position] = flat[first + min(int(uniform(key, position) * size), size - 1)]


@jit
def draw_counts(
    pulls: Integers, successes: Integers, keys: Keys, arms: Integers, rows: Integers, streams: Floats
) -> None:
    """Write 0/1 rewards: the recorded ones in a random order, then rewards drawn with the recorded rate."""
    for k in range(keys.size):
        key, row, left = random_bits(keys[k], arms[k]), rows[k], successes[k]
        for position in range(streams.shape[1]):
            number = uniform(key, position)
            if position < pulls[k]:
                success = number * (pulls[k] - position) < left
                left -= success
            else:
                success = number * pulls[k] < successes[k]
            streams[row, position] = 1.0 if success else 0.0


@jit
def draw_normals(means: Floats, sds: Floats, keys: Keys, arms: Integers, rows: Integers, streams: Floats) -> None:
    """Write normal rewards with these means and standard deviations."""
    for k in range(keys.size):
        key, row = random_bits(keys[k], arms[k]), rows[k]
        for position in range(streams.shape[1]):
            streams[row, position] = means[k] + sds[k] * normal_quantile(uniform(key, position))
