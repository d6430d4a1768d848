"""What a worker is handed: searches and tasks, which travel to other processes in a few arrays."""

import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.policies.policy import Swept
from banditune.search import Search
from banditune.tasks import Task

FURTHER = ("given_arms", "given_means", "points", "name", "limits", "totals", "given_twin")


class Parcel:
    """Some tasks to be searched; `first` is the number of the first of them among all, None if there is only one.

    Hundreds of small objects would take longer to send than to work on, so tasks of rewards are sent end to end.
    """

    __slots__ = ("first", "searches", "tasks")

    def __init__(self, searches: Sequence[Search], tasks: Sequence[Any], first: int | None) -> None:
        self.searches, self.tasks, self.first = list(searches), list(tasks), first

    def swept(self) -> list[Swept]:
        """The curves of the tasks, for each of the searches: what a worker does."""
        return [search.curves(self.tasks, self.first) for search in self.searches]

    def __reduce__(self) -> tuple[Any, ...]:
        if all(type(task) is Task for task in self.tasks):
            return _unpacked, (self.searches, _packed(self.tasks), self.first)
        return Parcel, (self.searches, self.tasks, self.first)

    def __dask_tokenize__(self) -> str:
        """A name that no other parcel has: Dask would otherwise read all of it to find one."""
        return uuid.uuid4().hex


Packed = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], dict[str, list[Any]]]


def _packed(tasks: Sequence[Task]) -> Packed:
    """The rewards and starts of tasks end to end, how many arms each has, and whatever else any of them says."""
    further = {name: [getattr(task, name) for task in tasks] for name in FURTHER}
    told = {name: values for name, values in further.items() if any(value is not None for value in values)}
    return (
        np.concatenate([task.flat for task in tasks]),
        np.concatenate([task.starts for task in tasks]),
        np.array([task.n_arms for task in tasks]),
        told,
    )


def _unpacked(searches: Sequence[Search], packed: Packed, first: int | None) -> Parcel:
    flat, starts, n_arms, further = packed
    tasks, reward, start = [], 0, 0
    for k, arms in enumerate(n_arms.tolist()):
        here = starts[start : start + arms + 1]
        told = {name: values[k] for name, values in further.items()}
        tasks.append(Task.of_arrays(flat[reward : reward + int(here[-1])], here, **told))
        reward, start = reward + int(here[-1]), start + arms + 1
    return Parcel(searches, tasks, first)
