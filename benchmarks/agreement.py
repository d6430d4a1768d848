"""Whether the methods that are timed compute the same thing: a comparison means nothing otherwise."""

import numpy as np

from banditune.kernels.lines.batch import Batch
from banditune.rng import generator
from benchmarks.grids import GRID, numpy_grid, plain_grid
from benchmarks.methods import HIGH, LOW, sweep_curves
from benchmarks.recursion import recursion_curves

POINTS = 500  # random values of alpha


def check(name: str, batch: Batch) -> str:
    """A line that says where the other methods were compared with the sweep; the run ends if they differ."""
    ours, _ = sweep_curves(batch)
    theirs, _ = recursion_curves(batch, LOW, HIGH)
    points = generator(0, "agreement", name).uniform(LOW, HIGH, POINTS)
    differ = sum(int((ours.at(point) != theirs.at(point)).sum()) for point in points)
    on_grid = np.array([ours.at(value).mean() for value in GRID])
    off = max(float(np.abs(grid(batch) - on_grid).max()) for grid in (plain_grid, numpy_grid))
    if differ or off > 1e-9:
        raise SystemExit(f"{name}: the methods disagree ({differ} losses of the recursion; grids by up to {off:g})")
    return (
        f"{name}: recursion and sweep agree at {POINTS} random alphas of each of {len(ours)} tasks, to the last bit; "
        f"both grids agree with the sweep at their {GRID.size} points"
    )
