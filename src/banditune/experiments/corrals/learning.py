"""The corral experiments: what past tasks teach, learned in the paper's way and in others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.experiments.corrals.settings import Arena, Settings
from banditune.experiments.corrals.training import longer_units, short_units, true_alphas, true_units
from banditune.experiments.machinery.curve_units import join_curves
from banditune.experiments.machinery.experiment import Results, estimate_mean
from banditune.experiments.machinery.shapes import best_alpha


@dataclass(frozen=True, slots=True)
class Way:
    """An alpha, how it was learned, and which of the grid's were not told apart from it by the training tasks."""

    name: str
    alpha: float
    alike: tuple[float, ...]


def learn_alphas(settings: Settings, arena: Arena, results: Results) -> tuple[Way, ...]:
    """The paper's way first: the best of the grid in short runs. Then the continuum, longer runs, the true length."""
    short = join_curves(results, short_units(settings, arena))
    longer = join_curves(results, longer_units(settings, arena))
    true = np.array([results[unit.name]["regret"] for unit in true_units(settings, arena)]).T
    alphas = true_alphas(settings)
    on_grid = np.array([short.at(alpha) for alpha in settings.grid])
    at_short, at_longer = best_alpha(short), best_alpha(longer)
    in_grid = [alphas.index(alpha) for alpha in settings.grid]
    best = _middle_of_least(true.mean(axis=1))
    first = int(on_grid.mean(axis=1).argmin())
    return (
        Way(f"grid, {settings.short} rounds", settings.grid[first], _alike(settings, on_grid, on_grid[first])),
        Way(f"every alpha, {settings.short} rounds", at_short, _alike(settings, on_grid, short.at(at_short))),
        Way(
            f"every alpha, {arena.longer:,} rounds",
            at_longer,
            _alike(settings, np.array([longer.at(alpha) for alpha in settings.grid]), longer.at(at_longer)),
        ),
        Way(
            f"{len(alphas)} alphas, {arena.rounds:,} rounds", alphas[best], _alike(settings, true[in_grid], true[best])
        ),
    )


def _middle_of_least(losses: NDArray[np.float64]) -> int:
    """Where the least loss is; the middle of those that have it, for ends are close to losing more.

    >>> _middle_of_least(np.array([3.0, 1.0, 1.0, 1.0, 2.0]))
    2
    """
    least = np.flatnonzero(losses == losses.min())
    return int(least[least.size // 2])


def _alike(settings: Settings, losses: NDArray[np.float64], best: NDArray[np.float64]) -> tuple[float, ...]:
    """The alphas of the grid whose losses (grid, tasks) are not told apart from others (tasks,), paired, at 95%."""
    extra = [estimate_mean(row - best) for row in losses]
    return tuple(alpha for alpha, each in zip(settings.grid, extra, strict=True) if each.low <= 0.0)
