"""Theorem 4.1: what finding alpha online has to cost, beside what UCB and others really pay as the horizon grows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banditune.baselines import StochasticCorral, corral_entry, entry
from banditune.curves.palette import BLACK, BLUE, GREEN, ORANGE, PINK, RED, SKY
from banditune.evaluation.impossibility import impossibility
from banditune.evaluation.intervals import NORMAL
from banditune.experiments.distributions import simulate_alone
from banditune.experiments.machinery.claims import Claim, PlusMinus, beyond, estimate_mean, judge
from banditune.experiments.machinery.experiment import Arrays, Experiment, Findings, Results, Unit, divide
from banditune.experiments.machinery.figures import Figure, caption, panels, with_band
from banditune.policies.lines.ucb_tuned import UCBTuned
from banditune.policies.lines.ucb_v import UCBV
from banditune.policies.ucb.ucb import UCB
from banditune.problems import Gaussian, fixed
from banditune.rng import derive_seed
from banditune.simulation.simulate import log_rounds


@dataclass(frozen=True, slots=True)
class Settings:
    """Two Gaussian arms with these means, and the same variance; one task for each variance, played many times."""

    means: tuple[float, float]
    variances: tuple[float, ...]
    rounds: int
    slope_from: int  # the round from which the growth with log T is measured
    n_games: int
    a_unit: int
    default: float  # alpha, as textbooks have it
    shares: tuple[float, ...]  # alphas among which the best is sought, over twice the variance
    bases: tuple[float, ...]  # alphas of the corral


FULL = Settings(
    means=(0.25, 0.75),
    variances=(0.25, 0.0625, 0.015625),
    rounds=1_000_000,
    slope_from=10_000,
    n_games=60,
    a_unit=5,
    default=1.0,
    shares=(0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 5.0, 10.0),
    bases=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
)
QUICK = replace(FULL, rounds=20_000, slope_from=1_000, n_games=30, a_unit=15)


ONLINE = ("UCB-Tuned", "UCB-V", "stochastic corral")


def units(settings: Settings) -> list[Unit]:
    """Return all units, variance by variance."""
    return [unit for variance in settings.variances for unit in variance_units(settings, variance)]


def variance_units(settings: Settings, variance: float) -> list[Unit]:
    """Return the runs on one task."""
    asked = {
        "means": list(settings.means),
        "variance": variance,
        "rounds": settings.rounds,
        "recorded": list_recorded_rounds(settings),
        "alphas": list(alphas_of(settings, variance)),
        "bases": list(settings.bases),
    }
    return divide(f"variance-{variance:g}", run_policies, settings.n_games, settings.a_unit, asked)


def list_recorded_rounds(settings: Settings) -> list[int]:
    """Return the rounds after which the regret is recorded."""
    return sorted({*log_rounds(settings.rounds).tolist(), settings.slope_from})


def alphas_of(settings: Settings, variance: float) -> tuple[float, ...]:
    """Return the alphas that are played: around the right one, and the default."""
    return (*(2.0 * variance * share for share in settings.shares), settings.default)


def run_policies(
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
    """Return the regret of each alpha (runs, alphas, recorded), and of those told less (runs, online, ...)."""
    problem = fixed([Gaussian(mean, float(np.sqrt(variance))) for mean in means])
    ucbs = [entry(UCB, name=f"{place}", alpha=alpha) for place, alpha in enumerate(alphas)]
    online = [
        entry(UCBTuned),
        entry(UCBV),
        corral_entry(StochasticCorral, [entry(UCB, alpha=alpha) for alpha in bases]),
    ]
    runs = []
    for number in range(first, first + count):
        bandit = problem.bandit(number, seed)
        found = simulate_alone([*ucbs, *online], bandit, rounds, recorded, derive_seed(seed, "game", number))
        runs.append(found.regret[:, 0, 0])
    regret = np.array(runs)
    return {"ucb": regret[:, : len(alphas)], "online": regret[:, len(alphas) :]}


RATIO = "the ratio of the theorem's two sides is above 1"
REACHED = (
    "reached: with alpha = twice the variance, the regret's growth for each log T has a 95% interval that is not "
    "wholly above 2 variance / gap"
)
RIGHT, BEST = "UCB, alpha = 2 variance", "UCB, best alpha of each horizon"


@dataclass(frozen=True, slots=True, eq=False)
class Paid:
    """The regret of one policy as the runs grow."""

    mean: NDArray[np.float64]  # (rounds,)
    half: NDArray[np.float64]  # (rounds,) the half width of its 95% interval
    growth: PlusMinus  # for each log T, late in the runs


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
class ImpossibilityFindings(Findings):
    """All tasks."""

    prices: tuple[Price, ...]
    n_runs: int


def analyse(settings: Settings, results: Results) -> ImpossibilityFindings:
    """Return the sides and the runs of each task."""
    prices = tuple(_price(settings, variance, results) for variance in settings.variances)
    claims = [claim for price in prices for claim in _claims(settings, price)]
    readings = (
        f"The paper proves this without an experiment. Here: Gaussian arms with means {settings.means[0]:g} and "
        f"{settings.means[1]:g}, {settings.n_games} runs of {settings.rounds:,} rounds for each variance.",
        f"Growth per log T is measured from round {settings.slope_from:,} to the end; the theorem is about the "
        "limit. The best alpha of each horizon is chosen in hindsight, on the same runs, so its regret can grow "
        "more slowly than that of a fixed alpha in the long run.",
        "The theorem's left side is for policies that are consistent for Gaussian rewards of every variance and do not "
        "know it; none of those run here claims that, so being below that line contradicts nothing.",
        "UCB-Tuned and UCB-V estimate the variance and know that rewards lie in 0 to 1; the corral runs over "
        f"{len(settings.bases)} alphas from {settings.bases[0]:g} to {settings.bases[-1]:g} with own feedback.",
    )
    return ImpossibilityFindings(tuple(claims), readings, prices, settings.n_games)


def _price(settings: Settings, variance: float, results: Results) -> Price:
    parts = [results[unit.name] for unit in variance_units(settings, variance)]
    ucb, online = (np.concatenate([part[name] for part in parts]) for name in ("ucb", "online"))
    alphas, rounds = np.array(alphas_of(settings, variance)), np.array(list_recorded_rounds(settings))
    late = int(np.searchsorted(rounds, settings.slope_from))
    best = ucb.mean(axis=0).argmin(axis=0)  # (rounds,)
    sides = impossibility(settings.means, [variance, variance])
    runs = {
        RIGHT: ucb[:, settings.shares.index(1.0)],
        BEST: ucb[:, best, np.arange(rounds.size)],
        f"UCB, alpha = {settings.default:g}": ucb[:, -1],
        **{name: online[:, k] for k, name in enumerate(ONLINE)},
    }
    paid = {name: _measure_price(regret, rounds, late) for name, regret in runs.items()}
    return Price(variance, sides.online, sides.tuned, rounds, paid, alphas[best])


def _measure_price(regret: NDArray[np.float64], rounds: NDArray[np.int64], late: int) -> Paid:
    """Make it from the regret (runs, rounds) of a policy."""
    growth = (regret[:, -1] - regret[:, late]) / np.log(rounds[-1] / rounds[late])
    half = NORMAL * regret.std(axis=0, ddof=1) / np.sqrt(len(regret))
    return Paid(regret.mean(axis=0), half, estimate_mean(growth))


def _claims(settings: Settings, price: Price) -> list[Claim]:
    where = f"variance {price.variance:g}"
    ratio, right = price.online / price.tuned, price.paid[RIGHT]
    sides = f"{ratio:.3g}: {price.online:.3g} against {price.tuned:.3g} for each log T"
    grown = f"{right.growth} for each log T, the side is {price.tuned:.3g}"
    return [
        Claim(f"{where}: the ratio", "above 1", sides, judge(ratio > 1.0), RATIO),
        Claim(f"{where}: {RIGHT}", "reaches its side", grown, judge(right.growth.low <= price.tuned), REACHED),
        beyond(f"{where}: regret after {settings.rounds:,} rounds", _describe_prices(price)),
    ]


def _describe_prices(price: Price) -> str:
    """Return what each policy has paid in the end, and how many times what the best alpha has."""
    least = float(price.paid[BEST].mean[-1])
    words = [
        f"{name}: {paid.mean[-1]:.3g} ({paid.mean[-1] / least:.1f} times)"
        for name, paid in price.paid.items()
        if name != BEST
    ]
    return f"{BEST} ({price.best[-1]:.3g}): {least:.3g}; {'; '.join(words)}"


COLOURS = {RIGHT: GREEN, BEST: BLUE, "UCB-Tuned": PINK, "UCB-V": SKY, "stochastic corral": RED}
FIRST = 10  # round


def draw(found: ImpossibilityFindings) -> Figure:
    """Return a panel for each variance."""
    figure, all_axes = panels(1, len(found.prices), size=(13.5, 5.6), sharey=True)
    for axes, price in zip(all_axes, found.prices, strict=True):
        axes.set(xscale="log", yscale="log")
        late = price.rounds >= FIRST
        rounds = price.rounds[late]
        for name, paid in price.paid.items():
            with_band(axes, rounds, paid.mean[late], paid.half[late], COLOURS.get(name, ORANGE), name)
        logs = np.log(rounds)
        axes.plot(
            rounds,
            price.online * logs,
            color=BLACK,
            ls="--",
            lw=1.6,
            label="theorem, large T: variance not known, at least",
        )
        axes.plot(rounds, price.tuned * logs, color=BLACK, ls=":", lw=2, label="theorem, large T: right alpha, at most")
        axes.set(title=f"variance {price.variance:g}: ratio {price.online / price.tuned:.3g}", xlabel="round T")
        axes.set_ylim(0.1, None)
    all_axes[0].set_ylabel("regret")
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    caption(figure, f"Lines: means over {found.n_runs} runs; bands: their 95% intervals, around the logarithm.")
    return figure


EXPERIMENT: Experiment[Settings, ImpossibilityFindings] = Experiment(
    "impossibility",
    "What finding alpha online has to cost, and what is really paid",
    "Theorem 4.1, not run in the paper",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
