"""Losses on held-out tasks: each fold is measured with what was learned on the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.display import format_losses, html_table
from banditune.evaluation.folds import N_FOLDS, assign_folds
from banditune.evaluation.intervals import Estimate, estimate, estimate_skewed_mean, pair_to_json
from banditune.evaluation.recommended_value import learn_value
from banditune.interruption import Threads, n_cores
from banditune.policies.losses import Loss
from banditune.tuning.parallel_sweep import OWN, Resources, sweep_tasks
from banditune.tuning.search import Search

ROUNDING = 1e-12  # of a loss: by how much equal ones may differ


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeldOutLosses:
    """What each task lost with the value learned without it, and with the usual values."""

    n_folds: int
    fold: NDArray[np.int64]  # (tasks,) the fold of each task
    values: NDArray[np.float64]  # (n_folds,) what was learned without the fold
    learned: NDArray[np.float64]  # (tasks,) the loss with that value
    usual: Mapping[float, NDArray[np.float64]]  # value -> (tasks,) the loss with it
    parameter: str
    others: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # further baselines, such as equal split
    current: str | None = None  # the name of the baseline that is used today, if it is known
    unweighed: "HeldOutLosses | None" = None  # the losses themselves, where only a share of the tasks is counted

    def weigh(self, loss: Loss) -> "HeldOutLosses":
        """Return what each task adds to what is kept low instead of its losses: the mean over some tasks only."""
        if loss.tail is None:
            return self
        usual = {value: loss.weigh(losses) for value, losses in self.usual.items()}
        others = {name: loss.weigh(losses) for name, losses in self.others.items()}
        return replace(self, learned=loss.weigh(self.learned), usual=usual, others=others, unweighed=self)

    @property
    def losses(self) -> dict[str, NDArray[np.float64]]:
        """What each task lost with what was learned and with each baseline, that of today last: name -> (tasks,)."""
        usual = {f"{self.parameter} = {value:g}": losses for value, losses in self.usual.items()}
        if self.unweighed is not None:  # what tasks add to a tail is rounded
            usual = {name: self._ignore_rounding(losses) for name, losses in usual.items()}
        others = {name: self._ignore_rounding(losses) for name, losses in self.others.items()}
        named = {"learned": self.learned, **usual, **others}
        if self.current is not None:
            named[self.current] = named.pop(self.current)
        return named

    def _ignore_rounding(self, losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the losses of a baseline that is added up in another way, those of what was learned where equal."""
        return np.where(np.abs(losses - self.learned) <= ROUNDING * np.abs(self.learned), self.learned, losses)

    @property
    def rows(self) -> tuple["HeldOutRow", ...]:
        """The comparison as a table: what was learned first, then the baselines."""
        single = self if self.unweighed is None else self.unweighed
        return tuple(
            HeldOutRow(
                name,
                name == self.current,
                estimate(losses),
                estimate_skewed_mean(losses - self.learned),
                n_worse=int((own > single.learned).sum()),
                n_equal=int((own == single.learned).sum()),
                n_better=int((own < single.learned).sum()),
            )
            for (name, losses), own in zip(self.losses.items(), single.losses.values(), strict=True)
        )

    @property
    def means(self) -> dict[str, float]:
        """The mean losses, by the names of `losses`."""
        return {name: float(losses.mean()) for name, losses in self.losses.items()}

    def __repr__(self) -> str:
        return f"HeldOutLosses({self.n_folds} folds, {format_losses(self.means.items())})"

    def _repr_html_(self) -> str:
        learned, *baselines = self.rows
        rows = [(row.name, f"{row.loss.mean:.4g}, {row.extra.describe_difference()}") for row in baselines]
        title = f"Mean loss on held-out tasks, {self.n_folds} folds, and the difference from learned (95% interval)"
        return html_table(title, [(learned.name, f"{learned.loss.mean:.4g}"), *rows])


@dataclass(frozen=True, slots=True)
class HeldOutRow:
    """What was learned, or a baseline, on held-out tasks, paired by task."""

    name: str  # "learned", "alpha = 1", "equal split"
    is_current: bool  # whether it is what is used today
    loss: Estimate  # the mean, with its 95% interval
    extra: Estimate  # how much more it loses than what was learned; negative where it loses less
    n_worse: int  # tasks on which it loses more than what was learned
    n_equal: int
    n_better: int

    def to_json(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"name": self.name, "current": self.is_current, **pair_to_json(self.loss, self.extra)}


def losses_with(
    search: Search, curves: CurveSet, tasks: Iterable[Any], value: float, resources: Resources = OWN
) -> NDArray[np.float64]:
    """Return what each task loses with one value, by its curve; beyond the range, as it would be there. (tasks,)"""
    if search.low <= value <= search.high:
        return curves.at(value)
    (swept,) = sweep_tasks([search.at(value)], tasks, resources)
    return swept.losses[0].at(value)


def cross_validate(
    searches: Sequence[Search],
    curve_sets: Sequence[CurveSet],
    usual: Mapping[float, Sequence[NDArray[np.float64]]],
    *,
    n_folds: int = N_FOLDS,
    smooth: bool = True,
    progress: Callable[[int], None] | None = None,
) -> HeldOutLosses | None:
    """Split the tasks into folds at random, learn on all but one, measure on that one; None if there is only one task.

    Of several searches, each with the tasks' curves, the best is chosen anew for each fold. `usual` holds values to
    compare with, and their losses (tasks,) with what each of the searches fixes: that, too, is chosen anew for each.
    `progress` is called with the number of folds done. What is learned is what a study recommends; not smoothed, the
    least itself: where so many tasks were raced that chance decides little, and what is left of the range does not hold
    whole neighbourhoods.
    """
    n_tasks = len(curve_sets[0])
    n_folds = min(n_folds, n_tasks)
    if n_folds < 2:
        return None
    fold = assign_folds(n_tasks, n_folds, searches[0].seed)
    values = np.empty(n_folds)
    learned = np.empty(n_tasks)
    with_usual = {value: np.empty(n_tasks) for value in usual}

    def learn(k: int) -> tuple[int, float]:
        """Learn without a fold: return the best search, and its value."""
        seen, best = fold != k, 0
        if len(searches) > 1:
            best = int(np.argmin([curves.find_least(seen)[1] for curves in curve_sets]))
        draws = searches[best].draws.number if smooth else None
        return best, learn_value(searches[best].free_parameter, curve_sets[best], seen, draws)

    with Threads(min(n_cores(), n_folds)) as threads:
        for k, (best, found) in enumerate(threads.map(learn, range(n_folds))):
            seen, held_out = fold != k, fold == k
            values[k] = found
            learned[held_out] = curve_sets[best].at(found)[held_out]
            for value, losses in usual.items():
                chosen = int(np.argmin([searches[0].loss.weigh(each[seen]).mean() for each in losses]))
                with_usual[value][held_out] = losses[chosen][held_out]
            if progress:
                progress(k + 1)
    return HeldOutLosses(n_folds, fold, values, learned, with_usual, searches[0].parameter)
