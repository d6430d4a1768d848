"""How what is learned depends on the horizon: the same tasks, run for shorter and for longer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from banditune.evaluation.recommended_value import recommend
from banditune.tasks.base import PastTask
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.search import Search

FACTORS = (0.1, 1.0 / 3.0, 1.0, 3.0)
MOST_TASKS, MOST_DRAWS = 40, 4  # what takes seconds where the study takes minutes


@dataclass(frozen=True, slots=True)
class AtHorizon:
    """What is learned from runs of some length, with the mean losses of the same tasks."""

    horizon: int
    value: float  # of the parameter
    loss: float  # with that value
    usual: tuple[tuple[float, float], ...]  # usual values of the parameter, and the losses with them
    recorded: float  # the share of tasks of which so many rounds are recorded


def compare_horizons(search: Search, tasks: Sequence[Any]) -> tuple[AtHorizon, ...]:
    """Learn from runs of a tenth, a third, the whole and three times the horizon, all from one sweep of some tasks.

    Of more than 40 tasks, 40 evenly spaced ones are swept, with at most 4 draws. Usual values outside the searched
    range are left out. Of tasks that stayed on a cluster nothing can be learned here.
    """
    horizons = tuple(sorted({max(1, round(factor * search.horizons[-1])) for factor in FACTORS}))
    chosen = np.unique(np.linspace(0, len(tasks) - 1, MOST_TASKS).round().astype(np.int64))
    some = [tasks[k] for k in chosen.tolist()]
    if not all(isinstance(task, PastTask) for task in some):
        return ()
    draws = search.draws._replace(number=min(search.draws.number, MOST_DRAWS))
    (swept,) = sweep_tasks([replace(search, horizons=horizons, draws=draws)], some)
    rounds = np.array([task.rounds for task in some])
    usual = [value for value in search.free_parameter.usual if search.low <= value <= search.high]
    found = []
    for horizon, curves in zip(horizons, swept.losses, strict=True):
        mean = search.loss.gather(curves).mean()
        best = recommend(search.free_parameter, mean, len(some), draws=draws.number)
        losses = tuple((value, mean(value)) for value in usual)
        found.append(AtHorizon(horizon, best, mean(best), losses, float((rounds >= horizon).mean())))
    return tuple(found)
