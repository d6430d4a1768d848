"""Costs of arms: tasks whose rewards are net of what a pull of each arm costs.

A policy sees net rewards, the best arm is the one with the highest net mean, and regret and rewards are counted net.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError, TaskError
from banditune.tasks.archive import Archive, facts_of
from banditune.tasks.arrays import LARGEST, where_in
from banditune.tasks.task import Task
from banditune.validation import finite_number, format_names, format_value

Costs = Mapping[Hashable, float] | Sequence[float]  # by the arms' names, or one for each arm in order


def check_costs(given: object) -> Costs:
    """Return costs as plain numbers; what is neither a mapping nor a list of numbers is rejected."""
    if isinstance(given, Mapping):
        return {
            arm: finite_number(f"costs[{arm!r}]", cost, least=-LARGEST, most=LARGEST) for arm, cost in given.items()
        }
    if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str):
        return [finite_number(f"costs[{k}]", float(cost), least=-LARGEST, most=LARGEST) for k, cost in enumerate(given)]
    raise ParameterError(
        f'costs must map arms to numbers, such as {{"b": 0.05}}, or list them; got {format_value(given)}'
    )


def describe_costs(costs: Costs) -> str:
    """Return what a pull of each arm costs.

    >>> describe_costs({"call": 0.25, "letter": 0.1}), describe_costs([0.0, 0.5])
    ('call 0.25, letter 0.1', '0, 0.5, arm by arm')
    """
    if isinstance(costs, Mapping):
        return ", ".join(f"{arm} {cost:g}" for arm, cost in costs.items())
    return f"{', '.join(f'{cost:g}' for cost in costs)}, arm by arm"


def list_costs(task: Task, costs: Costs) -> NDArray[np.float64]:
    """Return what a pull of each arm of a task costs, 0 for an arm that is not named: (n_arms,)."""
    if isinstance(costs, Mapping):
        return np.array([costs.get(arm, 0.0) for arm in task.arms], np.float64)
    if len(costs) != task.n_arms:
        raise TaskError(f"{where_in(task.name)}costs must be one for each of {task.n_arms} arms, got {len(costs)}")
    return np.array(costs, np.float64)


class NetTasks(Archive):
    """Tasks with their rewards net of costs, each made when it is asked for."""

    def __init__(self, tasks: Sequence[Any], costs: Costs) -> None:
        self._tasks, self._costs, self._facts = tasks, costs, facts_of(tasks)
        self.account, self.names, self.rounds = self._facts.account, self._facts.names, self._facts.rounds

    @property
    def origin(self) -> Mapping[str, Any] | None:
        """How the tasks were read."""
        return self._facts.origin

    def needs_draws(self, horizon: int) -> bool | None:
        """Tell whether any task needs something drawn for a run of so many rounds."""
        return self._facts.needs_draws(horizon)

    def select(self, numbers: NDArray[np.int64]) -> Iterator[Any]:
        """Yield the tasks with some increasing numbers."""
        return (_subtract(task, self._costs) for task in self._facts.select(numbers))

    def __len__(self) -> int:
        return len(self._tasks)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [_subtract(task, self._costs) for task in self._tasks[k]]
        return _subtract(self._tasks[k], self._costs)

    def __iter__(self) -> Iterator[Any]:
        return (_subtract(task, self._costs) for task in self._tasks)


@overload
def subtract_costs(tasks: Sequence[Any], costs: object) -> NetTasks: ...
@overload
def subtract_costs(tasks: Iterable[Any], costs: object) -> Iterable[Any]: ...
def subtract_costs(tasks: Iterable[Any], costs: object) -> Iterable[Any]:
    """Return tasks with rewards net of costs; a name that no task of a list has is rejected."""
    known = check_costs(costs)
    if not isinstance(tasks, Sequence):
        return (_subtract(task, known) for task in tasks)
    if isinstance(known, Mapping):
        arms = {arm for task in tasks for arm in _check_task(task).arms}
        if unknown := [arm for arm in known if arm not in arms]:
            there = format_names(sorted(map(str, arms))[:10])
            raise ParameterError(f"costs must be of arms that tasks have: {there}; got {format_value(unknown[0])}")
    return NetTasks(tasks, known)


def _subtract(task: Any, costs: Costs) -> Task:
    return _check_task(task).net(costs)


def _check_task(task: object) -> Task:
    if not isinstance(task, Task):
        raise TaskError(f"costs are of the arms of a bt.Task, got {format_value(task)}")
    return task
