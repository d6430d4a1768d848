"""How long commands with long runs take to end after Ctrl-C, SIGTERM and SIGHUP, and what they leave behind."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

COMMAND = [sys.executable, "-c", "from banditune.cli import main; main()"]
LONG = (
    "tune --horizon 20000",
    "tune --horizon 1000000",
    "tune --horizon 1000000 --workers 1",
    "tune --policy gpucb --horizon 200",
    "plan --horizon 100000",
    "compare --horizon 3000000 --no-priors",
)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AFTER = 10.0  # seconds: they are at work then, where kernels are compiled already
TARGET = 2.0


def main() -> None:
    table = Table(title=f"ended {AFTER:g} s after the start", title_justify="left")
    for name in ("banditune", "signal", "seconds to end", "exit code", "files left"):
        table.add_column(name)
    most = 0.0
    for command in LONG:
        for number in SIGNALS:
            seconds, code, left = seconds_to_end(command, number)
            most = max(most, seconds)
            table.add_row(command, number.name, f"{seconds:.2f}", str(code), str(left))
    console = Console()
    console.print(table)
    console.print(f"the longest took {most:.2f} s; {TARGET:g} s are promised")


def seconds_to_end(command: str, number: signal.Signals) -> tuple[float, int, int]:
    """The seconds from a signal to the end of a command, its exit code, and the number of temporary files it left."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TMPDIR": folder}
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([*COMMAND, *command.split()], env=environment, stdout=quiet, stderr=quiet)
        time.sleep(AFTER)
        sent = time.perf_counter()
        process.send_signal(number)
        code = process.wait()
        return time.perf_counter() - sent, code, len(list(Path(folder).iterdir()))


if __name__ == "__main__":
    main()
