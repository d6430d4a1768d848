"""Theorem 4.1: games of UCB with many alphas, and of policies that are not told how noisy rewards are."""

from collections.abc import Sequence

import numpy as np

from banditune.experiments.impossibility.settings import Settings
from banditune.experiments.machinery.experiment import Arrays, Unit
from banditune.experiments.machinery.single import simulated
from banditune.policies.ucb import UCB
from banditune.problems import Gaussian, fixed
from banditune.randomness import derived_seed
from banditune.rivals import UCBV, StochasticCorral, UCBTuned, corral_entry, entry
from banditune.simulation import log_rounds

ONLINE = ("UCB-Tuned", "UCB-V", "stochastic corral")


def units(settings: Settings) -> list[Unit]:
    """All units, variance by variance."""
    return [unit for variance in settings.variances for unit in variance_units(settings, variance)]


def variance_units(settings: Settings, variance: float) -> list[Unit]:
    """The games on one task."""
    return [
        Unit(
            f"variance-{variance:g}-{first}",
            played,
            {
                "means": list(settings.means),
                "variance": variance,
                "rounds": settings.rounds,
                "recorded": recorded_rounds(settings),
                "alphas": list(alphas_of(settings, variance)),
                "bases": list(settings.bases),
                "first": first,
                "count": min(settings.a_unit, settings.n_games - first),
            },
        )
        for first in range(0, settings.n_games, settings.a_unit)
    ]


def recorded_rounds(settings: Settings) -> list[int]:
    """The rounds after which the regret is recorded."""
    return sorted({*log_rounds(settings.rounds).tolist(), settings.slope_from})


def alphas_of(settings: Settings, variance: float) -> tuple[float, ...]:
    """The alphas that are played: around the right one, and the default."""
    return (*(2.0 * variance * share for share in settings.shares), settings.default)


def played(
    *,
    seed: int,
    means: Sequence[float],
    variance: float,
    rounds: int,
    recorded: Sequence[int],
    alphas: Sequence[float],
    bases: Sequence[float],
    first: int,
    count: int,
) -> Arrays:
    """The regret of UCB with each alpha (games, alphas, recorded) and of those told less (games, online, recorded)."""
    problem = fixed([Gaussian(mean, float(np.sqrt(variance))) for mean in means])
    ucbs = [entry(UCB, name=f"{place}", alpha=alpha) for place, alpha in enumerate(alphas)]
    online = [
        entry(UCBTuned),
        entry(UCBV),
        corral_entry(StochasticCorral, [entry(UCB, alpha=alpha) for alpha in bases]),
    ]
    games = []
    for number in range(first, first + count):
        bandit = problem.bandit(number, seed)
        found = simulated([*ucbs, *online], bandit, rounds, recorded, derived_seed(seed, "game", number))
        games.append(found.regret[:, 0, 0])
    regret = np.array(games)
    return {"ucb": regret[:, : len(alphas)], "online": regret[:, len(alphas) :]}
