"""A pre-scan of the partitions, to choose what was not given: the horizon, the range."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditune.distributed.partition import Job, engine_for, read_partition
from banditune.logs.account import EXAMPLES


@dataclass(frozen=True, slots=True)
class Prescan:
    """What was seen in some partitions."""

    rounds: Counter[int]  # how many tasks have how many rewards
    spread: float  # what the range follows from: the largest of any task, 0 if there is none
    n_rows: int
    rejected: tuple[str, ...]  # the first rows that cannot be used, in words

    @classmethod
    def merge(cls, parts: Sequence["Prescan"]) -> "Prescan":
        """What was seen in all of them."""
        rounds: Counter[int] = Counter()
        for part in parts:
            rounds.update(part.rounds)
        spread = max((part.spread for part in parts), default=0.0)
        rejected = tuple(row for part in parts for row in part.rejected)[:EXAMPLES]
        return cls(rounds, spread, sum(part.n_rows for part in parts), rejected)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        rounds = sorted(self.rounds.items())
        return {"rounds": rounds, "spread": self.spread, "n_rows": self.n_rows, "rejected": self.rejected}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> "Prescan":
        """What `to_json` wrote."""
        rounds = Counter({int(length): int(count) for length, count in saved["rounds"]})
        return cls(rounds, float(saved["spread"]), int(saved["n_rows"]), tuple(map(str, saved["rejected"])))

    def median_rounds(self) -> int:
        """The median number of rewards of a task, as of all tasks in one list."""
        lengths = np.array(sorted(self.rounds))
        until = np.cumsum([self.rounds[length] for length in lengths])
        middle = [(until[-1] - 1) // 2, until[-1] // 2]
        return int(np.mean(lengths[np.searchsorted(until, middle, side="right")]))


def look(job: Job) -> Prescan:
    """Read a partition, and look at its tasks."""
    engine = engine_for(job)
    with read_partition(job, engine) as log:
        spread = job.search.policy.spread(log) if len(log) else 0.0
        account = log.account
        return Prescan(Counter(log.rounds.tolist()), spread, account.rows_read, tuple(map(str, account.examples)))
