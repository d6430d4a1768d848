"""In which units a policy sees rewards: (reward - center) / scale, stated or learned from past tasks."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError, TaskError
from banditune.policies.batches import of_kind
from banditune.policies.parameters import Setting
from banditune.tasks.arrays import LARGEST, check_responses
from banditune.tasks.task import Task
from banditune.validation import finite_number, format_value

LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class RewardUnit(Setting):
    """A number, or "learned": then past tasks say it, and the number is kept."""

    default: float
    positive: bool
    of_means: Callable[[list[Any]], float]  # from the arms' means, an array a task

    def value(self, given: object) -> Any:
        """A number or "learned"."""
        if isinstance(given, str) and given == LEARNED:
            return LEARNED
        if isinstance(given, str | bool) or given is None or isinstance(given, Iterable):
            raise ParameterError(f'{self.name} must be a number or "{LEARNED}", got {format_value(given)}')
        number = finite_number(self.name, given)
        if abs(number) > LARGEST or (self.positive and number <= 0.0):
            wanted = "above 0" if self.positive else f"at most {LARGEST:g} in size"
            raise ParameterError(f"{self.name} must be {wanted}, got {number!r}")
        return number

    def are_several(self, given: object) -> bool:
        """Never: there is one unit."""
        return False

    def needs_tasks(self, value: Any) -> bool:
        """Whether it is yet to be learned."""
        return bool(value == LEARNED)

    def fit(self, value: Any, tasks: Iterable[Any]) -> Any:
        """What past tasks say."""
        if not self.needs_tasks(value):
            return value
        means = [task.means for task in of_kind(tasks, Task)]
        if not means:
            raise TaskError("tasks must hold at least one task, got none")
        return self.of_means(means)


def center_of(means: list[Any]) -> float:
    """The mean over tasks of the mean over arms."""
    return float(np.mean([np.mean(each) for each in means]))


def scale_of(means: list[Any]) -> float:
    """How far arms' means lie from that, by the root of the mean square; 1 if they all are the same."""
    center = center_of(means)
    spread = float(np.sqrt(np.mean([np.mean(np.square(each - center)) for each in means])))
    return spread if spread > 0.0 else 1.0


def convert_rewards(rewards: Any, center: float, scale: float, what: str) -> NDArray[np.float64]:
    """Rewards in the units that the policy sees."""
    with np.errstate(over="ignore"):
        return check_responses((np.asarray(rewards) - center) / scale, what)
