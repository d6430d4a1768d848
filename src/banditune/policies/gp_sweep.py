"""The exact loss of GP-UCB on one task for every value of one parameter: the merging sweep, piece by piece.

Rewards come from one stream a point, so that all that follows depends on the counts of pulls alone. The range is held
as pieces in order, each with the pulls its games share; a round finds the choice of every piece with proof, cuts it
where that changes, and merges neighbours that have come to the same pulls.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.count_state import loss_of_counts
from banditune.kernels.double_double import divide
from banditune.kernels.gp_index import Asked
from banditune.kernels.gp_posterior import Observed
from banditune.kernels.gp_winners import winners
from banditune.policies.point_tasks import PointTask

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


def sweep_points(task: PointTask, horizons: Sequence[int], asked: Sequence[Asked], low: float, high: float) -> Losses:
    """The loss after each of the increasing horizons for every value in [low, high]; asked holds each round's index."""
    left, pulls = [low], [()]  # type: tuple[list[float], list[Pulls]]
    n_cuts = n_proved = 0
    unproved = 0.0
    lefts: list[Floats] = []
    values: list[Floats] = []
    for t, index in enumerate(asked, start=1):
        new_left: list[float] = []
        new_pulls: list[Pulls] = []
        for start, end, before in zip(left, [*left[1:], high], pulls, strict=True):
            found = winners(task.covariances, _observed(task, before), index, start, end)
            n_cuts += found.left.size - 1
            n_proved += found.n_proved
            unproved += found.unproved
            for edge, arm in zip(found.left.tolist(), found.arm.tolist(), strict=True):
                after = tuple(sorted((*before, arm)))
                if not new_pulls or new_pulls[-1] != after:
                    new_left.append(edge)
                    new_pulls.append(after)
        left, pulls = new_left, new_pulls
        if t in horizons:
            lefts.append(np.array(left))
            values.append(np.array([loss_of_counts(_counts(task, each), task.tables) for each in pulls]))
    return Losses(lefts, values, n_cuts, n_proved, unproved)


def _counts(task: PointTask, pulls: Pulls) -> NDArray[np.int64]:
    return np.bincount(pulls, minlength=task.rewards.shape[0])


def _observed(task: PointTask, pulls: Pulls) -> Observed:
    """What these pulls show."""
    places, counts = np.unique(np.array(pulls, dtype=np.int64), return_counts=True)
    sums = task.sums[places, counts]
    averages = [divide(high, low, float(count), 0.0) for (high, low), count in zip(sums.tolist(), counts, strict=True)]
    parts = np.array(averages).reshape(-1, 2)
    return Observed(places, counts.astype(np.float64), parts[:, 0].copy(), parts[:, 1].copy())
