"""Work that is stopped ends soon, and only that: long kernels, what waits for a worker, and what is within it."""

import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.baselines import UCB1, entry
from banditune.interruption import Threads, Work, call_interruptibly, call_with_watch
from banditune.kernels.watch import STOP, Watch, is_stopped
from banditune.problems import bernoulli
from banditune.simulation.simulate import simulate

LONG = 1_000_000_000  # rounds
WITHIN = 60.0  # seconds; what works ends at once

rng = np.random.default_rng(0)


def wait_for_stop(watch: Watch) -> None:
    """Stands for a kernel that takes forever."""
    while not is_stopped(watch):
        time.sleep(0.001)


def raised_by(call: Callable[[], Any]) -> list[type[BaseException] | None]:
    """What a call in this thread raises, in a list, which is filled when it ends."""
    try:
        call()
    except BaseException as error:
        return [type(error)]
    return [None]


def stopped_soon(call: Callable[[], Any]) -> None:
    """Begin a call that takes long in a thread, stop it from this one, and check that it ends."""
    work = Work()
    ended: list[type[BaseException] | None] = []

    def begin() -> None:
        with work:
            ended.extend(raised_by(call))

    thread = threading.Thread(target=begin, daemon=True)
    thread.start()
    time.sleep(0.5)
    assert thread.is_alive(), f"it ended on its own: {ended}"
    work.stop()
    thread.join(WITHIN)
    assert ended == [CancelledError]


# each takes half a minute at least
CALLS: dict[str, Callable[[], Any]] = {
    "tune": lambda: bt.tune(bt.UCB, [bt.Task(rng.random((20, 50)))] * 50, horizon=30_000, alpha=(0.0, 4.0)),
    "UCB": lambda: bt.loss_curve(bt.UCB, bt.Task(rng.random((30, 50))), horizon=1_000_000, alpha=(0.0, 4.0)),
    "LinUCB": lambda: bt.loss_curve(
        bt.LinUCB,
        bt.ContextualTask(rng.random((100_000, 5, 9)), rng.random((100_000, 5))),
        alpha=(0.0, 4.0),
        horizon=100_000,
    ),
    "GPUCB": lambda: bt.loss_curve(
        bt.GPUCB, bt.Task(rng.random((90, 5)), points=rng.random((90, 2))), horizon=900, noise=(1e-4, 10.0)
    ),
    "play LinUCB": lambda: bt.play(  # so many features, all of a sign, are computed in double-doubles
        bt.LinUCB, bt.ContextualTask(rng.random((5_000, 2, 500)), rng.random((5_000, 2))), horizon=5_000
    ),
    "simulate": lambda: simulate([entry(UCB1)], bernoulli(30).bandits(2), horizon=LONG),
}
# the same kernels, to be compiled before
SHORT: dict[str, Callable[[], Any]] = {
    "tune": lambda: bt.tune(bt.UCB, [bt.Task(rng.random((2, 5)))], horizon=5, alpha=(0.0, 4.0)),
    "UCB": lambda: bt.loss_curve(bt.UCB, bt.Task(rng.random((2, 5))), horizon=5, alpha=(0.0, 4.0)),
    "LinUCB": lambda: bt.loss_curve(
        bt.LinUCB, bt.ContextualTask(rng.random((4, 5, 9)), rng.random((4, 5))), horizon=4, alpha=(0.0, 4.0)
    ),
    "GPUCB": lambda: bt.loss_curve(
        bt.GPUCB, bt.Task(rng.random((6, 5)), points=rng.random((6, 2))), horizon=3, noise=(1e-2, 1.0)
    ),
    "play LinUCB": lambda: bt.play(bt.LinUCB, bt.ContextualTask(rng.random((5, 2, 20)), rng.random((5, 2))), horizon=5),
    "simulate": lambda: simulate([entry(UCB1)], bernoulli(30).bandits(2), horizon=5),
}


@pytest.mark.parametrize("what", CALLS)
def test_long_calls_stop(what: str) -> None:
    SHORT[what]()
    stopped_soon(CALLS[what])


