"""The command in a process of its own."""

import signal
import subprocess
import sys
import time
from pathlib import Path

COMMAND = [sys.executable, "-c", "from banditune.cli import main; main()"]


def banditune(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What the command printed, and how it ended."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, cwd=cwd, timeout=300)


def check_interruption(*arguments: str, cwd: Path, after: float) -> None:
    """Interrupt the command after some seconds: it must end at once, say so, and print and write nothing."""
    before = sorted(cwd.iterdir())
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=cwd, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    assert stdout == ""
    assert sorted(cwd.iterdir()) == before
