"""An archive of A/B tests, click rates of about 1%: what the whole curve takes beside a grid and a search by trial."""

import argparse
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from banditune.kernels.lines.batch import Batch
from banditune.kernels.walk.walk import walk_batch
from benchmarks.archive_methods import (
    BY_TRIAL,
    HIGH,
    METHODS,
    ON_GRID,
    SWEEP,
    SWEEP_IN_C,
    WALK,
    WALK_IN_C,
    Found,
    Method,
    kernel_curves,
    make_methods,
)
from benchmarks.archive_tasks import draw_tasks, read_rates, simulated_rates
from benchmarks.growth import fit_exponent
from benchmarks.timing import best_of, shown_seconds

HORIZONS, SWEPT = (1000, 5000, 20_000), 5000
LONG_RATES, LONG = (0.5, 0.6), (1000, 10_000, 100_000, 1_000_000)
ALPHAS = (0.0, 0.0001, 0.001, 0.01, 0.1, 1.0, HIGH)
REPETITIONS, BUDGET = 3, 10.0

Rates = list[NDArray[np.float64]]


def compare(batch: Batch, methods: Mapping[str, Method]) -> tuple[list[str], Mapping[str, Found]]:
    """The cells of a row, milliseconds a task by each method and what they found, and the findings themselves."""
    calls = {name: partial(method, batch) for name, method in methods.items()}
    seconds, found = best_of(calls, REPETITIONS, BUDGET, time.process_time)
    n_tasks, exact = batch.starts.size - 1, found[WALK].curves
    assert exact is not None
    cells = [f"{1e3 * seconds[name] / n_tasks:.1f}" if name in seconds else "-" for name in METHODS]
    excess = {name: f"{100 * (found[name].loss / found[WALK].loss - 1):.1f}%" for name in found}
    cells += [excess.get(name, "-") for name in (ON_GRID, BY_TRIAL)]
    others = [each.curves for each in found.values() if each.curves is not None]
    cells.append("yes" if all(each.same_bits(exact) for each in others) else "NO")
    return cells, found


def count_pieces(found: Found, n_tasks: int) -> list[str]:
    """The pieces of a task in each range of alpha."""
    assert found.curves is not None
    counts, _ = np.histogram(found.curves.left**2, ALPHAS)
    return [f"{count / n_tasks:,.0f}" for count in (*counts, found.curves.left.size)]


def show_archives(
    console: Console, archives: Mapping[str, Rates], horizons: Sequence[int], methods: Mapping[str, Method], swept: int
) -> None:
    """Print what the methods take on tests of each archive, and how many pieces lie where."""
    times = Table(title=f"milliseconds a task, alpha in [0, {HIGH:g}], CPU, best of turns", title_justify="left")
    pieces = Table(title="pieces of a task with alpha in", title_justify="left")
    ranges = [f"[{low:g}, {high:g})" for low, high in pairwise(ALPHAS)]
    columns = (*METHODS, "grid loses", "TPE loses", "same bits")
    for table, names in ((times, columns), (pieces, (*ranges, "all"))):
        table.add_column("archive")
        for name in ("T", *names):
            table.add_column(name, justify="right")
    for name, rates in archives.items():
        for horizon in horizons:
            slow = (SWEEP, SWEEP_IN_C) if horizon > swept else ()
            batch = draw_tasks(rates, horizon)
            cells, found = compare(batch, {each: methods[each] for each in methods if each not in slow})
            times.add_row(name, f"{horizon:,}", *cells)
            pieces.add_row(name, f"{horizon:,}", *count_pieces(found[WALK], len(rates)))
    console.print(times)
    for name, needed in ((SWEEP_IN_C, "cc"), (WALK_IN_C, "--walk-in-c FILE"), (BY_TRIAL, 'pip install ".[bench]"')):
        if name not in methods:
            console.print(f"{name} needs {needed}", markup=False)
    console.print(pieces)


def show_growth(console: Console, name: str, rates: Rates, horizons: Sequence[int]) -> None:
    """Print how the walk's time grows with the horizon."""
    seconds = []
    for horizon in horizons:
        batch = draw_tasks(rates, horizon)
        least, found = best_of(
            {WALK: partial(kernel_curves, walk_batch, batch)}, REPETITIONS, BUDGET, time.process_time
        )
        seconds.append(least[WALK] / len(rates))
        n_pieces = found[WALK].left.size / len(rates)
        console.print(f"{name}, T = {horizon:,}: {shown_seconds(seconds[-1])} a task, {n_pieces:,.0f} pieces")
    console.print(f"{name}: the walk's seconds grow as T^{fit_exponent(horizons, seconds):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--horizons", type=int, nargs="*", default=HORIZONS)
    parser.add_argument("--archive", type=Path, help="a table of real tests: task, arm, impressions, clicks")
    parser.add_argument("--swept", type=int, default=SWEPT, help="the longest horizon for the sweep and its C")
    parser.add_argument("--walk-in-c", type=Path, help="a C file that walks, called as benchmarks/sweep.c is")
    parser.add_argument(
        "--linear", action="store_true", help="a linear scale for the grid and TPE, not a logarithmic one"
    )
    parser.add_argument("--growing", type=int, default=2, help="tests whose time is followed to T = 100,000")
    parser.add_argument("--long", type=int, nargs="*", default=LONG, help="horizons of the two-armed tasks")
    given = parser.parse_args()
    console = Console(width=150, highlight=False)
    archives = {"simulated": simulated_rates(given.tasks)}
    if given.archive is not None:
        archives["real"] = read_rates(given.archive, given.tasks)
    console.print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        methods = make_methods(Path(folder), given.walk_in_c, linear=given.linear)
        for method in methods.values():
            method(draw_tasks([np.array(LONG_RATES)], 40))  # loads the compiled code
        show_archives(console, archives, given.horizons, methods, given.swept)
    longer = [horizon for horizon in given.long if horizon <= 100_000]
    for name, rates in archives.items():
        show_growth(console, f"{name} archive", rates[: given.growing], longer)
    show_growth(console, f"two arms {LONG_RATES}", [np.array(LONG_RATES)], given.long)


if __name__ == "__main__":
    main()
