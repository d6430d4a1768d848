"""The exact sweep beside the paper's recursion and two grids, on the same tasks in one run."""

import argparse
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from benchmarks import grid_misses
from benchmarks.drawn_tasks import bernoulli_batch, first_arms, first_rounds, gaussian_batch
from benchmarks.grids import GRID
from benchmarks.growth import Growth, affordable, exponents, measure_growth, table
from benchmarks.methods import HIGH, LOW, METHODS, OURS, check_agreement

WIDTH = 118


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is run: sizes, the seconds within which a method is repeated, and those beyond which it is left out."""

    horizons: tuple[int, ...]
    arms: tuple[int, ...]
    tasks: tuple[int, ...]
    budget: float
    limit: float
    missed_tasks: int


FULL = Sizes(
    horizons=(100, 300, 1000, 3000, 10_000, 30_000, 100_000),
    arms=(2, 3, 5, 10, 20, 50),
    tasks=(100, 1000, 10_000, 100_000),
    budget=2.0,
    limit=30.0,
    missed_tasks=300,
)
QUICK = Sizes(
    horizons=(100, 300, 1000, 3000),
    arms=(2, 5, 10, 20),
    tasks=(100, 1000, 5000),
    budget=0.4,
    limit=1.5,
    missed_tasks=50,
)

LONG_TASKS, WIDE_TASKS = 5, 20  # how many, where runs grow longer and where arms grow more
WIDE_HORIZON, MANY_HORIZON = 500, 100  # how long the runs, where arms grow more and where tasks do


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, under 20 seconds")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw the growth to a PNG or SVG file")
    options = parser.parse_args()
    sizes = QUICK if options.quick else FULL
    console = Console(width=WIDTH, highlight=False)
    console.print(
        f"Best alpha in [{LOW:g}, {HIGH:g}] by four methods on one core. {OURS}: ours, every alpha. recursion: the "
        f"paper's Algorithm 3, corrected, compiled as ours, every alpha. Grids: alpha = {GRID[0]:g}, {GRID[1]:g}, ..., "
        f"{GRID[-1]:g} only. In the tables, 2 x means twice the seconds of ours.\n"
    )
    for name, draw in (("Bernoulli", bernoulli_batch), ("Gaussian", gaussian_batch)):
        batch = draw(3, 60, 100)
        console.print(check_agreement(f"{name}, 3 arms, T = 60", batch))
        for method in METHODS.values():
            method(batch)  # compiled before the clock runs
    growths = []
    for measure in (longer_games, more_arms, more_tasks):
        growth = measure(sizes)
        growths.append(growth)
        console.print()
        console.print(table(growth))
        console.print(exponents(growth))
        console.print(affordable(growth))
    console.print(f"- : left out; going by the smaller sizes, it is expected to take more than {sizes.limit:g} s\n")
    console.print(grid_misses.table(sizes.missed_tasks))
    if options.figure:
        from benchmarks.growth_figure import draw_growths

        draw_growths(growths, options.figure)
        console.print(f"figure: {options.figure}")


def longer_games(sizes: Sizes) -> Growth:
    """The same tasks, with ever longer runs."""
    title = f"Longer runs: {LONG_TASKS} tasks of 2 Bernoulli arms"
    whole = bernoulli_batch(2, sizes.horizons[-1], LONG_TASKS)
    batches = [(horizon, partial(first_rounds, whole, horizon)) for horizon in sizes.horizons]
    return measure_growth("T", title, batches, budget=sizes.budget, limit=sizes.limit)


def more_arms(sizes: Sizes) -> Growth:
    """The same tasks, with ever more arms."""
    title = f"More arms: {WIDE_TASKS} tasks of n Bernoulli arms, T = {WIDE_HORIZON}"
    whole = bernoulli_batch(sizes.arms[-1], WIDE_HORIZON, WIDE_TASKS)
    batches = [(n_arms, partial(first_arms, whole, n_arms)) for n_arms in sizes.arms]
    return measure_growth("n", title, batches, budget=sizes.budget, limit=sizes.limit)


def more_tasks(sizes: Sizes) -> Growth:
    """Ever more tasks."""
    title = f"More tasks: N tasks of 2 Bernoulli arms, T = {MANY_HORIZON}"
    batches = [(n_tasks, partial(bernoulli_batch, 2, MANY_HORIZON, n_tasks)) for n_tasks in sizes.tasks]
    return measure_growth("N", title, batches, budget=sizes.budget, limit=sizes.limit)


if __name__ == "__main__":
    main()
