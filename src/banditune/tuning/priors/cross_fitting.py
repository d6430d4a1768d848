"""Tuning a policy together with a Gaussian prior over its arms, by cross-fitting.

A theta that is chosen on the very tasks that the prior was fitted to relies on it too much. So the tasks are divided
into folds; each is swept, exactly over all theta, with a prior that was fitted to the other folds. The structure of the
prior, a factor of its noise and theta are those with the least mean loss there; the prior is then fitted to all tasks.
One candidate expects nothing of arms: alpha alone. Whatever is chosen is never worse than that there, and not worse by
more than one standard error of the difference where noise and theta, too, are chosen on other folds.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.errors import ParameterError
from banditune.evaluation.folds import N_FOLDS, assign_folds
from banditune.evaluation.intervals import measure_mean, standard_error
from banditune.policies.batches import of_kind
from banditune.policies.gaussian.expectation_maximisation import MOST_ARMS, fit_prior
from banditune.policies.gaussian.observations import Observations, observe
from banditune.policies.gaussian.prior import STRUCTURES, GaussianPrior
from banditune.policies.gaussian.settings import AUTO
from banditune.policies.sweep_results import Swept
from banditune.policies.ucb.ucb import UCB
from banditune.tasks.archive import facts_of
from banditune.tasks.scan import TaskScan
from banditune.tasks.task import Task
from banditune.tuning.draw_count import settle_draws
from banditune.tuning.parallel_sweep import OWN, Resources, iterate_tasks, sweep_tasks
from banditune.tuning.priors.fitted_prior import ALONE, FittedArm, FittedPrior, FittedStructure
from banditune.tuning.question import Question
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.search import Search
from banditune.tuning.selection import choose_best

NOISE_FACTORS = (0.03, 0.1, 0.3, 1.0, 3.0)
Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A structure, a factor of the noise and a schedule, with the cross-fitted curves of all tasks."""

    structure: str  # or `ALONE`, which expects nothing of arms
    factor: float
    search: Search  # with the prior that is fitted to all tasks
    swept: Swept

    @property
    def curves(self) -> CurveSet:
        """The curves of the tasks, each with a prior fitted without it."""
        return self.swept.losses[0]


@dataclass(frozen=True, slots=True, eq=False)
class PriorTuning:
    """What was found, and the curves by which it was chosen."""

    tuned: Tuned
    candidates: list[Candidate]  # the chosen one first
    tasks: list[Any]

    @property
    def without_prior(self) -> list[Candidate]:
        """The candidates that expect nothing of arms."""
        return [each for each in self.candidates if each.structure == ALONE]


def tune_with_prior(question: Question, tasks: Iterable[Any], resources: Resources = OWN) -> PriorTuning:
    """Choose a prior and theta by cross-fitting."""
    origin = facts_of(tasks).origin
    listed = list(of_kind(iterate_tasks(tasks), Task))
    fitting = _Fitting.of(question, listed)
    (pilot,), _ = settle_draws([fitting.make_pilot()], listed, question.draws, resources)
    listed = list(pilot.number_twins(listed))
    fitting = fitting.draw(pilot)
    candidates = fitting.sweep(listed, resources)
    by_name = {
        name: _Choice.of(name, [each for each in candidates if each.structure == name], fitting.fold)
        for name in dict.fromkeys(each.structure for each in candidates)
    }
    alone = by_name[ALONE]
    no_worse = [name for name, each in by_name.items() if each.is_no_worse(than=alone)]
    chosen = min(no_worse, key=lambda name: by_name[name].summary.loss)
    candidate, structure = by_name[chosen].candidate, by_name[chosen].summary
    noted = TaskScan.of(listed)
    tuned = choose_best([candidate.search], [candidate.swept], noted, origin=origin, value=structure.theta)
    found = FittedPrior(
        tuple(each.summary for each in by_name.values()),
        chosen,
        _describe_arms(candidate.search.fixed["prior"], fitting.seen),
        fitting.n_folds,
        fitting.seen.noise,
        alone.summary.theta**2 * alone.candidate.search.fixed["prior"].noise,
    )
    rest = [each for each in candidates if each is not candidate]
    return PriorTuning(replace(tuned.add(found), curves=None), [candidate, *rest], listed)


