"""The curves of many tasks: in chunks, and long runs in parts of the range, through any executor."""

import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.checkpoints.folder import Checkpoint
from banditune.checkpoints.task_chunks import ChunkStore, digest_tasks
from banditune.errors import FileError, ParameterError, TaskError
from banditune.interruption import Threads, Work, n_cores
from banditune.policies.sweep_results import Swept
from banditune.tasks.base import reject_tables
from banditune.tasks.task import Task
from banditune.tuning.search import Search, call_on
from banditune.validation import format_value

# what a task holds besides its rewards
FURTHER = tuple(field.name for field in fields(Task) if field.name not in ("flat", "starts"))


class Payload:
    """Some tasks to be searched; `first` is the number of the first of them among all, None if there is only one.

    Hundreds of small objects would take longer to send than to work on, so tasks of rewards are sent end to end.
    """

    __slots__ = ("first", "searches", "tasks")

    def __init__(self, searches: Sequence[Search], tasks: Sequence[Any], first: int | None) -> None:
        self.searches, self.tasks, self.first = list(searches), list(tasks), first

    def sweep(self) -> list[Swept]:
        """Return the curves of the tasks, for each of the searches: what a worker does."""
        return [search.curves(self.tasks, self.first) for search in self.searches]

    def __reduce__(self) -> tuple[Any, ...]:
        if all(type(task) is Task for task in self.tasks):
            return _unpack, (self.searches, _pack(self.tasks), self.first)
        return Payload, (self.searches, self.tasks, self.first)

    def __dask_tokenize__(self) -> str:
        """Return a name that no other payload has: Dask would otherwise read all of it to find one."""
        return uuid.uuid4().hex


Packed = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], dict[str, list[Any]]]


def _pack(tasks: Sequence[Task]) -> Packed:
    """Return the rewards and starts of tasks end to end, how many arms each has, and whatever else any of them says."""
    further = {name: [getattr(task, name) for task in tasks] for name in FURTHER}
    fields = {name: values for name, values in further.items() if any(value is not None for value in values)}
    return (
        np.concatenate([task.flat for task in tasks]),
        np.concatenate([task.starts for task in tasks]),
        np.array([task.n_arms for task in tasks]),
        fields,
    )


def _unpack(searches: Sequence[Search], packed: Packed, first: int | None) -> Payload:
    flat, starts, n_arms, further = packed
    tasks, reward, start = [], 0, 0
    for k, arms in enumerate(n_arms.tolist()):
        here = starts[start : start + arms + 1]
        fields = {name: values[k] for name, values in further.items()}
        tasks.append(Task.of_arrays(flat[reward : reward + int(here[-1])], here, **fields))
        reward, start = reward + int(here[-1]), start + arms + 1
    return Payload(searches, tasks, first)


CHUNKS_AHEAD = 64  # so many chunks at most are handed out and not yet collected
MANY_CHUNKS = 64  # after so many, chunks are twice as large: fewer are handed about
LONG_GAME = 50_000  # rounds from which the range is divided into parts that all cores work on
PARTS = 8
TELL_SECONDS = 0.5  # how often the progress of long work is reported
LONG_UNMERGED, PARTS_A_CORE = 20_000, 4  # the same where runs do not merge, and so every part costs a whole run


@dataclass(eq=False, slots=True)
class Chunk:
    """Tasks under way, or already done."""

    number: int
    tasks: range  # their numbers
    futures: list[Future[list[Swept]]]  # one for each part of the range: what each of the searches found there
    digest: str = ""  # of the tasks, where finished chunks are kept
    found: list[Swept] | None = None

    def is_done(self) -> bool:
        """Tell whether there is nothing to wait for."""
        return all(future.done() for future in self.futures)

    def has_failed(self) -> bool:
        """Tell whether some of it has ended, and not well."""
        ended = [future for future in self.futures if future.done()]
        return any(future.cancelled() or future.exception() is not None for future in ended)

    def n_done(self, work: Work) -> float:
        """Return how many of its tasks are done, those under way in part."""
        if self.found is not None:
            return len(self.tasks)
        return len(self.tasks) * sum(work.share_done(future) for future in self.futures) / len(self.futures)

    def collect(self) -> list[Swept]:
        """Return what each search found in the whole range, waiting for it if need be."""
        if self.found is None:
            parts = zip(*(future.result() for future in self.futures), strict=True)
            self.found, self.futures = [Swept.adjoin(each) for each in parts], []
        return self.found


