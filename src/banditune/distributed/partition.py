"""What a worker does with one partition: read it, sweep its tasks, keep their curves where they are."""

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.checkpoints.checkpoint_files import name_damage, name_piece, read_piece, write_piece
from banditune.curves.exact_sum import CurveSum, Floats
from banditune.distributed.files import Partition
from banditune.distributed.partition_sums import FirstSums, Known, Sample, SampledTask, SecondSums, find_lowest
from banditune.errors import FileError, escape_controls
from banditune.logs.account import Account, RejectedRow
from banditune.logs.columns import Form
from banditune.logs.engine import Engine
from banditune.logs.log import Log
from banditune.logs.reading import How
from banditune.policies.sweep_results import Swept
from banditune.rng import stable_hash
from banditune.tuning.equal_split import EQUAL_SPLIT
from banditune.tuning.held_out_baselines import USUAL, Baselines
from banditune.tuning.parallel_sweep import chunks_of
from banditune.tuning.search import Search

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class PartitionSummary:
    """What the driver knows of a finished partition."""

    path: str
    n_tasks: int
    form: Form
    order: str | None  # what sorts the rows of an arm: "number" or "date"
    numbers_for_arms: bool  # whether all arms are called by whole numbers
    account: Account
    left_out: tuple[str, ...]  # tasks that could not be worked on, and why


@dataclass(frozen=True, slots=True, eq=False)
class PartitionResult:
    """What was found in a partition."""

    summary: PartitionSummary
    names: tuple[str, ...]  # of the tasks
    hashes: Hashes  # (tasks,) of their names
    sampled: tuple[SampledTask, ...]  # those with the lowest hashes, the lowest first
    baselines: Floats  # (baselines, tasks) what they lose with what is learned is compared with: `Job.list_baselines`
    curves: Swept | None  # None if there are no tasks, or if they are in the file
    file: Path | None

    def read_curves(self) -> Swept | None:
        """Return the curves of the tasks; None if there are none."""
        if self.file is None or self.summary.n_tasks == 0:
            return self.curves
        with name_damage(self.file):
            return Swept.from_arrays(read_piece(self.file).arrays, "")


def write_done(done: PartitionResult, partition: Partition, file: Path) -> PartitionResult:
    """Write a finished partition to a file; what is returned leaves the curves there."""
    arrays = {} if done.curves is None else done.curves.to_arrays("")
    note = {
        "state": partition.state,
        "summary": asdict(done.summary),
        "names": done.names,
        "sampled": [asdict(each) for each in done.sampled],
    }
    write_piece(file, note, {**arrays, "hashes": done.hashes, "baselines": done.baselines})
    return replace(done, curves=None, file=file)


def read_done(file: Path) -> tuple[PartitionResult, str]:
    """Return a finished partition, of which the curves stay in the file, and the state of the partition then."""
    with name_damage(file):
        note, arrays = read_piece(file)
        saved = note["summary"]
        account = saved["account"]
        examples = tuple(RejectedRow(**row) for row in account["examples"])
        reasons = tuple((reason, count) for reason, count in account["rejected"])
        account |= {"examples": examples, "rejected": reasons}
        account |= {name: tuple(account[name]) for name in ("parts", "left_out", "encoded", "reading")}
        summary = PartitionSummary(**{**saved, "account": Account(**account), "left_out": tuple(saved["left_out"])})
        sampled = tuple(SampledTask(**each) for each in note["sampled"])
        names, hashes, baselines = tuple(note["names"]), arrays["hashes"], arrays["baselines"]
        return PartitionResult(summary, names, hashes, sampled, baselines, None, file), note["state"]


Folds = NDArray[np.uint8]

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
    baselines: Baselines = USUAL

    @property
    def file(self) -> Path | None:
        """Where the finished work of this partition is kept; elsewhere for a horizon or range that was chosen anew."""
        if self.folder is None:
            return None
        search = self.search
        asked = [self.partition.path, search.horizons, search.low, search.high, list(search.draws[:2])]
        asked += self.list_baselines()
        return self.folder / name_piece("text" if self.how.text_order else "natural", asked)

    def list_baselines(self) -> list[float | str]:
        """List what is compared with: values of the parameter, equal split, and what else is used today."""
        current = [] if self.baselines.single else [self.baselines.name_current(self.search)]
        return [*self.baselines.list_values(self.search), EQUAL_SPLIT, *(name for name in current if name)]


def sweep_chunk(job: Job, tasks: list[Any], first: int) -> tuple[Swept, Floats]:
    """Return curves of tasks, and what they lose with each baseline: (baselines, tasks), NaN where nobody knows."""
    search = job.search
    swept, others = search.curves(tasks, first), job.baselines.list_others(search, tasks)
    unknown = np.full(len(tasks), np.nan)
    losses = [
        others.get(each, unknown) if isinstance(each, str) else _losses_with(search, swept, tasks, first, each)
        for each in job.list_baselines()
    ]
    return swept, np.array(losses)


def _losses_with(search: Search, swept: Swept, tasks: list[Any], first: int, value: float) -> Floats:
    """Return what swept tasks lose with one value, as `losses_with` has it for all of a log: (tasks,)."""
    known = swept if search.low <= value <= search.high else search.at(value).curves(tasks, first)
    return known.losses[0].at(value)


