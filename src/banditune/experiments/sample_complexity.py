"""How many tasks does it take to learn alpha?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banditune.curves.palette import BLACK, BLUE, ORANGE
from banditune.evaluation.intervals import student
from banditune.experiments.distributions import TEST_TASKS, distribution
from banditune.experiments.machinery.claims import Agreement, Claim, PlusMinus, beyond, estimate_mean, judge, judge_sign
from banditune.experiments.machinery.experiment import Arrays, Experiment, Findings, Results, Unit, divide
from banditune.experiments.machinery.figures import Figure, caption, find_band, panels
from banditune.experiments.machinery.shapes import best_alpha, curves_of, join_curves, set_of, sweep_unit


@dataclass(frozen=True, slots=True)
class Kind:
    """Tasks of one kind, as the paper writes them."""

    name: str
    tasks: str
    horizon: int


@dataclass(frozen=True, slots=True)
class Settings:
    """Alpha in [0, most] is learned from the first 1, 2, 5, ... tasks of a training set; many times over."""

    kinds: tuple[Kind, ...]
    sizes: tuple[int, ...]  # of training sets
    n_sets: int  # training sets, each with test tasks of its own
    a_unit: int  # sets in a unit
    n_test: int  # tasks, as in the paper
    n_many: int  # tasks that stand for all, to measure the error without the noise of few test tasks
    many_a_unit: int
    most: float = 1.0


FULL = Settings(
    kinds=(
        Kind("Bernoulli", "bernoulli", 100),
        Kind("uniform", "uniform", 100),
        Kind("Gaussian", "alpha-gaussian", 100),
        Kind("learning rates, CIFAR-10", "cifar10", 20),
    ),
    sizes=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000),
    n_sets=100,
    a_unit=10,
    n_test=10,
    n_many=20_000,
    many_a_unit=5_000,
)
QUICK = replace(FULL, sizes=(1, 5, 20, 100), n_sets=20, n_many=2_000, many_a_unit=2_000)


def units(settings: Settings) -> list[Unit]:
    """Return all units, kind by kind."""
    return [
        unit
        for kind in settings.kinds
        for group in (many_units(settings, kind), list_learning_units(settings, kind))
        for unit in group
    ]


def many_units(settings: Settings, kind: Kind) -> list[Unit]:
    """Return the curves of the tasks that stand for all; no training set has one of them."""
    asked = {"tasks": kind.tasks, "horizon": kind.horizon, "most": settings.most}
    return divide(f"{kind.tasks}-many", sweep_unit, settings.n_many, settings.many_a_unit, asked)


def list_learning_units(settings: Settings, kind: Kind) -> list[Unit]:
    """Training sets, a few in each unit."""
    asked = {"tasks": kind.tasks, "horizon": kind.horizon, "most": settings.most}
    asked |= {"sizes": list(settings.sizes), "n_test": settings.n_test}
    return divide(f"{kind.tasks}-sets", learn_alphas, settings.n_sets, settings.a_unit, asked)


def learn_alphas(
    *, seed: int, tasks: str, horizon: int, most: float, sizes: Sequence[int], n_test: int, first: int, count: int
) -> Arrays:
    """Learn from each set at each size; the values, and their mean regret on its test tasks: (sets, sizes)."""
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


FALLS = "falls: the error with the fewest training tasks minus that with the most has a 95% interval above 0"
QUADRATIC = (
    "quadratic decay: the slope of log error over log N (least squares, from N = 5; a 95% interval over training sets "
    "by the jackknife) meets -2.5 to -1.5"
)
STEEP = (-2.5, -1.5)
FROM = 5  # training tasks, for the slope


@dataclass(frozen=True, slots=True, eq=False)
class Learning:
    """What was lost by learning from few tasks, of one kind."""

    name: str
    best: float  # alpha, on the tasks that stand for all
    least: float  # the mean regret there
    default: float  # with alpha = 1
    regret: NDArray[np.float64]  # (sizes,) the mean over sets, on the test tasks of each
    regret_half: NDArray[np.float64]  # (sizes,) the half width of its 95% interval
    error: NDArray[np.float64]  # (sizes,) the mean regret on the tasks that stand for all, minus the least
    error_half: NDArray[np.float64]
    fall: PlusMinus  # of the error from the fewest tasks to the most
    slope: PlusMinus  # of log error over log N


@dataclass(frozen=True, slots=True, eq=False)
class ComplexityFindings(Findings):
    """All kinds."""

    sizes: tuple[int, ...]
    kinds: tuple[Learning, ...]


def analyse(settings: Settings, results: Results) -> ComplexityFindings:
    """Return the errors of what was learned."""
    kinds = tuple(_analyse_kind(settings, kind, results) for kind in settings.kinds)
    claims = [claim for each in kinds for claim in _claims(settings, each)]
    readings = (
        f"The paper evaluates on {settings.n_test} test tasks, which is mostly noise; here so for {settings.n_sets} "
        f"training sets with test tasks of their own (their mean, upper panels), and on {settings.n_many:,} further "
        "tasks, on which the best alpha is also known (lower panels).",
        '"Decays quadratically with the number of training tasks" is read as error ~ N^-2. If it was meant the other '
        "way round (N ~ error^-2, as in the theorem), the slope would be -1/2.",
        "Second numbers of N(mean, number) are variances.",
        f"The least regret is that of the best alpha on the {settings.n_many:,} tasks, chosen on these very tasks, so "
        "that all errors are a little too large, by the same amount.",
    )
    return ComplexityFindings(tuple(claims), readings, settings.sizes, kinds)


def _analyse_kind(settings: Settings, kind: Kind, results: Results) -> Learning:
    many = join_curves(results, many_units(settings, kind))
    parts = [results[unit.name] for unit in list_learning_units(settings, kind)]
    alphas = np.concatenate([part["alphas"] for part in parts])
    regret = np.concatenate([part["regret"] for part in parts])
    mean, best = many.mean(), best_alpha(many)
    error = mean(alphas) - mean(best)  # (sets, sizes)
    spread = student(len(error) - 1) / np.sqrt(len(error))
    return Learning(
        name=kind.name,
        best=best,
        least=float(mean(best)),
        default=float(mean(settings.most)),
        regret=regret.mean(axis=0),
        regret_half=spread * regret.std(axis=0, ddof=1),
        error=error.mean(axis=0),
        error_half=spread * error.std(axis=0, ddof=1),
        fall=estimate_mean(error[:, 0] - error[:, -1]),
        slope=_slope(settings, error),
    )


def _slope(settings: Settings, error: NDArray[np.float64]) -> PlusMinus:
    """Return the slope of the log of the mean error over log N, with the jackknife's interval over sets."""
    late = np.array(settings.sizes) >= FROM
    sizes = np.log(np.array(settings.sizes)[late])

    def slope_of(rows: NDArray[np.float64]) -> float:
        means = np.maximum(rows[:, late].mean(axis=0), 1e-300)
        return float(np.polyfit(sizes, np.log(means), 1)[0])

    n = len(error)
    without = np.array([slope_of(np.delete(error, k, axis=0)) for k in range(n)])
    deviation = float(np.sqrt((n - 1) * without.var()))
    return PlusMinus(slope_of(error), student(n - 1) * deviation)


