"""The figure of swapped Gaussians: priors cannot help, exploration can."""

from dataclasses import dataclass
from typing import Any

from banditune.experiments.machinery.claims import Agreement, Claim, judge_sign
from banditune.experiments.machinery.experiment import Arrays, Experiment, Findings, Results, Unit, divide
from banditune.experiments.machinery.figures import Figure, caption, panels
from banditune.experiments.machinery.shapes import BANDS, Shape, curves_of, draw_shape, join_curves, shape
from banditune.problems import swapped_gaussians


@dataclass(frozen=True, slots=True)
class Settings:
    """Arms N(mu, sd^2) and N(-mu, sd^2), swapped at random, for each of some mu."""

    horizon: int
    most: float
    n_tasks: int
    a_unit: int
    means: tuple[float, ...]
    sd: float


FULL = Settings(horizon=100, most=4.0, n_tasks=10_000, a_unit=1_000, means=(0.1, 0.25, 0.5, 1.0), sd=1.0)
QUICK = Settings(horizon=100, most=4.0, n_tasks=400, a_unit=400, means=(0.25, 1.0), sd=1.0)


def units(settings: Settings) -> list[Unit]:
    """Return all units, mean by mean."""
    return [unit for mean in settings.means for unit in units_of(settings, mean)]


def units_of(settings: Settings, mean: float) -> list[Unit]:
    """Return the units for one mu."""
    asked = {"mean": mean, "sd": settings.sd, "horizon": settings.horizon, "most": settings.most}
    return divide(f"mu-{mean:g}", sweep_unit, settings.n_tasks, settings.a_unit, asked)


def sweep_unit(*, mean: float, sd: float, **asked: Any) -> Arrays:
    """Return the curves of some tasks, as `curves_of` takes them."""
    return curves_of(swapped_gaussians(mean, sd), **asked)


INSIDE = (
    "inside: both ends of the range have a higher loss than the best alpha of the other half of the tasks (paired by "
    "task, 95% intervals above 0), and so do all alphas near the ends (the range within one standard error does not "
    "touch them)"
)


@dataclass(frozen=True, slots=True)
class MixtureFindings(Findings):
    """The mean regret over alpha, for each mu."""

    means: tuple[float, ...]
    shapes: tuple[Shape, ...]


def analyse(settings: Settings, results: Results) -> MixtureFindings:
    """Return the shape of each mean curve."""
    ends = (0.0, settings.most)
    shapes = tuple(
        shape(f"mu = {mean:g}", join_curves(results, units_of(settings, mean)), ends) for mean in settings.means
    )
    readings = (
        f"The paper states neither mu, sigma, T nor the number of tasks. Here sigma = {settings.sd:g}, T = "
        f"{settings.horizon}, {settings.n_tasks:,} tasks, and mu as listed.",
    )
    return MixtureFindings(tuple(_claim(each) for each in shapes), readings, settings.means, shapes)


def _claim(found: Shape) -> Claim:
    (low, at_low), (high, at_high) = found.extra
    here = (
        f"minimum at {found.best:.3g} (within one standard error: {found.within_one_se.low:.3g} to "
        f"{found.within_one_se.high:.3g}); the loss at alpha = {low:g} is {at_low} higher, at alpha = {high:g} "
        f"{at_high}"
    )
    agrees = judge_sign(at_low, at_high)
    if agrees is Agreement.YES and not low < found.within_one_se.low <= found.within_one_se.high < high:
        agrees = Agreement.UNDECIDED
    return Claim(found.name, "least value well inside 0 to 4", here, agrees, INSIDE)


def draw(found: MixtureFindings) -> Figure:
    """Return a panel for each mu."""
    figure, all_axes = panels(1, len(found.shapes), size=(3.4 * len(found.shapes), 4.2))
    for axes, each in zip(all_axes, found.shapes, strict=True):
        draw_shape(axes, each)
        axes.set(title=each.name.replace("mu", r"$\mu$"))
    all_axes[0].set_ylabel("mean regret in 100 rounds")
    caption(figure, f"{found.shapes[0].n_tasks:,} tasks each. {BANDS}")
    return figure


EXPERIMENT: Experiment[Settings, MixtureFindings] = Experiment(
    "alpha-mixture",
    "Which alpha is best where the two arms are swapped at random?",
    "Figure 1, Section 7",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
