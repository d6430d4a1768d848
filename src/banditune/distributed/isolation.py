"""Partitions that have killed a worker: worked on in a process that may die, to learn on which task it does."""

import json
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from banditune.checkpoints.checkpoint_files import CheckpointError
from banditune.distributed.partition import (
    Job,
    PartitionResult,
    finish_partition,
    open_engine,
    read_done,
    read_partition,
    sweep_chunk,
    write_done,
)
from banditune.errors import BanditTuneError, FileError, TaskError
from banditune.temporary_folders import ScratchFolder

MOST_LEFT_OUT = 100  # tasks of a partition; beyond that, it is the partition that is broken
CHILD = "from banditune.distributed.isolation import child; child()"


def sweep_in_isolation(job: Job) -> PartitionResult:
    """Work on a partition task by task in another process.

    A task on which it dies or fails is named: in an error, or if that is to be skipped in what is left out.
    """
    left_out: list[tuple[int, str]] = []
    with ScratchFolder() as folder:
        file = folder.path / "done.npz"
        while True:
            last, failure = run_child(_work, job, left_out, file)
            if failure is None:
                done, _ = read_done(file)
                done = replace(done, curves=done.read_curves(), file=None)
                return done if job.file is None else write_done(done, job.partition, job.file)
            where = job.partition.path
            if last is None:
                raise FileError(f"{where}: a worker fails on this partition, but on no single task of it: {failure}")
            number, name = last
            if not job.skip:
                raise TaskError(f"{where}, task {name!r}: workers fail on it on every retry: {failure}")
            left_out.append((number, failure))
            if len(left_out) > MOST_LEFT_OUT:
                raise FileError(
                    f"{where}: workers fail on more than {MOST_LEFT_OUT} tasks; the last failure: {failure}"
                )


def run_child(work: Callable[..., None], *given: Any) -> tuple[tuple[int, str] | None, str | None]:
    """Have a process work on it; the task it was at when it ended, and why it did, None if it was done."""
    process = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            process.stdin.write(pickle.dumps((sys.path, work, *given)))
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has died already
        last: tuple[int, str] | None = None
        failure = None
        for line in process.stdout:
            message = json.loads(line)
            if "kept" in message:
                raise CheckpointError(message["kept"])
            if "failure" in message:
                failure = message["failure"]
            else:
                last = (message["number"], message["name"]) if "number" in message else None
        code = process.wait()
    if code == 0:
        return last, None
    return last, failure or _death(code)


def _death(code: int) -> str:
    """Return how a process ended."""
    if code >= 0:
        return f"the process ended with code {code}"
    known = {each.value: each.name for each in signal.Signals}
    return f"the process was killed by {known.get(-code, f'signal {-code}')}"


def child() -> None:
    """Work in the other process: it tells each task before it is worked on."""
    path, work, *given = pickle.load(sys.stdin.buffer)
    sys.path[:] = path
    try:
        work(*given)
    except CheckpointError as error:
        _tell(kept=str(error))
    except (BanditTuneError, MemoryError) as error:
        _tell(failure=f"{type(error).__name__}: {error}")
        raise SystemExit(1) from None


def _work(job: Job, left_out: list[tuple[int, str]], file: Path) -> None:
    gone = {number for number, _ in left_out}
    with read_partition(job, open_engine(job)) as log:
        chunks = []
        for number, name in enumerate(log.names):
            if number not in gone:
                _tell(number=number, name=name)  # before it is made, since that may be what fails
                chunks.append(sweep_chunk(job, [log[number]], number))
        _tell(tasks="done")
        done = finish_partition(job, log, chunks, left_out)
    write_done(done, job.partition, file)


def _tell(**known: Any) -> None:
    print(json.dumps(known), flush=True)
