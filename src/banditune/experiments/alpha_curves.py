"""The regret as a function of alpha, for three kinds of rewards and for learning rates on CIFAR-10."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from banditune.experiments.machinery.claims import Claim, PlusMinus, judge, judge_sign
from banditune.experiments.machinery.experiment import Experiment, Findings, Results, Unit, divide
from banditune.experiments.machinery.figures import Figure, caption, panels
from banditune.experiments.machinery.shapes import BANDS, Shape, draw_shape, join_curves, shape, sweep_unit


@dataclass(frozen=True, slots=True)
class Kind:
    """Tasks of one kind."""

    name: str
    tasks: str
    second: str  # what the second number of N(mean, number) is
    horizon: int
    stated: bool  # whether this is the paper's notation, else the other reading


@dataclass(frozen=True, slots=True)
class Settings:
    """UCB's alpha in [0, most] on so many tasks of each kind."""

    kinds: tuple[Kind, ...]
    n_tasks: int
    a_unit: int
    most: float = 1.0


FULL = Settings(
    kinds=(
        Kind("Bernoulli, p: variance 0.2", "bernoulli", "variance", 100, stated=True),
        Kind("Bernoulli, p: sd 0.2", "bernoulli", "sd", 100, stated=False),
        Kind("uniform, width: variance 0.5", "uniform", "variance", 100, stated=True),
        Kind("uniform, width: sd 0.5", "uniform", "sd", 100, stated=False),
        Kind("Gaussian, variance 0.5 to 1.5", "alpha-gaussian", "variance", 100, stated=True),
        Kind("learning rates, CIFAR-10", "cifar10", "variance", 20, stated=True),
    ),
    n_tasks=10_000,
    a_unit=2_500,
)
QUICK = replace(FULL, n_tasks=500, a_unit=500)


def units(settings: Settings) -> list[Unit]:
    """Return all units, kind by kind."""
    return [unit for kind in settings.kinds for unit in kind_units(settings, kind)]


def kind_units(settings: Settings, kind: Kind) -> list[Unit]:
    """Return the units of one kind of tasks."""
    asked = {"tasks": kind.tasks, "second": kind.second, "horizon": kind.horizon, "most": settings.most}
    return divide(f"{kind.tasks}-{kind.second}", sweep_unit, settings.n_tasks, settings.a_unit, asked)


BELOW = (
    "below 1: alpha = 1 has a higher loss than the best alpha of the other half of the tasks, paired by task, with a "
    "95% interval above 0; undecided if it contains 0"
)
DEPENDS = (
    "depends on the data: of the kinds as the paper writes them, at least two have ranges within one standard "
    "error that do not overlap"
)
ABOUT = "Q_D about 30: the 95% interval of the pieces here meets 25 to 35"
NEAR_THIRTY = (25.0, 35.0)
DEFAULT = 1.0


@dataclass(frozen=True, slots=True)
class CurvesFindings(Findings):
    """The mean regret over alpha, for each kind of tasks."""

    horizons: tuple[int, ...]
    shapes: tuple[Shape, ...]


def analyse(settings: Settings, results: Results) -> CurvesFindings:
    """Return the shape of each mean curve."""
    shapes = tuple(
        shape(kind.name, join_curves(results, kind_units(settings, kind)), [DEFAULT]) for kind in settings.kinds
    )
    claims = [
        _depends([each for each, kind in zip(shapes, settings.kinds, strict=True) if kind.stated]),
        *(_below(each) for each in shapes),
        *(_pieces(each, kind) for each, kind in zip(shapes, settings.kinds, strict=True) if kind.tasks == "bernoulli"),
    ]
    readings = (
        "N(0.5, 0.2) and N(1.5, 0.5): variances in the paper's notation (and written so for the Bernoulli tasks), "
        "or standard deviations; both are run. A probability below 0 or above 1 is clipped to 0 or 1, a half width "
        "below 0 is replaced by its absolute value.",
        f"{settings.n_tasks:,} tasks of each kind. CIFAR-10: one of the 20 tasks, its rewards the accuracies of "
        "networks trained for this library, in random order.",
    )
    return CurvesFindings(tuple(claims), readings, tuple(kind.horizon for kind in settings.kinds), shapes)


def _depends(shapes: Sequence[Shape]) -> Claim:
    apart = any(one.within_one_se.high < other.within_one_se.low for one in shapes for other in shapes)
    here = "; ".join(f"{each.best:.3g} ({each.name})" for each in shapes)
    return Claim("the best alpha", "depends on the data", here, judge(apart), DEPENDS)


def _below(found: Shape) -> Claim:
    extra = dict(found.extra)[DEFAULT]
    here = (
        f"minimum at {found.best:.3g} (within one standard error: {found.within_one_se.low:.3g} to "
        f"{found.within_one_se.high:.3g}), regret {found.loss:.3g}; the loss at alpha = 1 is {extra} higher"
    )
    return Claim(found.name, "often below 1", here, judge_sign(extra), BELOW)


def _pieces(found: Shape, kind: Kind) -> Claim:
    low, high = NEAR_THIRTY
    pieces: PlusMinus = found.pieces
    meets = pieces.low <= high and low <= pieces.high
    return Claim(f"Q_D, {kind.name}", "about 30", f"{pieces} pieces", judge(meets), ABOUT)


def draw(found: CurvesFindings) -> Figure:
    """Return two rows of three."""
    figure, all_axes = panels(2, 3, size=(12.5, 7.0))
    for axes, each, horizon in zip(all_axes, found.shapes, found.horizons, strict=True):
        draw_shape(axes, each)
        axes.set(title=each.name, ylabel=f"mean regret in {horizon} rounds")
    caption(figure, f"{found.shapes[0].n_tasks:,} tasks each. {BANDS}")
    return figure


EXPERIMENT: Experiment[Settings, CurvesFindings] = Experiment(
    "alpha-curves",
    "Which alpha is best depends on the tasks, and is often below 1",
    "Appendix J, a figure that the text refers to and does not have (fig:two-arm-alpha)",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
