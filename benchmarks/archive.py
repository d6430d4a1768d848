"""An archive of A/B tests with click rates of about 1%: the walk beside the sweep, the sweep in C, and a grid."""

import argparse
import csv
import gzip
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from banditune.kernels.jit import jit
from banditune.kernels.lines.batch import Batch, without_priors
from banditune.kernels.lines.sweep import sweep_batch
from banditune.kernels.walk.walk import walk_batch
from banditune.kernels.watch import new_watch
from banditune.rng import generator
from benchmarks.against_c import Curves, built
from benchmarks.timing import best_of, shown_seconds, timed

HIGH = 4.0  # of alpha
GRID = np.linspace(0.04, HIGH, 100) ** 0.5  # theta
HORIZONS = (1000, 5000, 20_000)
LONG_RATES, LONG = (0.5, 0.6), (100_000, 1_000_000)
REPETITIONS, BUDGET = 3, 30.0


def simulated_rates(n_tasks: int) -> list[NDArray[np.float64]]:
    """Click rates of 2 to 14 arms, 4.6 on average, that differ more between tests than within one."""
    random = generator(0, "archive")
    sizes = np.clip(random.poisson(2.6, n_tasks) + 2, 2, 14)
    return [0.01 * np.exp(random.normal(0.0, 0.6) + random.normal(0.0, 0.3, n_arms)) for n_arms in sizes]


def read_rates(path: Path, n_tasks: int) -> list[NDArray[np.float64]]:
    """The click rates of the first tests of a table: task, arm, impressions, clicks, suspect_randomisation."""
    rates: dict[str, list[float]] = {}
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        for row in csv.DictReader(file):
            if row.get("suspect_randomisation", "False") == "False":
                rates.setdefault(row["task"], []).append(int(row["clicks"]) / int(row["impressions"]))
    return [np.array(each) for each in rates.values() if len(each) > 1][:n_tasks]


def draw_tasks(rates: list[NDArray[np.float64]], horizon: int) -> Batch:
    """Tests with those rates, as a batch."""
    random = generator(0, "clicks", horizon)
    streams = np.concatenate([random.random((each.size, horizon)) < each[:, None] for each in rates]).astype(np.float64)
    gaps = np.concatenate([each.max() - each for each in rates])
    return without_priors(streams, gaps, np.cumsum([0, *(each.size for each in rates)]), 0.0)


@jit
def grid_losses(batch: Batch, grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of all tasks' losses at every theta of a grid, one run after the other: (values,)."""
    horizon, losses = batch.streams.shape[1], np.zeros(grid.size)
    growth = np.sqrt(np.log(np.arange(1, horizon + 1)))
    for task in range(batch.starts.size - 1):
        streams = batch.streams[batch.starts[task] : batch.starts[task + 1]]
        gaps = batch.gaps[batch.starts[task] : batch.starts[task + 1]]
        n_arms = gaps.size
        counts, sums, means, roots = np.ones(n_arms, np.int64), np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
        for value in range(grid.size):
            for arm in range(n_arms):
                counts[arm], sums[arm], means[arm], roots[arm] = 1, streams[arm, 0], streams[arm, 0], 1.0
            for t in range(n_arms, horizon):
                x, best, highest = grid[value] * growth[t], 0, -np.inf
                for arm in range(n_arms):
                    index = means[arm] + x * roots[arm]
                    best = arm if index > highest else best
                    highest = index if index > highest else highest
                sums[best] += streams[best, counts[best]]
                counts[best] += 1
                means[best], roots[best] = sums[best] / counts[best], 1.0 / np.sqrt(counts[best])
            for arm in range(n_arms):
                losses[value] += counts[arm] * gaps[arm]
    return losses


def kernel_curves(kernel: Callable[..., Any], batch: Batch) -> Curves:
    """What the sweep or the walk finds."""
    left, value, ends = kernel(new_watch(), batch, np.array([batch.streams.shape[1]]), 0.0, HIGH**0.5)[:3]
    return Curves(left, value, ends.reshape(-1))


def compare(batch: Batch, sweep_in_c: Callable[[Batch], Curves] | None) -> Iterator[str]:
    """The cells of a row: milliseconds a task, and whether all curves are the same."""
    calls: dict[str, Callable[[], Curves]] = {
        "sweep": partial(kernel_curves, sweep_batch, batch),
        "walk": partial(kernel_curves, walk_batch, batch),
    }
    if sweep_in_c is not None:
        calls["C"] = partial(sweep_in_c, batch)
    seconds, curves = best_of(calls, REPETITIONS, BUDGET)
    on_grid = min(timed(partial(grid_losses, batch, GRID))[0] for _ in range(REPETITIONS))
    n_tasks = batch.starts.size - 1
    for name in ("sweep", "C", "walk"):
        yield f"{1e3 * seconds[name] / n_tasks:.1f}" if name in seconds else "-"
    yield f"{1e3 * on_grid / n_tasks:.1f}"
    yield f"{seconds['sweep'] / seconds['walk']:.1f}"
    yield f"{seconds['walk'] / on_grid:.1f}"
    yield f"{curves['walk'].left.size / n_tasks:,.0f}"
    yield "yes" if all(each.same_bits(curves["walk"]) for each in curves.values()) else "NO"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--horizons", type=int, nargs="*", default=HORIZONS)
    parser.add_argument("--archive", type=Path, help="a table of real tests: task, arm, impressions, clicks")
    parser.add_argument("--long", type=int, nargs="*", default=LONG, help="horizons of the two-armed tasks")
    given = parser.parse_args()
    console, compiler = Console(width=110, highlight=False), shutil.which("cc")
    small = draw_tasks([np.array(LONG_RATES)], 40)
    for kernel in (sweep_batch, walk_batch):
        kernel_curves(kernel, small)  # loads the compiled code
    grid_losses(small, GRID)
    archives = {"simulated": simulated_rates(given.tasks)}
    if given.archive is not None:
        archives[given.archive.name] = read_rates(given.archive, given.tasks)
    table = Table(title=f"milliseconds a task, alpha in [0, {HIGH:g}], one core, best of turns", title_justify="left")
    for name in (
        "archive",
        "T",
        "sweep",
        "C",
        "walk",
        "100-point grid",
        "sweep/walk",
        "walk/grid",
        "pieces",
        "same bits",
    ):
        table.add_column(name, justify="left" if name == "archive" else "right")
    with tempfile.TemporaryDirectory() as folder:
        sweep_in_c = None if compiler is None else built(compiler, Path(folder), HIGH)
        for name, rates in archives.items():
            for horizon in given.horizons:
                table.add_row(name, f"{horizon:,}", *compare(draw_tasks(rates, horizon), sweep_in_c))
    console.print(table)
    for horizon in given.long:
        batch = draw_tasks([np.array(LONG_RATES)], horizon)
        seconds, curves = timed(partial(kernel_curves, walk_batch, batch))
        console.print(
            f"two arms {LONG_RATES}, T = {horizon:,}: walk {shown_seconds(seconds)}, {curves.left.size:,} pieces"
        )


if __name__ == "__main__":
    main()
