"""Ways to the best alpha for a batch of tests, on one core: exact curves, a grid, and a search by trial."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.kernels.jit import jit
from banditune.kernels.lines.batch import Batch
from banditune.kernels.lines.sweep import sweep_batch
from banditune.kernels.walk.walk import walk_batch
from banditune.kernels.watch import new_watch
from benchmarks.against_c import SOURCE, Curves, build_sweep

HIGH = 4.0  # of alpha
LOW = 1e-5  # of a grid and of a search on a logarithmic scale
VALUES, TRIALS = 100, 50
SWEEP, SWEEP_IN_C, WALK, WALK_IN_C = "sweep", "sweep in C", "walk", "walk in C"
ON_GRID, BY_TRIAL = f"grid of {VALUES}", f"TPE, {TRIALS} trials"
METHODS = (SWEEP, SWEEP_IN_C, WALK, WALK_IN_C, ON_GRID, BY_TRIAL)


@dataclass(frozen=True, slots=True)
class Found:
    """The least mean loss that a method has found, and the curves of those that are exact."""

    loss: float
    curves: Curves | None = None


Method = Callable[[Batch], Found]


def make_methods(folder: Path, walk_in_c: Path | None, *, linear: bool) -> dict[str, Method]:
    """What can be run here: C where there is a compiler, TPE where Optuna is installed."""
    methods: dict[str, Method] = {SWEEP: partial(by_kernel, sweep_batch), WALK: partial(by_kernel, walk_batch)}
    compiler = shutil.which("cc")
    for name, source in ((SWEEP_IN_C, SOURCE), (WALK_IN_C, walk_in_c)):
        if compiler is not None and source is not None:
            methods[name] = partial(by_curves, build_sweep(compiler, folder, HIGH, source))
    grid = np.linspace(HIGH / VALUES, HIGH, VALUES) if linear else np.geomspace(LOW, HIGH, VALUES)
    methods[ON_GRID] = partial(by_grid, grid)
    try:
        import optuna
    except ImportError:
        return methods
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return methods | {BY_TRIAL: partial(by_trial, linear)}


def by_kernel(kernel: Callable[..., Any], batch: Batch) -> Found:
    """The exact curves of one of our kernels."""
    return by_curves(partial(kernel_curves, kernel), batch)


def kernel_curves(kernel: Callable[..., Any], batch: Batch) -> Curves:
    """What the sweep or the walk finds."""
    left, value, ends = kernel(new_watch(), batch, np.array([batch.streams.shape[1]]), 0.0, HIGH**0.5)[:3]
    return Curves(left, value, ends.reshape(-1))


def by_curves(trace: Callable[[Batch], Curves], batch: Batch) -> Found:
    """The exact curves, and the least value of their mean."""
    curves = trace(batch)
    mean = CurveSet.from_pieces(0.0, HIGH**0.5, curves.left, curves.value, curves.ends).mean()
    return Found(float(mean.values.min()), curves)


def by_grid(grid: NDArray[np.float64], batch: Batch) -> Found:
    """A run at each value of a grid."""
    return Found(float(run_values(batch, grid**0.5).min()) / (batch.starts.size - 1))


def by_trial(linear: bool, batch: Batch) -> Found:
    """Optuna's TPE as it comes: it chooses a value, all tests are run at it, and so on."""
    import optuna

    def lose(trial: Any) -> float:
        alpha = trial.suggest_float("alpha", 0.0 if linear else LOW, HIGH, log=not linear)
        return float(run_values(batch, np.array([alpha**0.5]))[0]) / (batch.starts.size - 1)

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(lose, n_trials=TRIALS)
    return Found(float(study.best_value))


@jit
def run_values(batch: Batch, thetas: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of all tasks' losses at every theta, one run after the other: (values,)."""
    horizon, losses = batch.streams.shape[1], np.zeros(thetas.size)
    growth = np.sqrt(np.log(np.arange(1, horizon + 1)))
    for task in range(batch.starts.size - 1):
        streams = batch.streams[batch.starts[task] : batch.starts[task + 1]]
        gaps = batch.gaps[batch.starts[task] : batch.starts[task + 1]]
        n_arms = gaps.size
        counts, sums, means, roots = np.ones(n_arms, np.int64), np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
        for value in range(thetas.size):
            for arm in range(n_arms):
                counts[arm], sums[arm], means[arm], roots[arm] = 1, streams[arm, 0], streams[arm, 0], 1.0
            for t in range(n_arms, horizon):
                x, best, highest = thetas[value] * growth[t], 0, -np.inf
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
