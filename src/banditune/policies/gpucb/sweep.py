"""The exact loss of GP-UCB on one task for every value of one parameter: the merging sweep, piece by piece."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.interruption import call_watched, tell_done
from banditune.kernels.gp.edges import middle
from banditune.kernels.gp.incremental_posterior import Reference, learn, refer
from banditune.kernels.gp.index import BONUS, NOISE, Asked, noise_at
from banditune.kernels.gp.posterior import Observed, Prior
from banditune.kernels.gp.run import observe_again, reward_of
from banditune.kernels.gp.winners import choose
from banditune.kernels.lines.index import TaskTables, loss_with, recommend_arm
from banditune.kernels.numerics.double_double import add
from banditune.policies.gpucb.batches import PointTask, convert_rewards
from banditune.policies.gpucb.beta import schedule, widths
from banditune.policies.sweeps import Swept
from banditune.validation import finite_number

STD, VARIANCE = "std", "variance"  # what the bonus is a multiple of
Floats = NDArray[np.float64]
ROWS = 16  # observations that a reference may hold besides two of each point
Pulls = tuple[int, ...]  # the points pulled, in their order, each as often as it was


class Doubt(NamedTuple):
    """An interval in which another point may have been chosen, first in round t."""

    low: float
    high: float
    t: int


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """The losses of a sweep after each horizon, and how much of it is proved."""

    left: list[Floats]
    values: list[Floats]
    n_cuts: int
    n_proved: int
    doubts: list[Doubt]


@dataclass(slots=True, eq=False)
class Piece:
    """An interval of the parameter from `left` on, all of whose runs have pulled the same points equally often."""

    left: float
    pulls: Pulls
    observed: Observed  # before the last pull
    reference: Reference | None  # likewise, at a value within the interval
    arm: int  # of the last pull; -1 before the first


class PointSweep:
    """The pieces of [low, high] after some rounds; what pulls show is read from sums (n, T + 1, 2) when needed."""

    def __init__(self, prior: Prior, sums: Floats, low: float, high: float) -> None:
        self._prior, self._sums, self._high = prior, sums, high
        nothing = Observed(np.empty(0, np.int64), np.empty(0), np.empty(0), np.empty(0))
        self._pieces = [Piece(low, (), nothing, None, -1)]
        self.n_cuts = self.n_proved = self._n_rounds = 0
        self.doubts: list[Doubt] = []

    @property
    def left(self) -> list[float]:
        """Where each piece begins."""
        return [piece.left for piece in self._pieces]

    def advance(self, index: Asked) -> None:
        """Play a round with this index: find the choice of every piece, cut it where that changes, merge neighbours."""
        pieces: list[Piece] = []
        self._n_rounds += 1
        for piece, end in zip(self._pieces, [*self.left[1:], self._high], strict=True):
            known = self._learn(piece, index, end)
            found = call_watched(choose, self._prior, piece.observed, index, known, piece.left, end)
            self.n_cuts += found.left.size - 1
            self.n_proved += found.n_proved
            self.doubts += [Doubt(low, high, self._n_rounds) for low, high in found.doubts.tolist()]
            edges = [*found.left.tolist(), end]
            for k, arm in enumerate(found.arm.tolist()):
                after = tuple(sorted((*piece.pulls, arm)))
                holds = index.free == BONUS or edges[k] <= known.value <= edges[k + 1]
                reached = Piece(edges[k], after, piece.observed, known if holds else None, arm)
                if not pieces or pieces[-1].pulls != after:
                    pieces.append(reached)
                elif pieces[-1].reference is None:
                    pieces[-1] = replace(reached, left=pieces[-1].left)
        self._pieces = pieces

    def counts(self) -> NDArray[np.int64]:
        """How often each piece has pulled each point: (pieces, n)."""
        return np.array([np.bincount(each.pulls, minlength=self._sums.shape[0]) for each in self._pieces])

    def losses(self, tables: TaskTables, index: Asked) -> tuple[Floats, Floats]:
        """Where each loss begins that runs have after these rounds, the last by this index, and how large it is.

        Where a point is recommended, the one with the highest posterior mean, pieces are cut where that changes.
        """
        by_mean = tables.after.rounds > 0.0 and not tables.after.by_pulls
        left, values = [], []
        for piece, counts, end in zip(self._pieces, self.counts(), [*self.left[1:], self._high], strict=True):
            if not by_mean:
                arm = recommend_arm(counts, tables.sums, True) if tables.after.rounds > 0.0 else 0
                left.append(piece.left)
                values.append(loss_with(counts, tables, arm))
                continue
            known = self._learn(replace(piece), index, end)
            observed = observe_again(piece.observed, piece.arm, self._sums)
            found = call_watched(choose, self._prior, observed, index._replace(width=0.0), known, piece.left, end)
            self.n_proved += found.n_proved
            self.doubts += [Doubt(low, high, self._n_rounds) for low, high in found.doubts.tolist()]
            left += found.left.tolist()
            values += [loss_with(counts, tables, arm) for arm in found.arm.tolist()]
        return np.array(left), np.array(values)

    def _learn(self, piece: Piece, index: Asked, end: float) -> Reference:
        """Take in what the last pull of a piece showed."""
        arm, known = piece.arm, piece.reference
        if arm >= 0:
            piece.observed = observe_again(piece.observed, arm, self._sums)
        if known is None or known.places.size > 2 * piece.observed.places.size + ROWS:
            value = middle(piece.left, end, index.free)
            return refer(self._prior, piece.observed, value, noise_at(index, value))
        return learn(self._prior, known, arm, reward_of(self._sums, arm, piece.pulls.count(arm)))


def sweep_points(task: PointTask, horizons: Sequence[int], asked: Sequence[Asked], low: float, high: float) -> Losses:
    """The loss after each of the increasing horizons for every value in [low, high]; asked holds each round's index."""
    sweep = PointSweep(task.prior, task.sums, low, high)
    lefts: list[Floats] = []
    values: list[Floats] = []
    for t, index in enumerate(asked, start=1):
        sweep.advance(index)
        tell_done(t, len(asked))
        if t in horizons:
            left, value = sweep.losses(task.tables, index)
            lefts.append(left)
            values.append(value)
    return Losses(lefts, values, sweep.n_cuts, sweep.n_proved, sweep.doubts)


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
        self._center, self._scale, self._means = center, scale, task.prior.means
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
        seen = float(convert_rewards(reward, self._center, self._scale, "reward", self._means[arm]))
        self._sums[arm, self._known[arm]] = add(before[0], before[1], seen, 0.0)


