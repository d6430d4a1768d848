"""All runs of UCB side by side, on a task whose rewards become known on the way."""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import integer
from banditune.kernels.lines.batch import Batch, task_tables, workspace
from banditune.kernels.lines.lazy_sweep import learn_reward, play_round
from banditune.kernels.lines.sweep import begin_sweep
from banditune.tasks.arrays import check_reward


class LazyCounts:
    """The runs for all theta in [low, high] on the one task of a batch; of its rewards only their number counts."""

    def __init__(self, batch: Batch, low: float, high: float) -> None:
        self._tables = task_tables(batch, 0, workspace(batch))
        self._sweep, self._n_pieces, self._round = begin_sweep(self._tables, low, high), integer(1), 0
        self._needed = np.zeros(batch.gaps.size, np.int64)
        self._known = np.zeros(batch.gaps.size, np.int64)

    def advance(self) -> NDArray[np.int64]:
        """Play the next round in all runs; return the most pulls of each arm in any of them: (n_arms,)."""
        self._round += 1
        self._sweep, self._n_pieces = play_round(self._sweep, self._n_pieces, self._tables, self._round, self._needed)
        return self._needed.copy()

    def check_reward(self, reward: object, what: str) -> float:
        """A reward of a size that can be computed with."""
        return check_reward(what, reward)

    def learn(self, arm: int, reward: float) -> None:
        """Take the next reward of an arm."""
        self._known[arm] += 1
        self._tables = self._tables._replace(size=max(self._tables.size, abs(reward)))
        learn_reward(self._sweep, self._n_pieces, self._tables, arm, int(self._known[arm]), reward)
