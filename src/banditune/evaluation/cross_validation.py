"""Losses on held-out tasks: each fold is measured with what was learned on the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.evaluation.intervals import assign_folds
from banditune.tuning.search import Search

N_FOLDS = 10


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutLosses:
    """What each task lost with the value learned without it, and with the usual values."""

    n_folds: int
    fold: NDArray[np.int64]  # (tasks,) the fold of each task
    values: NDArray[np.float64]  # (n_folds,) what was learned without the fold
    learned: NDArray[np.float64]  # (tasks,) the loss with that value
    usual: Mapping[float, NDArray[np.float64]]  # value -> (tasks,) the loss with it


def losses_with(search: Search, curves: CurveSet, tasks: Iterable[Any], value: float) -> NDArray[np.float64]:
    """What each task loses with one value: read off its curve, or played where the curve does not reach. (tasks,)"""
    if search.low <= value <= search.high:
        return curves.at(value)
    return search.losses_at(tasks, value)


def cross_validate(
    searches: Sequence[Search],
    curve_sets: Sequence[CurveSet],
    usual: Mapping[float, Sequence[NDArray[np.float64]]],
    *,
    n_folds: int = N_FOLDS,
    progress: Callable[[int], None] | None = None,
) -> HeldOutLosses | None:
    """Split the tasks into folds at random, learn on all but one, measure on that one; None if there is only one task.

    Of several searches, each with the tasks' curves, the best is chosen anew for each fold. `usual` holds values to
    compare with, and their losses (tasks,) with what each of the searches fixes: that, too, is chosen anew for each.
    `progress` is called with the number of folds done.
    """
    n_tasks = len(curve_sets[0])
    n_folds = min(n_folds, n_tasks)
    if n_folds < 2:
        return None
    fold = assign_folds(n_tasks, n_folds, searches[0].seed)
    values = np.empty(n_folds)
    learned = np.empty(n_tasks)
    with_usual = {value: np.empty(n_tasks) for value in usual}
    for k in range(n_folds):
        seen, held_out = fold != k, fold == k
        pieces, losses_there = zip(*(curves.find_least(seen) for curves in curve_sets), strict=True)
        best = int(np.argmin(losses_there))
        values[k] = searches[best].searched.inside(*pieces[best])
        learned[held_out] = curve_sets[best].at(values[k])[held_out]
        for value, losses in usual.items():
            chosen = int(np.argmin([each[seen].mean() for each in losses]))
            with_usual[value][held_out] = losses[chosen][held_out]
        if progress:
            progress(k + 1)
    return HeldOutLosses(n_folds, fold, values, learned, with_usual)
