"""The regret as a function of alpha: where it is least."""

from collections.abc import Sequence
from dataclasses import dataclass

from banditune.experiments.alpha_curves.definition import kind_units
from banditune.experiments.alpha_curves.settings import Kind, Settings
from banditune.experiments.machinery.claims import Claim, judged, sign_judged
from banditune.experiments.machinery.curve_units import joined_curves
from banditune.experiments.machinery.experiment import Results
from banditune.experiments.machinery.plus_minus import PlusMinus
from banditune.experiments.machinery.shapes import Shape, shape

BELOW = (
    "below 1: alpha = 1 loses more than the best, paired by task, with a 95% interval above 0; undecided if it holds 0"
)
DEPENDS = (
    "depends on the data: of the kinds as the paper writes them, two at least have plausible ranges that do not meet"
)
ABOUT = "Q_D about 30: the 95% interval of the pieces here meets 25 to 35"
NEAR_THIRTY = (25.0, 35.0)
DEFAULT = 1.0


@dataclass(frozen=True, slots=True)
class CurvesFindings:
    """The mean regret over alpha, for each kind of tasks."""

    claims: tuple[Claim, ...]
    readings: tuple[str, ...]
    horizons: tuple[int, ...]
    shapes: tuple[Shape, ...]


def analyse(settings: Settings, results: Results) -> CurvesFindings:
    """The shape of each mean curve."""
    shapes = tuple(
        shape(kind.name, joined_curves(results, kind_units(settings, kind)), [DEFAULT]) for kind in settings.kinds
    )
    claims = [
        _depends([each for each, kind in zip(shapes, settings.kinds, strict=True) if kind.stated]),
        *(_below(each) for each in shapes),
        *(_pieces(each, kind) for each, kind in zip(shapes, settings.kinds, strict=True) if kind.tasks == "bernoulli"),
    ]
    readings = (
        "N(0.5, 0.2) and N(1.5, 0.5): variances by the paper's notation (and written so for the Bernoulli tasks), or "
        "standard deviations; both are done. A probability beyond 0 or 1 is taken as 0 or 1, a half width below 0 as "
        "its size.",
        f"{settings.n_tasks:,} tasks of each kind. CIFAR-10: one of the 20 tasks, its rewards the accuracies of "
        "networks trained for this library, in random order.",
    )
    return CurvesFindings(tuple(claims), readings, tuple(kind.horizon for kind in settings.kinds), shapes)


def _depends(shapes: Sequence[Shape]) -> Claim:
    apart = any(one.plausible.high < other.plausible.low for one in shapes for other in shapes)
    here = "; ".join(f"{each.best:.3g} ({each.name})" for each in shapes)
    return Claim("the best alpha", "depends on the data", here, judged(apart), DEPENDS)


def _below(found: Shape) -> Claim:
    extra = found.extra_at(DEFAULT)
    here = (
        f"least at {found.best:.3g} (plausible {found.plausible.low:.3g} to {found.plausible.high:.3g}), regret "
        f"{found.loss:.3g}; alpha = 1 loses {extra} more"
    )
    return Claim(found.name, "often below 1", here, sign_judged(extra), BELOW)


def _pieces(found: Shape, kind: Kind) -> Claim:
    low, high = NEAR_THIRTY
    pieces: PlusMinus = found.pieces
    meets = pieces.low <= high and low <= pieces.high
    return Claim(f"Q_D, {kind.name}", "about 30", f"{pieces} pieces", judged(meets), ABOUT)
