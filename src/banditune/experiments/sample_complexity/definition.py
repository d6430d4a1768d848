"""How many tasks it takes: learning from training sets of growing size."""

from collections.abc import Sequence

import numpy as np

from banditune.experiments.distributions import TEST_TASKS, distribution
from banditune.experiments.machinery.curve_units import curve_units, curves_of, set_of
from banditune.experiments.machinery.experiment import Arrays, Unit
from banditune.experiments.machinery.shapes import best_alpha
from banditune.experiments.sample_complexity.settings import Kind, Settings


def units(settings: Settings) -> list[Unit]:
    """All units, kind by kind."""
    return [
        unit
        for kind in settings.kinds
        for group in (many_units(settings, kind), learning_units(settings, kind))
        for unit in group
    ]


def many_units(settings: Settings, kind: Kind) -> list[Unit]:
    """The curves of the tasks that stand for all; no training set has one of them."""
    return curve_units(
        f"{kind.tasks}-many",
        kind.tasks,
        n_tasks=settings.n_many,
        a_unit=settings.many_a_unit,
        horizon=kind.horizon,
        most=settings.most,
    )


def learning_units(settings: Settings, kind: Kind) -> list[Unit]:
    """Training sets, a few in each unit."""
    return [
        Unit(
            f"{kind.tasks}-sets-{first}",
            learned_alphas,
            {
                "tasks": kind.tasks,
                "horizon": kind.horizon,
                "most": settings.most,
                "sizes": list(settings.sizes),
                "n_test": settings.n_test,
                "first": first,
                "count": min(settings.a_unit, settings.n_sets - first),
            },
        )
        for first in range(0, settings.n_sets, settings.a_unit)
    ]


def learned_alphas(
    *, seed: int, tasks: str, horizon: int, most: float, sizes: Sequence[int], n_test: int, first: int, count: int
) -> Arrays:
    """What is learned from each set at each size, and its mean regret on the set's test tasks: (sets, sizes) each."""
    problem, each = distribution(tasks), sizes[-1] + n_test
    alphas, regret = np.empty((count, len(sizes))), np.empty((count, len(sizes)))
    for k in range(count):
        start = TEST_TASKS + (first + k) * each
        swept = curves_of(problem, seed=seed, first=start, count=each, horizon=horizon, most=most)
        curves, number = set_of(swept, most), np.arange(each)
        for place, size in enumerate(sizes):
            alphas[k, place] = best_alpha(curves, number < size)
            regret[k, place] = curves.at(alphas[k, place])[sizes[-1] :].mean()
    return {"alphas": alphas, "regret": regret}