def sweep_partition(job: Job) -> PartitionResult:
    """Sweep a partition, unless that was done before; then too if tasks were left out that should not be."""
    if job.file is not None and job.file.exists():
        before = read_earlier_result(job, job.file)
        if job.skip or not before.summary.left_out:
            return before
    with read_partition(job, open_engine(job)) as log:
        chunks = [sweep_chunk(job, tasks, first) for first, tasks in chunks_of(job.search, log)]
        done = finish_partition(job, log, chunks)
    return done if job.file is None else write_done(done, job.partition, job.file)


def read_earlier_result(job: Job, file: Path) -> PartitionResult:
    """Return what was found in a partition before; if it is another one by now, that is rejected."""
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
    """Return the tasks of a partition, read into an engine; there may be none."""
    with job.partition.here() as path:
        log = open_partition(job, path, engine)
        try:
            yield log
        finally:
            log.close()


def open_partition(job: Job, path: str, engine: Engine) -> Log:
    """Return the tasks of a partition of which a copy is at a path; there may be none."""
    own = job.partition.path
    try:
        log = replace(job.how, may_be_empty=True).read([path], engine)
    except FileError as error:
        reason = str(error).replace(escape_controls(path), own)
        raise FileError(*(reason if own in reason else f"{own}: {reason}").split("\n")) from None
    log.name_source(own)
    return log


def open_engine(job: Job) -> Engine:
    """Return what reads a partition within the memory it may have."""
    return Engine(job.memory or _share_of_memory(), threads=1)


def finish_partition(
    job: Job, log: Log, chunks: Sequence[tuple[Swept, Floats]], left_out: Collection[tuple[int, str]] = ()
) -> PartitionResult:
    """Return what was found in all tasks of a partition but those left out, which come with their numbers."""
    gone = {number for number, _ in left_out}
    numbers = np.array([k for k in range(len(log)) if k not in gone], np.int64)
    names = tuple(log.names[k] for k in numbers)
    hashes = np.array([stable_hash(name.encode("utf-8", "surrogatepass")) for name in names], np.uint64)
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
    chosen = numbers[find_lowest(hashes)]
    sampled = tuple(SampledTask(log.names[k], int(n_arms[k]), int(rounds[k])) for k in chosen)
    curves = Swept.concatenate([swept for swept, _ in chunks]) if chunks else None
    none = np.empty((len(job.list_baselines()), 0))
    baselines = np.hstack([none, *(losses for _, losses in chunks)])
    return PartitionResult(summary, names, hashes, sampled, baselines, curves, None)


def list_names(done: PartitionResult) -> Any:
    """Return the names of a partition's tasks, as an Arrow array."""
    import pyarrow as pa

    return pa.array(done.names, pa.large_string())


def sum_folds(done: PartitionResult, fold: Folds, n_folds: int, level: int) -> list[CurveSum | None]:
    """Return the sum of the curves of each fold; None where no task of the partition is in it."""
    swept, members = done.read_curves(), [np.flatnonzero(fold == k) for k in range(n_folds)]
    return [swept.losses[0].take(each).sum(level) if swept is not None and each.size else None for each in members]


def measure_learned_values(done: PartitionResult, fold: Folds, values: Floats) -> Floats:
    """Return what each task loses with the value learned without its fold: (tasks,)."""
    swept, losses = done.read_curves(), np.empty(fold.size)
    if swept is not None:
        for k, value in enumerate(values.tolist()):
            losses[fold == k] = swept.losses[0].at(value)[fold == k]
    return losses


def sum_first(done: PartitionResult, limit: int) -> FirstSums | None:
    """Return what can be added up at first; None if there are no tasks."""
    swept = done.read_curves()
    if swept is None:
        return None
    (curves,) = swept.losses
    chosen = find_lowest(done.hashes)
    return FirstSums(
        curves.sum().within(limit),
        None if swept.histories is None else int(swept.histories.sum()),
        curves.largest,
        Sample(done.hashes[chosen], done.sampled, curves.take(chosen)),
    )


def list_facts(done: PartitionResult, best: float) -> Floats:
    """Return the loss of each task at the best value, the variance of its draws, and the pieces of one: (3, tasks)."""
    swept = done.read_curves()
    if swept is None:
        return np.empty((3, 0))
    return np.array([swept.losses[0].at(best), swept.variances, swept.count_pieces()])


def sum_second(done: PartitionResult, best: float, known: Known) -> SecondSums | None:
    """Return what can be added up once the best value is known; None if there are no tasks."""
    swept = done.read_curves()
    return None if swept is None else SecondSums.of(swept.losses[0], best, known)


def _share_of_memory() -> str | None:
    """Half of what a Dask worker has for each of its threads; None where there is no such worker, or no limit."""
    if "distributed" not in sys.modules:  # it takes long to import, and a worker has it
        return None
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:
        return None
    limit = worker.memory_manager.memory_limit
    return f"{max(limit // worker.state.nthreads // 2**21, 64)}MiB" if limit else None
