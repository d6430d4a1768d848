"""The exact loss of GP-UCB on one task for every value of one parameter: the merging sweep, piece by piece."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.interruption import call_watched, tell_done
from banditune.kernels.gp.index import BONUS, NOISE, Asked
from banditune.kernels.gp.posterior import Observed, Prior
from banditune.kernels.gp.winners import winners
from banditune.kernels.lines.tables import loss_of_counts
from banditune.kernels.numerics.double_double import add, divide
from banditune.policies.gpucb.batches import PointTask, convert_rewards
from banditune.policies.gpucb.beta import schedule, widths
from banditune.validation import finite_number

STD, VARIANCE = "std", "variance"  # what the bonus is a multiple of
Floats = NDArray[np.float64]
Pulls = tuple[int, ...]  # the points pulled, in their order, each as often as it was


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """The losses of a sweep after each horizon, and how much of it is proved."""

    left: list[Floats]
    values: list[Floats]
    n_cuts: int
    n_proved: int
    unproved: float


class PointSweep:
    """The pieces of [low, high] after some rounds; what pulls show is read from sums (n, T + 1, 2) when needed."""

    def __init__(self, prior: Prior, sums: Floats, low: float, high: float) -> None:
        self._prior, self._sums, self._high = prior, sums, high
        self._points = np.arange(sums.shape[0])
        self.left: list[float] = [low]
        self.pulls: list[Pulls] = [()]
        self.n_cuts = self.n_proved = 0
        self.unproved = 0.0

    def advance(self, index: Asked) -> None:
        """Play a round with this index: find the choice of every piece, cut it where that changes, merge neighbours."""
        new_left: list[float] = []
        new_pulls: list[Pulls] = []
        for start, end, before in zip(self.left, [*self.left[1:], self._high], self.pulls, strict=True):
            found = call_watched(winners, self._prior, self._observe(before), index, self._points, start, end)
            self.n_cuts += found.left.size - 1
            self.n_proved += found.n_proved
            self.unproved += found.unproved
            for edge, arm in zip(found.left.tolist(), found.arm.tolist(), strict=True):
                after = tuple(sorted((*before, arm)))
                if not new_pulls or new_pulls[-1] != after:
                    new_left.append(edge)
                    new_pulls.append(after)
        self.left, self.pulls = new_left, new_pulls

    def counts(self) -> NDArray[np.int64]:
        """How often each piece has pulled each point: (pieces, n)."""
        return np.array([np.bincount(each, minlength=self._sums.shape[0]) for each in self.pulls])

    def _observe(self, pulls: Pulls) -> Observed:
        """What these pulls show."""
        places, counts = np.unique(np.array(pulls, dtype=np.int64), return_counts=True)
        sums = self._sums[places, counts].tolist()
        averages = [divide(high, low, float(count), 0.0) for (high, low), count in zip(sums, counts, strict=True)]
        parts = np.array(averages).reshape(-1, 2)
        return Observed(places, counts.astype(np.float64), parts[:, 0].copy(), parts[:, 1].copy())


def sweep_points(task: PointTask, horizons: Sequence[int], asked: Sequence[Asked], low: float, high: float) -> Losses:
    """The loss after each of the increasing horizons for every value in [low, high]; asked holds each round's index."""
    sweep = PointSweep(task.prior, task.sums, low, high)
    lefts: list[Floats] = []
    values: list[Floats] = []
    for t, index in enumerate(asked, start=1):
        sweep.advance(index)
        tell_done(t, len(asked))
        if t in horizons:
            lefts.append(np.array(sweep.left))
            values.append(np.array([loss_of_counts(counts, task.tables) for counts in sweep.counts()]))
    return Losses(lefts, values, sweep.n_cuts, sweep.n_proved, sweep.unproved)


def list_indices(n_points: int, rounds: int, parameter: str, fixed: Mapping[str, Any]) -> list[Asked]:
    """The index of each round, as a sweep over the parameter asks for it."""
    t = np.arange(1, rounds + 1)
    if parameter == "noise":
        free, noise, factors = NOISE, 1.0, widths(fixed["beta"], n_points, fixed["delta"], t)
    else:
        free, noise, factors = BONUS, fixed["noise"], schedule(n_points, fixed["delta"], t)
    return [Asked(free, noise, width, fixed["bonus"] == VARIANCE) for width in factors.tolist()]


class LazyPoints:
    """The runs of [low, high]; of the task's rewards only their number counts, and asked holds each round's index."""

    def __init__(
        self, task: PointTask, asked: Sequence[Asked], low: float, high: float, center: float, scale: float
    ) -> None:
        self._sums = np.zeros_like(task.sums)
        self._sweep = PointSweep(task.prior, self._sums, low, high)
        self._asked = iter(asked)
        self._center, self._scale = center, scale
        self._known = np.zeros(self._sums.shape[0], np.int64)

    def advance(self) -> NDArray[np.int64]:
        """Play the next round in all runs; return the most pulls of each point in any of them: (n,)."""
        self._sweep.advance(next(self._asked))
        most: NDArray[np.int64] = self._sweep.counts().max(axis=0)
        return most

    def check_reward(self, reward: object, what: str) -> float:
        """A reward that can be computed with, also in the units that the policy sees."""
        number = finite_number(what, reward)
        convert_rewards(number, self._center, self._scale, f"{what}, as the policy sees it,")
        return number

    def learn(self, arm: int, reward: float) -> None:
        """Take the next reward of a point."""
        before = self._sums[arm, self._known[arm]]
        self._known[arm] += 1
        seen = float(convert_rewards(reward, self._center, self._scale, "reward"))
        self._sums[arm, self._known[arm]] = add(before[0], before[1], seen, 0.0)


def lazy_points(
    batch: list[PointTask], horizon: int, parameter: str, low: float, high: float, fixed: Mapping[str, Any]
) -> LazyPoints:
    """The runs for every noise, or multiple of beta, in [low, high]: see `Policy.lazily`."""
    asked = list_indices(batch[0].rewards.shape[0], horizon, parameter, fixed)
    return LazyPoints(batch[0], asked, low, high, fixed["center"], fixed["scale"])
