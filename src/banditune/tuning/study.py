"""A study: tune, cross-validate, and compare with the values that are usual."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from banditune.checkpoints.folder import Checkpoint
from banditune.curves.curve_set import CurveSet
from banditune.errors import ParameterError
from banditune.evaluation.certificate import loss_limits
from banditune.evaluation.cross_validation import HeldOutLosses, cross_validate, losses_with
from banditune.evaluation.folds import N_FOLDS, assign_folds
from banditune.evaluation.guarantees import check_guarantee, guarantee
from banditune.interruption import Threads
from banditune.policies.grid import put_on_grid
from banditune.policies.losses import choose_loss
from banditune.policies.updates import UPDATES
from banditune.tasks.archive import facts_of
from banditune.tasks.base import reject_tables
from banditune.tasks.costs import subtract_costs
from banditune.tasks.scan import find_reward_limits
from banditune.tasks.units import Units
from banditune.tuning.coordinate_descent import tune_alternately
from banditune.tuning.families import ALL, Family, Progress, study_families
from banditune.tuning.held_out_baselines import Baselines, Current
from banditune.tuning.parallel_sweep import Resources, sweep_tasks
from banditune.tuning.priors.cross_fitting import hold_out, tune_with_prior
from banditune.tuning.priors.fitted_prior import ALONE
from banditune.tuning.priors.joint import tune_jointly
from banditune.tuning.question import Question
from banditune.tuning.racing import check_racing
from banditune.tuning.results.study_result import Study
from banditune.tuning.rollout import measure_rollout
from banditune.tuning.search import Search
from banditune.tuning.tune import tune_singly
from banditune.validation import one_of, whole_number


def study(
    policy: type[Any] | Literal["all"],
    tasks: Iterable[Any],
    *,
    horizon: int | None = None,
    current: Mapping[str, object] | None = None,
    loss: str = "regret",
    rollout: int | None = None,
    recommend: str | None = None,
    tail: float | None = None,
    costs: object = None,
    folds: int = N_FOLDS,
    seed: int = 0,
    extend: bool = True,
    draws: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    racing: bool | None = None,
    certify: float | None = None,
    bound: object = None,
    grid: Mapping[str, Iterable[object]] | None = None,
    **parameters: object,
) -> Study:
    """Tune a policy on past tasks, and judge what was learned on held-out tasks.

    Parameters
    ----------
    policy : type or "all"
        A policy class such as `bt.UCB`. With "all", every policy that chooses by rewards alone is tuned on the same
        tasks and folds; the study is that of the simplest of those that lose least, and `.families` has all of them.
    tasks : iterable
        The past tasks, as for `bt.tune`.
    horizon : int, optional
        Rounds of a run; by default what fits the tasks.
    current : mapping, optional
        The parameters used today, such as {"alpha": 1.0}: one of the baselines on held-out tasks.
    loss, rollout, recommend, tail, costs
        What to keep low: as for `bt.tune`.
    folds : int
        Parts of the tasks in cross-validation; with 1 there is none.
    seed, extend, draws, executor, resume, racing, grid, **parameters
        As for `bt.tune`; with no range, one that fits the rewards is searched.
    certify : float, optional
        Bound the loss on new tasks with probability at least 1 - `certify`, such as 0.05: `.guarantees`. No task is
        raced then.
    bound : float or (low, high), optional
        The largest loss of a run, for `certify`; by default it follows from the limits of the rewards.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    Study
        `.tuned`, `.verdict`, `.held_out`, `.families`, `.guarantees`, and `.report(folder)`.

    Examples
    --------
    >>> import banditune as bt
    >>> tasks = [bt.Task.from_counts([20, 20], [k, 10]) for k in range(20)]
    >>> found = bt.study(bt.UCB, tasks, horizon=50)
    >>> found.verdict.choice, [row.name for row in found.held_out.rows]
    ('learned', ['learned', 'alpha = 1', 'alpha = 2', 'equal split'])
    """
    started = time.perf_counter()
    reject_tables(tasks)
    folds = whole_number("folds", folds, least=1)
    known: Sequence[Any] = tasks if isinstance(tasks, Sequence) else list(tasks)
    if costs is not None:
        known = subtract_costs(known, costs)
    measured = choose_loss(loss, rollout, recommend, tail)
    if isinstance(policy, str):
        one_of("policy", policy, (ALL,))
        own = [name for name in parameters if name != UPDATES.name]
        named = {**dict.fromkeys(own, True), "current": current, "certify": certify, "grid": grid}
        for given in (name for name, value in named.items() if value is not None):
            raise ParameterError(f'policy="all" searches the own range of every policy, so it takes no {given}')
        how: dict[str, Any] = {"horizon": horizon, "loss": loss, "rollout": rollout, "folds": folds, "seed": seed}
        how |= {"extend": extend, "recommend": recommend, "tail": tail, "draws": draws}
        how |= {"executor": executor, "racing": racing}

        def study_one(family: Family, tell: Progress) -> Study:
            return study(family.policy, known, resume=family.within(resume), progress=tell, **how, **family.settings)

        chosen = study_families(known, horizon, parameters, measured, study_one, progress)
        return replace(chosen, tuned=chosen.tuned.note_costs(costs), seconds=time.perf_counter() - started)
    if grid is not None:
        policy = put_on_grid(policy, grid)
    asked = Question.of(policy, parameters, horizon=horizon, loss=measured, seed=seed, extend=extend, draws=draws)
    check_guarantee(asked, certify, bound, racing)
    question = asked.settle(known)
    if certify is not None:
        racing = False
        loss_limits(bound, find_reward_limits(known) if bound is None else None, loss=question.loss, horizon=1)
    baselines = Baselines(None if current is None else Current.of(asked, current))
    with (
        nullcontext() if resume is None else Checkpoint(resume, question.describe()) as checkpoint,
        nullcontext(executor) if executor is not None else Threads() as workers,
    ):
        check_racing(question, racing)
        tell = progress or (lambda what, done, total: None)
        work = _Work(question, known, baselines, folds, racing, workers, tell, checkpoint)
        found = work.study()
        found = replace(found, rollout=measure_rollout(found.tuned, known, workers))
    facts = facts_of(known)
    seconds = time.perf_counter() - started
    if certify is not None:
        found = replace(found, guarantees=guarantee(found.tuned, found.usual, delta=certify, bound=bound))
    tuned = found.tuned.note_costs(costs)
    found = replace(found, tuned=tuned, chose_range=asked.fits_range, chose_horizon=horizon is None)
    return replace(found, account=facts.account, units=Units.of(facts.origin, known), seconds=seconds)


@dataclass(frozen=True, slots=True)
class _Work:
    """What a study works with."""

    question: Question
    tasks: Sequence[Any]
    baselines: Baselines
    folds: int
    racing: bool | None
    executor: Executor
    progress: Progress
    checkpoint: Checkpoint | None

    def study(self) -> Study:
        """Search in the way that the question asks for."""
        if self.question.fits_prior:
            return self.study_with_prior()
        return self.study_separately() if self.question.is_single else self.study_together()

    def study_with_prior(self) -> Study:
        """Fit a Gaussian prior; what was learned of a task's fold without it stands for the task, here and in folds."""
        resources = self._count("Fitting priors and sweeping past tasks")
        found = tune_with_prior(self.question, self.tasks, resources)
        chosen, n_folds = found.candidates[0], min(self.folds, len(found.tasks))
        held_out = None
        if n_folds > 1:
            fold = assign_folds(len(found.tasks), n_folds, self.question.seed)
            learned, thetas = hold_out(found.candidates, fold)
            alone, _ = hold_out(found.without_prior, fold)
            values = () if self.baselines.single is None else (self.baselines.single.value,)
            usual = {value: self._losses_with(chosen.search, chosen.curves, found.tasks, value) for value in values}
            held_out = HeldOutLosses(n_folds, fold, np.array(thetas), learned, usual, chosen.search.parameter)
            held_out = self._add_baselines(held_out, chosen.search)
            held_out = replace(held_out, others={ALONE: alone, **held_out.others})
        low, high = chosen.search.low, chosen.search.high
        within = (value for value in self.baselines.list_values(chosen.search) if low <= value <= high)
        usual = {value: chosen.curves.at(value) for value in within}
        return Study(found.tuned, chosen.curves, found.tasks, held_out, usual, chose_range=False, seconds=0.0)

    def study_separately(self) -> Study:
        """Search one parameter; of several values of others, the best is chosen, in each fold anew."""
        resources = self._count("Sweeping past tasks")
        found = tune_singly(self.question, self.tasks, self.racing, resources, tell=self.progress)
        tuned, searches, best, is_raced = found.tuned, found.searches, found.best, found.tuned.racing is not None
        curve_sets = [search.loss.gather(each.losses[0]) for search, each in zip(searches, found.swept, strict=True)]
        values = self.baselines.list_values(searches[0])
        each = list(zip(searches, curve_sets, strict=True))
        losses = {value: [self._losses_with(*one, self.tasks, value) for one in each] for value in values}
        held_out = cross_validate(
            searches,
            curve_sets,
            losses,
            n_folds=self.folds,
            smooth=not is_raced,
            progress=lambda done: self.progress("Cross-validating", done, self.folds),
        )
        if held_out is not None:
            held_out = self._add_baselines(held_out, searches[best]).weigh(self.question.loss)
        if held_out is not None and not is_raced:
            tuned = tuned.smooth()
        usual = {value: each[best] for value, each in losses.items()}
        return Study(tuned, curve_sets[best], self.tasks, held_out, usual, chose_range=False, seconds=0.0)

    def study_together(self) -> Study:
        """Search prior means or several parameters; usual values of the first are run with the others as found."""
        question = self.question
        if question.wants_priors:
            resources = self._count("Searching priors (Ctrl-C: take the best so far)")
            tuned = tune_jointly(question, self.tasks, resources)
            alone = question.search_alone()
        else:
            resources = self._count("Searching one parameter after the other")
            tuned = tune_alternately(question, self.tasks, resources)
            alone = question.search_with(tuned.params)
        rest = {name: value for name, value in tuned.params.items() if name != alone.parameter}
        final = replace(alone, fixed={**alone.fixed, **rest})
        (swept,) = sweep_tasks([final], self.tasks, replace(resources, progress=None))
        (curves,) = swept.losses
        values = self.baselines.list_values(final)
        usual = {value: self._losses_with(final, curves, self.tasks, value) for value in values}
        return Study(tuned, curves, self.tasks, None, usual, chose_range=False, seconds=0.0)

    def _add_baselines(self, held_out: HeldOutLosses, search: Search) -> HeldOutLosses:
        """Add equal split, and what is used today, to a comparison with fixed values."""
        others, current = self.baselines.list_others(search, self.tasks), self.baselines.name_current(search)
        return replace(held_out, others=others, current=current)

    def _losses_with(self, search: Search, curves: CurveSet, tasks: Sequence[Any], value: float) -> NDArray[np.float64]:
        """Return what each task loses with one value, which may lie beyond the range: (tasks,)."""
        self.progress(f"Running {search.parameter} = {value:g}", 0, len(tasks))
        return losses_with(search, curves, tasks, value, Resources(self.executor, checkpoint=self.checkpoint))

    def _count(self, what: str) -> Resources:
        """Return what to sweep with that tells under this name how many tasks are done."""
        return Resources(self.executor, lambda done: self.progress(what, done, len(self.tasks)), self.checkpoint)
