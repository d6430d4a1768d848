"""Is there enough data? The loss on tasks set aside, against the number of tasks learned from."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.evaluation.intervals import Estimate, estimate
from banditune.evaluation.recommended_value import learn_value
from banditune.policies.parameters import Parameter
from banditune.rng import generator

MOST_TASKS = 2_000
MOST_SIZES, MOST_SPLITS = 10, 20
PIECES_VISITED = 400_000_000  # a few seconds; bounds the number of splits where tasks have very many pieces
LEAST_TASKS = 5


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The mean loss on tasks set aside, having learned from some of the others; averages over several splits."""

    sizes: tuple[int, ...]  # increasing
    losses: tuple[Estimate, ...]  # one a size; the intervals leave out how hard the tasks set aside are
    half: int  # the size nearest to half of the largest
    gain: Estimate  # how much less was lost with the largest size than with that half, paired by split
    n_splits: int
    n_set_aside: int
    n_tasks: int  # how many tasks were split: all, or a random sample of very many
    levelled: tuple[tuple[float, ...], ...]  # (n_splits, sizes) the losses, less how hard the tasks set aside were
    smooth: bool = True  # whether what a study recommends was measured, or the least of the mean


def measure_learning_curve(
    curves: CurveSet,
    parameter: Parameter,
    seed: int,
    progress: Callable[[float], None] | None = None,
    *,
    draws: int | None,
    most_splits: int = MOST_SPLITS,
) -> LearningCurve | None:
    """Learn from more and more tasks, measure on a fifth of them set aside; None if there are fewer than five.

    What is learned is what a study recommends of so many tasks with `draws` draws of each; without, the least. In each
    of several splits the same tasks are set aside for all sizes, and a larger size holds the smaller ones, so that
    sizes are compared on equal terms. `progress` is called with the share of splits done.
    """
    if len(curves) < LEAST_TASKS:
        return None
    curves = _sample(curves, seed)
    n_tasks = len(curves)
    n_set_aside = n_tasks // 5
    sizes = _sizes(n_tasks - n_set_aside)
    n_splits = int(np.clip(PIECES_VISITED // (curves.left.size * len(sizes)), 3, most_splits))
    losses, hardness = np.empty((n_splits, len(sizes))), np.empty((n_splits, 1))
    of_all = _losses_after(curves, parameter, np.arange(n_tasks), draws)
    expected = float(of_all.mean())  # of the hardness of tasks drawn at random
    for split in range(n_splits):
        order = generator(seed, "report", "learning curve", split).permutation(n_tasks)
        aside, others = order[:n_set_aside], order[n_set_aside:]
        for k, size in enumerate(sizes):
            losses[split, k] = _losses_after(curves, parameter, others[:size], draws)[aside].mean()
        hardness[split] = of_all[aside].mean()
        if progress:
            progress((split + 1) / n_splits)
    levelled = losses - hardness + expected
    half = min(range(len(sizes) - 1), key=lambda k: abs(sizes[k] - sizes[-1] / 2))
    return LearningCurve(
        sizes=sizes,
        losses=tuple(estimate(column) for column in levelled.T),
        half=sizes[half],
        gain=estimate(losses[:, half] - losses[:, -1]),
        n_splits=n_splits,
        n_set_aside=n_set_aside,
        n_tasks=n_tasks,
        levelled=tuple(tuple(row) for row in levelled.tolist()),
        smooth=draws is not None,
    )


def _sample(curves: CurveSet, seed: int) -> CurveSet:
    """Return all curves, or a random sample of very many."""
    if len(curves) <= MOST_TASKS:
        return curves
    chosen = generator(seed, "report", "sample").choice(len(curves), MOST_TASKS, replace=False)
    return curves.take(np.sort(chosen))


def _sizes(largest: int) -> tuple[int, ...]:
    """Return numbers of tasks that grow geometrically from 1 to the largest.

    >>> _sizes(128)
    (1, 2, 3, 5, 9, 15, 25, 44, 75, 128)
    """
    return tuple(sorted({int(size) for size in np.geomspace(1, largest, MOST_SIZES).round()}))


def _losses_after(
    curves: CurveSet, parameter: Parameter, learned_from: NDArray[np.int64], draws: int | None
) -> NDArray[np.float64]:
    """Return the losses on all tasks with the value learned from some: (tasks,)."""
    members = np.zeros(len(curves), bool)
    members[learned_from] = True
    return curves.at(learn_value(parameter, curves, members, draws, roughly=True))
