"""The corral experiments: what runs on past tasks teach, and runs on new ones, also of corrals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.baselines import Corral, StochasticCorral, corral_entry, entry
from banditune.baselines.corral import FEEDBACKS
from banditune.experiments.corrals.settings import DECADES, Arena, Settings
from banditune.experiments.distributions import TEST_TASKS, distribution, simulate_alone
from banditune.experiments.machinery.claims import estimate_mean
from banditune.experiments.machinery.experiment import Arrays, Results, Unit, divide
from banditune.experiments.machinery.shapes import best_alpha, join_curves, sweep_unit
from banditune.policies.ucb.ucb import UCB
from banditune.rng import derive_seed
from banditune.simulation.simulate import log_rounds


def list_training_units(settings: Settings) -> list[Unit]:
    """Return what is learned from: short runs, longer ones, and those as long as will be played."""
    return [
        unit
        for arena in settings.arenas
        for group in (short_units(settings, arena), longer_units(settings, arena), true_units(settings, arena))
        for unit in group
    ]


def short_units(settings: Settings, arena: Arena) -> list[Unit]:
    """Return the exact curves of the paper's training tasks."""
    return _curves(settings, arena, "short", settings.short, settings.n_training, settings.n_training)


def longer_units(settings: Settings, arena: Arena) -> list[Unit]:
    """Return the exact curves of longer runs on the same tasks."""
    return _curves(settings, arena, "longer", arena.longer, settings.n_longer, settings.a_unit)


def _curves(settings: Settings, arena: Arena, what: str, horizon: int, n_tasks: int, a_unit: int) -> list[Unit]:
    asked = {"tasks": arena.tasks, "second": arena.second, "horizon": horizon, "most": settings.most}
    return divide(f"{arena.tasks}-{arena.second}-{what}", sweep_unit, n_tasks, a_unit, asked)


def true_units(settings: Settings, arena: Arena) -> list[Unit]:
    """Return what many alphas lose in runs of the true length, on some of the same tasks."""
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
    """Return the alphas tried at the true horizon: so many a decade, and those of the grid."""
    first, last = DECADES
    fine = np.logspace(first, last, (last - first) * settings.a_decade + 1)
    return tuple(sorted({float(f"{alpha:.6g}") for alpha in fine} | set(settings.grid)))


def run_alphas(*, seed: int, tasks: str, second: str, number: int, rounds: int, alphas: Sequence[float]) -> Arrays:
    """Return the regret of UCB with each alpha after all rounds, on one training task: (alphas,)."""
    bandit = distribution(tasks, second).bandit(number, seed)
    entries = [entry(UCB, name=repr(alpha), alpha=alpha) for alpha in alphas]
    return {"regret": simulate_alone(entries, bandit, rounds, [rounds], seed).regret[:, 0, 0, -1]}


@dataclass(frozen=True, slots=True)
class Way:
    """An alpha, how it was learned, and which of the grid's the training tasks cannot distinguish from it."""

    name: str
    alpha: float
    alike: tuple[float, ...]


def learn_alphas(settings: Settings, arena: Arena, results: Results) -> tuple[Way, ...]:
    """Learn the paper's way first: the best of the grid in short runs; then the continuum, and longer runs."""
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
    """Return where the least loss is; the middle of those that have it, for ends are close to losing more.

    >>> _middle_of_least(np.array([3.0, 1.0, 1.0, 1.0, 2.0]))
    2
    """
    least = np.flatnonzero(losses == losses.min())
    return int(least[least.size // 2])


def _alike(settings: Settings, losses: NDArray[np.float64], best: NDArray[np.float64]) -> tuple[float, ...]:
    """List alphas whose losses (grid, tasks) show no clear difference to others (tasks,), paired, at 95%."""
    extra = [estimate_mean(row - best) for row in losses]
    return tuple(alpha for alpha, each in zip(settings.grid, extra, strict=True) if each.low <= 0.0)


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
    asked = {
        "tasks": arena.tasks,
        "second": arena.second,
        "rounds": arena.rounds,
        "recorded": list_recorded_rounds(arena),
        "alphas": sorted({way.alpha for way in learn_alphas(settings, arena, results)}),
    }
    return divide(f"{arena.tasks}-{arena.second}-further", run_further, settings.n_further, A_UNIT, asked, FIRST)


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
