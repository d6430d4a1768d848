"""Logs with something to do, and what is asked of them."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hostile.attack import GaveWayError
from benchmarks.hostile.command import Ended, answer_of, banditune, run


@dataclass(frozen=True)
class Question:
    """A `tune` command on a log of its own; `prepare` must have been called."""

    name: str
    folder: Path
    options: tuple[str, ...]

    @property
    def log(self) -> Path:
        """Where the log is."""
        return self.folder / f"{self.name}.csv"

    def command(self, *more: str | Path) -> list[str]:
        """The words of the command."""
        return [*banditune(), "tune", str(self.log), *self.options, "--json", *map(str, more)]

    def ask(self, *more: str | Path, **limits: Any) -> Ended:
        """Run the command; `limits` are those of `run`."""
        return run(self.command(*more), self.folder / "tmp", **limits)


def make_question(name: str, folder: Path) -> Question:
    """Write the log of a question; the same in every run."""
    question = Question(name, folder, OPTIONS[name])
    draw = np.random.default_rng(7)
    rows: list[dict[str, Any]]
    if name == "linucb":
        rows = [
            {
                "arm": int(draw.integers(3)),
                "reward": int(draw.random() < 0.3),
                "x_1": draw.normal(),
                "x_2": draw.normal(),
            }
            for _ in range(3_000)
        ]
    elif name == "gpucb":
        rows = [
            {"task": f"t{task}", "lr": 10.0 ** -(k % 5), "depth": k // 5, "reward": draw.random()}
            for task in range(6)
            for k in range(15)
        ]
    else:
        n_tasks, n_arms, pulls = SIZES[name]
        rows = [
            {"task": f"t{task}", "arm": f"a{arm}", "pulls": pulls, "successes": int(draw.integers(1, pulls // 5))}
            for task in range(n_tasks)
            for arm in range(n_arms)
        ]
    write_rows(question.log, rows)
    return question


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write a CSV file with the columns of the first row."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


SIZES = {  # tasks, arms, pulls of an arm
    "few": (40, 3, 50),
    "many": (800, 4, 400),
    "long": (6, 3, 20_000),
    "longest": (2, 3, 1_000_000),
    "priors": (60, 5, 50),
}
OPTIONS = {
    "few": ("--horizon", "30", "--alpha", "0", "2"),
    "many": ("--horizon", "300", "--alpha", "0", "1"),
    "long": ("--horizon", "20000", "--alpha", "0", "1"),
    "longest": ("--horizon", "1000000", "--alpha", "0", "1"),
    "priors": ("--horizon", "30", "--prior-means", "0", "1"),
    "gpucb": (
        "--policy",
        "gpucb",
        "--horizon",
        "8",
        "--parameter",
        "lr:log",
        "--parameter",
        "depth",
        "--length-scale",
        "0.5",
    ),
    "linucb": ("--policy", "linucb", "--features", "x_", "--alpha", "0", "1"),
}


class Answers:
    """The answer of an undisturbed run to each question, and how long it took; asked when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, tuple[Question, Any, float]] = {}

    def __getitem__(self, name: str) -> tuple[Question, Any, float]:
        """The question, its answer without times, and the seconds of a run whose code is compiled."""
        if name not in self._known:
            question = make_question(name, self.folder)
            first, again = question.ask(), question.ask()
            answer = answer_of(first)
            if answer_of(again) != answer:
                raise GaveWayError(f"two undisturbed runs differ: {again.command}")
            self._known[name] = question, answer, again.seconds
        return self._known[name]
