"""The exact loss of GP-UCB on one task for every value of one parameter: the merging sweep, piece by piece.

Rewards come from one stream a point, so that all that follows depends on the counts of pulls alone. The range is held
as pieces in order, each with the pulls its games share; a round finds the choice of every piece with proof, cuts it
where that changes, and merges neighbours that have come to the same pulls.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.interruption import call_watched, tell_done
from banditune.kernels.count_state import loss_of_counts
from banditune.kernels.double_double import divide
from banditune.kernels.gp_index import BONUS, NOISE, Asked
from banditune.kernels.gp_posterior import Observed
from banditune.kernels.gp_winners import winners
from banditune.policies.beta import schedule, widths
from banditune.policies.point_tasks import PointTask

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

    def __init__(self, covariances: Floats, sums: Floats, low: float, high: float) -> None:
        self._covariances, self._sums, self._high = covariances, sums, high
        self.left: list[float] = [low]
        self.pulls: list[Pulls] = [()]
        self.n_cuts = self.n_proved = 0
        self.unproved = 0.0

    def advance(self, index: Asked) -> None:
        """Play a round with this index: find the choice of every piece, cut it where that changes, merge neighbours."""
        new_left: list[float] = []
        new_pulls: list[Pulls] = []
        for start, end, before in zip(self.left, [*self.left[1:], self._high], self.pulls, strict=True):
            found = call_watched(winners, self._covariances, self._observed(before), index, start, end)
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

    def _observed(self, pulls: Pulls) -> Observed:
        """What these pulls show."""
        places, counts = np.unique(np.array(pulls, dtype=np.int64), return_counts=True)
        sums = self._sums[places, counts].tolist()
        averages = [divide(high, low, float(count), 0.0) for (high, low), count in zip(sums, counts, strict=True)]
        parts = np.array(averages).reshape(-1, 2)
        return Observed(places, counts.astype(np.float64), parts[:, 0].copy(), parts[:, 1].copy())


def sweep_points(task: PointTask, horizons: Sequence[int], asked: Sequence[Asked], low: float, high: float) -> Losses:
    """The loss after each of the increasing horizons for every value in [low, high]; asked holds each round's index."""
    sweep = PointSweep(task.covariances, task.sums, low, high)
    lefts: list[Floats] = []
    values: list[Floats] = []
    for t, index in enumerate(asked, start=1):
        sweep.advance(index)
        tell_done(t, len(asked))
        if t in horizons:
            lefts.append(np.array(sweep.left))
            values.append(np.array([loss_of_counts(counts, task.tables) for counts in sweep.counts()]))
    return Losses(lefts, values, sweep.n_cuts, sweep.n_proved, sweep.unproved)


def asked_in_rounds(n_points: int, rounds: int, parameter: str, fixed: Mapping[str, Any]) -> list[Asked]:
    """The index of each round, as a sweep over the parameter asks for it."""
    t = np.arange(1, rounds + 1)
    if parameter == "noise":
        free, noise, factors = NOISE, 1.0, widths(fixed["beta"], n_points, fixed["delta"], t)
    else:
        free, noise, factors = BONUS, fixed["noise"], schedule(n_points, fixed["delta"], t)
    return [Asked(free, noise, width, fixed["bonus"] == VARIANCE) for width in factors.tolist()]