def sweep_tasks(
    batch: list[PointTask],
    horizons: Sequence[int],
    parameter: str,
    low: float,
    high: float,
    fixed: Mapping[str, Any],
) -> Swept:
    """The losses of the tasks of a batch for every noise, or multiple of beta, in a range: see `Policy.sweep`."""
    found = [
        sweep_points(task, horizons, list_indices(task.rewards.shape[0], horizons[-1], parameter, fixed), low, high)
        for task in batch
    ]
    return Swept(
        [
            CurveSet.of_pieces(low, high, [(each.left[k], each.values[k]) for each in found])
            for k in range(len(horizons))
        ],
        np.array([each.n_cuts + 1 for each in found]),
        proved=np.array([each.n_proved for each in found]),
        doubts=[
            CurveSet.of_pieces(
                low,
                high,
                [
                    bound_doubts(low, each.doubts, horizon, largest_step(task), largest_later(task))
                    for each, task in zip(found, batch, strict=True)
                ],
            )
            for horizon in horizons
        ],
    )


def largest_step(task: PointTask) -> float:
    """By how much the loss of two pulls may differ."""
    costs = task.tables.gaps[:, None] - task.tables.earned * task.rewards
    return float(costs.max() - costs.min())


def largest_later(task: PointTask) -> float:
    """By how much what comes after the run may differ."""
    after = task.tables.after
    return after.rounds * float(after.gaps.max()) if after.rounds > 0.0 else 0.0


def bound_doubts(
    low: float, doubts: Sequence[Doubt], horizon: int, step: float, later: float = 0.0
) -> tuple[Floats, Floats]:
    """How far off the loss after the horizon may be, as a step function from `low` on: 0 where nothing is in doubt."""
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
    """The runs for every noise, or multiple of beta, in [low, high]: see `Policy.sweep_lazily`."""
    asked = list_indices(batch[0].rewards.shape[0], horizon, parameter, fixed)
    return LazyPoints(batch[0], asked, low, high, fixed["center"], fixed["scale"])
