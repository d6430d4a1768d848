"""What sweeping and walking cost, and which of the two finds UCB's curves: they have the same bits.

Walking is faster the longer runs are, but its kernel takes long to compile. So as long as it is not, tasks are swept,
until that has taken longer than walking would have by some seconds: then there is more to come.
"""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import is_compiled
from banditune.kernels.lines.batch import Batch
from banditune.kernels.lines.index import LOG
from banditune.kernels.walk.walk import MOST_ARMS, walk_tasks

PATIENCE = 6.0  # seconds that may be lost before the walk is compiled, which takes some 20
SAMPLE = 256  # rewards of an arm that are looked at
USUAL, MOST_SPREAD = 4.0, 3.0  # the range of theta in standard deviations of the rewards; how much wider ones count

# Measured on coins, clicks and normal rewards with 2 to 20 arms, in 400 to 3,200 rounds: see `benchmarks.archive`.
SECONDS = 8e-9  # of a sweep, times arms and rounds**1.7
WITH_PRIORS, OTHER_SCHEDULES = 3.0, 32.0  # times as much, or as little, as walks gain


class Waiting:
    """The seconds that sweeps have lost against walks in this process."""

    def __init__(self) -> None:
        self.lost = 0.0

    def chooses_walk(self, batch: Batch, horizons: NDArray[np.int64], high: float) -> bool:
        """Whether the tasks of a batch are to be walked, for theta up to `high`."""
        lost = estimate_gain(batch, horizons, high)
        if lost <= 0.0:
            return False
        if self.lost > PATIENCE or is_compiled(walk_tasks):
            return True
        self.lost += lost
        return False


def estimate_gain(batch: Batch, horizons: NDArray[np.int64], high: float) -> float:
    """Estimate how many seconds are won if the tasks of a batch are walked to each of the increasing horizons.

    At least, about. What matters is how wide the range is beside the rewards' standard deviation: where both are alike,
    few runs part. With many arms few proofs succeed. With priors sweeps take longer, as their close calls do. With
    other schedules than LOG, runs of many values part at once, or the growth changes so fast that links are short.
    """
    if batch.start != 0.0 or batch.rise != 1.0 or batch.slopes.any():  # priors that change along the range
        return 0.0
    horizon, n_arms = float(horizons[-1]), np.diff(batch.starts)
    n_arms = n_arms[n_arms <= MOST_ARMS]
    deviation = float(np.sqrt(batch.streams[:, :SAMPLE].var(axis=1).mean()))
    wide = high / deviation / USUAL if deviation > 0.0 else MOST_SPREAD
    factor = min(MOST_SPREAD, max(1.0, wide) ** 0.65)
    ratio = horizon * factor / (300.0 + 50.0 * n_arms) * horizon / float(horizons.sum())
    ratio *= (WITH_PRIORS if batch.weight > 0.0 else 1.0) / (1.0 if batch.schedule == LOG else OTHER_SCHEDULES)
    swept = SECONDS * n_arms * horizon**1.7 * factor**1.5
    return float((swept * (1.0 - 1.0 / ratio)).sum())
