"""All partitions swept by the workers of a cluster; what fails is found out about, and named."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from banditune.errors import BanditTuneError, FileError, TaskError
from banditune.partitions.cluster import ClusterError, Pool, as_they_end, outcome, was_killed
from banditune.partitions.done import Told
from banditune.partitions.guard import guarded
from banditune.partitions.sums import FirstSums
from banditune.partitions.work import Job, first_sums, sweep_partition, told_of

TRIES = 5  # of what was lost with its workers
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
            told, failure = outcome(future)
            if failure is None:
                self.told[path] = told
                pool.add(self.client.submit(first_sums, self.done[path], self.limit, pure=False))
            elif self._looks_into(failure) and tries.get(path, 0) < TRIES:
                tries[path] = tries.get(path, 0) + 1
                under_way[self._begun(guarded, job, skip=self.skip)] = job
                continue
            else:
                self._note(path, failure)
            if progress:
                progress(len(self.told) + len(self.failed), sum(each.n_tasks for each in self.told.values()))
        if self.failed and not self.skip:
            self._end()
        sums, failure = outcome(pool.future())
        if failure is not None:
            self._revive(failure)
            sums = self.add_again()
        if sums is None:
            raise TaskError("the partitions must hold at least one task, got none")
        found: FirstSums = sums
        return found

    def add_again(self) -> Any:
        """The first sums anew, of what the workers have by now."""
        return self.added_up(partial(FirstSums.merged, limit=self.limit), first_sums, self.limit)

    def added_up(self, merge: Callable[..., Any], function: Callable[..., Any], *options: Any) -> Any:
        """The sum of what a function of finished partitions gives, made by the workers in a tree."""

        def begun() -> Any:
            pool = Pool(self.client, merge)
            for done in self.done.values():
                pool.add(self.client.submit(function, done, *options, pure=False))
            return pool.future()

        return self.found(begun)

    def found(self, begin: Callable[[], Any]) -> Any:
        """The result of a future, which is begun again when workers are lost."""
        for _ in range(TRIES):
            result, failure = outcome(begin())
            if failure is None:
                return result
            self._revive(failure)
        raise ClusterError("workers were lost again and again; start more, or with more memory each")

    def _revive(self, failure: BaseException) -> None:
        """Have what was lost with workers made again; what failed in another way ends the run."""
        if not was_killed(failure):
            raise failure
        self.client.retry([done for done in self.done.values() if done.status == "error"])

    def _begun(self, function: Callable[..., Any], job: Job, **options: Any) -> Any:
        """Have a partition worked on; what the driver will be told of it."""
        path = job.partition.path
        self.done[path] = self.client.submit(function, job, **options, pure=False)
        return self.client.submit(told_of, self.done[path], pure=False)

    def _looks_into(self, failure: BaseException) -> bool:
        """Whether to find out which task is to blame."""
        return was_killed(failure) or (self.skip and type(failure) is TaskError)

    def _note(self, path: str, failure: BaseException) -> None:
        """Remember what failed; if that ends the run, do so."""
        if was_killed(failure):
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
