"""All of GP-UCB's games of a range, with rewards that become known on the way."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.checks import finite_number
from banditune.kernels.double_double import add
from banditune.kernels.gp_index import Asked
from banditune.policies.gp_sweep import PointSweep, asked_in_rounds
from banditune.policies.point_tasks import PointTask
from banditune.policies.reward_units import seen_as


class LazyPoints:
    """The games of [low, high]; of the task's rewards only their number counts, and asked holds each round's index."""

    def __init__(
        self, task: PointTask, asked: Sequence[Asked], low: float, high: float, center: float, scale: float
    ) -> None:
        self._sums = np.zeros_like(task.sums)
        self._sweep = PointSweep(task.covariances, self._sums, low, high)
        self._asked = iter(asked)
        self._center, self._scale = center, scale
        self._known = np.zeros(self._sums.shape[0], np.int64)

    def advance(self) -> NDArray[np.int64]:
        """Play the next round in all games; return the most pulls of each point in any of them: (n,)."""
        self._sweep.advance(next(self._asked))
        most: NDArray[np.int64] = self._sweep.counts().max(axis=0)
        return most

    def checked(self, reward: object, what: str) -> float:
        """A reward that can be computed with, also in the units that the policy sees."""
        number = finite_number(what, reward)
        seen_as(number, self._center, self._scale, f"{what}, as the policy sees it,")
        return number

    def learn(self, arm: int, reward: float) -> None:
        """Take the next reward of a point."""
        before = self._sums[arm, self._known[arm]]
        self._known[arm] += 1
        seen = float(seen_as(reward, self._center, self._scale, "reward"))
        self._sums[arm, self._known[arm]] = add(before[0], before[1], seen, 0.0)


def lazy_points(
    batch: list[PointTask], horizon: int, parameter: str, low: float, high: float, fixed: Mapping[str, Any]
) -> LazyPoints:
    """The games for every noise, or multiple of beta, in [low, high]: see `Policy.lazily`."""
    asked = asked_in_rounds(batch[0].rewards.shape[0], horizon, parameter, fixed)
    return LazyPoints(batch[0], asked, low, high, fixed["center"], fixed["scale"])
