"""Outgrowing one machine: workers against one, against plain `tune`, killed at random, and the driver's memory."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import banditune as bt
from banditune.distributed.tune import tune_partitions
from banditune.evaluation.folds import N_FOLDS
from banditune.interruption import n_cores
from banditune.rng import generator

HORIZON, LIMITS = 100, (0.0, 1.0)
SHORT = 20  # rounds, for very many tasks
ASKED = ["--horizon", str(HORIZON), "--alpha", *map(str, LIMITS)]
COMMAND = [sys.executable, "-c", "from banditune.cli import main; main()"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument(
        "what", nargs="*", default=["speed", "kills", "memory"], help="speed, kills, memory: all if none"
    )
    parser.add_argument("--tasks", type=int, default=200_000, metavar="N", help="tasks to compare speeds on")
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="how often to kill a worker or the driver")
    parser.add_argument(
        "--many", type=int, default=2_000_000, metavar="N", help="tasks to measure the driver's memory on"
    )
    parser.add_argument("--repetitions", type=int, default=2, metavar="N", help="of each time, the least is printed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="banditune-benchmark-") as name:
        folder = Path(name)
        if "speed" in options.what:
            speed(folder / "speed", options.tasks, options.repetitions)
        if "kills" in options.what:
            kills(folder / "kills", options.kills, options.tasks // 10)
        if "memory" in options.what:
            memory(folder / "memory", options.many)


def write_rewards(folder: Path, n_tasks: int, per_file: int, pulls: int = HORIZON, *, continuous: bool = False) -> None:
    """Two arms, Bernoulli or with continuous rewards, a row for each of so many pulls."""
    folder.mkdir(parents=True)
    for number, first in enumerate(range(0, n_tasks, per_file)):
        size = min(per_file, n_tasks - first)
        random = generator(0, "cluster", number)
        drawn, means = random.random((size, 2, pulls)), random.random((size, 2, 1))
        rewards = (drawn + means) / 2.0 if continuous else drawn < means
        columns = {
            "task": np.repeat(np.arange(first, first + size), 2 * pulls),
            "arm": np.tile(np.repeat(np.arange(2, dtype=np.int8), pulls), size),
            "reward": rewards.reshape(-1).astype(np.float32),
        }
        pq.write_table(pa.table(columns), folder / f"{number:05}.parquet")


@contextmanager
def workers(n_workers: int) -> Iterator[Any]:
    """A client of a scheduler and so many workers, in processes of their own with one thread each, kernels loaded."""
    from distributed import Client, LocalCluster

    quiet: dict[str, Any] = {"dashboard_address": ":0", "silence_logs": 100}
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, processes=True, **quiet) as cluster,
        Client(cluster) as client,
    ):
        client.run(load_kernels)
        yield client


def load_kernels() -> None:
    """Load what was compiled before, so that it is not timed."""
    from banditune.curves.curve_set import CurveSet

    tasks = [bt.Task(np.eye(2)[:, np.arange(20) % 2]), bt.Task([[1.0, 0.0], [0.0, 0.5]])]
    bt.tune(bt.UCB, tasks, horizon=20, alpha=LIMITS)
    curves = CurveSet.of(bt.loss_curve(bt.UCB, task, horizon=20, alpha=LIMITS) for task in tasks)
    total = curves.sum()
    total.merge([total, total]).mean()


class Timed(NamedTuple):
    """What was found, how long that took, and the processor's work for it."""

    tuned: bt.Tuned
    seconds: float
    busiest: float  # the processor's seconds of the busiest worker
    work: float  # of all of them, and of the driver and the scheduler


def tune_here(folder: Path) -> Timed:
    """Tuning alone, which compares with nothing, with a thread for each core of this machine."""
    return time_here(lambda: bt.tune(bt.UCB, bt.read_log(folder), horizon=HORIZON, alpha=LIMITS, racing=False))


def run_here(folder: Path, folds: int) -> Timed:
    """The same study with a thread for each core of this machine."""
    how: dict[str, Any] = {"horizon": HORIZON, "alpha": LIMITS, "folds": folds, "racing": False}
    return time_here(lambda: bt.study(bt.UCB, bt.read_log(folder), **how).tuned)


