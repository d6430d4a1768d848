"""How many tasks it takes: the error of what was learned, against the number of tasks it was learned from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.experiments.machinery.claims import Agrees, Claim, beyond, judged, sign_judged
from banditune.experiments.machinery.curve_units import joined_curves
from banditune.experiments.machinery.experiment import Results
from banditune.experiments.machinery.plus_minus import PlusMinus, estimated
from banditune.experiments.machinery.shapes import best_alpha
from banditune.experiments.sample_complexity.definition import learning_units, many_units
from banditune.experiments.sample_complexity.settings import Kind, Settings
from banditune.guarantees.estimates import student

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
class ComplexityFindings:
    """All kinds."""

    claims: tuple[Claim, ...]
    readings: tuple[str, ...]
    sizes: tuple[int, ...]
    kinds: tuple[Learning, ...]


def analyse(settings: Settings, results: Results) -> ComplexityFindings:
    """The errors of what was learned."""
    kinds = tuple(_learning(settings, kind, results) for kind in settings.kinds)
    claims = [claim for each in kinds for claim in _claims(settings, each)]
    readings = (
        f"The paper measures on {settings.n_test} test tasks, which is mostly noise; here so for {settings.n_sets} "
        f"training sets with test tasks of their own (their mean, upper panels), and against {settings.n_many:,} "
        "further tasks, on which also the best alpha is known (lower panels).",
        '"Decays quadratically with the number of training tasks" is read as error ~ N^-2. If it was meant the other '
        "way round (N ~ error^-2, as in the theorem), the slope would be -1/2.",
        "Second numbers of N(mean, number) are variances.",
    )
    return ComplexityFindings(tuple(claims), readings, settings.sizes, kinds)


def _learning(settings: Settings, kind: Kind, results: Results) -> Learning:
    many = joined_curves(results, many_units(settings, kind))
    parts = [results[unit.name] for unit in learning_units(settings, kind)]
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
        fall=estimated(error[:, 0] - error[:, -1]),
        slope=_slope(settings, error),
    )


def _slope(settings: Settings, error: NDArray[np.float64]) -> PlusMinus:
    """The slope of the log of the mean error over log N, with the jackknife's interval over sets."""
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
        Claim(f"{found.name}: error", "falls with N", fall, sign_judged(found.fall), FALLS),
        Claim(
            f"{found.name}: how fast",
            "roughly quadratic decay",
            f"error ~ N^({found.slope})",
            judged(meets) if known or not meets else Agrees.UNDECIDED,
            QUADRATIC,
        ),
        beyond(f"{found.name}: tasks enough to beat alpha = 1", _enough(settings, found)),
    ]


def _enough(settings: Settings, found: Learning) -> str:
    """From how many training tasks on what is learned loses less than alpha = 1, by its interval."""
    extra = found.default - found.least
    below = found.error + found.error_half < extra
    for place, size in enumerate(settings.sizes):
        if below[place:].all():
            return f"{size:,} (alpha = 1 loses {extra:.3g} more than the best)"
    return f"more than {settings.sizes[-1]:,} (alpha = 1 loses {extra:.3g} more than the best)"