@dataclass(frozen=True, slots=True, eq=False)
class _Fitting:
    """What is fitted, to what, and how it is judged."""

    seen: Observations
    fold: NDArray[np.int64]  # (tasks,)
    n_folds: int
    structures: tuple[str, ...]
    alone: Search  # that expects nothing of arms: UCB
    searches: list[Search]  # for each schedule, without the prior

    @classmethod
    def of(cls, question: Question, tasks: Sequence[Any]) -> "_Fitting":
        seen, policy = observe(tasks), question.policy
        given = {name: value for name, value in question.parameters.items() if name != "prior"}
        searches = _list_searches(
            question, {"schedule": policy.fitted_schedule} | given, GaussianPrior.flat(seen.noise)
        )
        alpha = UCB.range_for("alpha", UCB.spread(tasks))[1]
        noise = max(alpha, 1e-100) / searches[0].high ** 2  # so that theta's range is alpha's whole range there
        usual = {"schedule": policy.parameters["schedule"].default}
        (alone,) = _list_searches(question, given | usual, GaussianPrior.flat(noise))
        n_folds = min(N_FOLDS, len(tasks))
        structures = _list_structures(question.parameters.get("prior"), seen)
        return cls(seen, assign_folds(len(tasks), n_folds, question.seed), n_folds, structures, alone, searches)

    def draw(self, pilot: Search) -> "_Fitting":
        """Return the same with as many draws as the pilot has."""
        searches = [replace(search, draws=pilot.draws) for search in self.searches]
        return replace(self, searches=searches, alone=replace(self.alone, draws=pilot.draws))

    def make_pilot(self) -> Search:
        """Return a search by which to settle how often is drawn: with the first of the structures."""
        return self._search(self.searches[0], fit_prior(self.seen, self.structures[0]), 1.0)

    def sweep(self, tasks: Sequence[Any], resources: Resources) -> list[Candidate]:
        """Sweep all candidates: first without a prior, then with priors fitted without the fold that is swept."""
        (swept,) = sweep_tasks([self.alone], tasks, replace(resources, progress=None), "alone")
        found = [Candidate(ALONE, 1.0, self.alone, swept)]
        if self.n_folds < 2:
            return found
        kinds = [(structure, factor) for structure in self.structures for factor in NOISE_FACTORS]
        parts: list[list[Swept]] = []
        for k in range(self.n_folds):
            priors = {name: fit_prior(self.seen.take(self.fold != k), name) for name in self.structures}
            searches = [self._search(one, priors[name], factor) for name, factor in kinds for one in self.searches]
            here = [task for task, own in zip(tasks, self.fold, strict=True) if own == k]
            tell = None if resources.progress is None else self._tell(resources.progress, k, len(tasks), len(here))
            parts.append(sweep_tasks(searches, here, replace(resources, progress=tell), f"fold {k}"))
        order = np.argsort(np.argsort(self.fold, kind="stable"), kind="stable")
        priors = {name: fit_prior(self.seen, name) for name in self.structures}
        for number, each in enumerate(zip(*parts, strict=True)):
            (name, factor), one = kinds[number // len(self.searches)], self.searches[number % len(self.searches)]
            search = self._search(one, priors[name], factor)
            found.append(Candidate(name, factor, search, Swept.concatenate(each).take(order)))
        return found

    @staticmethod
    def _search(one: Search, prior: GaussianPrior, factor: float) -> Search:
        return replace(one, fixed={**one.fixed, "prior": prior.scale_noise(factor)}, knows_tasks=True)

    def _tell(self, progress: Progress, k: int, n_tasks: int, n_here: int) -> Progress:
        before = n_tasks * k / self.n_folds
        return lambda done: progress(before + done / n_here * n_tasks / self.n_folds)


def _list_searches(question: Question, given: dict[str, Any], prior: GaussianPrior) -> list[Search]:
    """List the searches of theta with a prior, one for each schedule."""
    searches = replace(question, parameters={**given, "prior": prior}).searches()
    return [replace(search, knows_tasks=True) for search in searches]


def _list_structures(given: Any, seen: Observations) -> tuple[str, ...]:
    """List the structures to compare."""
    if given in (None, AUTO):
        recurs = len(seen.arms) * 2 <= seen.arm.size  # else an arm is seen once, and there is nothing to learn of it
        fits = len(seen.arms) <= MOST_ARMS
        return tuple(name for name in STRUCTURES if name == "exchangeable" or (recurs and (fits or name != "full")))
    words = [given] if isinstance(given, str) else list(given)
    unknown = [word for word in words if word not in STRUCTURES]
    if unknown:
        raise ParameterError(f'prior must be "auto" or one or more of {", ".join(STRUCTURES)}; got {unknown[0]!r}')
    return tuple(words)


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """The noise, the schedule and theta of a structure, and that choice measured on held-out folds."""

    candidate: Candidate
    summary: FittedStructure
    losses: NDArray[np.float64]  # of each task, all being chosen on other folds; empty if there are none

    @classmethod
    def of(cls, name: str, candidates: Sequence[Candidate], fold: NDArray[np.int64]) -> "_Choice":
        chosen, theta = choose_theta(candidates, np.ones(fold.size, bool))
        losses = hold_out(candidates, fold)[0] if fold.max() > 0 else np.empty(0)
        loss = float(chosen.curves.mean()(theta))
        return cls(chosen, FittedStructure(name, chosen.factor, theta, loss, *measure_mean(losses)), losses)

    def is_no_worse(self, than: "_Choice") -> bool:
        """Tell whether it loses no more than another, and not clearly more where it was chosen on other tasks."""
        extra = self.losses - than.losses
        clearly_more = extra.size > 1 and float(extra.mean()) > standard_error(extra)
        return self.summary.loss <= than.summary.loss and not clearly_more


def choose_theta(candidates: Sequence[Candidate], members: NDArray[np.bool_]) -> tuple[Candidate, float]:
    """Choose the candidate that loses least on some tasks, and its theta."""
    least = [each.curves.find_least(members) for each in candidates]
    best = min(range(len(candidates)), key=lambda k: least[k][1])
    return candidates[best], candidates[best].search.free_parameter.inside(*least[best][0])


def hold_out(candidates: Sequence[Candidate], fold: NDArray[np.int64]) -> tuple[NDArray[np.float64], list[float]]:
    """Measure the choice among candidates on held-out folds: the loss of each task, and the theta of each fold."""
    losses, values = np.empty(fold.size), []
    for k in range(int(fold.max()) + 1):
        chosen, value = choose_theta(candidates, fold != k)
        losses[fold == k] = chosen.curves.at(value)[fold == k]
        values.append(value)
    return losses, values


def _describe_arms(prior: GaussianPrior, seen: Observations) -> tuple[FittedArm, ...]:
    """Say what was learned of each arm."""
    observed, counts = np.bincount(seen.arm, seen.mean), np.bincount(seen.arm)
    places = {arm: k for k, arm in enumerate(seen.arms)}
    each = zip(prior.arms, prior.mean, prior.sd, strict=True)
    return tuple(
        FittedArm(
            arm, float(mean), float(sd), float(observed[places[arm]] / counts[places[arm]]), int(counts[places[arm]])
        )
        for arm, mean, sd in each
    )
