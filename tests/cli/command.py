"""The command, run within the process of the tests or, where a process is the point, in one of its own."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from banditune.cli import main
from banditune.cli.signals import ENDING

COMMAND = [sys.executable, "-c", "from banditune.cli import main; main()"]


def banditune(*arguments: str | os.PathLike[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command within this process; return what it printed and how it ended, as if it had had its own.

    What is raised and not told by the command is raised here too: no traceback has to be read.
    """
    given = [os.fspath(argument) for argument in arguments]
    stdout, stderr = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        _kept_signals(),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        patch.setattr(sys, "argv", ["banditune", *given])
        patch.setattr("banditune.cli.first_run.compile_aside", lambda: None)  # which would outlive the test
        patch.setattr(sys, "excepthook", sys.excepthook)  # Typer sets its own, for the rest of the process
        patch.setenv("COLUMNS", "80")  # as in a pipe, whatever terminal the tests are run from
        if cwd is not None:
            patch.chdir(cwd)
        with pytest.raises(SystemExit) as ended:
            main()
    return subprocess.CompletedProcess(
        ["banditune", *given], ended.value.code or 0, stdout.getvalue(), stderr.getvalue()
    )


@contextlib.contextmanager
def _kept_signals() -> Iterator[None]:
    """Undo what the command does with signals, for as long as its process would live."""
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def started(command: list[str], **how: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a process that takes signals, even if the tests ignore them; it ends with the block at the latest."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, preexec_fn=take_signals, **pipes, **how) as process:
        try:
            yield process
        finally:
            process.kill()


def take_signals() -> None:
    """Do with signals what a process does that nobody has told to ignore any."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


def wait_until_handled(process: subprocess.Popen[str], by: signal.Signals) -> None:
    """Wait until a process that was just started handles a signal, where the system tells; a minute at most."""
    status = Path(f"/proc/{process.pid}/status")
    for _ in range(600):
        if not status.exists() or process.poll() is not None:
            return
        (caught,) = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("SigCgt")]
        if int(caught, 16) >> (by - 1) & 1:
            return
        time.sleep(0.1)


def wait_until_busy(process: subprocess.Popen[str], seconds: float) -> None:
    """Wait until a process has used so many seconds of the processor, or as long by the clock if the system tells not.

    That is neither too early on a busy machine nor a waste of its time.
    """
    status = Path(f"/proc/{process.pid}/stat")
    if not status.exists():
        time.sleep(seconds)
    while status.exists() and process.poll() is None:
        user, system = status.read_text().rpartition(")")[2].split()[11:13]
        if int(user) + int(system) >= seconds * os.sysconf("SC_CLK_TCK"):
            return
        time.sleep(0.05)


def check_interruption(
    *arguments: str, cwd: Path, after: float, by: signal.Signals = signal.SIGINT, within: float = 30.0
) -> str:
    """End the command by a signal after some seconds of work: it must end soon, say so, and leave nothing behind.

    Returns what it said.
    """
    before = sorted(cwd.iterdir())
    with tempfile.TemporaryDirectory() as temporary:
        environment = {**os.environ, "TMPDIR": temporary}
        with started([*COMMAND, *arguments], cwd=cwd, env=environment) as process:
            wait_until_handled(process, by)
            wait_until_busy(process, after)
            assert process.poll() is None, "it has ended on its own"
            process.send_signal(by)
            stdout, stderr = process.communicate(timeout=within)
        assert list(Path(temporary).iterdir()) == []
    assert process.returncode == 128 + by, f"it ended with {process.returncode}: {stderr}"
    assert ("interrupted" if by == signal.SIGINT else f"ended by {by.name}") in stderr
    assert "Traceback" not in stderr
    assert "Exception ignored" not in stderr
    assert stdout == ""
    assert sorted(cwd.iterdir()) == before
    return stderr
