"""All partitions swept by the workers of a cluster; what fails is found out about, and named."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from banditune.errors import BanditTuneError, FileError, TaskError
from banditune.partitions.cluster import ClusterError, Pool, as_they_end
from banditune.partitions.done import Told
from banditune.partitions.guard import guarded
from banditune.partitions.sums import FirstSums
from banditune.partitions.work import Job, first_sums, sweep_partition, told_of

GUARDED_TRIES = 3  # of a partition whose workers were lost
SHOWN_FAILURES = 10


@dataclass(slots=True)
class Sweep:
    """Partitions that are swept: what stays with the workers, and what is known of it here."""

    client: Any
    limit: int  # places of the curve
    skip: bool  # go on without what fails
    keep_going: bool  # end only when all partitions are done, even if one has failed
    done: dict[str, Any] = field(default_factory=dict)  # path -> the future of a finished partition
    told: dict[str, Told] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)  # path -> why

    def run(self, jobs: Sequence[Job], progress: Callable[[int, int], None] | None = None) -> FirstSums:
        """Sweep all partitions and add up; `progress` is called with the numbers of partitions and tasks done."""
        pool = Pool(self.client, FirstSums.merged, self.limit)
        under_way = {self._begun(sweep_partition, job): job for job in jobs}
        tries: dict[str, int] = {}
        for future in as_they_end(self.client, under_way):
            job = under_way.pop(future)
            path = job.partition.path
            failure = self._failure(future)
            if failure is None:
                self.told[path] = future.result()
                pool.add(self.client.submit(first_sums, self.done[path], self.limit, pure=False))
            elif self._looks_into(failure) and tries.get(path, 0) < GUARDED_TRIES:
                tries[path] = tries.get(path, 0) + 1
                under_way[self._begun(guarded, job, skip=self.skip)] = job
                continue
            else:
                self._note(path, failure)
            if progress:
                progress(len(self.told) + len(self.failed), sum(each.n_tasks for each in self.told.values()))
        if self.failed and not self.skip:
            self._end()
        sums: FirstSums | None = pool.result()
        if sums is None:
            raise TaskError("the partitions must hold at least one task, got none")
        return sums

    def add_again(self) -> FirstSums:
        """The sums anew, of what the workers have by now."""
        pool = Pool(self.client, FirstSums.merged, self.limit)
        for future in self.done.values():
            pool.add(self.client.submit(first_sums, future, self.limit, pure=False))
        found: FirstSums = pool.result()
        return found

    def _begun(self, function: Callable[..., Any], job: Job, **options: Any) -> Any:
        """Have a partition worked on; what the driver will be told of it."""
        path = job.partition.path
        self.done[path] = self.client.submit(function, job, **options, pure=False)
        return self.client.submit(told_of, self.done[path], pure=False)

    def _failure(self, future: Any) -> BaseException | None:
        """Why a future failed; None if it did not."""
        if future.status == "finished":
            return None
        if future.status != "error":
            raise ClusterError("the cluster was lost; what was finished is kept if a folder to resume from was given")
        error: BaseException = future.exception()
        return error

    def _looks_into(self, failure: BaseException) -> bool:
        """Whether to find out which task is to blame."""
        return type(failure).__name__ == "KilledWorker" or (self.skip and type(failure) is TaskError)

    def _note(self, path: str, failure: BaseException) -> None:
        """Remember what failed; if that ends the run, do so."""
        if type(failure).__name__ == "KilledWorker":
            told = "workers were lost again and again while they worked on it"
        else:
            told = str(failure) if isinstance(failure, BanditTuneError) else f"{type(failure).__name__}: {failure}"
        self.failed[path] = told if path in told else f"{path}: {told}"
        del self.done[path]
        if not self.skip and not self.keep_going:
            self._end()

    def _end(self) -> None:
        """Tell all that failed."""
        told = list(self.failed.values())
        more = f"\n  and {len(told) - SHOWN_FAILURES} more" if len(told) > SHOWN_FAILURES else ""
        if len(told) == 1:
            raise FileError(told[0])
        listed = "\n  ".join(told[:SHOWN_FAILURES])
        raise FileError(f"{len(told)} partitions could not be worked on:\n  {listed}{more}")
