"""A pre-scan of the partitions, to choose what was not given: the horizon, the range."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from banditune.checkpoints.checkpoint_files import read_piece, write_piece
from banditune.checkpoints.folder import Checkpoint
from banditune.distributed.files import states_digest
from banditune.distributed.isolation import run_child
from banditune.distributed.partition import Job, open_engine, read_partition
from banditune.distributed.retries import Attempts
from banditune.errors import FileError
from banditune.logs.account import EXAMPLES
from banditune.logs.reading import explain_nothing
from banditune.temporary_folders import ScratchFolder

Progress = Callable[[str, int, int], None]  # what is being done, how much of it, and of how much
NOTE = "looked"


@dataclass(frozen=True, slots=True)
class Prescan:
    """What was seen in some partitions."""

    rounds: Counter[int]  # how many tasks have how many rewards
    spread: float  # what the range follows from: the largest of any task, 0 if there is none
    n_rows: int
    rejected: tuple[str, ...]  # the first rows that cannot be used, in words

    @classmethod
    def merge(cls, parts: Sequence["Prescan"]) -> "Prescan":
        """Return what was seen in all of them."""
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
        """Return what `to_json` wrote."""
        rounds = Counter({int(length): int(count) for length, count in saved["rounds"]})
        return cls(rounds, float(saved["spread"]), int(saved["n_rows"]), tuple(map(str, saved["rejected"])))

    def median_rounds(self) -> int:
        """Return the median number of rewards of a task, as of all tasks in one list."""
        lengths = np.array(sorted(self.rounds))
        until = np.cumsum([self.rounds[length] for length in lengths])
        middle = [(until[-1] - 1) // 2, until[-1] // 2]
        return int(np.mean(lengths[np.searchsorted(until, middle, side="right")]))


def look(job: Job) -> Prescan:
    """Read a partition, and look at its tasks."""
    engine = open_engine(job)
    with read_partition(job, engine) as log:
        spread = job.search.policy.spread(log) if len(log) else 0.0
        account = log.account
        return Prescan(Counter(log.rounds.tolist()), spread, account.rows_read, tuple(map(str, account.examples)))


def prescan_in_isolation(job: Job) -> Prescan:
    """Look at a partition in another process."""
    with ScratchFolder() as folder:
        file = folder.path / "looked.npz"
        _, failure = run_child(_look, job, file)
        if failure is not None:
            raise FileError(f"{job.partition.path}: a worker fails in the pre-scan of this partition: {failure}")
        return Prescan.from_json(read_piece(file).note)


def _look(job: Job, file: Path) -> None:
    write_piece(file, look(job).to_json())


class SeenBefore(NamedTuple):
    """What an earlier run saw."""

    states: str  # of the partitions then
    seen: Prescan
    failed: dict[str, str]  # path -> why it could not be looked at


def prescan_partitions(
    attempts: Attempts, jobs: Sequence[Job], checkpoint: Checkpoint | None, progress: Progress | None
) -> Prescan:
    """Look at all partitions, unless they were seen before and none has changed; there is at least one task."""
    states = states_digest([job.partition for job in jobs])
    known: SeenBefore | None = None if checkpoint is None else checkpoint.read(NOTE, _read)
    if known is not None and known.states == states and (attempts.skip or not known.failed):
        attempts.failed |= known.failed
        return known.seen
    looked = _prescan(attempts, jobs, progress)
    if not looked.rounds:
        if len(attempts.failed) == len(jobs):
            attempts.end()
        first = next(job.partition.path for job in jobs if job.partition.path not in attempts.failed)
        raise FileError(*explain_nothing(first, looked.n_rows, looked.rejected))
    if checkpoint is not None:
        checkpoint.write(NOTE, {"partitions": states, "seen": looked.to_json(), "failed": attempts.failed})
    return looked


def _prescan(attempts: Attempts, jobs: Sequence[Job], progress: Progress | None) -> Prescan:
    """Return a look at all partitions."""
    begin = partial(attempts.client.submit, look, pure=False)
    with_care = partial(attempts.client.submit, prescan_in_isolation, pure=False)
    parts: dict[str, Prescan | None] = {}
    for job, seen in attempts.each(jobs, begin, with_care):
        parts[job.partition.path] = seen
        if progress:
            progress("Scanning the rewards", len(parts), len(jobs))
    in_order = (parts[job.partition.path] for job in jobs)
    return Prescan.merge([seen for seen in in_order if seen is not None])


def _read(kept: Any) -> SeenBefore:
    return SeenBefore(kept["partitions"], Prescan.from_json(kept["seen"]), dict(kept["failed"]))
