"""What a worker does with one partition: read it, sweep its tasks, and keep their curves where they are."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from banditune.checkpoints.pieces import name_piece
from banditune.distributed.files import Partition
from banditune.distributed.partition_result import Hashes, PartitionResult, PartitionSummary, read_done, write_done
from banditune.distributed.sample import Sample, SampledTask, lowest
from banditune.distributed.sums import FirstSums, Known, SecondSums
from banditune.errors import FileError, escape_controls
from banditune.logs.engine import Engine
from banditune.logs.log import Log
from banditune.logs.reading import How
from banditune.policies.sweeps import Swept
from banditune.rng import stable_hash
from banditune.tuning.executor import chunks_of
from banditune.tuning.search import Search

FILES = r"(?:text|natural)-[0-9a-f]{16}\.npz"  # in which finished partitions are kept


@dataclass(frozen=True, slots=True)
class Job:
    """A partition, how to read it, and what to search."""

    partition: Partition
    how: How
    search: Search
    memory: str | None  # what reading may hold
    folder: Path | None  # where finished work is kept
    skip: bool = False  # leave out tasks that cannot be worked on

    @property
    def file(self) -> Path | None:
        """Where the finished work of this partition is kept; elsewhere for a horizon or range that was chosen anew."""
        if self.folder is None:
            return None
        asked = [self.partition.path, self.search.horizons, self.search.low, self.search.high]
        return self.folder / name_piece("text" if self.how.text_order else "natural", asked)


def sweep_partition(job: Job) -> PartitionResult:
    """Sweep a partition, unless that was done before; then too if tasks were left out that should not be."""
    if job.file is not None and job.file.exists():
        before = read_finished(job, job.file)
        if job.skip or not before.summary.left_out:
            return before
    with read_partition(job, engine_for(job)) as log:
        chunks = [job.search.curves(tasks, first) for first, tasks in chunks_of(job.search, log)]
        done = finish_partition(job, log, chunks)
    return done if job.file is None else write_done(done, job.partition, job.file)


def read_finished(job: Job, file: Path) -> PartitionResult:
    """What was found in a partition when it was worked on before; if it is another one by now, that is rejected."""
    done, state = read_done(file)
    job.partition.check()
    if state != job.partition.state:
        raise FileError(
            f"{job.partition.path} was changed since its checkpoint (then: {state}; now: {job.partition.state}). "
            f"Give another folder, or remove {file} to process it again"
        )
    return done


@contextmanager
def read_partition(job: Job, engine: Engine) -> Iterator[Log]:
    """The tasks of a partition, read into an engine; there may be none."""
    with job.partition.here() as path:
        log = open_partition(job, path, engine)
        try:
            yield log
        finally:
            log.close()


def open_partition(job: Job, path: str, engine: Engine) -> Log:
    """The tasks of a partition of which a copy is at a path; there may be none."""
    own = job.partition.path
    try:
        log = replace(job.how, may_be_empty=True).read([path], engine)
    except FileError as error:
        reason = str(error).replace(escape_controls(path), own)
        raise FileError(*(reason if own in reason else f"{own}: {reason}").split("\n")) from None
    rows = tuple(replace(row, where=own) for row in log.account.examples)
    log.account = replace(log.account, parts=(own,), examples=rows)
    return log


def engine_for(job: Job) -> Engine:
    """What reads a partition within the memory it may have."""
    return Engine(job.memory or _share_of_memory(), threads=1)


def finish_partition(
    job: Job, log: Log, chunks: list[Swept], left_out: Collection[tuple[int, str]] = ()
) -> PartitionResult:
    """A finished partition: what was found in all its tasks but those left out, which come with their numbers."""
    gone = {number for number, _ in left_out}
    numbers = np.array([k for k in range(len(log)) if k not in gone], np.int64)
    hashes = np.array([name_hash(log.names[k]) for k in numbers], np.uint64)
    rounds, n_arms = log.rounds, log.n_arms
    summary = PartitionSummary(
        job.partition.path,
        len(numbers),
        log.form,
        log.order,
        log.numbers_for_arms,
        replace(log.account, n_tasks=len(numbers)),
        tuple(f"task {log.names[k]!r} of {job.partition.path}: {why}" for k, why in left_out),
    )
    chosen = numbers[lowest(hashes)]
    sampled = tuple(SampledTask(log.names[k], int(n_arms[k]), int(rounds[k])) for k in chosen)
    return PartitionResult(summary, hashes, sampled, Swept.concatenate(chunks) if chunks else None, None)


def name_hash(name: str) -> int:
    """64 bits that stand for a task's name."""
    return stable_hash(name.encode("utf-8", "surrogatepass"))


def summarize_partition(done: PartitionResult) -> PartitionSummary:
    """The summary, which is all that the driver gets."""
    return done.summary


def hashes_of(done: PartitionResult, share: int, shares: int) -> Hashes:
    """The hashes of the names of a partition's tasks, of several shares one."""
    chosen: Hashes = done.hashes[done.hashes % np.uint64(shares) == np.uint64(share)]
    return chosen


def name_with(job: Job, wanted: int) -> str:
    """The name of a partition's task with that hash."""
    with read_partition(job, engine_for(job)) as log:
        return next((name for name in log.names if name_hash(name) == wanted), "?")


def first_sums(done: PartitionResult, limit: int) -> FirstSums | None:
    """What can be added up at first; None if there are no tasks."""
    swept = done.read_curves()
    if swept is None:
        return None
    (curves,) = swept.losses
    chosen = lowest(done.hashes)
    return FirstSums(
        curves.sum().within(limit),
        int(curves.n_pieces.sum()),
        int(swept.histories.sum()),
        curves.largest,
        Sample(done.hashes[chosen], done.sampled, curves.take(chosen)),
    )


def second_sums(done: PartitionResult, best: float, known: Known) -> SecondSums | None:
    """What can be added up once the best value is known; None if there are no tasks."""
    swept = done.read_curves()
    return None if swept is None else SecondSums.of(swept.losses[0], best, known)


def _share_of_memory() -> str | None:
    """Half of what a Dask worker has for each of its threads; None where there is no such worker, or no limit."""
    try:
        from distributed import get_worker

        worker = get_worker()
    except (ImportError, ValueError):
        return None
    limit = worker.memory_manager.memory_limit
    return f"{max(limit // worker.state.nthreads // 2**21, 64)}MiB" if limit else None
