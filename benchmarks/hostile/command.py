"""The command and small programs in processes of their own, with limits, and what must hold of how they ended."""

import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.hostile.attack import GaveWayError

PATIENCE = 120.0  # seconds after which a process counts as hanging
MEGABYTE = 2**20


@dataclass(frozen=True)
class Ended:
    """How a process ended. `status` is negative for a signal that ended it, as in subprocess."""

    command: str
    status: int
    stdout: str
    stderr: str
    seconds: float
    seconds_after_signal: float
    processor_seconds: float  # of all its threads: what other programs do not disturb
    peak_megabytes: float
    hung: bool


def banditune() -> list[str]:
    """The installed command of this interpreter's environment."""
    found = shutil.which("banditune", path=os.path.dirname(sys.executable)) or shutil.which("banditune")
    if found is None:
        raise SystemExit('the command banditune is not installed; run pip install ".[test]"')
    return [found]


def run(
    arguments: Sequence[str | os.PathLike[str]],
    temporary: Path,
    *,
    cwd: Path | None = None,
    stdout: int | IO[bytes] = subprocess.PIPE,
    prepare: Callable[[], None] | None = None,
    at: tuple[float, int] | None = None,
    patience: float = PATIENCE,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a command whose folder of temporary files is `temporary`.

    `prepare` is called in the new process before it begins; with `at=(seconds, number)` it is sent that signal then.
    """
    temporary.mkdir(parents=True, exist_ok=True)
    words = [os.fspath(word) for word in arguments]
    start = time.monotonic()
    process = subprocess.Popen(
        words,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary), "COLUMNS": "200", **(environment or {})},
        preexec_fn=prepare,
        start_new_session=True,
    )
    read: dict[str, bytes] = {}
    readers = [
        threading.Thread(target=lambda name=name, pipe=pipe: read.update({name: pipe.read()}), daemon=True)
        for name, pipe in (("stdout", process.stdout), ("stderr", process.stderr))
        if pipe is not None
    ]
    for reader in readers:
        reader.start()
    hung, sent = False, 0.0
    try:
        while True:
            found, status, used = os.wait4(process.pid, os.WNOHANG)
            now = time.monotonic()
            if found:
                break
            if at is not None and not sent and now - start >= at[0]:
                os.kill(process.pid, at[1])
                sent = now
            if now - (sent or start) > patience and not hung:
                hung = True
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.005)
    except BaseException:  # this program itself is interrupted
        os.killpg(process.pid, signal.SIGKILL)
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    for reader in readers:
        reader.join(5)
    texts = [read.get(name, b"").decode("utf-8", errors="replace") for name in ("stdout", "stderr")]
    peak = used.ru_maxrss / (1024 if sys.platform != "darwin" else MEGABYTE)
    after, work = now - sent if sent else 0.0, used.ru_utime + used.ru_stime
    command = " ".join(shlex.join(words).split())[:400]  # programs have many lines
    return Ended(command, process.returncode, texts[0], texts[1], now - start, after, work, peak, hung)


def limit_files(size: int) -> Callable[[], None]:
    """For `prepare`: no file may become longer than this, as if the disk were full."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def limit_work(megabytes: int, seconds: int) -> Callable[[], None]:
    """For `prepare`: addresses and seconds of the processor, a guard for this machine beyond what is allowed."""

    def prepare() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    return prepare


def check_civil(ended: Ended) -> None:
    """It ended by itself, without a traceback and without anything left behind."""
    if ended.hung:
        raise GaveWayError(f"did not end: {ended.command}")
    if ended.status < 0:
        raise GaveWayError(f"died of signal {-ended.status}: {ended.command}")
    for word in ("Traceback (most recent call last)", "Exception ignored", "Segmentation fault"):
        if word in ended.stderr:
            raise GaveWayError(f"{word} {last_line(ended)!r}: {ended.command}")


def check_rejected(ended: Ended, naming: str | None = None) -> None:
    """It ended with exit 2 and a message, which names the file or whatever is wrong."""
    check_civil(ended)
    if ended.status != 2:
        raise GaveWayError(f"exit {ended.status} instead of 2: {ended.command}: {last_line(ended)}")
    if naming is not None and naming not in ended.stderr.replace("\n", ""):
        raise GaveWayError(f"{naming!r} is not named: {ended.command}: {last_line(ended)}")


def check_done_or_rejected(ended: Ended) -> None:
    """It did its work, or said why not."""
    check_civil(ended)
    if ended.status not in (0, 2):
        raise GaveWayError(f"exit {ended.status} instead of 0 or 2: {ended.command}: {last_line(ended)}")


def check_nothing_left(temporary: Path) -> None:
    left = sorted(path.name for path in temporary.iterdir())
    if left:
        raise GaveWayError(f"left in the folder of temporary files: {', '.join(left[:3])}")


def answer_of(ended: Ended) -> Any:
    """The object that --json printed, less all that tells the time."""
    check_civil(ended)
    if ended.status != 0:
        raise GaveWayError(f"exit {ended.status} instead of 0: {ended.command}: {last_line(ended)}")
    return without_times(json.loads(ended.stdout))


def without_times(found: Any) -> Any:
    """Leave out what differs between two runs of the same question.

    >>> without_times({"loss": 1.0, "seconds": 3.2, "parts": [{"seconds": 1}]})
    {'loss': 1.0, 'parts': [{}]}
    """
    if isinstance(found, dict):
        return {name: without_times(each) for name, each in found.items() if "seconds" not in name}
    return [without_times(each) for each in found] if isinstance(found, list) else found


def last_line(ended: Ended) -> str:
    lines = [line.strip() for line in (ended.stderr or ended.stdout).splitlines() if line.strip()]
    return lines[-1][:300] if lines else "nothing was said"
