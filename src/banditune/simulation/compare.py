"""Policies tuned on some tasks and run on the others, beside each other and every baseline."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError, TaskError
from banditune.evaluation.folds import N_FOLDS, assign_folds
from banditune.interruption import Threads
from banditune.policies.base import Policy
from banditune.policies.batches import of_kind
from banditune.policies.comparison_entries import Entry, list_entries, start_policy
from banditune.policies.losses import Loss, choose_loss
from banditune.policies.settings import check_parameters
from banditune.policies.updates import UPDATES, Updates
from banditune.simulation.comparison_result import Comparison, Played, Searched, rank_policies
from banditune.simulation.simulate import log_rounds, simulate
from banditune.tasks.archive import facts_of
from banditune.tasks.draws import draw_streams, number_twins
from banditune.tasks.task import Task
from banditune.tasks.units import Units
from banditune.tuning.equal_split import EQUAL_SPLIT, count_equally, recommend_of
from banditune.tuning.families import count_needs, list_families, name_variant
from banditune.tuning.parallel_sweep import iterate_tasks
from banditune.tuning.priors.line_search import PriorFindings
from banditune.tuning.question import Question, choose_horizon
from banditune.tuning.study import study
from banditune.tuning.tune import tune
from banditune.validation import LONGEST_GAME, format_value, whole_number

KNOWLEDGE = "past tasks"

Progress = Callable[[str, int, int], None]  # what is being done, how much is done, and of how much
Learner = type[Policy[Any]] | tuple[type[Policy[Any]], Mapping[str, Any]]  # a policy, and how it is tuned


@dataclass(frozen=True, slots=True)
class Contest:
    """Where all runs take place."""

    tasks: list[Task]
    horizon: int
    repetitions: int
    fold: NDArray[np.int64]  # (tasks,) the fold of each task
    seed: int
    loss: Loss
    executor: Executor
    tell: Progress

    def learn(
        self, policy: type[Policy[Any]], parameters: Mapping[str, Any]
    ) -> tuple[str, Searched, list[dict[str, Any]]]:
        """Tune a policy without each of the folds; return its name then, what was searched, its parameters for each."""
        asked = Question.of(policy, parameters, horizon=self.horizon, loss=self.loss, seed=self.seed, extend=True)
        question = asked.settle(self.tasks)  # all folds search the same range
        searched = " and ".join([question.parameter] + ["priors"] * (question.wants_priors or question.fits_prior))
        variant = name_variant(policy, parameters)
        name = f"{policy.__name__}{f' ({variant})' if variant else ''}, {searched} learned"
        n_folds = int(self.fold.max()) + 1
        how: dict[str, Any] = {"horizon": self.horizon, "seed": self.seed, "executor": self.executor}
        how |= {"loss": self.loss.name, **self.loss.to_json()}
        how |= question.parameters
        searches = question.searches() if question.is_single else []
        if len(searches) == 1 and not searches[0].needs_tasks:  # one sweep serves all folds
            progress = partial(self._tell_stage, policy.__name__)
            held_out = study(policy, self.tasks, folds=n_folds, progress=progress, **how).held_out
            assert held_out is not None  # as there are two tasks
            assert (held_out.fold == self.fold).all()  # nobody runs on what it learned from
            fixed = {name: value for name, value in searches[0].fixed.items() if name in question.parameters}
            as_run = searches[0].free_parameter.as_run
            values = [{**fixed, question.parameter: as_run(float(value))} for value in held_out.values]
            return name, Searched(policy, question.parameter), values
        found = []
        for k in range(n_folds):
            past = [task for task, own in zip(self.tasks, self.fold, strict=True) if own != k]
            tuned = tune(policy, past, **how)
            if (priors := tuned.find(PriorFindings)) is not None and not priors.finished:
                raise KeyboardInterrupt  # which gave the best so far of this fold alone
            found.append(dict(tuned.params))
            self.tell(f"learning {searched}", k + 1, n_folds)
        return name, Searched(policy, question.parameter), found

    def run(self, name: str, searched: Searched, params: Sequence[Mapping[str, Any]]) -> Played:
        """Return the runs of a policy on each task, with the parameters learned without the task's fold."""
        policy = searched.policy
        learned = [policy.for_arms(params[own], task.arms) for task, own in zip(self.tasks, self.fold, strict=True)]
        starts = tuple(partial(start_policy, policy, settings) for settings in learned)
        (played,) = self._simulate([Entry(name, starts, KNOWLEDGE)], name)
        return played

    def run_baselines(self, entries: Sequence[Entry]) -> list[Played]:
        """Return the runs of all baselines."""
        return self._simulate(entries, "the baselines") if entries else []

    def split_equally(self) -> Played:
        """Return what is expected of giving every arm the same share of the rounds, as most A/B tests do."""
        rounds = log_rounds(self.horizon)
        lost = np.array([[task.split_loss(int(t), "regret") for t in rounds] for task in self.tasks], np.float64)
        if self.loss.later:
            lost = self.loss.gaps * lost + self.loss.later * np.array([self._lose_after(task) for task in self.tasks])
        return Played(EQUAL_SPLIT, "nothing", lost[:, None, :], 0.0)

    def _lose_after(self, task: Task) -> NDArray[np.float64]:
        """Return what a round of the arm costs that an equal split recommends after each of the rounds: (rounds,)."""
        streams, gaps = draw_streams([task], self.horizon, self.seed), task.means.max() - task.means
        counts = (count_equally(task.n_arms, int(t)) for t in log_rounds(self.horizon))
        return np.array([gaps[recommend_of(streams, pulls)] for pulls in counts])

    def _simulate(self, entries: Sequence[Entry], named: str) -> list[Played]:
        """Run all entries on all tasks."""
        n_runs = len(entries) * len(self.tasks) * self.repetitions
        played = simulate(
            entries,
            self.tasks,
            horizon=self.horizon,
            repetitions=self.repetitions,
            seed=self.seed,
            loss=self.loss,
            executor=self.executor,
            progress=lambda done: self.tell(f"simulating {named}", done, n_runs),
        )
        return [
            Played(each.name, each.knowledge, played.regret[place], float(played.seconds[place]))
            for place, each in enumerate(entries)
        ]

    def _tell_stage(self, name: str, stage: str, done: float, total: int) -> None:
        self.tell(f"{name}: {stage[0].lower()}{stage[1:]}", int(done), total)


