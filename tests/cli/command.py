"""The command in a process of its own."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = [sys.executable, "-c", "from banditune.cli import main; main()"]


def banditune(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What the command printed, and how it ended."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, cwd=cwd, timeout=300)


def check_interruption(
    *arguments: str, cwd: Path, after: float, by: signal.Signals = signal.SIGINT, within: float = 30.0
) -> str:
    """End the command by a signal after some seconds: it must end soon, say so, and print, write and leave nothing.

    Returns what it said.
    """
    before = sorted(cwd.iterdir())
    with tempfile.TemporaryDirectory() as temporary:
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=cwd,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": temporary},
        )
        time.sleep(after)
        assert process.poll() is None, "it has ended on its own"
        process.send_signal(by)
        stdout, stderr = process.communicate(timeout=within)
        assert list(Path(temporary).iterdir()) == []
    assert process.returncode == 128 + by
    assert ("interrupted" if by == signal.SIGINT else f"ended by {by.name}") in stderr
    assert "Traceback" not in stderr
    assert "Exception ignored" not in stderr
    assert stdout == ""
    assert sorted(cwd.iterdir()) == before
    return stderr
