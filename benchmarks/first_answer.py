"""How long the first answer of a fresh installation takes, and which compiled functions most of that time goes to."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from typing import Any

from numba.core.event import Event, Listener, register
from rich.console import Console
from rich.table import Table

SHOWN = 8  # functions
LONG = 5000  # rounds, at which UCB is walked
N_TESTS = 4


class Compilations(Listener):
    """The seconds of CPU that each function took to compile, without those that it calls."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begun: list[list[float]] = []  # of each function that is being compiled: when, and what others took

    def on_start(self, event: Event) -> None:
        """Begin a function."""
        self._begun.append([time.process_time(), 0.0])

    def on_end(self, event: Event) -> None:
        """Count what it took, for it and against its caller."""
        began, of_others = self._begun.pop()
        whole = time.process_time() - began
        if self._begun:
            self._begun[-1][1] += whole
        function: Any = event.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__name__}"
        self.seconds[name] = self.seconds.get(name, 0.0) + whole - of_others


def answer_bundled() -> None:
    """Run `banditune tune` on the bundled tasks."""
    from banditune.cli import main

    sys.argv = ["banditune", "tune"]
    main()


def answer_long() -> None:
    """Tune UCB on a few headline tests at a long horizon."""
    import banditune as bt

    bt.tune(bt.UCB, bt.datasets.headlines()[:N_TESTS], horizon=LONG, alpha=(0.0, 4.0))


QUESTIONS = {
    "banditune tune, bundled tasks": answer_bundled,
    f"bt.tune, {N_TESTS} headline tests, T = {LONG:,}": answer_long,
}


def answer(question: str) -> None:
    """Answer one question in this process; print what it took as JSON."""
    compilations = Compilations()
    register("numba:compile", compilations)  # type: ignore[no-untyped-call]
    begun = time.perf_counter()
    with redirect_stdout(sys.stderr):
        try:
            QUESTIONS[question]()
        except SystemExit as end:
            if end.code:
                raise
    # CPU since the process began, importing included
    taken = {"clock": time.perf_counter() - begun, "cpu": time.process_time(), "functions": compilations.seconds}
    print(json.dumps(taken))


def ask(question: str, cache: str) -> Any:
    """What a question takes in a process of its own with a folder for machine code."""
    command = [sys.executable, "-m", "benchmarks.first_answer", "--answer", question]
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answer", choices=list(QUESTIONS), help=argparse.SUPPRESS)
    chosen = parser.parse_args().answer
    if chosen is not None:
        answer(chosen)
        return
    console = Console(width=110, highlight=False)
    table = Table("question", "machine code", "clock", "CPU", "functions compiled")
    dearest = Table("question", "function", "CPU of itself")
    for question in QUESTIONS:
        with tempfile.TemporaryDirectory() as cache:
            for state in ("none yet", "on disk"):
                taken = ask(question, cache)
                functions = sorted(taken["functions"].items(), key=lambda item: -item[1])
                seconds = [f"{taken[name]:.1f} s" for name in ("clock", "cpu")]
                table.add_row(question, state, *seconds, str(len(functions)))
                for name, itself in functions[:SHOWN]:
                    dearest.add_row(question, name.removeprefix("banditune.kernels."), f"{itself:.2f} s")
    console.print(table)
    console.print(dearest)


if __name__ == "__main__":
    main()
