"""Prior means of arms and alpha, searched together by exact lines.

The index of UCB with priors is affine in the prior means m and theta = sqrt(alpha) jointly. So along any line in that
space the loss of a task is a step function that the sweep finds exactly, and its mean over the tasks has a least piece.
The search goes from such least piece to the next: along theta, along each arm's mean, along random directions and along
the last improvement, until none of them helps.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval
from banditune.interruption import Work, call_with_watch
from banditune.kernels.lines.batch import Batch
from banditune.kernels.lines.index import SCHEDULES
from banditune.kernels.lines.sweep import sweep_batch
from banditune.policies.batches import Terms, batch_streams
from banditune.policies.losses import Loss
from banditune.rng import generator
from banditune.tasks.draws import number_twins
from banditune.tuning.results.details import PriorDetail

Floats = NDArray[np.float64]
Members = NDArray[np.bool_]

CHUNK_TASKS = 64
ROUNDS = 20  # over all directions, at most
RANDOM_DIRECTIONS = 10  # in each round
LEAST_GAIN = 1e-9  # of the loss: less is no improvement


@dataclass(frozen=True, slots=True)
class LearnedPrior:
    """What was learned about an arm."""

    arm: Hashable
    mean: float  # its prior mean
    within_one_se: Interval  # outside it, every prior mean loses more than this one by over one standard error
    observed: float  # its mean reward over the tasks
    n_tasks: int  # that have it


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to learn, and how it does."""

    name: str
    loss: float  # the mean loss on the tasks it learned from
    held_out: float  # and on held-out tasks
    error: float  # the standard error of that


