"""The corral experiments: runs on new tasks, of what was learned and of corrals; and on many more of them."""

from collections.abc import Sequence

import numpy as np

from banditune.baselines import Corral, StochasticCorral, corral_entry, entry
from banditune.baselines.corral import FEEDBACKS
from banditune.experiments.corrals.learning import learn_alphas
from banditune.experiments.corrals.settings import Arena, Settings
from banditune.experiments.distributions import TEST_TASKS, distribution
from banditune.experiments.machinery.curve_units import simulate_alone
from banditune.experiments.machinery.experiment import Arrays, Results, Unit
from banditune.policies.ucb.ucb import UCB
from banditune.rng import derive_seed
from banditune.simulation.simulate import log_rounds

CORRALS = tuple((corral, feedback) for corral in (Corral, StochasticCorral) for feedback in FEEDBACKS)
CORRAL_NAMES = tuple(f"{corral.label}, {feedback} feedback" for corral, feedback in CORRALS)


def test_units(settings: Settings, results: Results) -> list[Unit]:
    """Return runs of what was learned, of the grid and of the corrals, on tasks that nothing was learned from."""
    return [unit for arena in settings.arenas for unit in arena_tests(settings, arena, results)]


def arena_tests(settings: Settings, arena: Arena, results: Results) -> list[Unit]:
    """Return the runs on the test tasks of one arena."""
    found = learn_alphas(settings, arena, results)
    return [
        Unit(
            f"{arena.tasks}-{arena.second}-test-{k}",
            run_test,
            {
                "tasks": arena.tasks,
                "second": arena.second,
                "number": TEST_TASKS + k,
                "rounds": arena.rounds,
                "recorded": list_recorded_rounds(arena),
                "grid": list(settings.grid),
                "alphas": sorted({way.alpha for way in found} | set(settings.grid)),
            },
        )
        for k in range(settings.n_test)
    ]


def list_recorded_rounds(arena: Arena) -> list[int]:
    """Return the rounds after which the regret is recorded."""
    return sorted({*log_rounds(arena.rounds).tolist(), *arena.checked})


def run_test(
    *,
    seed: int,
    tasks: str,
    second: str,
    number: int,
    rounds: int,
    recorded: Sequence[int],
    grid: Sequence[float],
    alphas: Sequence[float],
) -> Arrays:
    """Return the regret of UCB with each alpha (alphas, recorded) and of corrals over the grid (corrals, recorded)."""
    bases = [entry(UCB, alpha=alpha) for alpha in grid]
    entries = [entry(UCB, name=repr(alpha), alpha=alpha) for alpha in alphas]
    entries += [corral_entry(corral, bases, feedback=feedback) for corral, feedback in CORRALS]
    bandit = distribution(tasks, second).bandit(number, seed)
    played = simulate_alone(entries, bandit, rounds, recorded, derive_seed(seed, "test", number))
    regret = played.regret[:, 0, 0]
    return {"ucb": regret[: len(alphas)], "corrals": regret[len(alphas) :]}


FIRST = TEST_TASKS + 10_000  # the number of the first of these tasks: beyond those that corrals play on
A_UNIT = 10


def further_units(settings: Settings, results: Results) -> list[Unit]:
    """Return runs of what was learned on many more tasks, without the corrals, which take a hundred times as long."""
    return [unit for arena in settings.arenas for unit in arena_further(settings, arena, results)]


def arena_further(settings: Settings, arena: Arena, results: Results) -> list[Unit]:
    """Return the runs on further tasks of one arena."""
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
                "recorded": list_recorded_rounds(arena),
                "alphas": alphas,
            },
        )
        for first in range(0, settings.n_further, A_UNIT)
    ]


def run_further(
    *,
    seed: int,
    tasks: str,
    second: str,
    first: int,
    count: int,
    rounds: int,
    recorded: Sequence[int],
    alphas: Sequence[float],
) -> Arrays:
    """Return the regret of UCB with each alpha: (tasks, alphas, recorded)."""
    problem = distribution(tasks, second)
    entries = [entry(UCB, name=repr(alpha), alpha=alpha) for alpha in alphas]
    runs = [
        simulate_alone(entries, problem.bandit(number, seed), rounds, recorded, seed).regret[:, 0, 0]
        for number in range(first, first + count)
    ]
    return {"regret": np.array(runs)}
