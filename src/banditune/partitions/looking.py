"""A look at partitions before they are searched: how long games are, and which range fits the rewards."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditune.errors import FileError
from banditune.partitions.work import Job, open_partition


@dataclass(frozen=True, slots=True)
class Looked:
    """What was seen in some partitions."""

    rounds: Counter[int]  # how many tasks have how many rewards
    limits: tuple[float, float] | None  # the range that fits them; None if there are no tasks

    @classmethod
    def merged(cls, parts: Sequence["Looked"]) -> "Looked":
        """What was seen in all of them."""
        rounds: Counter[int] = Counter()
        for part in parts:
            rounds.update(part.rounds)
        limits = [part.limits for part in parts if part.limits is not None]
        both = (min(low for low, _ in limits), max(high for _, high in limits)) if limits else None
        return cls(rounds, both)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"rounds": sorted(self.rounds.items()), "limits": self.limits}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> "Looked":
        """What `to_json` wrote."""
        limits = None if saved["limits"] is None else (saved["limits"][0], saved["limits"][1])
        return cls(Counter(dict(saved["rounds"])), limits)

    def median_rounds(self) -> int:
        """The median number of rewards of a task, as of all tasks in one list."""
        if not self.rounds:
            raise FileError("there is no task in the partitions")
        lengths = np.array(sorted(self.rounds))
        until = np.cumsum([self.rounds[length] for length in lengths])
        middle = [(until[-1] - 1) // 2, until[-1] // 2]
        return int(np.mean(lengths[np.searchsorted(until, middle, side="right")]))


def look(job: Job) -> Looked:
    """Read a partition, and look at its tasks."""
    with job.partition.here() as path:
        log = open_partition(job, path)
        try:
            limits = job.search.policy.default_range(job.search.parameter, log) if len(log) else None
            return Looked(Counter(log.rounds.tolist()), limits)
        finally:
            log.close()
