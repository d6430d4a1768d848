"""What past tasks show of their arms: the mean reward of each arm in each task, and how far that is to be trusted."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.policies.batches import of_kind
from banditune.tasks.task import Task

Array = NDArray[np.float64]
LEAST_NOISE = 1e-6  # of the variance of all means: where arms never gave two different rewards


class Observations(NamedTuple):
    """The arms of all tasks, one after the other: (k,) each, where nothing else is said."""

    arms: tuple[Hashable, ...]  # all arms there are, by name
    arm: NDArray[np.int64]  # the number of the arm among all
    task: NDArray[np.int64]  # the number of the task, ascending
    mean: Array  # the arm's mean reward in the task
    pulls: Array  # of how many rewards
    noise: float  # the variance of a reward around its arm's mean in its task
    n_tasks: int

    @property
    def error(self) -> Array:
        """The variance of a mean reward around the arm's mean in the task."""
        return self.noise / self.pulls

    def take(self, members: NDArray[np.bool_]) -> "Observations":
        """Return what some tasks show, members (n_tasks,); all arms keep their numbers."""
        kept = members[self.task]
        place = np.cumsum(members) - 1
        part = self._replace(
            arm=self.arm[kept], task=place[self.task[kept]], mean=self.mean[kept], pulls=self.pulls[kept]
        )
        return part._replace(n_tasks=int(members.sum()))

    def drop_unseen(self) -> "Observations":
        """Return the same without arms that no task has."""
        seen, arm = np.unique(self.arm, return_inverse=True)
        return self._replace(arms=tuple(self.arms[k] for k in seen), arm=arm)


def observe(tasks: Iterable[Any]) -> Observations:
    """Read off what tasks show of their arms."""
    numbers: dict[Hashable, int] = {}
    arm, task, means, pulls, variances = [], [], [], [], []
    for k, each in enumerate(of_kind(tasks, Task)):
        arm += [numbers.setdefault(name, len(numbers)) for name in each.arms]
        task += [k] * each.n_arms
        means.append(each.means)
        pulls.append(each.lengths)
        variances.append(each.variances)
    mean, pulled, variance = np.concatenate(means), np.concatenate(pulls).astype(np.float64), np.concatenate(variances)
    several = pulled > 1
    noise = float((variance * pulled / np.maximum(pulled - 1.0, 1.0))[several].mean()) if several.any() else 0.0
    noise = max(noise, LEAST_NOISE * float(mean.var())) or 1.0
    return Observations(tuple(numbers), np.array(arm), np.array(task), mean, pulled, noise, len(means))
