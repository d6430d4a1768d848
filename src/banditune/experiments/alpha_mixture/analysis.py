"""Swapped Gaussians: is the least regret well inside the range?"""

from dataclasses import dataclass

from banditune.experiments.alpha_mixture.definition import units_of
from banditune.experiments.alpha_mixture.settings import Settings
from banditune.experiments.machinery.claims import Agrees, Claim, sign_judged
from banditune.experiments.machinery.curve_units import joined_curves
from banditune.experiments.machinery.experiment import Results
from banditune.experiments.machinery.shapes import Shape, shape

INSIDE = (
    "inside: both ends of the range lose more than the best alpha (paired by task, 95% intervals above 0), "
    "and so do all alphas near the ends (the plausible range does not touch them)"
)


@dataclass(frozen=True, slots=True)
class MixtureFindings:
    """The mean regret over alpha, for each mu."""

    claims: tuple[Claim, ...]
    readings: tuple[str, ...]
    means: tuple[float, ...]
    shapes: tuple[Shape, ...]


def analyse(settings: Settings, results: Results) -> MixtureFindings:
    """The shape of each mean curve."""
    ends = (0.0, settings.most)
    shapes = tuple(
        shape(f"mu = {mean:g}", joined_curves(results, units_of(settings, mean)), ends) for mean in settings.means
    )
    readings = (
        f"The paper states neither mu, nor sigma, nor T, nor the number of tasks. Here sigma = {settings.sd:g}, "
        f"T = {settings.horizon}, {settings.n_tasks:,} tasks, and mu as shown.",
    )
    return MixtureFindings(tuple(_claim(each) for each in shapes), readings, settings.means, shapes)


def _claim(found: Shape) -> Claim:
    (low, at_low), (high, at_high) = found.extra
    here = (
        f"least at {found.best:.3g} (plausible {found.plausible.low:.3g} to {found.plausible.high:.3g}); "
        f"alpha = {low:g} loses {at_low} more, alpha = {high:g} {at_high}"
    )
    verdicts = {sign_judged(at_low), sign_judged(at_high)}
    agrees = Agrees.NO if Agrees.NO in verdicts else Agrees.UNDECIDED if len(verdicts) > 1 else verdicts.pop()
    if agrees is Agrees.YES and not low < found.plausible.low <= found.plausible.high < high:
        agrees = Agrees.UNDECIDED
    return Claim(found.name, "least value well inside 0 to 4", here, agrees, INSIDE)
