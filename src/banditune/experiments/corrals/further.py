"""The corral experiments: what each way of learning loses on many more new tasks, where rare failures show."""

from collections.abc import Sequence

import numpy as np

from banditune.baselines import entry
from banditune.experiments.corrals.learning import learn_alphas
from banditune.experiments.corrals.settings import Arena, Settings
from banditune.experiments.distributions import TEST_TASKS, distribution
from banditune.experiments.machinery.experiment import Arrays, Results, Unit
from banditune.experiments.machinery.simulations import simulate_alone
from banditune.policies.ucb.ucb import UCB

FIRST = TEST_TASKS + 10_000  # the number of the first of these tasks: beyond those that corrals play on
A_UNIT = 10


def further_units(settings: Settings, results: Results) -> list[Unit]:
    """Runs of what was learned, without the corrals, which take a hundred times as long."""
    return [unit for arena in settings.arenas for unit in arena_further(settings, arena, results)]


def arena_further(settings: Settings, arena: Arena, results: Results) -> list[Unit]:
    """The runs on further tasks of one arena."""
    alphas = sorted({way.alpha for way in learn_alphas(settings, arena, results)})
    return [
        Unit(
            f"{arena.tasks}-{arena.second}-further-{first}",
            run_further,
            {
                "tasks": arena.tasks,
                "second": arena.second,
                "first": FIRST + first,
                "count": min(A_UNIT, settings.n_further - first),
                "rounds": arena.rounds,
                "alphas": alphas,
            },
        )
        for first in range(0, settings.n_further, A_UNIT)
    ]


def run_further(
    *, seed: int, tasks: str, second: str, first: int, count: int, rounds: int, alphas: Sequence[float]
) -> Arrays:
    """The regret of UCB with each alpha after all rounds: (tasks, alphas)."""
    problem = distribution(tasks, second)
    entries = [entry(UCB, name=repr(alpha), alpha=alpha) for alpha in alphas]
    games = [
        simulate_alone(entries, problem.bandit(number, seed), rounds, [rounds], seed).regret[:, 0, 0, -1]
        for number in range(first, first + count)
    ]
    return {"regret": np.array(games)}
