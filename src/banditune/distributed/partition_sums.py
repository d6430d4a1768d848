"""What is known of the tasks of some partitions together, in a size that does not grow with them; and a sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.exact_sum import CurveSum, choose_scale
from banditune.distributed.cluster import merge_some
from banditune.policies.sweep_results import all_or_none

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
        """Return the sample of all tasks that some samples are of."""
        hashes = np.concatenate([each.hashes for each in samples])
        tasks = [task for each in samples for task in each.tasks]
        curves = CurveSet.concatenate([each.curves for each in samples])
        return cls(hashes, tuple(tasks), curves).take(find_lowest(hashes))

    def take(self, chosen: NDArray[np.integer[Any]]) -> "Sample":
        """Return the tasks with these numbers, in this order."""
        return Sample(self.hashes[chosen], tuple(self.tasks[k] for k in chosen), self.curves.take(chosen))


def find_lowest(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the places of the lowest hashes, the lowest first."""
    return np.argsort(hashes, kind="stable")[:SIZE]


@dataclass(frozen=True, slots=True, eq=False)
class FirstSums:
    """All that can be added up before the best value is known."""

    losses: CurveSum
    histories: int | None  # None where nobody counts them
    largest: int  # all losses are below 2**largest in size
    sample: Sample

    @classmethod
    def merge(cls, parts: Sequence["FirstSums"], limit: int) -> "FirstSums":
        """Return those of some partitions together; the curve has at most `limit` places."""
        histories = all_or_none([part.histories for part in parts])
        return cls(
            CurveSum.merge([part.losses for part in parts], limit),
            None if histories is None else sum(histories),
            max(part.largest for part in parts),
            Sample.merge([part.sample for part in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class SecondSums:
    """What can be added up once the best value is known, at the level of the first sums."""

    at_best: CurveSum  # a constant: what the tasks lose with the best value
    squares: CurveSum  # of the differences to that, in units of 1 / scale
    rises: CurveSum | None  # how far the curves rise in each cell of merged places; None if none are merged
    square_rises: CurveSum | None  # the same of the squares

    @classmethod
    def of(cls, curves: CurveSet, best: float, first: "Known") -> "SecondSums":
        """Return those of some tasks."""
        squares = curves.squares(best, choose_scale(first.largest))
        return cls(
            curves.sum_at(best),
            squares.sum(first.level),
            curves.sum(first.level, rises_only=True) if first.level > 0 else None,
            squares.sum(first.level, rises_only=True) if first.level > 0 else None,
        )

    @classmethod
    def merge(cls, parts: Sequence["SecondSums"]) -> "SecondSums":
        """Return those of some partitions together."""
        return cls(
            CurveSum.merge([part.at_best for part in parts]),
            CurveSum.merge([part.squares for part in parts]),
            merge_some(CurveSum.merge, [part.rises for part in parts]),
            merge_some(CurveSum.merge, [part.square_rises for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class Known:
    """What the second sums need to know of the first."""

    level: int
    largest: int