@dataclass(frozen=True, slots=True)
class Resources:
    """What sweeps are made with.

    `progress` is called with the number of tasks done: a whole number, unless tasks take so long that those under way
    are told in part; with 0 where kernels are loaded and at work, but nothing is done soon.
    """

    executor: Executor | None = None  # None: a thread per core
    progress: Callable[[float], None] | None = None
    checkpoint: Checkpoint | None = None  # where what is finished is kept, and not made again


OWN = Resources()  # where nothing is said


def sweep_tasks(
    searches: Sequence[Search], tasks: Iterable[Any], resources: Resources = OWN, part: str | None = None
) -> list[Swept]:
    """Return the curves of all tasks in their order, for each of the searches.

    `part` says which tasks these are, if not all that are asked about.
    """
    executor, checkpoint = resources.executor, resources.checkpoint
    if executor is not None and not hasattr(executor, "submit"):
        raise ParameterError(f"executor must be a concurrent.futures.Executor, got {format_value(executor)}")
    if executor is None:
        with Threads() as own:
            return sweep_tasks(searches, tasks, replace(resources, executor=own), part)
    kept = None if checkpoint is None else ChunkStore(checkpoint, [each.describe() for each in searches], part)
    with Work() as work:
        under_way = UnderWay(executor, searches, work, kept, resources.progress)
        done = list(under_way.in_order(chunks_of(searches[0], tasks)))
    if not done:
        raise TaskError("tasks must hold at least one task, got none")
    return [Swept.concatenate(parts) for parts in zip(*done, strict=True)]


def iterate_tasks(tasks: Iterable[Any]) -> Iterator[Any]:
    """Return the tasks one by one; what is no collection of them is rejected."""
    reject_tables(tasks)
    return iter(tasks)


def sweep_task(search: Search, task: Any) -> Swept:
    """Return the curves of one task, on all cores if its runs are long."""
    if _n_parts(search) == 1:
        return call_on(search.policy, task, search.horizons[-1], lambda: search.curves([task]))
    with Threads() as executor, Work() as work:
        (swept,) = Chunk(0, range(1), _submit(executor, [search], [task], None, work)).collect()
        return swept


