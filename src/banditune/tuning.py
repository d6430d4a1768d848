"""Tuning: the mean of the tasks' step functions, and its least piece. Algorithm 2 of the paper, over the continuum."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from banditune.checks import shown
from banditune.cores import n_cores
from banditune.curve_set import CurveSet
from banditune.errors import ParameterError, TaskError
from banditune.policies.policy import Policy
from banditune.search import Search
from banditune.tasks import Task
from banditune.tuned import Tuned

CHUNK_REWARDS = 2**16  # a chunk's size depends on the tasks alone, never on the number of workers
CHUNKS_AHEAD = 64  # so many chunks at most are handed out and not yet collected

Chunk = tuple[CurveSet, NDArray[np.int64]]


def tune(
    policy: type[Policy],
    tasks: Iterable[Task],
    *,
    horizon: int,
    loss: str = "regret",
    seed: int = 0,
    extend: bool = True,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
    **parameters: object,
) -> Tuned:
    """The value of a policy's parameter that loses least on past tasks, found exactly over its whole range.

    The parameter to learn is given as (low, high), others as values. `tasks` may be a generator: it is consumed in
    chunks. The chunks go through `executor`, by default a thread on each of this machine's cores; the answer is the
    same to the last bit whatever the executor. `progress` is called with the number of tasks done.

    >>> import banditune as bt
    >>> tasks = [bt.Task.from_counts([20, 20], [k, 10], seed=k) for k in range(20)]
    >>> tuned = bt.tune(bt.UCB, tasks, horizon=50, alpha=(0.0, 4.0))
    >>> tuned.alpha in tuned.interval and tuned.loss == tuned.curve(tuned.alpha)
    True
    """
    search = Search.of(policy, [horizon], parameters, loss=loss, seed=seed, extend=extend)
    return learned(search, *sweep_tasks(search, tasks, executor, progress), origin=getattr(tasks, "origin", None))


def sweep_tasks(
    search: Search,
    tasks: Iterable[Task],
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[CurveSet, NDArray[np.int64]]:
    """The curves of all tasks in their order, made by the executor, and the number of histories of each."""
    if executor is not None and not hasattr(executor, "submit"):
        raise ParameterError(f"executor must be a concurrent.futures.Executor, got {shown(executor)}")
    if executor is None:
        with ThreadPoolExecutor(n_cores()) as own:
            return sweep_tasks(search, tasks, own, progress)
    done: list[Chunk] = []
    n_done = 0
    for curves, histories in _in_order(executor, search, _chunks(search, tasks)):
        done.append((curves, histories))
        n_done += len(curves)
        if progress:
            progress(n_done)
    if not done:
        raise TaskError("tasks must hold at least one task, got none")
    return CurveSet.joined(curves for curves, _ in done), np.concatenate([histories for _, histories in done])


def learned(
    search: Search, curves: CurveSet, histories: NDArray[np.int64], *, origin: Mapping[str, object] | None = None
) -> Tuned:
    """What a search finds in the curves of its tasks, which may come from a log."""
    mean = curves.mean()
    interval = mean.argmin()
    best = search.policy.parameters[search.parameter].inside(*interval)
    return Tuned(
        policy_class=search.policy,
        params={search.parameter: best, **search.fixed},
        interval=interval,
        plausible=curves.plausible(best),
        curve=mean,
        loss=mean(best),
        loss_name=search.loss,
        parameter=search.parameter,
        n_tasks=len(curves),
        horizon=search.horizons[-1],
        complexity=float(curves.n_pieces.mean()),
        histories=float(histories.mean()),
        seed=search.seed,
        origin=origin,
    )


def _chunks(search: Search, tasks: Iterable[Task]) -> Iterator[tuple[int, list[Task]]]:
    """The tasks in chunks of about the same work, each with the number of its first task."""
    try:
        each = iter(tasks)
    except TypeError:
        raise TaskError(f"tasks must be bt.Task objects in a list or another iterable, got {shown(tasks)}") from None
    chunk: list[Task] = []
    rewards = first = 0
    for number, task in enumerate(each):
        if rewards >= CHUNK_REWARDS:
            yield first, chunk
            chunk, rewards, first = [], 0, number
        chunk.append(task)
        rewards += getattr(task, "n_arms", 1) * search.horizons[-1]  # what is no task is told by the worker
    if chunk:
        yield first, chunk


def _in_order(executor: Executor, search: Search, chunks: Iterator[tuple[int, list[Task]]]) -> Iterator[Chunk]:
    """The results of the chunks in their order, with a bounded number under way."""
    under_way: deque[Future[Chunk]] = deque()
    try:
        for first, chunk in chunks:
            under_way.append(executor.submit(_sweep_chunk, search, chunk, first))
            if len(under_way) >= CHUNKS_AHEAD:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for future in under_way:
            future.cancel()


def _sweep_chunk(search: Search, tasks: list[Task], first: int) -> Chunk:
    """The curves of one chunk: what a worker does."""
    sets, histories = search.curves(tasks, first)
    return sets[0], histories
