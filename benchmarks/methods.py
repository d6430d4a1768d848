"""Four ways to the best alpha in [0, 1] for a batch of tasks, each on one core."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.kernels.lines.batch import Batch
from banditune.policies.settings import find_parameter
from banditune.policies.ucb.ucb import UCB
from banditune.rng import generator
from benchmarks.grids import GRID, numpy_grid, plain_grid
from benchmarks.recursion import recursion_curves

LOW, HIGH = 0.0, 1.0
POINTS = 500  # random values of alpha at which the methods are compared


@dataclass(frozen=True, slots=True)
class Answer:
    """The best value a method found and its mean loss; exact methods also know the pieces and histories of a task."""

    alpha: float
    loss: float
    pieces: float = float("nan")
    histories: float = float("nan")


Method = Callable[[Batch], Answer]


def sweep_curves(batch: Batch) -> tuple[CurveSet, NDArray[np.int64] | None]:
    """Our exact losses of the tasks over the whole range, and the histories of each if they were counted."""
    swept = UCB.sweep(batch, [batch.streams.shape[1]], "alpha", LOW, HIGH, {})
    return swept.losses[0], swept.histories


def by_sweep(batch: Batch) -> Answer:
    """The merging sweep."""
    return _best_of_curves(*sweep_curves(batch))


def by_recursion(batch: Batch) -> Answer:
    """The paper's recursion."""
    return _best_of_curves(*recursion_curves(batch, LOW, HIGH))


def by_plain_grid(batch: Batch) -> Answer:
    """A grid in a plain Python loop."""
    return _best_of_grid(plain_grid(batch))


def by_numpy_grid(batch: Batch) -> Answer:
    """The same grid in NumPy."""
    return _best_of_grid(numpy_grid(batch))


OURS, NUMPY_GRID = "exact sweep", "NumPy grid"
METHODS: dict[str, Method] = {
    OURS: by_sweep,
    "recursion": by_recursion,
    "plain grid": by_plain_grid,
    NUMPY_GRID: by_numpy_grid,
}


def _best_of_curves(curves: CurveSet, histories: NDArray[np.int64] | None) -> Answer:
    mean = curves.mean()
    alpha = find_parameter(UCB, "alpha").inside(*mean.argmin())
    counted = float("nan") if histories is None else float(histories.mean())
    return Answer(alpha, mean(alpha), float(curves.n_pieces.mean()), counted)


def _best_of_grid(losses: NDArray[np.float64]) -> Answer:
    best = int(losses.argmin())
    return Answer(float(GRID[best]), float(losses[best]))


def check_agreement(name: str, batch: Batch) -> str:
    """A line that says where the other methods were compared with the sweep; the run ends if they differ.

    A comparison of seconds means nothing otherwise.
    """
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
