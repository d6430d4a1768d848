"""Partitions worked on by the workers of a cluster, once or again; what fails is named, and left out or an error."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from banditune.checkpoints.checkpoint_files import CheckpointError
from banditune.distributed.cluster import as_they_end, outcome, was_killed
from banditune.distributed.partition import Job
from banditune.errors import BanditTuneError, FileError, TaskError

TRIES = 5  # of what was lost with its workers
SHOWN_FAILURES = 10

Begin = Callable[[Job], Any]  # has a partition worked on, and gives the future of its summary


@dataclass(slots=True)
class Attempts:
    """What was tried with partitions, and has failed."""

    client: Any
    skip: bool  # go on without what fails
    keep_going: bool  # end only when all partitions are done, even if one has failed
    failed: dict[str, str] = field(default_factory=dict)  # path -> why

    def each(self, jobs: Sequence[Job], begin: Begin, with_care: Begin) -> Iterator[tuple[Job, Any]]:
        """Return the jobs as they end, each with its summary; None if it has failed.

        What has killed a worker is begun once more `with_care`.
        """
        under_way = {begin(job): job for job in jobs}
        tries: Counter[str] = Counter()
        for future in as_they_end(self.client, under_way):
            job = under_way.pop(future)
            path = job.partition.path
            summary, failure = outcome(future)
            if failure is not None and self._looks_into(failure) and tries[path] < TRIES:
                tries[path] += 1
                under_way[with_care(job)] = job
                continue
            if failure is not None:
                self._note(path, failure)
            yield job, summary
        if self.failed and not self.skip:
            self.end()

    def end(self) -> None:
        """Raise an error that names all failures."""
        failures = list(self.failed.values())
        if len(failures) == 1:
            raise FileError(*failures[0].split("\n"))
        listed = [f"  {line}" for each in failures[:SHOWN_FAILURES] for line in each.split("\n")]
        more = [f"  and {len(failures) - SHOWN_FAILURES} more"] if len(failures) > SHOWN_FAILURES else []
        raise FileError(f"{len(failures)} partitions failed:", *listed, *more)

    def _looks_into(self, failure: BaseException) -> bool:
        """Tell whether to find out which task is to blame."""
        return was_killed(failure) or (self.skip and type(failure) is TaskError)

    def _note(self, path: str, failure: BaseException) -> None:
        """Remember what failed; if that ends the run, do so. Trouble with kept work does: the partition may be good."""
        if isinstance(failure, CheckpointError):
            raise failure
        if was_killed(failure):
            reason = "workers were lost on every retry"
        else:
            reason = str(failure) if isinstance(failure, BanditTuneError) else f"{type(failure).__name__}: {failure}"
        self.failed[path] = reason if path in reason else f"{path}: {reason}"
        if not self.skip and not self.keep_going:
            self.end()
