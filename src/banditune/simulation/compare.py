"""Learn on some tasks, run on the others, beside every baseline."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.baselines.entries import Entry, entry
from banditune.errors import TaskError
from banditune.evaluation.cross_validation import N_FOLDS, cross_validate
from banditune.interruption import Threads
from banditune.policies.batches import of_kind
from banditune.policies.ucb.ucb import UCB
from banditune.simulation.comparison import Comparison, Played, standings
from banditune.simulation.field import field
from banditune.simulation.simulate import Simulation, log_rounds, simulate
from banditune.tasks.task import Task
from banditune.tasks.twins import number_twins
from banditune.tuning.executor import iterate_tasks, n_cores, sweep_tasks
from banditune.tuning.search import Search
from banditune.tuning.tune import tune
from banditune.validation import whole_number

MUCH = 10**5  # arms of all tasks times rounds: beyond, learning priors takes minutes


def arms_recur(tasks: Sequence[Task]) -> bool:
    """Whether arms have names, and most arms of the tasks are in most tasks.

    >>> arms_recur([Task([[1.0], [0.0]], arms=["a", "b"]), Task([[1.0], [0.0]], arms=["a", "b"])])
    True
    """
    seen = Counter(arm for task in tasks for arm in task.arms)
    common = sum(count for count in seen.values() if 2 * count > len(tasks))
    return all(task.given_arms is not None for task in tasks) and 2 * common > sum(seen.values())


def takes_long(tasks: Sequence[Task], rounds: int) -> bool:
    """Whether learning priors on such tasks takes minutes."""
    return sum(task.n_arms for task in tasks) * rounds > MUCH


LEARNED, WITH_PRIORS = "UCB, alpha learned", "UCB, alpha and priors learned"
TOLD = "past tasks"

Progress = Callable[[str, int, int], None]  # what is being done, how much is done, and of how much


@dataclass(frozen=True, slots=True)
class Contest:
    """Where all runs take place."""

    tasks: list[Task]
    horizon: int
    repetitions: int
    seed: int
    executor: Executor
    tell: Progress

    def learned(self, name: str, params: Sequence[Mapping[str, Any]]) -> Played:
        """The runs of UCB with parameters of its own on each task."""
        entries = [entry(UCB, name=name, **each) for each in params]
        regret, seconds = [], 0.0
        for done, (each, task) in enumerate(zip(entries, self.tasks, strict=True)):
            played = self._simulate([each], [task], None)
            regret.append(played.regret[0])
            seconds += float(played.seconds[0])
            self.tell(f"simulating {name}", done + 1, len(entries))
        return Played(name, TOLD, np.concatenate(regret), seconds)

    def baselines(self, entries: Sequence[Entry]) -> list[Played]:
        """The runs of all baselines."""
        if not entries:
            return []
        n_games = len(entries) * len(self.tasks) * self.repetitions
        played = self._simulate(entries, self.tasks, lambda done: self.tell("simulating the baselines", done, n_games))
        return [
            Played(each.name, each.knowledge, played.regret[place], float(played.seconds[place]))
            for place, each in enumerate(entries)
        ]

    def _simulate(
        self, entries: Sequence[Entry], tasks: Sequence[Task], progress: Callable[[int], None] | None
    ) -> Simulation:
        return simulate(
            entries,
            tasks,
            horizon=self.horizon,
            repetitions=self.repetitions,
            seed=self.seed,
            executor=self.executor,
            progress=progress,
        )

    def learn_priors(
        self, fold: NDArray[np.int64], alpha: tuple[float, float], prior_means: tuple[float, float]
    ) -> list[dict[str, Any]]:
        """For each task, alpha and priors learned on the tasks of the other folds."""
        n_folds = int(fold.max()) + 1
        found: list[dict[str, Any]] = []
        for k in range(n_folds):
            past = [task for task, own in zip(self.tasks, fold, strict=True) if own != k]
            tuned = tune(
                UCB,
                past,
                horizon=self.horizon,
                seed=self.seed,
                executor=self.executor,
                alpha=alpha,
                prior_means=prior_means,
            )
            found.append(tuned.params)
            self.tell("learning priors", k + 1, n_folds)
        return [UCB.for_arms(found[own], task.arms) for task, own in zip(self.tasks, fold, strict=True)]


def compare(
    tasks: Iterable[Task],
    *,
    horizon: int,
    alpha: tuple[float, float] | None = None,
    prior_means: tuple[float, float] | None = None,
    entries: Sequence[Entry] | None = None,
    repetitions: int = 1,
    n_folds: int = N_FOLDS,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Learn UCB's alpha on all tasks but those of a fold, play it on those; and play all baselines on the same rewards.

    Without `alpha`, a range that fits the scale of the rewards is searched; with `prior_means`, a range, priors of
    recurring arms are learned as well. `entries` are the baselines; without it, all of `banditune.baselines`, given
    bounds and spread of the rewards of all tasks. `progress` is called with what is being done, how much is done, and
    of how much.

    >>> from banditune.problems import bernoulli
    >>> from banditune.baselines import UCB1
    >>> compared = compare(bernoulli(3).sample(20, 100), horizon=100, entries=[entry(UCB1)])
    >>> [standing.name for standing in compared.standings]
    ['UCB, alpha learned', 'UCB1']
    """
    known: list[Task] = list(of_kind(iterate_tasks(tasks), Task))
    if len(known) < 2:
        raise TaskError(f"tasks must be at least two, for cross-validation; got {len(known)}")
    repetitions = whole_number("repetitions", repetitions, least=1)
    n_folds = whole_number("n_folds", n_folds, least=2)
    limits = UCB.default_range("alpha", known) if alpha is None else alpha
    search = Search.of(UCB, [horizon], {"alpha": limits}, loss="regret", seed=seed, extend=True)
    tell = progress or (lambda what, done, total: None)
    with nullcontext(executor) if executor is not None else Threads(n_cores()) as workers:
        known = list(number_twins(known, search.horizons[-1]))
        contest = Contest(known, horizon, repetitions, seed, workers, tell)
        began = time.perf_counter()
        (swept,) = sweep_tasks([search], known, workers, lambda done: tell("learning alpha", int(done), len(known)))
        held_out = cross_validate([search], swept.losses, {}, n_folds=n_folds)
        assert held_out is not None  # as there are two tasks
        learned: dict[str, list[dict[str, Any]]] = {
            LEARNED: [{"alpha": float(held_out.values[own])} for own in held_out.fold]
        }
        if prior_means is not None:
            learned[WITH_PRIORS] = contest.learn_priors(held_out.fold, limits, prior_means)
        learning_seconds = time.perf_counter() - began
        games = [contest.learned(name, params) for name, params in learned.items()]
        games += contest.baselines(field(known) if entries is None else entries)
    return Comparison(
        reference=LEARNED,
        standings=standings(games, seed),
        losses={played.name: played.losses for played in games},
        rounds=log_rounds(horizon),
        curves={played.name: played.regret.mean(axis=(0, 1)) for played in games},
        fold=held_out.fold,
        alphas=held_out.values,
        learning_seconds=learning_seconds,
        horizon=horizon,
        repetitions=repetitions,
        seed=seed,
    )