@dataclass(frozen=True, slots=True, repr=False)
class PriorFindings(PriorDetail):
    """What a search for priors found: the ways that were compared, and what was learned of each arm."""

    make_candidate = Candidate

    candidates: tuple[Candidate, ...]
    chosen: str
    arms: tuple[LearnedPrior, ...]  # empty if alpha alone does best
    n_folds: int  # that were measured on
    n_lines: int  # how many lines were searched
    finished: bool  # False if it was interrupted

    @classmethod
    def is_saved_as(cls, saved: Mapping[str, Any]) -> bool:
        """Tell whether it wrote what is saved under its name."""
        return "n_lines" in saved

    @staticmethod
    def make_arm(within_one_se: Mapping[str, float], **saved: Any) -> LearnedPrior:
        """Make one of what was saved."""
        return LearnedPrior(within_one_se=Interval(**within_one_se), **saved)


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Priors and theta, with the mean loss there."""

    means: Floats  # (arms,)
    theta: float
    weight: float
    loss: float = math.inf


@dataclass(frozen=True, slots=True, eq=False)
class Tasks:
    """Past tasks, packed once for all lines."""

    arms: tuple[Hashable, ...]  # all there are
    batches: list[Batch]
    ids: list[NDArray[np.int64]]  # of each batch, the arms of its rows by their places in `arms`
    observed: Floats  # (tasks, arms) the mean reward of each arm; nan where a task lacks it
    horizon: int

    @classmethod
    def of(
        cls, tasks: Sequence[Any], horizon: int, *, loss: Loss, seed: int, extend: bool, schedule: str = "log"
    ) -> "Tasks":
        """Return the tasks in batches."""
        tasks = list(number_twins(tasks, horizon))
        chunks = [tasks[first : first + CHUNK_TASKS] for first in range(0, len(tasks), CHUNK_TASKS)]
        batches = [
            batch_streams(chunk, Terms(horizon, loss, seed, extend, {}, k * CHUNK_TASKS))._replace(
                schedule=SCHEDULES.index(schedule)
            )
            for k, chunk in enumerate(chunks)
        ]
        arms = tuple(dict.fromkeys(arm for task in tasks for arm in task.arms))
        place = {arm: k for k, arm in enumerate(arms)}
        ids = [np.array([place[arm] for task in chunk for arm in task.arms]) for chunk in chunks]
        observed = np.full((len(tasks), len(arms)), np.nan)
        for k, task in enumerate(tasks):
            observed[k, [place[arm] for arm in task.arms]] = task.means
        return cls(arms, batches, ids, observed, horizon)

    def __len__(self) -> int:
        return len(self.observed)

    def shrunk_means(self, members: Members) -> Floats:
        """Return arms' mean rewards over some tasks (arms,), each drawn to the mean of all as far as it is unsure.

        A task's mean differs from its arm's by a variance that all arms share; arms differ among themselves by
        another: the estimate is the posterior mean under both, fitted to the tasks (empirical Bayes).
        """
        seen = self.observed[members]
        counts = (~np.isnan(seen)).sum(axis=0)
        sums = np.nansum(seen, axis=0)
        averages = sums / np.maximum(counts, 1)
        grand = sums.sum() / max(counts.sum(), 1)
        known = counts > 0
        within = np.nansum(np.square(seen - averages)) / max(counts.sum() - known.sum(), 1)
        between = max(float(np.var(averages[known])) - within * float(np.mean(1.0 / counts[known])), 0.0)
        trust = between / np.maximum(between + within / np.maximum(counts, 1), 1e-300)
        return np.asarray(np.where(known, grand + trust * (averages - grand), grand))


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """Where the search may go."""

    means: Interval
    theta: Interval

    def reach(self, at: Point, direction: Floats, rise: float) -> tuple[float, float]:
        """Return how far the line from a point reaches backward and forward: x from -a to b."""
        back = ahead = math.inf
        ends = [(mean, slope, self.means) for mean, slope in zip(at.means, direction, strict=True)]
        for value, slope, (low, high) in [*ends, (at.theta, rise, self.theta)]:
            if slope > 0.0:
                back, ahead = min(back, (value - low) / slope), min(ahead, (high - value) / slope)
            elif slope < 0.0:
                back, ahead = min(back, (high - value) / -slope), min(ahead, (value - low) / -slope)
        return max(back, 0.0), max(ahead, 0.0)


class PriorSearch:
    """Exact line searches on past tasks, through an executor."""

    def __init__(self, tasks: Tasks, box: Box, executor: Executor, seed: int) -> None:
        self.tasks, self.box, self.seed = tasks, box, seed
        self.n_lines = 0
        self.interrupted = False
        self._executor = executor

    def curves(
        self, start: Floats, theta: float, direction: Floats, rise: float, weight: float, reach: Interval
    ) -> CurveSet:
        """Each task's loss along the line (start, theta) + x (direction, rise), for x within reach, from 0 on."""
        horizons = np.array([self.tasks.horizon])

        def sweep(batch: Batch, ids: NDArray[np.int64]) -> CurveSet:
            here = batch._replace(priors=start[ids], weight=weight, slopes=direction[ids], start=theta, rise=rise)
            left, values, ends, _ = call_with_watch(sweep_batch, here, horizons, reach.low, reach.high)
            return CurveSet.from_pieces(reach.low, reach.high, left, values, ends.reshape(-1))

        self.n_lines += 1
        with Work() as work:
            return CurveSet.concatenate(work.map(self._executor, sweep, self.tasks.batches, self.tasks.ids))

    def along(self, at: Point, direction: Floats, rise: float, members: Members) -> Point:
        """Return the best point of a line through a point; that point itself if no other is better."""
        if rise < 0.0:
            direction, rise = -direction, -rise
        back, ahead = self.box.reach(at, direction, rise)
        if not 0.0 < back + ahead < math.inf:
            return at
        start, theta = at.means - back * direction, max(at.theta - back * rise, 0.0)
        mean = self.curves(start, theta, direction, rise, at.weight, Interval(0.0, back + ahead)).mean(members)
        low, high = mean.argmin()
        x, loss = 0.5 * (low + high), mean.minimum()
        if loss >= at.loss - LEAST_GAIN * abs(at.loss):
            return at
        means = np.clip(start + x * direction, *self.box.means)
        return Point(means, min(max(theta + x * rise, self.box.theta.low), self.box.theta.high), at.weight, loss)

    def best_theta(self, means: Floats, weight: float, members: Members) -> Point:
        """Return the best theta at given priors."""
        nothing = np.zeros(means.size)
        mean = self.curves(means, 0.0, nothing, 1.0, weight, self.box.theta).mean(members)
        low, high = mean.argmin()
        return Point(means, 0.5 * (low + high), weight, mean.minimum())

    def improve(self, start: Point, members: Members, rounds: int) -> Point:
        """Go on from a point until no direction helps, at most so many rounds, or until interrupted."""
        best = start
        try:
            for number in range(rounds):
                before = best
                for direction, rise in self._directions(best, number):
                    best = self.along(best, direction, rise, members)
                if best is not before:
                    best = self.along(best, best.means - before.means, best.theta - before.theta, members)
                if best.loss >= before.loss - LEAST_GAIN * abs(before.loss):
                    break
        except KeyboardInterrupt:
            self.interrupted = True
        return best

    def _directions(self, at: Point, number: int) -> Iterator[tuple[Floats, float]]:
        rng = generator(self.seed, "directions", number)
        n_arms, spread = at.means.size, self.box.means.width
        yield np.zeros(n_arms), 1.0
        for arm in rng.permutation(n_arms).tolist():
            yield np.eye(n_arms)[arm], 0.0
        for _ in range(RANDOM_DIRECTIONS):
            yield spread * rng.normal(size=n_arms), self.box.theta.width * float(rng.normal())

    def starts(self, members: Members, weight: float) -> list[Point]:
        """Return where to begin: the tasks' shrunk means, and the same mean for all arms."""
        means = np.clip(self.tasks.shrunk_means(members), *self.box.means)
        return [self.best_theta(each, weight, members) for each in (means, np.full(means.size, means.mean()))]

    def learn_means(self, members: Members, weights: Sequence[float]) -> Point:
        """Return priors by the tasks' means, with the best theta and weight."""
        points = [self.starts(members, weight)[0] for weight in weights]
        return min(points, key=lambda point: point.loss)

    def joint(self, members: Members, weights: Sequence[float]) -> Point:
        """Search from several starts, one round from each and on from the best: worse than none of them."""
        starts = (start for weight in weights for start in self.starts(members, weight))
        found = [start if self.interrupted else self.improve(start, members, rounds=1) for start in starts]
        best = min(found, key=lambda point: point.loss)
        return best if self.interrupted else self.improve(best, members, ROUNDS)

    def loss_at(self, point: Point) -> Floats:
        """Return what each task loses at a point. (tasks,)"""
        theta = Interval(point.theta, math.nextafter(point.theta, math.inf))
        nothing = np.zeros(point.means.size)
        return self.curves(point.means, 0.0, nothing, 1.0, point.weight, theta).at(point.theta)

    def find_means_within_one_se(self, point: Point) -> list[Interval]:
        """Return the range of prior means without a clear difference from the learned one, for each arm."""
        found = []
        for arm in range(point.means.size):
            direction = np.eye(point.means.size)[arm]
            back, ahead = self.box.reach(point, direction, 0.0)
            start = replace(point, means=point.means - back * direction)
            curves = self.curves(start.means, point.theta, direction, 0.0, point.weight, Interval(0.0, back + ahead))
            low, high = curves.find_within_one_se(back)
            found.append(Interval(float(start.means[arm] + low), float(start.means[arm] + high)))
        return found