def chunks_of(search: Search, tasks: Iterable[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Return the tasks in chunks of about the same work, larger after many, with the numbers of their first tasks.

    A chunk's size depends on the tasks alone, never on the number of workers; nor does what is drawn for a task.
    """
    chunk: list[Any] = []
    rewards = first = n_chunks = 0
    for number, task in enumerate(search.number_twins(iterate_tasks(tasks))):
        if rewards >= search.policy.chunk * (1 if n_chunks < MANY_CHUNKS else 2):
            yield first, chunk
            chunk, rewards, first, n_chunks = [], 0, number, n_chunks + 1
        chunk.append(task)
        # what is no task fails in the worker
        rewards += getattr(task, "n_arms", 1) * search.horizons[-1] * search.draws.number
    if chunk:
        yield first, chunk


class UnderWay:
    """Chunks that are handed out, a bounded number of them."""

    def __init__(
        self,
        executor: Executor,
        searches: Sequence[Search],
        work: Work,
        kept: ChunkStore | None,
        progress: Callable[[float], None] | None,
    ) -> None:
        self._executor, self._searches, self._work, self._kept = executor, searches, work, kept
        self._progress = progress
        self._n_done = 0
        self._told, self._told_at = -1.0, time.monotonic()  # what was told last: 0 once kernels are at work
        self._chunks: deque[Chunk] = deque()

    def in_order(self, chunks: Iterator[tuple[int, list[Any]]]) -> Iterator[list[Swept]]:
        """Return the results of the chunks in their order."""
        number = -1
        try:
            for number, (first, tasks) in enumerate(chunks):
                self._chunks.append(self._begin(tasks, number, first))
                if len(self._chunks) >= CHUNKS_AHEAD or self._chunks[0].found is not None:
                    yield self._finish()
            while self._chunks:
                yield self._finish()
            if self._kept is not None:
                self._kept.end(number + 1)
        except BaseException:
            if self._kept is not None:
                with suppress(FileError):  # if that is what failed, it has been told
                    self._keep_ended_chunks()
                    self._kept.write()
            raise

    def _begin(self, tasks: list[Any], number: int, first: int) -> Chunk:
        """Return a chunk that is handed out, or that was finished before."""
        numbers = range(first, first + len(tasks))
        digest, found = "", None
        if self._kept is not None:
            digest = digest_tasks([*tasks, tuple(self._searches[0].draws)])
            found = self._kept.find(number, digest, numbers)
        handed_out = _submit(self._executor, self._searches, tasks, first, self._work) if found is None else []
        return Chunk(number, numbers, handed_out, digest, found)

    def _finish(self) -> list[Swept]:
        """Wait for the first chunk; meanwhile others that end are kept, and progress is told."""
        first = self._chunks[0]
        while not first.is_done() and not first.has_failed():
            awaited = [first] if self._kept is None else self._chunks
            running = [future for chunk in awaited for future in chunk.futures if not future.done()]
            wait(running, TELL_SECONDS, FIRST_COMPLETED)
            self._keep_ended_chunks()
            self._tell_in_part()
        self._keep_ended_chunks()
        found = first.collect()
        self._chunks.popleft()
        self._n_done += len(first.tasks)
        if self._progress is not None and self._n_done >= self._told:
            self._told = self._n_done
            self._progress(self._n_done)
        return found

    def _keep_ended_chunks(self) -> None:
        """Keep all chunks that have ended well, whatever their order."""
        for chunk in self._chunks if self._kept is not None else ():
            if chunk.futures and chunk.is_done() and not chunk.has_failed():
                assert self._kept is not None
                self._kept.keep(chunk.number, chunk.digest, chunk.collect())

    def _tell_in_part(self) -> None:
        """Tell how far long tasks have come."""
        if self._progress is None or time.monotonic() - self._told_at < TELL_SECONDS:
            return
        n_done = self._n_done + sum(chunk.n_done(self._work) for chunk in self._chunks)
        self._told_at = time.monotonic()
        if n_done > self._told and (n_done > 0.0 or self._work.has_begun()):
            self._told = n_done
            self._progress(n_done)


def _submit(
    executor: Executor, searches: Sequence[Search], tasks: list[Any], first: int | None, work: Work
) -> list[Future[list[Swept]]]:
    """Return tasks under way: a lone task with long runs in parts of the range."""
    n_parts = _n_parts(searches[0]) if len(tasks) == 1 else 1
    divided = zip(*(search.parts(n_parts) for search in searches), strict=True)
    if not type(executor).__module__.startswith("distributed"):
        return [work.submit(executor, Payload.sweep, Payload(part, tasks, first)) for part in divided]
    with warnings.catch_warnings():  # a task may be as large as it likes
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        return [work.submit(executor, Payload.sweep, Payload(part, tasks, first)) for part in divided]


def _n_parts(search: Search) -> int:
    """Into how many parts the range is divided for one task; it makes no difference to what is found."""
    rounds = search.horizons[-1]
    if search.policy.merges:
        return PARTS if rounds >= LONG_GAME else 1
    return PARTS_A_CORE * n_cores() if rounds >= LONG_UNMERGED and n_cores() > 1 else 1
