"""Work that can be stopped while it is under way: Ctrl-C has to reach compiled code, which Python cannot interrupt.

Long kernels run in threads and look at a flag now and then (`kernels.watch`); the main thread waits, and so sees
Ctrl-C. When it leaves the block that the work was begun in by any exception, the flag is set, and the threads end.
It does not wait for them: one may be compiling a kernel, which takes a while and sees no flag. Two such blocks never
stop each other, unless one is within the other.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextvars import ContextVar, Token
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from banditune.kernels.watch import DONE, STOP, WHOLE, Watch, is_stopped, new_watch

P = ParamSpec("P")
R = TypeVar("R")

_tree = threading.Lock()  # held while work is put within other work, or stopped


def n_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads(ThreadPoolExecutor):
    """Threads to work with; when the block is left by an exception, nothing is begun any more, or waited for.

    Without a number, there is one for each core.
    """

    def __init__(self, n_threads: int | None = None) -> None:
        super().__init__(n_cores() if n_threads is None else n_threads)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)


class Work:
    """Work that is under way, with all that was begun within it.

    As a block: what is submitted or called in it is part of it, and stops when the block is left by an exception, or
    when any thread calls `stop`: what was waited for then raises `concurrent.futures.CancelledError`. What an executor
    has in other processes cannot be stopped: what is not begun there is cancelled, what is runs to its end.

    >>> with Work() as work:
    ...     work.stop()
    ...     call_with_watch(lambda watch: "worthless")
    Traceback (most recent call last):
    concurrent.futures._base.CancelledError
    """

    def __init__(self) -> None:
        self.watch: Watch = new_watch()
        self._within: WeakSet[Work] = WeakSet()
        self._jobs: WeakKeyDictionary[Future[Any], Work] = WeakKeyDictionary()  # those that somebody still waits for
        self.is_job = False  # whether it is done by a worker, and nothing else is
        self._token: Token[Work | None] | None = None

    def __enter__(self) -> "Work":
        around = _current.get()
        if around is not None:
            around._hold(self)
        self._token = _current.set(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        assert self._token is not None
        _current.reset(self._token)
        if kind is not None:
            self.stop()

    def __reduce__(self) -> tuple[Any, ...]:
        return Work, ()  # nobody can stop it from another process

    def submit(self, executor: Executor, function: Callable[..., R], *args: Any) -> Future[R]:
        """Have an executor call a function as part of this work."""
        job = Work()
        job.is_job = True
        self._hold(job)
        future = executor.submit(_call_within, job, function, *args)
        with _tree:
            self._jobs[future] = job
        return future

    def map(self, executor: Executor, function: Callable[..., R], *iterables: Iterable[Any]) -> Iterator[R]:
        """Have an executor call a function with each of some arguments; the results in their order."""
        futures = [self.submit(executor, function, *args) for args in zip(*iterables, strict=True)]
        return (future.result() for future in futures)

    def share_done(self, future: Future[Any]) -> float:
        """Return how much of a job is done, from 0 to 1, as far as it tells."""
        job = self._jobs.get(future)
        if future.done() or job is None or job.watch[WHOLE] <= 0.0:
            return float(future.done())
        return min(1.0, float(job.watch[DONE] / job.watch[WHOLE]))

    def has_begun(self) -> bool:
        """Tell whether any job is past the loading and compiling of its kernels, as far as it tells."""
        return any(future.done() or job.watch[WHOLE] > 0.0 for future, job in list(self._jobs.items()))

    def stop(self) -> None:
        """Stop all that is under way, from whatever thread."""
        with _tree:
            futures = self._stop()
        for future in futures:
            future.cancel()  # without the lock: it may call back

    def _stop(self) -> list[Future[Any]]:
        self.watch[STOP] = 1.0
        futures = list(self._jobs)
        for part in list(self._within):
            futures += part._stop()
        return futures

    def _hold(self, part: "Work") -> None:
        with _tree:
            self._within.add(part)
            part.watch[STOP] = self.watch[STOP]


_current: ContextVar[Work | None] = ContextVar("work", default=None)  # of this thread


def _call_within(job: Work, function: Callable[..., R], *args: Any) -> R:
    """Call a function as part of some work: what an executor does."""
    check_watch(job.watch)
    token = _current.set(job)
    try:
        return function(*args)
    finally:
        _current.reset(token)


def call_with_watch(kernel: Callable[Concatenate[Watch, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a kernel that takes a watch first; if it was stopped, that is a `CancelledError`."""
    work = _current.get()
    watch = new_watch() if work is None else work.watch
    result = kernel(watch, *args, **kwargs)
    check_watch(watch)
    return result


def check_watch(watch: Watch) -> None:
    """Raise `CancelledError` if a watch was told to stop."""
    if is_stopped(watch):
        raise CancelledError


def tell_done(done: float, whole: float) -> None:
    """Tell how much of the work that this thread is part of is done, where no kernel does."""
    work = _current.get()
    if work is not None:
        work.watch[DONE], work.watch[WHOLE] = done, whole


def call_interruptibly(function: Callable[[], R]) -> R:
    """Call what may take long, such that Ctrl-C ends it: have another thread do it, unless this one can be stopped.

    That takes about a tenth of a millisecond.
    """
    work = _current.get()
    if work is not None and work.is_job:
        return function()
    with Threads(1) as other, Work() as own:
        return own.submit(other, function).result()
