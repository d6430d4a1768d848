"""The exact loss of GP-UCB on one task for every value of one parameter: the merging sweep, piece by piece."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.errors import ParameterError
from banditune.interruption import tell_done
from banditune.kernels.gp.index import BONUS, NOISE, Asked
from banditune.kernels.lines.feedback import Feedback, find_shown_round
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.double_double import add
from banditune.policies.gpucb.batches import PointTask, convert_rewards
from banditune.policies.gpucb.beta import schedule, widths
from banditune.policies.gpucb.pieces import Doubt, PointSweep
from banditune.policies.sweep_results import Swept
from banditune.policies.updates import UPDATES
from banditune.validation import finite_number

STD, VARIANCE = "std", "variance"  # what the bonus is a multiple of


def sweep_points(
    task: PointTask, horizons: Sequence[int], asked: Sequence[Asked], low: float, high: float
) -> tuple[list[tuple[Floats, Floats]], int, int, list[Doubt]]:
    """Return the loss after each increasing horizon for values in [low, high]; asked holds each round's index.

    Also the number of histories, of how many intervals the choice is proved, and those of which it is not.
    """
    sweep, losses = PointSweep(task.prior, task.sums, low, high, task.feedback), []
    for t, index in enumerate(asked, start=1):
        sweep.advance(index)
        tell_done(t, len(asked))
        if t in horizons:
            losses.append(sweep.losses(task.tables, index))
    return losses, sweep.n_cuts + 1, sweep.n_proved, sweep.doubts


def list_rounds(feedback: Feedback, rounds: int) -> NDArray[np.int64]:
    """Return the rounds as the bonus sees them: (T,)."""
    return np.array([find_shown_round(feedback, t) for t in range(1, rounds + 1)])


def list_indices(task: PointTask, rounds: int, parameter: str, fixed: Mapping[str, Any]) -> list[Asked]:
    """Return the index of each round, as a sweep over the parameter asks for it."""
    n_points, t = task.rewards.shape[0], list_rounds(task.feedback, rounds)
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
        self._center, self._scale, self._means = center, scale, task.prior.means
        self._known = np.zeros(self._sums.shape[0], np.int64)

    def advance(self) -> NDArray[np.int64]:
        """Play the next round in all runs; return the most pulls of each point in any of them: (n,)."""
        self._sweep.advance(next(self._asked))
        most: NDArray[np.int64] = self._sweep.counts().max(axis=0)
        return most

    def check_reward(self, reward: object, what: str) -> float:
        """Return a reward that can be computed with, also in the units that the policy sees."""
        number = finite_number(what, reward)
        convert_rewards(number, self._center, self._scale, f"{what}, as the policy sees it,")
        return number

    def learn(self, arm: int, reward: float) -> None:
        """Take the next reward of a point."""
        before = self._sums[arm, self._known[arm]]
        self._known[arm] += 1
        seen = float(convert_rewards(reward, self._center, self._scale, "reward", self._means[arm]))
        self._sums[arm, self._known[arm]] = add(before[0], before[1], seen, 0.0)


def sweep_tasks(
    batch: list[PointTask], horizons: Sequence[int], parameter: str, low: float, high: float, fixed: Mapping[str, Any]
) -> Swept:
    """Return the losses of tasks for every noise, or multiple of beta, in a range: see `Policy.sweep`."""
    found = (
        sweep_points(task, horizons, list_indices(task, horizons[-1], parameter, fixed), low, high) for task in batch
    )
    losses, histories, proved, doubts = zip(*found, strict=True)
    errors = [
        [bound_doubts(low, each, horizon, task) for each, task in zip(doubts, batch, strict=True)]
        for horizon in horizons
    ]
    return Swept(
        [CurveSet.of_pieces(low, high, each) for each in zip(*losses, strict=True)],
        np.array(histories),
        proved=np.array(proved),
        doubts=[CurveSet.of_pieces(low, high, each) for each in errors],
    )


def bound_doubts(low: float, doubts: Sequence[Doubt], horizon: int, task: PointTask) -> tuple[Floats, Floats]:
    """Bound the error of the loss after the horizon, as a step function from `low` on: 0 where nothing is in doubt."""
    costs, after = task.tables.gaps[:, None] - task.tables.earned * task.rewards, task.tables.after
    step, later = float(costs.max() - costs.min()), after.rounds * float(after.gaps.max(initial=0.0))
    left = np.unique([low, *(end for each in doubts for end in each[:2])])
    values = np.zeros(left.size)
    for each in doubts:
        here = (each.low <= left) & (left < each.high)
        rounds = max(horizon - each.t + 1, 0)
        values[here] = np.maximum(values[here], step * rounds + (later if rounds else 0.0))
    return left, values


def lazy_points(
    batch: list[PointTask], horizon: int, parameter: str, low: float, high: float, fixed: Mapping[str, Any]
) -> LazyPoints:
    """Return the runs for every noise, or multiple of beta, in [low, high]: see `Policy.sweep_lazily`."""
    if fixed.get(UPDATES.name) is not None:
        raise ParameterError("rewards are collected one after the other: updates cannot be given")
    asked = list_indices(batch[0], horizon, parameter, fixed)
    return LazyPoints(batch[0], asked, low, high, fixed["center"], fixed["scale"])
