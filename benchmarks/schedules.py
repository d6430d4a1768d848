"""What another schedule of UCB is worth on held-out tasks: each with its own alpha, learned by cross-validation."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import banditune as bt
from banditune.kernels.lines.index import SCHEDULES
from banditune.rng import generator
from benchmarks.archive_tasks import read_rates


def compare_schedules(name: str, tasks: Sequence[bt.Task], horizon: int) -> Table:
    """The mean regret of each schedule on held-out tasks, and its paired difference to the first."""
    table = Table("schedule", "alpha", "pieces", "held-out regret", "against log", title=f"{name}, T = {horizon:,}")
    first = None
    for schedule in SCHEDULES:
        found = bt.study(bt.UCB, tasks, horizon=horizon, schedule=schedule)
        assert found.held_out is not None
        losses = found.held_out.learned
        first = losses if first is None else first
        change, error = (losses - first).mean(), (losses - first).std(ddof=1) / losses.size**0.5
        words = f"{change / first.mean():+.1%} +- {error / first.mean():.1%}"
        pieces = f"{found.tuned.complexity:,.0f}"
        table.add_row(schedule, f"{found.tuned.alpha:.4g}", pieces, f"{losses.mean():.3f}", words)
    return table


def draw_tests(rates: Sequence[np.ndarray], horizon: int) -> list[bt.Task]:
    """Tests whose arms are clicked at those rates."""
    random = generator(0, "schedules", horizon)
    return [bt.Task((random.random((each.size, horizon)) < each[:, None]).astype(float), means=each) for each in rates]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archive", type=Path, help="a table of tests: task, arm, impressions, clicks")
    parser.add_argument("--tasks", type=int, default=200, help="so many of its tests")
    parser.add_argument("--horizon", type=int, default=5000, help="rounds of a test")
    given = parser.parse_args()
    console = Console(width=100)
    console.print(compare_schedules("LCDB", bt.datasets.lcdb(), 400))
    if given.archive is not None:
        tests = draw_tests(read_rates(given.archive, given.tasks), given.horizon)
        console.print(compare_schedules(f"{len(tests)} tests of the archive", tests, given.horizon))


if __name__ == "__main__":
    main()