def _claims(settings: Settings, found: Learning) -> list[Claim]:
    first, last = settings.sizes[0], settings.sizes[-1]
    fall = (
        f"{found.error[0]:.3g} with {first} task, {found.error[-1]:.3g} with {last:,} "
        f"({found.fall} less); the least regret is {found.least:.3g}"
    )
    meets = found.slope.low <= STEEP[1] and STEEP[0] <= found.slope.high
    known = found.slope.half < 1.0
    return [
        Claim(f"{found.name}: error", "falls with N", fall, judge_sign(found.fall), FALLS),
        Claim(
            f"{found.name}: how fast",
            "roughly quadratic decay",
            f"error ~ N^({found.slope})",
            judge(meets) if known or not meets else Agreement.UNDECIDED,
            QUADRATIC,
        ),
        beyond(f"{found.name}: tasks enough to beat alpha = 1", _enough(settings, found)),
    ]


def _enough(settings: Settings, found: Learning) -> str:
    """Return the number of training tasks from which what is learned loses less than alpha = 1, by its interval."""
    extra = found.default - found.least
    below = found.error + found.error_half < extra
    for place, size in enumerate(settings.sizes):
        if below[place:].all():
            return f"{size:,} (the loss at alpha = 1 is {extra:.3g} above the best)"
    return f"more than {settings.sizes[-1]:,} (the loss at alpha = 1 is {extra:.3g} above the best)"


def draw(found: ComplexityFindings) -> Figure:
    """Return a column for each kind of tasks: above as the paper shows it, below the error alone."""
    count = len(found.kinds)
    figure, all_axes = panels(2, count, size=(3.5 * count, 6.6), sharex=True)
    for axes, kind in zip(all_axes[:count], found.kinds, strict=True):
        axes.errorbar(found.sizes, kind.regret, kind.regret_half, color=BLUE, marker="o", capsize=3, label="learned")
        axes.axhline(kind.least, color=BLACK, lw=1.4, ls=":", label="best alpha")
        axes.axhline(kind.default, color=ORANGE, lw=1.6, ls="--", label="alpha = 1")
        axes.set(title=kind.name, xscale="log", ylim=(0, None))
    for axes, kind in zip(all_axes[count:], found.kinds, strict=True):
        axes.set(xscale="log", yscale="log", xlabel="training tasks N", ylim=_decades(kind.error))
        low, high = find_band(kind.error, kind.error_half, is_log=True)
        axes.errorbar(found.sizes, kind.error, [kind.error - low, high - kind.error], color=BLUE, marker="o", capsize=3)
        words = f"slope {kind.slope.mean:.2f} ± {kind.slope.half:.2f}"
        axes.annotate(words, (0.95, 0.93), xycoords="axes fraction", ha="right", va="top")
    all_axes[0].set_ylabel("regret on test tasks")
    all_axes[count].set_ylabel("error: regret above the least")
    all_axes[0].legend(loc="lower left")
    caption(
        figure,
        "Bars: 95% intervals of the means over training sets. Above: each set with 10 test tasks of its own, as in the "
        "paper; below: all on the same many tasks.",
    )
    return figure


def _decades(values: NDArray[np.float64]) -> tuple[float, float]:
    """Powers of ten around some positive values."""
    logs = np.log10(np.maximum(values, 1e-12))
    return float(10.0 ** np.floor(logs.min())), float(10.0 ** np.ceil(logs.max() + 0.1))


EXPERIMENT: Experiment[Settings, ComplexityFindings] = Experiment(
    "sample-complexity",
    "How many tasks does it take to learn alpha?",
    "Figure 5, Appendix J",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
