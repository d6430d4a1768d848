"""Theorem 4.1: its two sides beside what was paid."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.experiments.impossibility.definition import ONLINE, alphas_of, recorded_rounds, variance_units
from banditune.experiments.impossibility.settings import Settings
from banditune.experiments.machinery.claims import Claim, beyond, judged
from banditune.experiments.machinery.experiment import Results
from banditune.experiments.machinery.plus_minus import PlusMinus, estimated
from banditune.guarantees.estimates import NORMAL
from banditune.guarantees.impossibility import impossibility

RATIO = "the ratio of the theorem's two sides is above 1"
REACHED = (
    "reached: with alpha = twice the variance, the regret's growth for each log T has a 95% interval that is not "
    "wholly above 2 variance / gap"
)
RIGHT, BEST = "UCB, alpha = 2 variance", "UCB, best alpha of each horizon"


@dataclass(frozen=True, slots=True, eq=False)
class Paid:
    """The regret of one policy as the games grow."""

    mean: NDArray[np.float64]  # (rounds,)
    half: NDArray[np.float64]  # (rounds,) the half width of its 95% interval
    growth: PlusMinus  # for each log T, late in the games


@dataclass(frozen=True, slots=True, eq=False)
class Price:
    """One task: the two sides, and what was paid."""

    variance: float
    online: float  # at least so much for each log T, for a policy that must find out how noisy rewards are
    tuned: float  # at most so much, with the right alpha
    rounds: NDArray[np.int64]
    paid: Mapping[str, Paid]
    best: NDArray[np.float64]  # (rounds,) the alpha that lost least until then


@dataclass(frozen=True, slots=True)
class ImpossibilityFindings:
    """All tasks."""

    claims: tuple[Claim, ...]
    readings: tuple[str, ...]
    prices: tuple[Price, ...]


def analyse(settings: Settings, results: Results) -> ImpossibilityFindings:
    """The sides and the games of each task."""
    prices = tuple(_price(settings, variance, results) for variance in settings.variances)
    claims = [claim for price in prices for claim in _claims(settings, price)]
    readings = (
        f"The paper proves this and runs nothing. Here: Gaussian arms with means {settings.means[0]:g} and "
        f"{settings.means[1]:g}, {settings.n_games} games of {settings.rounds:,} rounds for each variance.",
        f"Growth for each log T is measured from round {settings.slope_from:,} to the end; the theorem speaks of the "
        "limit. The best alpha of each horizon is chosen afterwards, on the same games, so it can grow more slowly "
        "than a fixed alpha may for ever.",
        f"UCB-Tuned and UCB-V estimate the variance and are told that rewards lie in 0 to 1; the corral runs over "
        f"{len(settings.bases)} alphas from {settings.bases[0]:g} to {settings.bases[-1]:g} with own feedback.",
    )
    return ImpossibilityFindings(tuple(claims), readings, prices)


def _price(settings: Settings, variance: float, results: Results) -> Price:
    parts = [results[unit.name] for unit in variance_units(settings, variance)]
    ucb, online = (np.concatenate([part[name] for part in parts]) for name in ("ucb", "online"))
    alphas, rounds = np.array(alphas_of(settings, variance)), np.array(recorded_rounds(settings))
    late = int(np.searchsorted(rounds, settings.slope_from))
    best = ucb.mean(axis=0).argmin(axis=0)  # (rounds,)
    sides = impossibility(settings.means, [variance, variance])
    games = {
        RIGHT: ucb[:, settings.shares.index(1.0)],
        BEST: ucb[:, best, np.arange(rounds.size)],
        _default(settings): ucb[:, -1],
        **{name: online[:, k] for k, name in enumerate(ONLINE)},
    }
    paid = {name: _paid(regret, rounds, late) for name, regret in games.items()}
    return Price(variance, sides.online, sides.tuned, rounds, paid, alphas[best])


def _default(settings: Settings) -> str:
    return f"UCB, alpha = {settings.default:g}"


def _paid(regret: NDArray[np.float64], rounds: NDArray[np.int64], late: int) -> Paid:
    """From the regret (games, rounds) of a policy."""
    growth = (regret[:, -1] - regret[:, late]) / np.log(rounds[-1] / rounds[late])
    half = NORMAL * regret.std(axis=0, ddof=1) / np.sqrt(len(regret))
    return Paid(regret.mean(axis=0), half, estimated(growth))


def _claims(settings: Settings, price: Price) -> list[Claim]:
    where = f"variance {price.variance:g}"
    ratio, right = price.online / price.tuned, price.paid[RIGHT]
    sides = f"{ratio:.3g}: {price.online:.3g} against {price.tuned:.3g} for each log T"
    grown = f"{right.growth} for each log T, the side is {price.tuned:.3g}"
    return [
        Claim(f"{where}: the ratio", "above 1", sides, judged(ratio > 1.0), RATIO),
        Claim(f"{where}: {RIGHT}", "reaches its side", grown, judged(right.growth.low <= price.tuned), REACHED),
        beyond(f"{where}: regret after {settings.rounds:,} rounds", _paid_words(price)),
    ]


def _paid_words(price: Price) -> str:
    """What each policy has paid in the end, and how many times what the best alpha has."""
    least = float(price.paid[BEST].mean[-1])
    words = [
        f"{name}: {paid.mean[-1]:.3g} ({paid.mean[-1] / least:.1f} times)"
        for name, paid in price.paid.items()
        if name != BEST
    ]
    return f"{BEST} ({price.best[-1]:.3g}): {least:.3g}; {'; '.join(words)}"
