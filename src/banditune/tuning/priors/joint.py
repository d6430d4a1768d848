"""Tuning alpha together with the arms' prior means, and guarding against overfitting.

Priors are as many numbers as there are arms: with few tasks, the best on them need not be good on others. So three
ways to learn are compared on held-out tasks: alpha alone, the arms' shrunk means as priors, and the
priors and alpha that lose least. The one that does best there is taken, and learned from all tasks.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.checkpoints.folder import Checkpoint
from banditune.curves.step_function import Interval
from banditune.evaluation.folds import FEW_FOLDS, assign_folds
from banditune.evaluation.intervals import measure_mean
from banditune.interruption import Threads
from banditune.policies.batches import of_kind
from banditune.policies.ucb.priors import prior_ranges
from banditune.tasks.archive import facts_of
from banditune.tasks.scan import TaskScan
from banditune.tasks.task import Task
from banditune.tuning.parallel_sweep import OWN, Resources, iterate_tasks, sweep_tasks
from banditune.tuning.priors.fitted_prior import ALONE
from banditune.tuning.priors.line_search import Box, Candidate, LearnedPrior, Point, PriorFindings, PriorSearch, Tasks
from banditune.tuning.question import Question
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.search import Search
from banditune.tuning.selection import choose_best

MEANS, JOINT = "priors by the arms' means", "priors and alpha together"


def tune_jointly(question: Question, tasks: Iterable[Any], resources: Resources = OWN) -> Tuned:
    """Search prior means and a weight together with the parameter that is searched alone otherwise."""
    alone = question.search_alone()
    means, weights = prior_ranges(question.policy.parameters, question.priors)
    listed = list(of_kind(iterate_tasks(tasks), Task))
    without = sweep_tasks([alone], listed, replace(resources, progress=None))
    terms = {"loss": alone.loss, "seed": alone.seed, "extend": alone.extend, "schedule": alone.fixed["schedule"]}
    packed = Tasks.of(listed, alone.horizons[-1], **terms)
    box = Box(means, Interval(math.sqrt(alone.low), math.sqrt(alone.high)))
    with Threads() as threads:  # lines are many and short: they stay on this machine
        search = PriorSearch(packed, box, threads, alone.seed)
        everyone = np.ones(len(listed), bool)
        ways = _Ways(search, weights, resources.checkpoint)
        points = ways.learn("all", everyone)
        held_out, n_folds = _cross_validate(ways, alone, without[0].losses[0], resources.progress)
        (curves,) = without[0].losses
        losses = {ALONE: curves.mean().minimum()} | {name: point.loss for name, point in points.items()}
        candidates = tuple(Candidate(name, losses[name], *measure_mean(each)) for name, each in held_out.items())
        no_worse = [each for each in candidates if each.loss <= losses[ALONE]]
        chosen = min(no_worse, key=lambda each: each.loss if math.isnan(each.held_out) else each.held_out).name
        arms = () if chosen == ALONE else _describe_priors(search, points[chosen])
        found = PriorFindings(candidates, chosen, arms, n_folds, search.n_lines, finished=not search.interrupted)
    origin = facts_of(tasks).origin
    noted = TaskScan.of(listed)
    if chosen == ALONE:
        return replace(choose_best([alone], without, noted, origin=origin).add(found), curves=None)
    point = points[chosen]
    settings = {"prior_means": dict(zip(packed.arms, point.means.tolist(), strict=True)), "prior_weight": point.weight}
    final = replace(alone, fixed={**alone.fixed, **settings}, knows_tasks=True)
    swept = sweep_tasks([final], listed, replace(resources, progress=None))
    return choose_best([final], swept, noted, origin=origin).add(found)


class _Ways:
    """The ways to learn priors from some tasks; what one has found is kept."""

    def __init__(self, search: PriorSearch, weights: list[float], checkpoint: Checkpoint | None) -> None:
        self.search, self._weights, self._checkpoint = search, weights, checkpoint

    def learn(self, name: str, members: NDArray[np.bool_]) -> dict[str, Point]:
        """Find the point of each way on some tasks, which have a name."""
        found = {}
        for way, learn in ((MEANS, self.search.learn_means), (JOINT, self.search.joint)):
            kept_as = f"priors-{name}-{'means' if way == MEANS else 'joint'}"
            known = None if self._checkpoint is None else self._checkpoint.read(kept_as, _read_point)
            if known is not None:
                found[way], n_lines = known
                self.search.n_lines += n_lines
                continue
            before = self.search.n_lines
            found[way] = learn(members, self._weights)
            if self._checkpoint is not None and not self.search.interrupted:
                self._checkpoint.write(kept_as, asdict(found[way]) | {"n_lines": self.search.n_lines - before})
        return found


def _read_point(kept: dict[str, Any]) -> tuple[Point, int]:
    """Return a point as it was kept, and how many lines were searched for it."""
    n_lines = int(kept.pop("n_lines"))
    return Point(**{**kept, "means": np.array(kept["means"])}), n_lines


def _cross_validate(
    ways: _Ways, alone: Search, curves: Any, progress: Callable[[float], None] | None
) -> tuple[dict[str, NDArray[np.float64]], int]:
    """Return what each way loses on held-out tasks, as many folds as there was time for."""
    search = ways.search
    n_tasks = len(search.tasks)
    n_folds = min(FEW_FOLDS, n_tasks)
    fold = assign_folds(n_tasks, n_folds, alone.seed)
    losses: dict[str, list[NDArray[np.float64]]] = {ALONE: [], MEANS: [], JOINT: []}
    n_done = 0
    for k in range(n_folds if n_folds > 1 and not search.interrupted else 0):
        members, held = fold != k, fold == k
        points = ways.learn(f"fold{k}", members)
        if search.interrupted:
            break
        alpha = alone.free_parameter.inside(*curves.mean(members).argmin())
        losses[ALONE].append(curves.at(alpha)[held])
        losses[MEANS].append(search.loss_at(points[MEANS])[held])
        losses[JOINT].append(search.loss_at(points[JOINT])[held])
        n_done += 1
        if progress:
            progress(int(n_tasks * n_done / n_folds))
    return {name: np.concatenate([*each, np.empty(0)]) for name, each in losses.items()}, n_done


def _describe_priors(search: PriorSearch, point: Point) -> tuple[LearnedPrior, ...]:
    """Return what was learned of each arm."""
    observed = search.tasks.observed
    counts = (~np.isnan(observed)).sum(axis=0)
    averages = np.nanmean(observed, axis=0)
    within_one_se = search.find_means_within_one_se(point)
    return tuple(
        LearnedPrior(arm, float(mean), range_, float(average), int(count))
        for arm, mean, range_, average, count in zip(
            search.tasks.arms, point.means, within_one_se, averages, counts, strict=True
        )
    )