def test_one_call_does_not_stop_another() -> None:
    tasks = [bt.Task(rng.random((3, 40))) for _ in range(20)]
    plain = bt.tune(bt.UCB, tasks, horizon=200, alpha=(0.0, 4.0))
    with ThreadPoolExecutor(2) as shared:
        stopped_soon(lambda: simulate([entry(UCB1)], bernoulli(30).bandits(1), horizon=LONG, executor=shared))
        assert bt.tune(bt.UCB, tasks, horizon=200, alpha=(0.0, 4.0), executor=shared).params == plain.params


def test_leaving_the_block_stops_what_runs_and_cancels_what_waits() -> None:
    with ThreadPoolExecutor(1) as executor:
        with suppress(KeyboardInterrupt), Work() as work:
            jobs: list[Future[None]] = [work.submit(executor, call_with_watch, wait_for_stop) for _ in range(3)]
            raise KeyboardInterrupt
        for job in jobs:
            with pytest.raises(CancelledError):
                job.result(WITHIN)
        assert executor.submit(int).result(WITHIN) == 0  # the executor is as good as before


def test_work_within_a_worker_stops_with_it() -> None:
    def nested() -> None:
        with ThreadPoolExecutor(1) as inner, Work() as own:
            own.submit(inner, call_with_watch, wait_for_stop).result()

    with ThreadPoolExecutor(1) as executor, suppress(ZeroDivisionError), Work() as work:
        work.submit(executor, nested)
        time.sleep(0.1)
        raise ZeroDivisionError


def test_threads_are_not_waited_for_when_the_block_is_left_by_an_exception() -> None:
    release = threading.Event()
    with suppress(ZeroDivisionError), Threads(1) as threads:
        job = threads.submit(release.wait, WITHIN)
        waiting = threads.submit(int)
        raise ZeroDivisionError
    assert waiting.cancelled()
    assert not job.done()
    release.set()
    assert job.result(WITHIN)
    with Threads(1) as threads:
        job = threads.submit(time.sleep, 0.01)
    assert job.done()


def test_errors_of_workers_are_their_own() -> None:
    with ThreadPoolExecutor(1) as executor, Work() as work:
        with pytest.raises(ZeroDivisionError):
            work.submit(executor, lambda: 1 // 0).result()
        assert work.submit(executor, lambda: 5).result() == 5


def test_what_is_begun_after_the_stop_does_not_run() -> None:
    with ThreadPoolExecutor(1) as executor, Work() as work:
        work.stop()
        with pytest.raises(CancelledError):
            work.submit(executor, int).result(WITHIN)


def test_the_share_done_is_told() -> None:
    release = threading.Event()

    def half(watch: Watch) -> None:
        watch[1], watch[2] = 2.0, 4.0
        reached.set()
        release.wait(WITHIN)

    reached = threading.Event()
    with ThreadPoolExecutor(1) as executor, Work() as work:
        job, waiting = (work.submit(executor, call_with_watch, half) for _ in range(2))
        assert reached.wait(WITHIN)
        assert (work.share_done(job), work.share_done(waiting)) == (0.5, 0.0)
        release.set()
        job.result(WITHIN)
        assert work.share_done(job) == 1.0


def test_work_travels_to_other_processes() -> None:
    work = Work()
    work.stop()
    assert pickle.loads(pickle.dumps(work)).watch[STOP] == 0.0
    tasks = [bt.Task(rng.random((3, 40))) for _ in range(4)]
    with ProcessPoolExecutor(1) as executor:
        there = bt.tune(bt.UCB, tasks, horizon=50, alpha=(0.0, 4.0), executor=executor)
    assert there.params == bt.tune(bt.UCB, tasks, horizon=50, alpha=(0.0, 4.0)).params


def test_long_calls_are_handed_to_a_thread_that_can_be_stopped() -> None:
    assert call_interruptibly(threading.get_ident) != threading.get_ident()
    with ThreadPoolExecutor(1) as executor, Work() as work:
        there = executor.submit(threading.get_ident).result()
        assert work.submit(executor, call_interruptibly, threading.get_ident).result() == there
