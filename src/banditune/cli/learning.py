"""What `banditune tune` does between reading past tasks and telling what it learned."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.checkpoints.folder import Checkpoint
from banditune.cli.output import progress_bar, say, track
from banditune.cli.past_tasks import PastTasks
from banditune.curves.curve_set import CurveSet
from banditune.errors import ParameterError
from banditune.evaluation.cross_validation import N_FOLDS, HeldOutLosses, cross_validate, losses_with
from banditune.interruption import Threads
from banditune.policies.base import Policy
from banditune.policies.parameters import Parameter
from banditune.policies.ucb.priors import is_range
from banditune.report.guarantees import Promises
from banditune.tasks.scan import TaskScan
from banditune.tuning.alternation import tune_alternately
from banditune.tuning.executor import sweep_tasks
from banditune.tuning.joint import prior_ranges, tune_jointly
from banditune.tuning.question import Search, check_parameters, free_parameters, searchable
from banditune.tuning.result import Tuned
from banditune.tuning.selection import choose_best


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asked for; None where that is to be found out."""

    policy: type[Policy[Any]]
    parameter: str  # that is searched, the first if there are several
    limits: tuple[float, float] | None
    settings: Mapping[str, object]  # further parameters: a value, several to compare, or a range
    horizon: int | None
    loss: str | None
    seed: int
    threads: int

    @classmethod
    def of(cls, policy: type[Policy[Any]], given: Mapping[str, Any], **others: Any) -> "Asked":
        """What was given about a policy's parameters, and the rest as usual."""
        check_parameters(policy, given)
        searched = [name for name, known in policy.parameters.items() if isinstance(known, Parameter)]
        first = next((name for name in searched if name in given), searched[0])
        settings = {**policy.usual_settings} | {name: value for name, value in given.items() if name != first}
        return cls(policy, first, given.get(first), settings, **others)

    def check(self, logs: Sequence[str], columns: Mapping[str, Any]) -> None:
        """Tell mistakes before a log is read, of which these are the columns."""
        contexts, points = columns.get("features") is not None, columns.get("parameters") is not None
        if not self.wants_priors and "prior_weight" in self.settings:
            raise ParameterError("--prior-weight needs --prior-means, the range to learn priors in")
        if self.wants_priors:
            prior_ranges(self.policy, self.settings)
        if not self.alternates:
            self.searches(1, "reward", (0.5, 1.0))
        if contexts and self.loss == "regret":
            raise ParameterError("of a log with features only the reward can be known: leave out --loss, or say reward")
        if self.policy.contextual and not contexts:
            raise ParameterError(
                f"{self.policy.name} chooses by contexts: it needs a LOG, and --features with what the names of its "
                "feature columns begin with"
            )
        if contexts and not self.policy.contextual:
            raise ParameterError(f"{self.policy.name} knows no contexts; --features is for --policy linucb")
        if "points" in self.policy.needs and logs and not points:
            raise ParameterError(
                f"{self.policy.name} chooses among points: name the parameters of a configuration with --parameter"
            )

    def check_certificate(self) -> None:
        """Tell before the work that nothing can be promised: what is learned from all tasks leaves none to judge by."""
        known = self.policy.parameters
        together = ["prior means"] * self.wants_priors + ["several parameters in turn"] * self.alternates
        given: Any
        for name, given in self.settings.items():
            values = known[name].values(given) if known[name].are_several(given) else (given,)
            together += [known[name].describe(value) for value in values if known[name].needs_tasks(value)]
        if together:
            raise ParameterError(
                f"--certify is for one parameter alone: {together[0]} would be learned from all tasks together, which "
                "leaves none to judge by. In Python, tuned.certificate(tasks=...) takes others"
            )

    @property
    def wants_priors(self) -> bool:
        """Whether prior means are to be learned."""
        return is_range(self.settings.get("prior_means"))

    @property
    def alternates(self) -> bool:
        """Whether several parameters are searched in turn."""
        return bool(free_parameters(self.policy, self.settings))

    def parameters(self, limits: tuple[float, float]) -> dict[str, object]:
        """What the search is told, with this range where none was asked for."""
        return {self.parameter: self.limits or limits, **({} if self.wants_priors else self.settings)}

    def loss_on(self, past: PastTasks) -> str:
        """Which loss, with what fits the tasks where nothing was asked for."""
        return self.loss or ("reward" if past.are_logs else "regret")

    def how(self, horizon: int, loss: str) -> dict[str, Any]:
        """How games are played, with these where nothing was asked for."""
        rounds = horizon if self.horizon is None else self.horizon
        return {
            "horizons": [rounds],
            "loss": loss if self.loss is None else self.loss,
            "seed": self.seed,
            "extend": True,
        }

    def searches(self, horizon: int, loss: str, limits: tuple[float, float]) -> list[Search]:
        """The searches to compare, with these where nothing was asked for."""
        return Search.each(self.policy, parameters=self.parameters(limits), **self.how(horizon, loss))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was learned, and what it is compared with."""

    tuned: Tuned
    curves: CurveSet
    unseen: HeldOutLosses | None
    fixed: Mapping[float, NDArray[np.float64]]  # values that people use -> (tasks,) the loss with them
    chose_range: bool
    seconds: float
    promises: Promises | None = None
    known_means: Mapping[float, float] | None = None  # the mean losses with them, where `curves` are not all there are
    redrawn: str = ""  # what is to be known of rewards that were drawn again

    @property
    def defaults(self) -> Mapping[float, float]:
        """Values that people use, and their mean losses."""
        return self.known_means or {value: float(losses.mean()) for value, losses in self.fixed.items()}


def learn(asked: Asked, past: PastTasks, started: float, resume: Path | None = None) -> Outcome:
    """Search, compare with what people use, and measure on unseen tasks; with progress on the terminal.

    Finished work is kept in the folder `resume`.
    """
    limits = asked.limits or asked.policy.default_range(asked.parameter, track("Looking at the rewards", past.tasks))
    how = asked.how(past.horizon, asked.loss_on(past))
    redrawn = past.redrawn(how["horizons"][-1])
    if redrawn:
        say(f"Note: {redrawn}.")
    question = {"policy": asked.policy.name, **how, **asked.settings, asked.parameter: limits}
    with nullcontext() if resume is None else Checkpoint(resume, question) as kept:
        return replace(_learn(asked, past, started, limits, how, kept), redrawn=redrawn)


def _learn(
    asked: Asked,
    past: PastTasks,
    started: float,
    limits: tuple[float, float],
    how: Mapping[str, Any],
    kept: Checkpoint | None,
) -> Outcome:
    if asked.alternates:
        return _learn_in_turn(asked, past, asked.parameters(limits), how, started, kept)
    asked_for = Search.each(asked.policy, parameters=asked.parameters(limits), **how)
    searches = [search.fit(past.tasks) for search in asked_for]
    if asked.wants_priors:
        return _learn_priors(asked, past, searches[0], started, kept)
    bar = progress_bar("Sweeping past tasks", len(past.tasks), "Loading kernels (compiled the first time: some 20 s)")
    with bar as progress, Threads(asked.threads) as executor:
        noted = TaskScan()
        swept = sweep_tasks(searches, noted.passing(past.tasks), executor, progress, kept)
    tuned = choose_best(searches, swept, noted, origin=past.origin)
    best = [each.params for each in tuned.compared].index(tuned.params) if tuned.compared else 0
    curve_sets = [each.losses[0] for each in swept]
    with_each = {
        value: [
            losses_with(search, curves, track(f"Playing {asked.parameter} = {value:g}", past.tasks), value)
            for search, curves in zip(searches, curve_sets, strict=True)
        ]
        for value in searchable(asked.policy, asked.parameter).usual
    }
    with progress_bar("Measuring on unseen tasks", N_FOLDS) as progress:
        unseen = cross_validate(searches, curve_sets, with_each, progress=progress)
    fixed = {value: losses[best] for value, losses in with_each.items()}
    seconds = time.perf_counter() - started
    return Outcome(tuned, curve_sets[best], unseen, fixed, asked.limits is None, seconds)


def _learn_priors(asked: Asked, past: PastTasks, alone: Search, started: float, kept: Checkpoint | None) -> Outcome:
    """Learn prior means together with the parameter; the values people use are played with the same priors."""
    bar = progress_bar("Searching priors", len(past.tasks), "Searching priors (Ctrl-C: take the best so far)")
    with bar as progress, Threads(asked.threads) as executor:
        tuned = tune_jointly(alone, past.tasks, asked.settings, executor, progress, kept)
        return _sweep_with_found(asked, past, alone, tuned, executor, started, kept)


def _learn_in_turn(
    asked: Asked,
    past: PastTasks,
    parameters: Mapping[str, Any],
    how: Mapping[str, Any],
    started: float,
    kept: Checkpoint | None,
) -> Outcome:
    """Search several parameters in turn; the values people use of the first are played with the others as found."""
    bar = progress_bar("Searching in turn", len(past.tasks), "Searching one parameter after the other")
    with bar as progress, Threads(asked.threads) as executor:
        tuned = tune_alternately(asked.policy, past.tasks, parameters, executor, progress, kept, **how)
        found = {name: value for name, value in tuned.params.items() if name != asked.parameter}
        (alone,) = Search.each(asked.policy, parameters={**found, asked.parameter: parameters[asked.parameter]}, **how)
        return _sweep_with_found(asked, past, alone, tuned, executor, started, kept)


def _sweep_with_found(
    asked: Asked,
    past: PastTasks,
    alone: Search,
    tuned: Tuned,
    executor: Executor,
    started: float,
    kept: Checkpoint | None,
) -> Outcome:
    """What was learned, with the curves of the first parameter where the others are as they were found."""
    learned_with = {name: value for name, value in tuned.params.items() if name != asked.parameter}
    final = replace(alone, fixed={**alone.fixed, **learned_with})
    (swept,) = sweep_tasks([final], past.tasks, executor, checkpoint=kept)
    (curves,) = swept.losses
    usual = searchable(asked.policy, asked.parameter).usual
    fixed = {value: losses_with(final, curves, past.tasks, value) for value in usual}
    return Outcome(tuned, curves, None, fixed, asked.limits is None, time.perf_counter() - started)