def time_here(call: Callable[[], bt.Tuned]) -> Timed:
    """Time what is done in this process."""
    started, before = time.perf_counter(), time.process_time()
    tuned = call()
    work = time.process_time() - before
    return Timed(tuned, time.perf_counter() - started, work / n_cores(), work)


def run_by_workers(n_workers: int, folder: Path, folds: int) -> Timed:
    """A study by workers that have a core each, while no others are there; the scheduler is in this process."""
    with workers(n_workers) as client:
        here, before = time.process_time(), client.run(time.process_time)
        started = time.perf_counter()
        tuned = tune_partitions(client, bt.UCB, [str(folder)], horizon=HORIZON, alpha=LIMITS, folds=folds).tuned
        seconds = time.perf_counter() - started
        each = [after - before[worker] for worker, after in client.run(time.process_time).items()]
        return Timed(tuned, seconds, max(each), sum(each) + time.process_time() - here)


def speed(folder: Path, n_tasks: int, repetitions: int) -> None:
    """Seconds with one worker, with two, and of a study on this machine's cores, in turns; the least of each."""
    write_rewards(folder, n_tasks, per_file=max(1, n_tasks // 20))
    load_kernels()
    print(
        f"{n_tasks:,} tasks of 2 Bernoulli arms, T = {HORIZON}, {2 * HORIZON * n_tasks / 1e6:,.0f} million rows in 20 "
        "Parquet files"
    )
    alone = min((tune_here(folder) for _ in range(repetitions)), key=lambda each: each.seconds)
    print(f"tuning alone on {n_cores()} cores: {alone.seconds:.1f} s by the clock, {alone.work:.1f} s of the processor")
    for folds in (1, N_FOLDS):
        compare_speed(folder, folds, repetitions)


def compare_speed(folder: Path, folds: int, repetitions: int) -> None:
    """Print the seconds of each."""
    calls: dict[str, Callable[[], Timed]] = {
        "plain": partial(run_here, folder, folds),
        "one": partial(run_by_workers, 1, folder, folds),
        "two": partial(run_by_workers, 2, folder, folds),
    }
    turns = [{name: call() for name, call in calls.items()} for _ in range(repetitions)]
    plain, one, two = (min((turn[name] for turn in turns), key=lambda each: each.seconds) for name in calls)
    told = {json.dumps(each.tuned.summary() | {"log": None}) for each in (plain, one, two)}
    same = len(told) == 1 and plain.tuned.curve == one.tuned.curve == two.tuned.curve
    print(
        f"{'with' if folds > 1 else 'without'} cross-validation; the same bits: {same}\n"
        f"  by the clock: plain on {n_cores()} cores {plain.seconds:.1f} s, one worker {one.seconds:.1f} s, "
        f"two workers {two.seconds:.1f} s: two are {one.seconds / two.seconds:.2f} times one (target 1.7), "
        f"{two.seconds / plain.seconds - 1.0:+.0%} against plain (target at most +15%)\n"
        f"  by the processor's work: plain {plain.work:.1f} s, one worker {one.work:.1f} s, two {two.work:.1f} s, of "
        f"which the busier {two.busiest:.1f} s: two would be {one.busiest / two.busiest:.2f} times one, and all work "
        f"is {two.work / plain.work - 1.0:+.0%} against plain"
    )


@contextmanager
def real_cluster(n_workers: int, folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """`dask scheduler` and `dask worker`, as one starts them by hand: the address, and the workers' processes."""
    file = folder / "scheduler.json"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen(
        [*dask, "scheduler", "--port", "0", "--dashboard-address", ":0", "--scheduler-file", str(file)], **quiet
    )
    worker = [*dask, "worker", "--nthreads", "1", "--scheduler-file", str(file), "--dashboard-address", ":0"]
    started = [subprocess.Popen([*worker, "--local-directory", str(folder)], **quiet) for _ in range(n_workers)]
    try:
        while not file.exists():
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], started
    finally:
        for process in (*started, scheduler):
            process.terminate()
        for process in (*started, scheduler):
            process.wait()


def kills(folder: Path, n_kills: int, n_tasks: int) -> None:
    """Kill workers and the driver at random moments until that was done often enough; then let it end."""
    log, kept, out = folder / "log", folder / "kept", folder / "out"
    write_rewards(log, n_tasks, per_file=max(1, n_tasks // 40))
    load_kernels()
    plain = bt.tune(bt.UCB, bt.read_log(log), horizon=HORIZON, alpha=LIMITS)
    random = generator(0, "kills")
    counts = {"workers": 0, "drivers": 0, "runs": 0}
    with real_cluster(2, folder) as (address, _):
        command = [*COMMAND, "tune", str(log), *ASKED, "--cluster", address, "--resume", str(kept), "--out", str(out)]
        driver = start_driver(command, folder / "told")
        while sum((counts["workers"], counts["drivers"])) < n_kills:
            time.sleep(float(random.uniform(0.5, 4.0)))
            if random.random() < 0.5:
                driver.kill()
                counts["drivers"] += driver.wait() != 0
            else:
                counts["workers"] += killed_worker(address, random)
            if driver.poll() is not None:
                if driver.returncode == 0:  # it was done; begin anew
                    check(out, plain)
                    shutil.rmtree(kept)
                    counts["runs"] += 1
                assert driver.returncode in (0, -signal.SIGKILL), (folder / "told").read_text()
                driver = start_driver(command, folder / "told")
        assert driver.wait() == 0, (folder / "told").read_text()
    check(out, plain)
    print(
        f"{n_tasks:,} tasks in 40 files, two workers: {counts['drivers']} drivers and {counts['workers']} workers "
        f"killed (SIGKILL) at random moments, {counts['runs'] + 1} runs ended well, all with the bits of plain tune"
    )


def start_driver(command: list[str], told: Path) -> subprocess.Popen[bytes]:
    """A driver; what it tells goes to a file."""
    with open(told, "wb") as file:
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file)


def killed_worker(address: str, random: np.random.Generator) -> int:
    """Kill the process of one worker; its nanny starts another. How many were killed: none if none was there."""
    from distributed import Client

    with Client(address) as client:
        pids = [pid for pid in client.run(os.getpid, on_error="ignore").values() if isinstance(pid, int)]
    if not pids:
        return 0
    os.kill(pids[int(random.integers(len(pids)))], signal.SIGKILL)
    return 1


def check(out: Path, plain: bt.Tuned) -> None:
    """The result must be that of plain tune."""
    found = bt.load(out / "tuned.json")
    assert found.curve == plain.curve
    assert found.summary() | {"log": None} == plain.summary() | {"log": None}
    shutil.rmtree(out)


def memory(folder: Path, n_tasks: int) -> None:
    """The most memory that the driver holds, and the time, on very many short tasks whose breakpoints all differ."""
    log = folder / "log"
    write_rewards(log, n_tasks, max(1, n_tasks // 80), SHORT, continuous=True)
    with real_cluster(2, folder) as (address, _):
        for further in ([], ["--breakpoints", "100000"]):
            started_at = time.perf_counter()
            asked = ["--horizon", str(SHORT), "--alpha", *map(str, LIMITS), *further]
            command = [*COMMAND, "tune", str(log), *asked, "--cluster", address, "--json"]
            with open(folder / "found.json", "wb") as found:
                driver = subprocess.Popen(command, stdout=found, stderr=subprocess.DEVNULL)
                _, status, used = os.wait4(driver.pid, 0)
            assert status == 0, status
            driver.returncode = 0
            known = json.loads((folder / "found.json").read_text())
            unit = 1 if sys.platform == "darwin" else 1024
            merged = known["merged"] or {"breakpoints": "no", "error": 0.0, "excess": 0.0, "resolution": 0.0}
            seconds, held = time.perf_counter() - started_at, used.ru_maxrss * unit / 1e9
            print(
                f"{known['n_tasks']:,} tasks, {' '.join([f'T = {SHORT}', *further])}: {seconds:.0f} s on two workers, "
                f"the driver held {held:.2f} GB at most (target 1); alpha = {known['params']['alpha']:.6f}, "
                f"mean regret {known['loss']:.6f}; merged: {merged}"
            )


if __name__ == "__main__":
    main()
