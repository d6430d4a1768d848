"""The curves of many tasks: in chunks, and long games in parts of the range, through any executor."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from banditune.checks import shown
from banditune.cores import n_cores
from banditune.errors import ParameterError, TaskError
from banditune.policies.policy import Swept
from banditune.search import Search

CHUNKS_AHEAD = 64  # so many chunks at most are handed out and not yet collected
LONG_GAME = 5_000  # rounds from which the range is divided into parts that all cores work on
PARTS = 32
LONG_UNMERGED, PARTS_A_CORE = 20_000, 4  # the same where games do not merge, and so every part costs a whole game

Chunk = list[Future[list[Swept]]]  # a future for each part of the range: what each of the searches found there


def sweep_tasks(
    searches: Sequence[Search],
    tasks: Iterable[Any],
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Swept]:
    """The curves of all tasks in their order, for each of the searches, made by the executor."""
    if executor is not None and not hasattr(executor, "submit"):
        raise ParameterError(f"executor must be a concurrent.futures.Executor, got {shown(executor)}")
    if executor is None:
        with ThreadPoolExecutor(n_cores()) as own:
            return sweep_tasks(searches, tasks, own, progress)
    done: list[list[Swept]] = []
    n_done = 0
    for chunk in _in_order(executor, searches, _chunks(searches[0], tasks)):
        done.append(chunk)
        n_done += len(chunk[0].losses[0])
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
        (swept,) = _collected(_handed_out(executor, [search], [task], None))
        return swept


def _chunks(search: Search, tasks: Iterable[Any]) -> Iterator[tuple[int, list[Any]]]:
    """The tasks in chunks of about the same work, each with the number of its first task.

    A chunk's size depends on the tasks alone, never on the number of workers.
    """
    chunk: list[Any] = []
    rewards = first = 0
    for number, task in enumerate(iterated(tasks)):
        if rewards >= search.policy.chunk:
            yield first, chunk
            chunk, rewards, first = [], 0, number
        chunk.append(task)
        rewards += getattr(task, "n_arms", 1) * search.horizons[-1]  # what is no task is told by the worker
    if chunk:
        yield first, chunk


def _in_order(
    executor: Executor, searches: Sequence[Search], chunks: Iterator[tuple[int, list[Any]]]
) -> Iterator[list[Swept]]:
    """The results of the chunks in their order, with a bounded number under way."""
    under_way: deque[Chunk] = deque()
    try:
        for first, tasks in chunks:
            under_way.append(_handed_out(executor, searches, tasks, first))
            if len(under_way) >= CHUNKS_AHEAD:
                yield _collected(under_way.popleft())
        while under_way:
            yield _collected(under_way.popleft())
    finally:
        for chunk in under_way:
            for future in chunk:
                future.cancel()


def _handed_out(executor: Executor, searches: Sequence[Search], tasks: list[Any], first: int | None) -> Chunk:
    """A chunk of tasks under way: a lone task with long games in parts of the range."""
    n_parts = _n_parts(searches[0]) if len(tasks) == 1 else 1
    divided = zip(*(search.parts(n_parts) for search in searches), strict=True)
    return [executor.submit(_swept, list(part), tasks, first) for part in divided]


def _n_parts(search: Search) -> int:
    """Into how many parts the range is divided for one task; it makes no difference to what is found."""
    rounds = search.horizons[-1]
    if search.policy.merges:
        return PARTS if rounds >= LONG_GAME else 1
    return PARTS_A_CORE * n_cores() if rounds >= LONG_UNMERGED and n_cores() > 1 else 1


def _collected(chunk: Chunk) -> list[Swept]:
    """What each search found in the whole range."""
    return [Swept.adjoined(parts) for parts in zip(*(future.result() for future in chunk), strict=True)]


def _swept(searches: Sequence[Search], tasks: list[Any], first: int | None) -> list[Swept]:
    """The curves of some tasks: what a worker does."""
    return [search.curves(tasks, first) for search in searches]
