"""A task whose rewards were collected because some value of a parameter asked for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.errors import TaskError
from banditune.kernels.lines.prefix_sums import segment_means
from banditune.tasks.task import Task


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class CollectedTask(Task):
    """What `bt.collect` returns: a task with every reward that a search asks for, and no other.

    The curve of that search, and of any over a part of its range or fewer rounds, needs no reward that is not there.
    Arms have as many rewards as the value that pulled them most; an arm that no value pulls has none. Then the average
    of all rewards stands for its mean, which cannot make it the best, and other searches that do pull it draw from the
    rewards of all arms, as they draw from an arm's own where these run out.
    """

    may_lack: ClassVar[bool] = True

    search: Any  # the `Search` it was collected for

    def __init__(self, rewards: Sequence[ArrayLike], search: Any, **known: Any) -> None:
        Task.__init__(self, rewards, **known)
        object.__setattr__(self, "search", search)

    def subtract(self, costs: NDArray[np.float64]) -> Task:
        """Reject costs: with them, other rewards would have been asked for."""
        raise TaskError("costs have to be known when rewards are collected: have pull(arm) return net rewards")

    @property
    def total_pulls(self) -> int:
        """How many pulls were made for it: each gave one of its rewards."""
        return self.n_rewards

    @property
    def means(self) -> NDArray[np.float64]:
        """The true means if they were given, else the averages of the rewards; of all, for an arm without any."""
        if self.given_means is not None:
            return self.given_means
        there = np.flatnonzero(self.lengths)
        averages = segment_means(self.flat, np.append(self.starts[there], self.n_rewards))
        of_all = segment_means(self.flat, np.array([0, self.n_rewards]))[0]
        means = np.full(self.n_arms, min(of_all, averages.max()))  # rounding must not make it the best either
        means[there] = averages
        return means

    def __repr__(self) -> str:
        return f"CollectedTask(name={self.name!r}, n_arms={self.n_arms}, total_pulls={self.total_pulls})"
