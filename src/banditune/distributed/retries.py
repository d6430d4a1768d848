"""Partitions worked on by the workers of a cluster, once or again; what fails is named, and left out or an error."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from banditune.checkpoints.errors import CheckpointError
from banditune.distributed.cluster import as_they_end, outcome, was_killed
from banditune.distributed.partition import Job
from banditune.errors import BanditTuneError, FileError, TaskError

TRIES = 5  # of what was lost with its workers
SHOWN_FAILURES = 10

Begin = Callable[[Job], Any]  # has a partition worked on, and gives the future of what is told of it


@dataclass(slots=True)
class Attempts:
    """What was tried with partitions, and has failed."""

    client: Any
    skip: bool  # go on without what fails
    keep_going: bool  # end only when all partitions are done, even if one has failed
    failed: dict[str, str] = field(default_factory=dict)  # path -> why

    def each(self, jobs: Sequence[Job], begin: Begin, with_care: Begin) -> Iterator[tuple[Job, Any]]:
        """The jobs as they end, each with what is told of it; None if it has failed.

        What has killed a worker is begun once more `with_care`.
        """
        under_way = {begin(job): job for job in jobs}
        tries: Counter[str] = Counter()
        for future in as_they_end(self.client, under_way):
            job = under_way.pop(future)
            path = job.partition.path
            told, failure = outcome(future)
            if failure is not None and self._looks_into(failure) and tries[path] < TRIES:
                tries[path] += 1
                under_way[with_care(job)] = job
                continue
            if failure is not None:
                self._note(path, failure)
            yield job, told
        if self.failed and not self.skip:
            self.end()

    def end(self) -> None:
        """Tell all that failed."""
        told = list(self.failed.values())
        if len(told) == 1:
            raise FileError(*told[0].split("\n"))
        listed = [f"  {line}" for each in told[:SHOWN_FAILURES] for line in each.split("\n")]
        more = [f"  and {len(told) - SHOWN_FAILURES} more"] if len(told) > SHOWN_FAILURES else []
        raise FileError(f"{len(told)} partitions could not be worked on:", *listed, *more)

    def _looks_into(self, failure: BaseException) -> bool:
        """Whether to find out which task is to blame."""
        return was_killed(failure) or (self.skip and type(failure) is TaskError)

    def _note(self, path: str, failure: BaseException) -> None:
        """Remember what failed; if that ends the run, do so. Trouble with kept work does: the partition may be good."""
        if isinstance(failure, CheckpointError):
            raise failure
        if was_killed(failure):
            told = "workers were lost again and again while they worked on it"
        else:
            told = str(failure) if isinstance(failure, BanditTuneError) else f"{type(failure).__name__}: {failure}"
        self.failed[path] = told if path in told else f"{path}: {told}"
        if not self.skip and not self.keep_going:
            self.end()
