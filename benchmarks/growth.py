"""How the time of each method grows with one size of the problem: measured, fitted, tabled."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from rich.table import Table

from banditune.kernels.lines.batch import Batch
from benchmarks.grids import GRID
from benchmarks.methods import METHODS, NUMPY_GRID, OURS, Answer
from benchmarks.timing import best_of, shown_seconds

REPETITIONS = 7


@dataclass(frozen=True, slots=True)
class Growth:
    """Seconds of each method for growing sizes; nan where a method was left out."""

    symbol: str  # "T", "n" or "N"
    title: str
    sizes: tuple[int, ...]
    n_tasks: tuple[int, ...]
    seconds: Mapping[str, tuple[float, ...]]  # method -> by size
    pieces: tuple[float, ...]  # of a task, by size
    histories: tuple[float, ...]

    def exponent(self, method: str) -> float:
        """The fitted growth of a method's seconds."""
        return fit_exponent(self.sizes, self.seconds[method])


def fit_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of log seconds over log size by least squares; nan if there are fewer than two sizes."""
    measured = [(math.log(x), math.log(y)) for x, y in zip(sizes, seconds, strict=True) if y > 0]
    if len(measured) < 2:
        return math.nan
    x, y = np.array(measured).T
    x = x - x.mean()
    return float((x * y).sum() / (x * x).sum())


def measure_growth(
    symbol: str, title: str, batches: Sequence[tuple[int, Callable[[], Batch]]], *, budget: float, limit: float
) -> Growth:
    """Time every method on each (size, batch), the sizes growing.

    A method is repeated within `budget` seconds, and left out once it should take more than `limit` seconds.
    """
    seconds: dict[str, list[float]] = {name: [] for name in METHODS}
    answers: list[Answer] = []
    sizes = [size for size, _ in batches]
    n_tasks = []
    for size, draw in batches:
        batch = draw()
        chosen = {name: METHODS[name] for name in METHODS if extrapolate(sizes, seconds[name], size) <= limit}
        least, found = best_of({name: partial(call, batch) for name, call in chosen.items()}, REPETITIONS, budget)
        for name, series in seconds.items():
            series.append(least.get(name, math.nan))
        answers.append(found[OURS])
        n_tasks.append(batch.starts.size - 1)
    return Growth(
        symbol,
        title,
        tuple(sizes),
        tuple(n_tasks),
        {name: tuple(series) for name, series in seconds.items()},
        tuple(answer.pieces for answer in answers),
        tuple(answer.histories for answer in answers),
    )


def extrapolate(sizes: Sequence[int], seconds: Sequence[float], size: int) -> float:
    """What a method should take at the next size, by the last two; inf once it was left out."""
    if len(seconds) < 2:
        return 0.0
    if math.isnan(seconds[-1]):
        return math.inf
    (x0, x1), (y0, y1) = sizes[len(seconds) - 2 : len(seconds)], seconds[-2:]
    exponent = max(0.0, math.log(y1 / y0) / math.log(x1 / x0))
    return float(y1 * (size / x1) ** exponent)


def table(growth: Growth) -> Table:
    """A row for each size: seconds in all, seconds per task, and how many times as long as the sweep."""
    shown = Table(title=growth.title, title_justify="left", show_lines=True)
    shown.add_column(growth.symbol, justify="right")
    for name in METHODS:
        shown.add_column(name, justify="right")
    for name in ("pieces", "histories"):
        shown.add_column(name, justify="right")
    for k, size in enumerate(growth.sizes):
        cells = [_cell(growth, name, k) for name in METHODS]
        shown.add_row(f"{size:,}", *cells, f"{growth.pieces[k]:,.1f}", f"{growth.histories[k]:,.0f}")
    return shown


def exponents(growth: Growth) -> str:
    """The fitted growth of every method in a line."""
    fits = (f"{name} {growth.symbol}^{growth.exponent(name):.2f}" for name in METHODS)
    return "fitted growth of the seconds: " + ", ".join(fits)


def affordable(growth: Growth) -> str:
    """How many points a NumPy grid could have for the seconds of the sweep, at the smallest and the largest size."""
    first, last = (
        GRID.size * growth.seconds[OURS][k] / growth.seconds[NUMPY_GRID][k] for k in (0, len(growth.sizes) - 1)
    )
    return (
        f"in the seconds of the exact sweep, a NumPy grid could have about {first:.0f} points at {growth.symbol} = "
        f"{growth.sizes[0]:,} and {last:.0f} at {growth.symbol} = {growth.sizes[-1]:,}"
    )


def _cell(growth: Growth, name: str, k: int) -> str:
    seconds = growth.seconds[name][k]
    if math.isnan(seconds):
        return "-"
    ratio = "" if name == OURS else f"  {seconds / growth.seconds[OURS][k]:.3g} x"
    return f"{shown_seconds(seconds)}\n{shown_seconds(seconds / growth.n_tasks[k])}/task{ratio}"
