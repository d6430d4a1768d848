"""Verdicts on data that once had a headline which the held-out table contradicted.

python -m benchmarks.verdicts [--mails FILE]

FILE is a log of e-mails (see `benchmarks.contextual`), which is not part of this repository; it is cut into logs of 500
events, and LinUCB is studied on them. Besides, UCB is studied on six small tasks with much noise, several times. Each
verdict is printed above its own table of held-out losses.
"""

import argparse
from pathlib import Path

from rich.console import Console

import banditune as bt
from banditune.rng import generator
from banditune.tuning.results.study_result import Study
from benchmarks.contextual import mails

EVENTS, REPETITIONS = 500, 5


def make_tasks(seed: int) -> list[bt.Task]:
    """Six tasks of three arms, 40 rewards each, whose noise is twice as large as their means differ."""
    random = generator(seed, "six tasks")
    return [bt.Task([random.normal(mean, 1.0, 40) for mean in random.normal(0.0, 0.5, 3)]) for _ in range(6)]


def show(study: Study, console: Console) -> None:
    """Print a verdict and what it rests on."""
    console.print(f"{study.tuned.n_tasks} tasks: {study.verdict.choice}. {study.verdict.text}", soft_wrap=True)
    for row in () if study.held_out is None else study.held_out.rows:
        extra = f"{row.extra.mean:+.3g} ({row.extra.low:+.3g} to {row.extra.high:+.3g})"
        console.print(f"  {row.name:12} loses {row.loss.mean:9.4g}, more than learned: {extra}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mails", type=Path, help="a log of e-mails")
    given = parser.parse_args()
    console = Console(width=120, highlight=False)
    if given.mails is not None:
        logs = mails(given.mails, EVENTS)
        show(bt.study(bt.LinUCB, logs, loss="reward", alpha=(0.0, 2.0), disjoint=True), console)
    for seed in range(REPETITIONS):
        show(bt.study(bt.UCB, make_tasks(seed), horizon=100), console)


if __name__ == "__main__":
    main()
