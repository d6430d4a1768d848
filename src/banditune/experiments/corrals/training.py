"""The corral experiments: runs on past tasks, to learn from."""

from collections.abc import Sequence

import numpy as np

from banditune.baselines import entry
from banditune.experiments.corrals.settings import DECADES, Arena, Settings
from banditune.experiments.distributions import distribution
from banditune.experiments.machinery.curve_units import curve_units
from banditune.experiments.machinery.experiment import Arrays, Unit
from banditune.experiments.machinery.simulations import simulate_alone
from banditune.policies.ucb.ucb import UCB


def training_units(settings: Settings) -> list[Unit]:
    """What is learned from: short runs, longer ones, and those as long as will be played."""
    return [
        unit
        for arena in settings.arenas
        for group in (
            short_units(settings, arena),
            longer_units(settings, arena),
            true_units(settings, arena),
        )
        for unit in group
    ]


def short_units(settings: Settings, arena: Arena) -> list[Unit]:
    """The exact curves of the paper's training tasks."""
    return _curves(settings, arena, "short", settings.short, settings.n_training, settings.n_training)


def longer_units(settings: Settings, arena: Arena) -> list[Unit]:
    """The exact curves of longer runs on the same tasks."""
    return _curves(settings, arena, "longer", arena.longer, settings.n_longer, settings.a_unit)


def _curves(settings: Settings, arena: Arena, what: str, horizon: int, n_tasks: int, a_unit: int) -> list[Unit]:
    return curve_units(
        f"{arena.tasks}-{arena.second}-{what}",
        arena.tasks,
        n_tasks=n_tasks,
        a_unit=a_unit,
        horizon=horizon,
        most=settings.most,
        second=arena.second,
    )


def true_units(settings: Settings, arena: Arena) -> list[Unit]:
    """What many alphas lose in runs of the true length, on some of the same tasks."""
    return [
        Unit(
            f"{arena.tasks}-{arena.second}-true-{number}",
            run_alphas,
            {
                "tasks": arena.tasks,
                "second": arena.second,
                "number": number,
                "rounds": arena.rounds,
                "alphas": list(true_alphas(settings)),
            },
        )
        for number in range(settings.n_true)
    ]


def true_alphas(settings: Settings) -> tuple[float, ...]:
    """The alphas tried at the true horizon: so many a decade, and those of the grid."""
    first, last = DECADES
    fine = np.logspace(first, last, (last - first) * settings.a_decade + 1)
    return tuple(sorted({float(f"{alpha:.6g}") for alpha in fine} | set(settings.grid)))


def run_alphas(*, seed: int, tasks: str, second: str, number: int, rounds: int, alphas: Sequence[float]) -> Arrays:
    """The regret of UCB with each alpha after all rounds, on one training task: (alphas,)."""
    bandit = distribution(tasks, second).bandit(number, seed)
    entries = [entry(UCB, name=repr(alpha), alpha=alpha) for alpha in alphas]
    return {"regret": simulate_alone(entries, bandit, rounds, [rounds], seed).regret[:, 0, 0, -1]}
