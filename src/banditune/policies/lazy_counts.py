"""All of UCB's games of a range, with rewards that become known on the way."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.batch import Batch, task_tables, workspace
from banditune.kernels.count_sweep import begun
from banditune.kernels.jit import integer
from banditune.kernels.lazy_sweep import learn_reward, play_round
from banditune.reward_arrays import checked_reward


class LazyCounts:
    """The games for all theta in [low, high] on the one task of a batch; of its rewards only their number counts."""

    def __init__(self, batch: Batch, low: float, high: float) -> None:
        self._tables = task_tables(batch, 0, workspace(batch))
        self._sweep, self._n_pieces, self._round = begun(self._tables, low, high), integer(1), 0
        self._needed = np.zeros(batch.gaps.size, np.int64)
        self._known = np.zeros(batch.gaps.size, np.int64)

    def advance(self) -> NDArray[np.int64]:
        """Play the next round in all games; return the most pulls of each arm in any of them: (n_arms,)."""
        self._round += 1
        self._sweep, self._n_pieces = play_round(self._sweep, self._n_pieces, self._tables, self._round, self._needed)
        return self._needed.copy()

    def checked(self, reward: object, what: str) -> float:
        """A reward of a size that can be computed with."""
        return checked_reward(what, reward)

    def learn(self, arm: int, reward: float) -> None:
        """Take the next reward of an arm."""
        self._known[arm] += 1
        self._tables = self._tables._replace(size=max(self._tables.size, abs(reward)))
        learn_reward(self._sweep, self._n_pieces, self._tables, arm, int(self._known[arm]), reward)


def lazy_counts(
    batch: Batch, horizon: int, parameter: str, low: float, high: float, fixed: Mapping[str, Any]
) -> LazyCounts:
    """The games for every alpha in [low, high]: see `Policy.lazily`."""
    return LazyCounts(batch, math.sqrt(low), math.sqrt(high))