def compare(
    tasks: Iterable[Task],
    policies: Sequence[Learner] | None = None,
    *,
    horizon: int | None = None,
    baselines: Sequence[Entry] | None = None,
    repetitions: int = 1,
    folds: int = N_FOLDS,
    seed: int = 0,
    loss: str = "regret",
    rollout: int | None = None,
    recommend: str | None = None,
    updates: Updates | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare tuned policies with each other and with baselines, on tasks they were not tuned on.

    By cross-validation: on each fold, a policy runs with what was learned from the other folds, and all policies get
    the same rewards.

    Parameters
    ----------
    tasks : iterable of Task
        Two or more past tasks.
    policies : sequence, optional
        What to tune: policy classes, or pairs of one and its parameters as in `bt.tune`, such as
        `(bt.GaussianUCB, {"prior": "full"})`. By default every registered policy that needs no more than rewards,
        and where arms recur the one with priors. The first is the reference that others are held against.
    horizon : int, optional
        Rounds of a run; by default what fits the tasks.
    baselines : sequence of Entry, optional
        What to compare with; by default all of `banditune.baselines`, given bounds and spread of the rewards of all
        tasks, and equal split: every arm gets the same share of the rounds.
    repetitions : int, default 1
        Runs of each policy on each task.
    folds : int, default 10
        Parts of the tasks in cross-validation.
    seed : int, default 0
        The random seed.
    loss, rollout, recommend
        What is compared, and tuned for: "regret", "simple" or "rollout" as in `bt.tune`. The arm is recommended by what
        a run has seen, whatever the policy.
    updates : Batches, Delay or Updates, optional
        When rewards become known, to all policies alike; baselines that learn after every reward are left out then.
    executor, progress : optional
        As in `bt.study`.

    Returns
    -------
    Comparison
        `.best`, `.table` and `.plot()`.

    Examples
    --------
    >>> import banditune as bt
    >>> from banditune.baselines import UCB1, entry
    >>> compared = bt.compare(bt.problems.bernoulli(3).sample(20, 100), [bt.UCB], baselines=[entry(UCB1)])
    >>> [row["name"] for row in compared.table]
    ['UCB, alpha learned', 'UCB1']
    """
    known: list[Task] = list(of_kind(iterate_tasks(tasks), Task))
    if len(known) < 2:
        raise TaskError(f"tasks must be at least two, for cross-validation; got {len(known)}")
    units = Units.of(facts_of(tasks).origin, known)
    shared = {} if updates is None else {UPDATES.name: UPDATES.value(updates)}
    measured = choose_loss(loss, rollout, recommend)
    if policies is None:
        chosen = list_learners(known, horizon, shared, measured)
    else:
        chosen = _check_list("policies", policies, "[bt.UCB, bt.MOSS]")
    others = (
        list_entries(known, updates) if baselines is None else _check_list("baselines", baselines, "[entry(bt.UCB)]")
    )
    learners = [(policy, {**shared, **given}) for policy, given in map(check_learner, chosen)]
    if not learners:
        raise ParameterError("policies must hold at least one policy to tune, got none")
    if not measured.is_lost:
        raise ParameterError(f'loss must be "regret", "simple" or "rollout" in a comparison, got "{measured.name}"')
    repetitions = whole_number("repetitions", repetitions, least=1)
    n_folds = min(whole_number("folds", folds, least=2), len(known))
    rounds = choose_horizon(learners[0][0], known) if horizon is None else horizon
    rounds = whole_number("horizon", rounds, least=1, most=LONGEST_GAME)
    with nullcontext(executor) if executor is not None else Threads() as workers:
        known = list(number_twins(known, rounds))
        tell = progress or (lambda what, done, total: None)
        fold = assign_folds(len(known), n_folds, seed)
        contest = Contest(known, rounds, repetitions, fold, seed, measured, workers, tell)
        began = time.perf_counter()
        learned = [contest.learn(*learner) for learner in learners]
        learning_seconds = time.perf_counter() - began
        runs = [contest.run(*each) for each in learned]
        runs += contest.run_baselines(others)
        runs += [contest.split_equally()] if baselines is None else []
    stands = rank_policies(runs)
    needs = {name: count_needs(searched.policy, params[0]) for name, searched, params in learned}
    level = [each.name for each in stands if each.is_level]
    return Comparison(
        reference=runs[0].name,
        standings=stands,
        losses={played.name: played.losses for played in runs},
        rounds=log_rounds(rounds),
        curves={played.name: played.regret.mean(axis=(0, 1)) for played in runs},
        fold=fold,
        learned={name: params for name, _, params in learned},
        searched={name: searched for name, searched, _ in learned},
        learning_seconds=learning_seconds,
        horizon=rounds,
        repetitions=repetitions,
        seed=seed,
        loss=measured,
        units=units,
        simplest=min((name for name in needs if name in level), key=lambda name: needs[name], default=None),
    )


def list_learners(
    tasks: Sequence[Task], horizon: int | None, shared: Mapping[str, Any], loss: Loss
) -> list[tuple[type[Policy[Any]], Mapping[str, Any]]]:
    """List what is tuned where nothing is named: every family that fits the tasks, and does not take minutes."""
    return [(family.policy, family.settings) for family in list_families(tasks, horizon, shared, loss)[0]]


def _check_list(name: str, given: object, example: str) -> list[Any]:
    """Return what is given in a list; anything else is rejected."""
    if isinstance(given, str | type) or not isinstance(given, Iterable):
        raise ParameterError(f"{name} must be a list such as {example}, got {format_value(given)}")
    return list(given)


def check_learner(given: Learner) -> tuple[type[Policy[Any]], Mapping[str, Any]]:
    """Return a policy to tune and its parameters; what cannot be run on rewards alone is rejected."""
    if isinstance(given, tuple) and not (len(given) == 2 and isinstance(given[1], Mapping)):
        example = '(bt.UCB, {"alpha": (0, 4)})'
        raise ParameterError(
            f"a policy with its parameters must be a pair such as {example}, got {format_value(given)}"
        )
    policy, parameters = given if isinstance(given, tuple) else (given, {})
    check_parameters(policy, parameters)
    if not policy.chooses_by_rewards():
        kinds, needs = " or ".join(kind.__name__ for kind in policy.task_types), " and ".join(policy.needs)
        why = f"needs {needs}" if Task in policy.task_types else f"runs on {kinds}"
        raise ParameterError(
            f"a comparison runs policies that choose by rewards alone, such as bt.UCB; {policy.__name__} {why}"
        )
    return policy, parameters
