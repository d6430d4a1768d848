"""What is asked of past tasks: which parameters of a policy, over which ranges, for how long runs, by which loss."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from banditune.errors import ParameterError, TaskError
from banditune.policies.base import Policy, RewardScale
from banditune.policies.batches import of_kind
from banditune.policies.comparison_entries import measure_scale
from banditune.policies.losses import Loss, choose_loss
from banditune.policies.parameters import Parameter
from banditune.policies.settings import check_loss, check_parameters, free_parameters
from banditune.policies.ucb.priors import prior_ranges
from banditune.policies.updates import UPDATES
from banditune.tasks.archive import facts_of
from banditune.tasks.base import reject_tables
from banditune.tuning.search import Search
from banditune.validation import whole_number

LARGEST_DRAWS = 10_000  # of a task
USUAL_SCALE = RewardScale((0.0, 1.0), 1.0)  # of rewards, where nothing else is known of them


@dataclass(frozen=True, slots=True)
class Question:
    """A question to past tasks; the command line, `bt.tune` and `bt.study` ask the same ones.

    `parameters` are as they were given: a value, several to compare, or a range (low, high).
    """

    policy: type[Policy[Any]]
    parameters: Mapping[str, Any]
    horizon: int | None  # None: what fits the tasks
    loss: Loss
    seed: int
    extend: bool
    draws: int | None = None  # of what is not recorded of a task; None: as many as it takes

    @classmethod
    def of(
        cls,
        policy: type[Policy[Any]],
        parameters: Mapping[str, Any],
        *,
        horizon: int | None,
        loss: Loss | str,
        seed: int,
        extend: bool,
        draws: int | None = None,
    ) -> "Question":
        """Make the question that a call's arguments describe; an unknown parameter is an error."""
        check_parameters(policy, parameters)
        policy.check_settings(parameters)
        chosen = check_loss(policy, choose_loss(loss))
        number = None if draws is None else whole_number("draws", draws, least=1, most=LARGEST_DRAWS)
        question = cls(policy, dict(parameters), horizon, chosen, seed, extend, number)
        if question.wants_priors and parameters.get(UPDATES.name) is not None:
            raise ParameterError("prior means are searched for rewards known at once; bt.GaussianUCB takes updates")
        return question

    @property
    def parameter(self) -> str:
        """The parameter that is searched; the first if there are several, or what the policy has first if none is."""
        free = free_parameters(self.policy, self.parameters)
        searchable = (name for name, known in self.policy.parameters.items() if isinstance(known, Parameter))
        return next(iter(free), None) or next(searchable)

    @property
    def has_range(self) -> bool:
        """Whether a range to search was given."""
        return bool(free_parameters(self.policy, self.parameters))

    @property
    def fits_range(self) -> bool:
        """Whether the range to search is chosen to fit the scale of the rewards."""
        small, large = (self.policy.range_for(self.parameter, spread) for spread in (1.0, 10.0))
        return not self.has_range and small != large

    @property
    def wants_priors(self) -> bool:
        """Whether prior means are searched together with the parameter."""
        return self.policy.searches_priors(self.parameters)

    @property
    def fits_prior(self) -> bool:
        """Whether a Gaussian prior is fitted to the tasks, together with the parameter."""
        return self.policy.fits_prior(self.parameters)

    @property
    def alternates(self) -> bool:
        """Whether several parameters are searched in turn."""
        return len(free_parameters(self.policy, self.parameters)) > 1

    @property
    def is_single(self) -> bool:
        """Whether one parameter alone is searched, so that each task has a curve of its own."""
        return not (self.wants_priors or self.fits_prior or self.alternates)

    @property
    def priors(self) -> dict[str, Any]:
        """What was given about priors."""
        return {name: self.parameters[name] for name in self.policy.priors if name in self.parameters}

    def check(self) -> None:
        """Reject what cannot be asked of any tasks, before they are read."""
        if self.wants_priors:
            prior_ranges(self.policy.parameters, self.priors)
        elif self.is_single:
            some = {} if self.has_range else {self.parameter: self.policy.range_for(self.parameter, 1.0)}
            replace(self, parameters={**self.parameters, **some}).searches()

    def check_is_single(self, needing: str) -> None:
        """Reject what is learned from all tasks together, where tasks have to be held out, or a tail of them."""
        if self.loss.tail is not None:
            raise ParameterError(f"{needing} needs the mean over all tasks: leave out tail=")
        known = self.policy.parameters
        together = (
            ["a prior"] * self.fits_prior
            + ["prior means"] * self.wants_priors
            + ["several parameters in turn"] * self.alternates
        )
        for name, given in self.parameters.items():
            values = known[name].values(given) if known[name].are_several(given) else (given,)
            together += [known[name].describe(value) for value in values if known[name].needs_tasks(value)]
        if together:
            raise ParameterError(
                f"{needing} needs a single searched parameter: {together[0]} would be learned from all tasks together, "
                "so none is held out. In Python, tuned.certificate(tasks=...) takes held-out tasks"
            )

    def settle(self, tasks: Any) -> "Question":
        """Return the question with what fits the tasks where nothing was given: the horizon, the range."""
        reject_tables(tasks)
        if self.loss.tail is not None and not self.is_single:
            raise ParameterError("tail= needs a single searched parameter: no prior, and no other range")
        if isinstance(tasks, Iterator) and self.horizon is not None and self.has_range:
            return self
        if isinstance(tasks, Iterator):
            missing = "horizon" if self.horizon is None else f"a range of {self.parameter}"
            raise TaskError(f"{missing} is found by looking at all tasks: give it, or the tasks in a list")
        if self.loss.tail is not None and len(tasks) and getattr(tasks[0], "is_log", False):
            raise TaskError("tail= counts some of the tasks, but each log is replayed as one: leave it out")
        horizon = choose_horizon(self.policy, tasks) if self.horizon is None else self.horizon
        given = {**self._fit_settings(tasks), **self.parameters}
        if not self.has_range and self.parameter not in given:  # a value that was given is not overruled
            limits = self.policy.default_range(self.parameter, tasks)
            given[self.parameter] = self.policy.adapt_range(limits, given, horizon)
        return replace(self, horizon=horizon, parameters=given)

    def _fit_settings(self, tasks: Sequence[Any]) -> dict[str, Any]:
        """Return the settings that say what the tasks' rewards are like, where they lie outside what is usual."""
        if not self.policy.settings_for(USUAL_SCALE):
            return {}
        scale = measure_scale(list(of_kind(tasks, *self.policy.task_types)))
        is_usual = USUAL_SCALE.bounds[0] <= scale.bounds[0] and scale.bounds[1] <= USUAL_SCALE.bounds[1]
        return {} if is_usual else self.policy.settings_for(scale)

    def searches(self) -> list[Search]:
        """Return the exact searches to compare, where one parameter alone is searched."""
        return Search.each(self.policy, self._horizons, self.parameters, **self._how)

    def search_alone(self) -> Search:
        """Return the search of the parameter without priors."""
        alone = {name: value for name, value in self.parameters.items() if name not in self.policy.priors}
        return Search.of(self.policy, self._horizons, alone, **self._how)

    def search_with(self, values: Mapping[str, Any]) -> Search:
        """Return the search of the first parameter with these values of the others."""
        return Search.of(
            self.policy, self._horizons, {**values, self.parameter: self.parameters[self.parameter]}, **self._how
        )

    def describe(self) -> dict[str, Any]:
        """Return the question as plain data: finished work belongs to the same question only."""
        asked = {"policy": self.policy.name, "horizon": self.horizon, "draws": self.draws}
        known = self.policy.parameters
        given = {name: known[name].plain(value) for name, value in self.parameters.items()}
        return {**given, **asked, **self._how, "loss": self.loss.describe()}

    @property
    def _horizons(self) -> list[int]:
        return [1 if self.horizon is None else self.horizon]

    @property
    def _how(self) -> dict[str, Any]:
        return {"loss": self.loss, "seed": self.seed, "extend": self.extend}


def choose_horizon(policy: type[Policy[Any]], tasks: Sequence[Any]) -> int:
    """Return the rounds of a run that fit the tasks: whole logs, else as many as are recorded of the median task."""
    rounds = facts_of(tasks).rounds
    if rounds is None:
        rounds = np.array([task.rounds for task in of_kind(tasks, *policy.task_types)])
    if not len(rounds):
        raise TaskError("tasks must hold at least one task, got none")
    return int(rounds.max()) if tasks[0].is_log else shorten(policy, int(np.median(rounds)))


def shorten(policy: type[Policy[Any]], rounds: int) -> int:
    """Return so many rounds, or the few that a policy is usually run for."""
    return rounds if policy.usual_rounds is None else min(rounds, policy.usual_rounds)
