"""One exact search: a free parameter of a policy over a range, for runs of some length and a loss."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.interruption import call_interruptibly
from banditune.policies.base import Policy
from banditune.policies.batches import Terms, of_kind
from banditune.policies.losses import Loss, choose_loss
from banditune.policies.parameters import Parameter
from banditune.policies.settings import (
    check_fixed_settings,
    check_loss,
    check_parameters,
    find_parameter,
    fit_fixed_settings,
    free_parameters,
    list_defaults,
)
from banditune.policies.sweep_results import LazySweep, Run, Swept
from banditune.tasks.collected import CollectedTask
from banditune.tasks.draws import list_draws, number_twins
from banditune.tasks.task import Task
from banditune.validation import LONGEST_GAME, format_count, format_value, whole_number, yes_or_no

LONG_WORK = 2**14  # rewards of a task, times its features squared: milliseconds

R = TypeVar("R")


class Draws(NamedTuple):
    """How often what is not recorded of a task is drawn."""

    number: int = 1
    at: float = 0.0  # the value of the parameter at which the variance of a task's draws is noted
    share: float | None = None  # of one draw in the variance of the loss, as a pilot has it


ONCE = Draws()


@dataclass(frozen=True, slots=True)
class Search:
    """One free parameter of a policy, to be searched over a range on tasks played for the given horizons."""

    policy: type[Policy[Any]]
    horizons: tuple[int, ...]  # increasing
    parameter: str
    low: float
    high: float
    fixed: dict[str, Any]  # all other parameters
    loss: Loss
    seed: int
    extend: bool
    knows_tasks: bool = False  # whether fixed parameters were fitted to tasks, so that no curve is of one task alone
    draws: Draws = ONCE  # of what is not recorded of a task: its curve is the mean of theirs
    histories: bool = False  # whether the distinct runs are counted

    @classmethod
    def of(
        cls,
        policy: type[Policy[Any]],
        horizons: Sequence[int],
        parameters: Mapping[str, object],
        *,
        loss: Loss | str,
        seed: int,
        extend: bool,
    ) -> "Search":
        """Return the search that a call's arguments describe; what cannot be meant is rejected."""
        searches = cls.each(policy, horizons, parameters, loss=loss, seed=seed, extend=extend)
        if len(searches) > 1:
            came = ", ".join(f"{name}={format_value(value)}" for name, value in parameters.items())
            raise ParameterError(f"one value of each parameter is needed here besides the range, got {came}")
        return searches[0]

    @classmethod
    def each(
        cls,
        policy: type[Policy[Any]],
        horizons: Sequence[int],
        parameters: Mapping[str, object],
        *,
        loss: Loss | str,
        seed: int,
        extend: bool,
    ) -> list["Search"]:
        """List the searches to compare: one for each combination of what other parameters are given as lists."""
        known = check_parameters(policy, parameters)
        several: dict[str, Any] = {name: given for name, given in parameters.items() if known[name].are_several(given)}
        free = free_parameters(policy, parameters)
        if len(free) != 1:
            example = f"{next(iter(known))}=(0.0, 4.0)"
            came = ", ".join(f"{name}={format_value(value)}" for name, value in parameters.items()) or "none"
            raise ParameterError(f"one parameter must be given as a range (low, high), as in {example}; got {came}")
        ((name, given),) = free.items()
        listed_values = {other: known[other].values(given) for other, given in several.items() if other != name}
        single = {other: value for other, value in parameters.items() if other not in several}
        one = cls(
            policy,
            tuple(sorted({whole_number("horizon", horizon, least=1, most=LONGEST_GAME) for horizon in horizons})),
            name,
            *find_parameter(policy, name).range(given),
            check_fixed_settings(policy, single),
            check_loss(policy, choose_loss(loss)),
            whole_number("seed", seed, least=0),
            yes_or_no("extend", extend),
        )
        searches = []
        for values in product(*listed_values.values()):
            fixed = list_defaults(policy) | one.fixed | dict(zip(listed_values, values, strict=True))
            searches.append(replace(one, fixed={other: fixed[other] for other in known if other != name}))
        return searches

    @property
    def free_parameter(self) -> Parameter:
        """What is known of the parameter that is searched."""
        return find_parameter(self.policy, self.parameter)

    @property
    def needs_tasks(self) -> bool:
        """Whether fixed parameters are to be fitted to tasks before a run."""
        return any(self.policy.parameters[name].needs_tasks(value) for name, value in self.fixed.items())

    def fit(self, tasks: Iterable[Any]) -> "Search":
        """Return the same search, where need be with what its fixed parameters come to on such tasks."""
        known = fit_fixed_settings(self.policy, self.fixed, tasks)
        return replace(self, fixed=known, knows_tasks=self.knows_tasks or known != self.fixed)

    def parts(self, n_parts: int) -> list["Search"]:
        """Return the same search in adjoining parts of the range, to be made side by side."""
        bounds = self.free_parameter.divide(self.low, self.high, n_parts)
        return [replace(self, low=low, high=high) for low, high in pairwise(bounds)]

    def at(self, value: float) -> "Search":
        """Return the same search of one value alone, in the range or not: of the shortest range that begins there."""
        return replace(self, low=value, high=math.nextafter(value, math.inf))

    def curves(self, tasks: Sequence[Any], first: int | None = None) -> Swept:
        """Return the exact loss of each task over the whole range.

        `first` is the number of the first of these tasks among all, for messages; None if there is only one.
        """
        once = self._sweep(tasks, first)
        drawn = np.array([k for k, task in enumerate(tasks) if self.is_drawn(task)], np.int64)
        if self.draws.number == 1 or not drawn.size:
            variances = np.zeros(len(tasks))
            variances[drawn] = np.nan
            return once._replace(variances=variances)
        further = zip(*(self.list_draws(tasks[k])[1:] for k in drawn), strict=True)
        return Swept.average([once, *(self._sweep(again, first) for again in further)], drawn, self.draws.at)

    def is_drawn(self, task: Any) -> bool:
        """Tell whether something is drawn for a run on the task: rewards that are not recorded, or choices."""
        return self.policy.is_randomised or bool(task.needs_draws(self.horizons[-1]))

    def list_draws(self, task: Any) -> list[Any]:
        """Return the task with each of its draws."""
        return list_draws(task, self.horizons[-1], self.draws.number, always=self.policy.is_randomised)

    def _sweep(self, tasks: Sequence[Any], first: int | None) -> Swept:
        """Return the curves of the tasks for one draw of each."""
        if len(self.horizons) > 1 and self.policy.uses_horizon(self.fixed):
            return Swept.stack([replace(self, horizons=(at,))._sweep(tasks, first) for at in self.horizons])
        with name_sizes(tasks, self.horizons[-1], first):
            batch = self._batch(tasks, first)
            swept = self.policy.sweep(batch, self.horizons, self.parameter, self.low, self.high, self.fixed)
            if not self.histories or swept.histories is not None:
                return swept if self.histories else swept._replace(histories=None)
            asked = self.horizons[-1], self.parameter, self.low, self.high, self.fixed
            return swept._replace(histories=self.policy.count_histories(batch, *asked))

    def run_at(self, task: Any, value: float) -> Run:
        """Run on the task with that value of the parameter, which may lie outside the range."""
        values = {self.parameter: self.free_parameter.as_run(value), **self.fixed}
        here = replace(self, low=value, high=value)
        return call_on(self.policy, task, self.horizons[-1], lambda: self.policy.run(here._batch([task], None), values))

    def losses_at(self, tasks: Iterable[Any], value: float, n_before: int = 0) -> NDArray[np.float64]:
        """Return what each task loses with that value, drawn apart from n_before other tasks: (tasks,)."""
        draws = (self.list_draws(task) for task in self.number_twins(tasks, n_before))
        return np.array([sum(self.run_at(task, value).loss for task in each) / len(each) for each in draws])

    def number_twins(self, tasks: Iterable[Any], start: int = 0) -> Iterator[Any]:
        """Yield the tasks, those it draws for with numbers among their twins: see `tasks.draws`."""
        return number_twins(tasks, self.horizons[-1], start, always=self.policy.is_randomised)

    def sweep_lazily(self, task: Task) -> LazySweep:
        """Begin all runs on a task of which only the arms and their number of rewards are known beforehand."""
        if not issubclass(Task, self.policy.task_types):
            raise ParameterError(
                "rewards can be collected for policies that use each arm's own rewards, as bt.UCB and bt.GPUCB do; "
                f"those of {self.policy.__name__} also depend on contexts"
            )
        batch = self._batch([task], None)
        return self.policy.sweep_lazily(batch, self.horizons[-1], self.parameter, self.low, self.high, self.fixed)

    def describe(self) -> dict[str, Any]:
        """Return the search as plain data: finished work belongs to the same search only."""
        known = self.policy.parameters
        return {
            "policy": self.policy.name,
            "parameter": self.parameter,
            "range": [self.low, self.high],
            "fixed": {name: known[name].plain(value) for name, value in self.fixed.items()},
            "horizons": self.horizons,
            "loss": self.loss.describe(),
            "seed": self.seed,
            "extend": self.extend,
        } | ({"histories": True} if self.histories else {})

    def is_part_of(self, other: "Search") -> bool:
        """Tell whether all its runs are also made by the other search, or are the beginnings of such."""
        same = self.policy is other.policy and self.parameter == other.parameter
        inside = other.low <= self.low and self.high <= other.high and self.horizons[-1] <= other.horizons[-1]
        inside = inside and (self.horizons == other.horizons or not self.policy.uses_horizon(self.fixed))
        return (
            same
            and inside
            and self.policy.list_fixed_settings(self.fixed) == self.policy.list_fixed_settings(other.fixed)
        )

    def _complete_task(self, task: Any) -> Any:
        """Return the task; if it was collected for this search, in full: what is drawn then is never used."""
        if isinstance(task, CollectedTask) and self.is_part_of(task.search):
            return task.extend(self.horizons[-1], seed=self.seed)
        return task

    def _batch(self, tasks: Sequence[Any], first: int | None) -> Any:
        terms = Terms(self.horizons[-1], self.loss, self.seed, self.extend, self.fixed, first)
        known = of_kind(tasks, *self.policy.task_types, first=first)
        return self.policy.make_batch([self._complete_task(task) for task in known], terms)


@contextmanager
def name_sizes(tasks: Sequence[Any], horizon: int, first: int | None) -> Iterator[None]:
    """Return where memory does not suffice for runs on these tasks, say how large the largest of them is."""
    try:
        yield
    except MemoryError as error:
        arms = [getattr(task, "n_arms", 1) for task in tasks]
        largest = int(np.argmax(arms))
        label = "the task" if first is None else f"tasks[{first + largest}]"
        rewards = f"{arms[largest] * horizon * 8 / 2**30:,.3g} GiB for its rewards alone"
        sizes = f"{format_count(arms[largest], 'arm')} and {format_count(horizon, 'round')}: {rewards}"
        raise MemoryError(f"{label} is played with {sizes}; fewer rounds or arms need less ({error})") from error


def call_on(policy: type[Policy[Any]], task: Any, horizon: int, work: Callable[[], R]) -> R:
    """Do something with a policy on one task; where that may take long, such that Ctrl-C ends it."""
    size = getattr(task, "n_arms", 1) * horizon * getattr(task, "dim", 1) ** 2
    with name_sizes([task], horizon, None):
        return work() if size < min(LONG_WORK, policy.chunk) else call_interruptibly(work)
