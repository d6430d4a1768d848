"""All partitions swept by the workers of a cluster: the curves stay there, their sums are added up and must agree."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from banditune.distributed.cluster import WORKERS_LOST, ClusterError, Pool, outcome, was_killed
from banditune.distributed.isolation import sweep_in_isolation
from banditune.distributed.partition import Job, PartitionSummary, sum_first, sweep_partition
from banditune.distributed.partition_sums import FirstSums
from banditune.distributed.retries import TRIES, Attempts
from banditune.errors import FileError
from banditune.logs.account import Account
from banditune.logs.reading import explain_nothing

Key = TypeVar("Key", bound=Hashable)


@dataclass(slots=True)
class Sweep:
    """Partitions that are swept: what stays with the workers, and what is known of it here."""

    attempts: Attempts
    limit: int  # places of the curve
    done: dict[str, Any] = field(default_factory=dict)  # path -> the future of a finished partition
    summaries: dict[str, PartitionSummary] = field(default_factory=dict)

    @property
    def client(self) -> Any:
        """The client of the cluster."""
        return self.attempts.client

    def summarize(self, jobs: Sequence[Job]) -> list[PartitionSummary]:
        """Return the summaries of the finished partitions, in the order of the jobs."""
        return [self.summaries[job.partition.path] for job in jobs if job.partition.path in self.summaries]

    def run(self, jobs: Sequence[Job], progress: Callable[[int, int], None] | None = None) -> FirstSums:
        """Sweep all partitions and add up; `progress` is called with the numbers of partitions and tasks done."""
        pool = Pool(self.client, FirstSums.merge, self.limit)
        for job, summary in self.attempts.each(
            jobs, partial(self._begin, sweep_partition), partial(self._begin, sweep_in_isolation)
        ):
            path = job.partition.path
            if summary is None:
                del self.done[path]
                self.summaries.pop(path, None)
            else:
                self.summaries[path] = summary
                pool.add(self.submit(path, sum_first, self.limit))
            if progress:
                n_done = len(self.summaries) + len(self.attempts.failed)
                progress(n_done, sum(each.n_tasks for each in self.summaries.values()))
        sums, failure = outcome(pool.future())
        if failure is not None:
            self._revive(failure)
            sums = self.add_again()
        if sums is None:
            raise self._explain_nothing(jobs)
        found: FirstSums = sums
        return found

    def add_again(self) -> Any:
        """Return the first sums anew, of what the workers have by now."""
        merge = partial(FirstSums.merge, limit=self.limit)
        return self.add_up(merge, lambda path: self.submit(path, sum_first, self.limit))

    def submit(self, path: str, function: Callable[..., Any], *options: Any) -> Any:
        """Return the future of what a function gives for a finished partition."""
        return self.client.submit(function, self.done[path], *options, pure=False)

    def add_up(self, merge: Callable[..., Any], begin: Callable[[str], Any]) -> Any:
        """Return the sum of what is begun for the path of each finished partition, made by the workers in a tree."""
        return self.wait_for(partial(self.begin_sum, merge, begin))

    def begin_sum(self, merge: Callable[..., Any], begin: Callable[[str], Any]) -> Any:
        """Return the future of such a sum."""
        pool = Pool(self.client, merge)
        for path in self.done:
            pool.add(begin(path))
        return pool.future()

    def collect(self, begin: Callable[[str], Any]) -> dict[str, Any]:
        """Return what is begun for the path of each finished partition, by path."""
        return dict(zip(self.done, self.each(list(self.done), begin), strict=True))

    def each(self, keys: Sequence[Key], begin: Callable[[Key], Any]) -> Iterator[Any]:
        """Yield the results of what is begun for each key, all at once: in their order, as they are there."""
        begun = {key: begin(key) for key in keys}

        def take(key: Key) -> Any:
            return begun.pop(key, None) or begin(key)

        for key in keys:
            yield self.wait_for(partial(take, key))

    def wait_for(self, begin: Callable[[], Any]) -> Any:
        """Return the result of a future, which is begun again when workers are lost."""
        for _ in range(TRIES):
            result, failure = outcome(begin())
            if failure is None:
                return result
            self._revive(failure)
        raise ClusterError(WORKERS_LOST)

    def _revive(self, failure: BaseException) -> None:
        """Have what was lost with workers made again; what failed in another way ends the run."""
        if not was_killed(failure):
            raise failure
        self.client.retry([done for done in self.done.values() if done.status == "error"])

    def _begin(self, function: Callable[[Job], Any], job: Job) -> Any:
        """Have a partition worked on; return the future of its summary."""
        path = job.partition.path
        self.done[path] = self.client.submit(function, job, pure=False)
        return self.submit(path, attrgetter("summary"))

    def _explain_nothing(self, jobs: Sequence[Job]) -> FileError:
        """Return why there is no task in any partition."""
        accounts = [each.account for each in self.summarize(jobs)]
        if not accounts:
            self.attempts.end()
        account = Account.add(accounts)
        return FileError(*explain_nothing(account.parts[0], account.rows_read, account.examples))


def check_agreement(sweep: Sweep, jobs: Sequence[Job], sums: FirstSums) -> FirstSums:
    """Return the sums, once all partitions have been read alike; what cannot be is rejected.

    In a whole log, arms are in the order of numbers only if all are called by numbers. So where some partition has
    other names, those that have only numbers are swept again, in the order of text.
    """
    there = [each for each in sweep.summarize(jobs) if each.n_tasks]
    for each in there:
        if each.form != there[0].form:
            raise FileError(f"{each.path} must hold {there[0].form} as {there[0].path} does, got {each.form}")
        if each.order != there[0].order:
            raise FileError(
                f"{each.path} must have times of the same kind as {there[0].path}: {there[0].order}s, got {each.order}s"
            )
    numbers = {each.path for each in there if each.numbers_for_arms}
    if not numbers or len(numbers) == len(there):
        return sums
    again = [replace(job, how=replace(job.how, text_order=True)) for job in jobs if job.partition.path in numbers]
    sweep.run(again)
    anew: FirstSums = sweep.add_again()
    return anew
