"""GP-UCB's noise: how many pieces, and whether the noise matters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curve_set import CurveSet
from banditune.experiments.gp_noise.definition import reading_units
from banditune.experiments.gp_noise.settings import FUNCTIONS, N_POINTS, Settings
from banditune.experiments.machinery.claims import Agrees, Claim, beyond, judged, sign_judged
from banditune.experiments.machinery.curve_units import mean_with_interval
from banditune.experiments.machinery.experiment import Results
from banditune.experiments.machinery.plus_minus import PlusMinus, estimated
from banditune.policies.gpucb import GPUCB
from banditune.proof import TOLERANCE
from banditune.search import searchable

ABOUT = "Q_D about 10: the number of pieces here is from 5 to 15"
SMALL = "far below n: in every reading the pieces here are fewer than a tenth of 576; no from 576 on; else undecided"
MATTERS = (
    "it matters: the best noise earns more than the worst of 1e-4, 1e-3, ..., 10, paired by task, with a 95% interval "
    "above 0"
)
NEAR_TEN = (5.0, 15.0)
POINTS = 160  # of a drawn curve
FIRST_FUNCTION = "waves"


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """The total reward over the noise, of one function in one reading."""

    function: str
    reading: str
    pieces: PlusMinus
    best: float  # noise
    reward: float  # there, the mean over tasks
    least_possible: float  # the worst point in every round
    most_possible: float  # the best point in every round
    worst: float  # noise, of the powers of ten
    gained: PlusMinus  # by the best over the worst
    unproved: float  # the most of a task: widths of where the choice is not proved, each relative to its place
    noises: NDArray[np.float64]  # (points,)
    mean: NDArray[np.float64]  # (points,) the mean total reward
    half: NDArray[np.float64]  # (points,) the half width of its 95% interval

    @property
    def span(self) -> float:
        """From the worst point in every round to the best."""
        return self.most_possible - self.least_possible


@dataclass(frozen=True, slots=True)
class NoiseFindings:
    """Every function in every reading."""

    claims: tuple[Claim, ...]
    readings: tuple[str, ...]
    found: tuple[Noise, ...]


def analyse(settings: Settings, results: Results) -> NoiseFindings:
    """The shape of each mean curve."""
    found = tuple(
        _noise(settings, function, place, results) for function in FUNCTIONS for place in range(len(settings.readings))
    )
    claims = [*(_about_ten(each) for each in found if each.function == FIRST_FUNCTION)]
    claims += [_far_below([each for each in found if each.function == function]) for function in FUNCTIONS]
    claims += [_matters(each) for each in found if each.reading == settings.readings[0].name]
    claims.append(_proved(found))
    readings = (
        "The paper states neither where the grid lies, nor the noise of rewards, nor the kernel, nor the range of "
        "sigma^2. Here the kernel is RBF with length scale 1, beta the schedule of Srinivas et al. with delta = 0.1, "
        f"sigma^2 from {settings.least:g} to {settings.most:g}; grids and noises as shown, rewards with a standard "
        "deviation of 0.1 unless another is named.",
        "GP-UCB's bonus is printed without its square root in the paper: sqrt(beta) times the variance. The usual one "
        "(times the standard deviation) is the first reading, the printed one the last.",
        f"{settings.n_tasks} tasks for each, which differ in the noise of their rewards alone; without noise, one.",
    )
    return NoiseFindings(tuple(claims), readings, found)


def _noise(settings: Settings, function: str, place: int, results: Results) -> Noise:
    parts = [results[unit.name] for unit in reading_units(settings, function, place)]
    least, most = settings.least, settings.most
    curves = CurveSet.joined([CurveSet(least, most, part["left"], part["values"], part["starts"]) for part in parts])
    mean = curves.mean()
    best = searchable(GPUCB, "noise").inside(*mean.argmin())
    usual = np.clip(10.0 ** np.arange(np.log10(least), np.log10(most) + 0.5), least, most)
    worst = float(max(usual, key=lambda noise: mean(float(noise))))
    noises = np.clip(np.geomspace(least, most, POINTS), least, most)
    if len(curves) > 1:
        middle, half = mean_with_interval(curves, noises)
    else:
        middle, half = mean(noises), np.zeros(POINTS)
    return Noise(
        function=function,
        reading=settings.readings[place].name,
        pieces=estimated(curves.n_pieces),
        best=best,
        reward=-float(mean(best)),
        least_possible=settings.horizon * float(parts[0]["worst"][0]),
        most_possible=settings.horizon * float(parts[0]["best"][0]),
        worst=worst,
        gained=estimated(curves.at(worst) - curves.at(best)),
        unproved=float(max(part["unproved"].max() for part in parts)),
        noises=noises,
        mean=-middle,
        half=half,
    )


def _about_ten(found: Noise) -> Claim:
    low, high = NEAR_TEN
    agrees = judged(low <= found.pieces.mean <= high)
    return Claim(
        f"Q_D of {FUNCTIONS[found.function]}, {found.reading}", "about 10", _pieces(found.pieces), agrees, ABOUT
    )


def _far_below(found: list[Noise]) -> Claim:
    largest = max(found, key=lambda each: each.pieces.mean)
    share = largest.pieces.mean / N_POINTS
    agrees = Agrees.YES if share < 0.1 else Agrees.UNDECIDED if share < 1.0 else Agrees.NO
    here = f"at most {_pieces(largest.pieces)} ({largest.reading})"
    return Claim(f"Q_D of {FUNCTIONS[largest.function]}", f"far below {N_POINTS}", here, agrees, SMALL)


def _proved(found: Sequence[Noise]) -> Claim:
    """Where the search could not prove its choices: points far from all that was seen are alike to the last digits."""
    open_ones = [each for each in found if each.unproved > TOLERANCE]
    here = f"within {TOLERANCE:g} in {len(found) - len(open_ones)} of {len(found)}"
    for each in open_ones:
        here += f"; not in {FUNCTIONS[each.function]}, {each.reading} (relative widths up to {each.unproved:.2g})"
    return beyond("are all choices proved?", here)


def _pieces(pieces: PlusMinus) -> str:
    return f"{pieces.mean:g} pieces" if pieces.half == 0.0 else f"{pieces} pieces"


def _matters(found: Noise) -> Claim:
    here = (
        f"best {found.best:.3g}: {found.reward:.4g} of {found.most_possible:.4g} possible; {found.gained} more than "
        f"{found.worst:g}"
    )
    what = f"{FUNCTIONS[found.function]}, {found.reading}: does sigma^2 matter?"
    return Claim(what, "it does", here, sign_judged(found.gained), MATTERS)
