"""The curves of many tasks: in chunks, and long games in parts of the range, through any executor."""

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from banditune.checkpoints.chunks import SECONDS, KeptChunks, digest_of
from banditune.checkpoints.folder import Checkpoint
from banditune.checks import shown
from banditune.cores import n_cores
from banditune.errors import FileError, ParameterError, TaskError
from banditune.parcels import Parcel
from banditune.policies.policy import Swept
from banditune.search import Search
from banditune.twins import number_twins

CHUNKS_AHEAD = 64  # so many chunks at most are handed out and not yet collected
LONG_GAME = 5_000  # rounds from which the range is divided into parts that all cores work on
PARTS = 32
LONG_UNMERGED, PARTS_A_CORE = 20_000, 4  # the same where games do not merge, and so every part costs a whole game


@dataclass(eq=False, slots=True)
class Chunk:
    """Tasks under way, or already done."""

    number: int
    tasks: range  # their numbers
    futures: list[Future[list[Swept]]]  # one for each part of the range: what each of the searches found there
    digest: bytes = b""  # of the tasks, where finished chunks are kept
    found: list[Swept] | None = None

    def ended(self) -> bool:
        """Whether there is nothing to wait for."""
        return all(future.done() for future in self.futures)

    def failed(self) -> bool:
        """Whether it has ended, but not well."""
        return any(future.cancelled() or future.exception() is not None for future in self.futures)

    def collected(self) -> list[Swept]:
        """What each search found in the whole range, waiting for it if need be."""
        if self.found is None:
            parts = zip(*(future.result() for future in self.futures), strict=True)
            self.found, self.futures = [Swept.adjoined(each) for each in parts], []
        return self.found


def sweep_tasks(
    searches: Sequence[Search],
    tasks: Iterable[Any],
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
    checkpoint: Checkpoint | None = None,
) -> list[Swept]:
    """The curves of all tasks in their order, for each of the searches, made by the executor.

    What is finished is kept in the checkpoint, and not made again.
    """
    if executor is not None and not hasattr(executor, "submit"):
        raise ParameterError(f"executor must be a concurrent.futures.Executor, got {shown(executor)}")
    if executor is None:
        with ThreadPoolExecutor(n_cores()) as own:
            return sweep_tasks(searches, tasks, own, progress, checkpoint)
    kept = None if checkpoint is None else KeptChunks(checkpoint, searches)
    done: list[list[Swept]] = []
    n_done = 0
    for found in _in_order(executor, searches, chunks_of(searches[0], tasks), kept):
        done.append(found)
        n_done += len(found[0].losses[0])
        if progress:
            progress(n_done)
    if not done:
        raise TaskError("tasks must hold at least one task, got none")
    return [Swept.joined(parts) for parts in zip(*done, strict=True)]


def iterated(tasks: Iterable[Any]) -> Iterator[Any]:
    """The tasks one by one; what is no collection of them is refused."""
    try:
        return iter(tasks)
    except TypeError:
        raise TaskError(f"tasks must be bt.Task objects in a list or another iterable, got {shown(tasks)}") from None


def sweep_task(search: Search, task: Any) -> Swept:
    """The curves of one task, on all cores if its games are long."""
    if _n_parts(search) == 1:
        return search.curves([task])
    with ThreadPoolExecutor(n_cores()) as executor:
        (swept,) = Chunk(0, range(1), _handed_out(executor, [search], [task], None)).collected()
        return swept


def chunks_of(search: Search, tasks: Iterable[Any]) -> Iterator[tuple[int, list[Any]]]:
    """The tasks in chunks of about the same work, each with the number of its first task.

    A chunk's size depends on the tasks alone, never on the number of workers; nor does what is drawn for a task.
    """
    chunk: list[Any] = []
    rewards = first = 0
    for number, task in enumerate(number_twins(iterated(tasks), search.horizons[-1])):
        if rewards >= search.policy.chunk:
            yield first, chunk
            chunk, rewards, first = [], 0, number
        chunk.append(task)
        rewards += getattr(task, "n_arms", 1) * search.horizons[-1]  # what is no task is told by the worker
    if chunk:
        yield first, chunk


def _in_order(
    executor: Executor, searches: Sequence[Search], chunks: Iterator[tuple[int, list[Any]]], kept: KeptChunks | None
) -> Iterator[list[Swept]]:
    """The results of the chunks in their order, with a bounded number under way."""
    under_way: deque[Chunk] = deque()
    number = -1
    try:
        for number, (first, tasks) in enumerate(chunks):
            under_way.append(_begun(executor, searches, tasks, number, first, kept))
            if len(under_way) >= CHUNKS_AHEAD or under_way[0].found is not None:
                yield _finished(under_way, kept)
        while under_way:
            yield _finished(under_way, kept)
        if kept is not None:
            kept.end(number + 1)
    except BaseException:
        if kept is not None:
            with suppress(FileError):  # if that is what failed, it has been told
                kept.write()
        raise
    finally:
        for chunk in under_way:
            for future in chunk.futures:
                future.cancel()


def _begun(
    executor: Executor, searches: Sequence[Search], tasks: list[Any], number: int, first: int, kept: KeptChunks | None
) -> Chunk:
    """A chunk that is handed out, or that was finished before."""
    numbers = range(first, first + len(tasks))
    if kept is None:
        return Chunk(number, numbers, _handed_out(executor, searches, tasks, first))
    digest = digest_of(tasks)
    found = kept.found(number, digest, numbers)
    futures = [] if found is not None else _handed_out(executor, searches, tasks, first)
    return Chunk(number, numbers, futures, digest, found)


def _finished(under_way: deque[Chunk], kept: KeptChunks | None) -> list[Swept]:
    """The result of the first chunk; while it is waited for, others that end are kept."""
    if kept is not None:
        _keep_while_waiting(under_way, kept)
    return under_way.popleft().collected()


def _keep_while_waiting(under_way: deque[Chunk], kept: KeptChunks) -> None:
    """Wait for the first chunk, and keep all that end meanwhile, whatever their order."""
    first = under_way[0]
    while first.futures:
        if not first.ended():
            under_way_now = [future for chunk in under_way for future in chunk.futures if not future.done()]
            wait(under_way_now, timeout=SECONDS, return_when=FIRST_COMPLETED)
        for chunk in under_way:
            if chunk.futures and chunk.ended() and (chunk is first or not chunk.failed()):
                kept.keep(chunk.number, chunk.digest, chunk.collected())


def _handed_out(
    executor: Executor, searches: Sequence[Search], tasks: list[Any], first: int | None
) -> list[Future[list[Swept]]]:
    """Tasks under way: a lone task with long games in parts of the range."""
    n_parts = _n_parts(searches[0]) if len(tasks) == 1 else 1
    divided = zip(*(search.parts(n_parts) for search in searches), strict=True)
    if not type(executor).__module__.startswith("distributed"):
        return [executor.submit(Parcel.swept, Parcel(part, tasks, first)) for part in divided]
    with warnings.catch_warnings():  # a task may be as large as it likes
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        return [executor.submit(Parcel.swept, Parcel(part, tasks, first)) for part in divided]


def _n_parts(search: Search) -> int:
    """Into how many parts the range is divided for one task; it makes no difference to what is found."""
    rounds = search.horizons[-1]
    if search.policy.merges:
        return PARTS if rounds >= LONG_GAME else 1
    return PARTS_A_CORE * n_cores() if rounds >= LONG_UNMERGED and n_cores() > 1 else 1
