"""UCB's runs for all alpha in a range: on known rewards, or side by side while rewards become known.

Kernels sweep theta = sqrt(alpha), in which an index is a line.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.interruption import call_with_watch
from banditune.kernels.jit import integer, is_compiled
from banditune.kernels.lines.batch import Batch, task_tables, workspace
from banditune.kernels.lines.bonus import NO_COIN, PRODUCT, ROOT, Bonus
from banditune.kernels.lines.bonus_run import play_lines
from banditune.kernels.lines.bonus_tables import LineBatch
from banditune.kernels.lines.feedback import Feedback
from banditune.kernels.lines.index import LOG, SCHEDULES
from banditune.kernels.lines.lazy_sweep import learn_reward, play_round
from banditune.kernels.lines.run import play_first_task
from banditune.kernels.lines.sweep import begin_sweep, sweep_batch, sweep_lines
from banditune.kernels.walk.walk import MOST_ARMS, walk_batch, walk_tasks
from banditune.policies.batches import finish_run
from banditune.policies.sweep_results import Run, Swept
from banditune.tasks.arrays import check_reward

Tasks = Batch | LineBatch  # with a part for late rewards, or without
Pieces = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]

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
        """Tell whether the tasks of a batch are to be walked, for theta up to `high`."""
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


WAITING = Waiting()


def make_bonus(schedule: str, horizon: int | None) -> Bonus:
    """Return the parts of UCB's index for runs in which rewards are late: theta times the growth over sqrt(pulls)."""
    return Bonus(PRODUCT, ROOT, SCHEDULES.index(schedule), NO_COIN, 0.0 if horizon is None else float(horizon))


def delay_rewards(batch: Batch, feedback: Feedback, schedule: str, horizon: int) -> LineBatch:
    """Return the tasks of a batch for kernels that make rewards known as late as `feedback` says."""
    return LineBatch(batch, make_bonus(schedule, horizon), np.zeros(batch.starts.size - 1, np.uint64), feedback)


def run_alpha(batch: Tasks, values: Mapping[str, Any]) -> Run:
    """Run on the first task of a batch."""
    theta = math.sqrt(values["alpha"])
    if isinstance(batch, LineBatch):
        return finish_run(batch.tasks, *call_with_watch(play_lines, batch, theta))
    return finish_run(batch, *call_with_watch(play_first_task, batch, theta))


def sweep_alphas(
    batch: Tasks, horizons: Sequence[int], parameter: str, low: float, high: float, fixed: Mapping[str, Any]
) -> Swept:
    """Return the exact losses of the tasks of a batch for every alpha in [low, high]: see `Policy.sweep`."""
    at, lowest, highest = np.array(horizons), math.sqrt(low), math.sqrt(high)
    if not isinstance(batch, LineBatch) and WAITING.chooses_walk(batch, at, highest):
        roots, values, ends = call_with_watch(walk_batch, batch, at, lowest, highest)
    else:
        roots, values, ends, _ = _sweep_thetas(batch, at, lowest, highest)
    left = least_squares_of(roots)
    left[np.append(0, ends.reshape(-1)[:-1])] = low
    return Swept.from_pieces(low, high, left, values, ends)


def count_histories(
    batch: Tasks, horizon: int, parameter: str, low: float, high: float, fixed: Mapping[str, Any]
) -> NDArray[np.int64]:
    """Count the distinct runs in each task of a batch for alpha in [low, high], by the sweep's cuts: (tasks,)."""
    return _sweep_thetas(batch, np.array([horizon]), math.sqrt(low), math.sqrt(high))[3]


def _sweep_thetas(batch: Tasks, horizons: NDArray[np.int64], low: float, high: float) -> Pieces:
    """Sweep the range with the kernel for rewards that are known at once, or late."""
    if isinstance(batch, LineBatch):
        return call_with_watch(sweep_lines, batch, horizons, low, high)
    return call_with_watch(sweep_batch, batch, horizons, low, high)


def least_squares_of(roots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the smallest float whose (rounded) square root is not below a root, for each of them.

    So alpha lies right of the edge just when the theta that a run computes from it does. In plain NumPy: few floats
    are ever moved, and compiling a loop would take longer than many sweeps do.
    """
    first = np.nextafter(0.0, 1.0)  # 0 itself where a library lets the processor flush: `torch.set_flush_denormal`
    least = first if first > 0.0 else np.finfo(np.float64).tiny
    squares = np.where(roots > 0.0, np.maximum(roots * roots, least), 0.0)
    while (short := np.sqrt(squares) < roots).any():
        squares[short] = np.nextafter(squares[short], np.inf)
    while True:
        before = np.nextafter(squares, -np.inf)
        enough = (before >= least) & (np.sqrt(np.maximum(before, 0.0)) >= roots)
        if not enough.any():
            return squares
        squares[enough] = before[enough]


class LazyCounts:
    """The runs for all alpha in [low, high] on the one task of a batch; of its rewards only their number counts."""

    def __init__(self, batch: Tasks, low: float, high: float) -> None:
        if isinstance(batch, LineBatch):
            raise ParameterError("rewards are collected one after the other: updates cannot be given")
        self._tables = task_tables(batch, 0, workspace(batch))
        self._sweep = begin_sweep(self._tables, math.sqrt(low), math.sqrt(high))
        self._n_pieces, self._round = integer(1), 0
        self._needed = np.zeros(batch.gaps.size, np.int64)
        self._known = np.zeros(batch.gaps.size, np.int64)

    def advance(self) -> NDArray[np.int64]:
        """Play the next round in all runs; return the most pulls of each arm in any of them: (n_arms,)."""
        self._round += 1
        self._sweep, self._n_pieces = play_round(self._sweep, self._n_pieces, self._tables, self._round, self._needed)
        return self._needed.copy()

    def check_reward(self, reward: object, what: str) -> float:
        """Return a reward of a size that can be computed with."""
        return check_reward(what, reward)

    def learn(self, arm: int, reward: float) -> None:
        """Take the next reward of an arm."""
        self._known[arm] += 1
        self._tables = self._tables._replace(size=max(self._tables.size, abs(reward)))
        learn_reward(self._sweep, self._n_pieces, self._tables, arm, int(self._known[arm]), reward)
