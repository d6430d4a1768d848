"""Losses on tasks that were not learned from: each fold is measured with what was learned on the others."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curve_set import CurveSet
from banditune.randomness import generator
from banditune.search import Search
from banditune.tasks import Task

N_FOLDS = 10


@dataclass(frozen=True, slots=True, eq=False)
class UnseenLosses:
    """What each task lost with the value learned without it, and with values fixed beforehand."""

    n_folds: int
    fold: NDArray[np.int64]  # (tasks,) the fold of each task
    values: NDArray[np.float64]  # (n_folds,) what was learned without the fold
    learned: NDArray[np.float64]  # (tasks,) the loss with that value
    fixed: Mapping[float, NDArray[np.float64]]  # value -> (tasks,) the loss with it


def losses_with(search: Search, curves: CurveSet, tasks: Iterable[Task], value: float) -> NDArray[np.float64]:
    """What each task loses with one value: read off its curve, or played where the curve does not reach. (tasks,)"""
    if search.low <= value <= search.high:
        return curves.at(value)
    return np.array([search.loss_at(task, value) for task in tasks])


def unseen_losses(
    search: Search,
    curves: CurveSet,
    fixed: Mapping[float, NDArray[np.float64]],
    *,
    n_folds: int = N_FOLDS,
    progress: Callable[[int], None] | None = None,
) -> UnseenLosses | None:
    """Split the tasks into folds at random, learn on all but one, measure on that one; None if there is only one task.

    `fixed` holds the losses (tasks,) of values to compare with; they learn nothing, so every task is unseen to them.
    `progress` is called with the number of folds done.
    """
    n_folds = min(n_folds, len(curves))
    if n_folds < 2:
        return None
    parameter = search.policy.parameters[search.parameter]
    fold = generator(search.seed, "folds").permutation(len(curves)) % n_folds
    values = np.empty(n_folds)
    learned = np.empty(len(curves))
    for k in range(n_folds):
        values[k] = parameter.inside(*curves.mean(fold != k).argmin())
        learned[fold == k] = curves.at(values[k])[fold == k]
        if progress:
            progress(k + 1)
    return UnseenLosses(n_folds, fold, values, learned, fixed)
