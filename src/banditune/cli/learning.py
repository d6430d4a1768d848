"""What `banditune tune` does between reading past tasks and telling what it learned."""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from banditune.cli.output import progress_bar, tracked
from banditune.cli.past_tasks import PastTasks
from banditune.curve_set import CurveSet
from banditune.errors import ParameterError
from banditune.guarantees.folds import N_FOLDS, UnseenLosses, losses_with, unseen_losses
from banditune.policies.policy import Policy
from banditune.replay import FEW_LOGS
from banditune.search import Search, searchable
from banditune.sweeping import sweep_tasks
from banditune.tuned import Tuned
from banditune.tuning import learned


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asked for; None where that is to be found out."""

    policy: type[Policy]
    parameter: str
    limits: tuple[float, float] | None
    settings: Mapping[str, object]  # further parameters: a value, or several to compare
    horizon: int | None
    loss: str | None
    seed: int
    threads: int

    def check(self, *, contexts: bool) -> None:
        """Tell mistakes before a log is read; `contexts` says whether its features are."""
        self.searches(1, "reward", (0.0, 1.0))
        if self.policy.contextual and not contexts:
            raise ParameterError(
                f"{self.policy.name} chooses by contexts: it needs a LOG, and --features with what the names of its "
                "feature columns begin with"
            )
        if contexts and not self.policy.contextual:
            raise ParameterError(f"{self.policy.name} knows no contexts; --features is for --policy linucb")

    def searches(self, horizon: int, loss: str, limits: tuple[float, float]) -> list[Search]:
        """The searches to compare, with these where nothing was asked for."""
        horizon = horizon if self.horizon is None else self.horizon
        loss = loss if self.loss is None else self.loss
        given = {self.parameter: self.limits or limits, **self.settings}
        return Search.each(self.policy, [horizon], given, loss=loss, seed=self.seed, extend=True)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was learned, and what it is compared with."""

    tuned: Tuned
    curves: CurveSet
    unseen: UnseenLosses | None
    fixed: Mapping[float, NDArray[np.float64]]  # values that people use -> (tasks,) the loss with them
    chose_range: bool
    seconds: float


def learn(asked: Asked, past: PastTasks, started: float) -> Outcome:
    """Search, compare with what people use, and measure on unseen tasks; with progress on the terminal."""
    limits = asked.limits or asked.policy.default_range(asked.parameter, tracked("Looking at the rewards", past.tasks))
    usual_loss = "reward" if past.are_logs else "regret"
    searches = [search.fitted(past.tasks) for search in asked.searches(past.horizon, usual_loss, limits)]
    bar = progress_bar("Sweeping past tasks", len(past.tasks), "Loading kernels (compiled the first time: some 20 s)")
    with bar as progress, ThreadPoolExecutor(asked.threads) as executor:
        swept = sweep_tasks(searches, past.tasks, executor, progress)
    tuned = learned(searches, swept, list(islice(past.tasks, FEW_LOGS)), origin=past.origin)
    best = [each.params for each in tuned.compared].index(tuned.params) if tuned.compared else 0
    curve_sets = [each.losses[0] for each in swept]
    fixed = {
        value: losses_with(
            searches[best], curve_sets[best], tracked(f"Playing {asked.parameter} = {value:g}", past.tasks), value
        )
        for value in searchable(asked.policy, asked.parameter).usual
    }
    with progress_bar("Measuring on unseen tasks", N_FOLDS) as progress:
        unseen = unseen_losses(searches, curve_sets, fixed, progress=progress)
    seconds = time.perf_counter() - started
    return Outcome(tuned, curve_sets[best], unseen, fixed, asked.limits is None, seconds)
