"""Some tasks of very many, to be looked at one by one: the same ones however the tasks are divided."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet

SIZE = 1_000


@dataclass(frozen=True, slots=True)
class SampledTask:
    """What is remembered of a task."""

    name: str
    n_arms: int
    n_rewards: int


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The tasks whose names have the lowest hashes, which is as good as drawing them, and their curves."""

    hashes: NDArray[np.uint64]  # (sampled,)
    tasks: tuple[SampledTask, ...]
    curves: CurveSet

    @classmethod
    def merge(cls, samples: Sequence["Sample"]) -> "Sample":
        """The sample of all tasks that some samples are of."""
        hashes = np.concatenate([each.hashes for each in samples])
        tasks = [task for each in samples for task in each.tasks]
        curves = CurveSet.concatenate([each.curves for each in samples])
        return cls(hashes, tuple(tasks), curves).take(lowest(hashes))

    def take(self, chosen: NDArray[np.integer[Any]]) -> "Sample":
        """The tasks with these numbers, in this order."""
        return Sample(self.hashes[chosen], tuple(self.tasks[k] for k in chosen), self.curves.take(chosen))


def lowest(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The places of the lowest hashes, the lowest first."""
    return np.argsort(hashes, kind="stable")[:SIZE]
