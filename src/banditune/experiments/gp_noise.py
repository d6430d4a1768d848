"""GP-UCB's reward as a function of the noise that it believes in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.palette import BLACK, BLUE, GREEN, ORANGE, PINK, RED, SKY
from banditune.experiments.machinery.claims import Agreement, Claim, PlusMinus, beyond, estimate_mean, judge, judge_sign
from banditune.experiments.machinery.experiment import Arrays, Experiment, Findings, Results, Unit, divide
from banditune.experiments.machinery.figures import Figure, caption, panels, with_band
from banditune.experiments.machinery.shapes import compare_held_out, mean_with_interval, set_of
from banditune.policies.gpucb.gpucb import GPUCB
from banditune.policies.settings import find_parameter
from banditune.problems import on_grid
from banditune.tuning.results.details import TOLERANCE
from banditune.tuning.search import Search

FUNCTIONS = {"waves": "sin x + cos y", "bowl": "(x - 1)(x + 0.5) + (y - 1.5)(y + 1)", "slope": "x + y^2"}
N_POINTS = 576


@dataclass(frozen=True, slots=True)
class Reading:
    """What the paper does not state: where the grid lies, how noisy rewards are, which bonus."""

    name: str
    low: float
    high: float
    noise: float  # the standard deviation of the rewards
    bonus: str  # "std", or "variance" as the paper prints it


@dataclass(frozen=True, slots=True)
class Settings:
    """The noise that GP-UCB believes in, searched from `least` to `most` with proof."""

    readings: tuple[Reading, ...]
    n_tasks: int
    a_unit: int
    horizon: int = 20
    least: float = 1e-4
    most: float = 10.0


FULL = Settings(
    readings=(
        Reading("grid -2 to 2", -2.0, 2.0, 0.1, "std"),
        Reading("grid -5 to 5", -5.0, 5.0, 0.1, "std"),
        Reading("grid 0 to 1", 0.0, 1.0, 0.1, "std"),
        Reading("grid -2 to 2, no noise", -2.0, 2.0, 0.0, "std"),
        Reading("grid -2 to 2, noise 1", -2.0, 2.0, 1.0, "std"),
        Reading("grid -2 to 2, bonus as printed", -2.0, 2.0, 0.1, "variance"),
    ),
    n_tasks=40,
    a_unit=10,
)
QUICK = replace(FULL, readings=FULL.readings[:2], n_tasks=6, a_unit=6)


def units(settings: Settings) -> list[Unit]:
    """Return all units, function by function."""
    return [
        unit
        for function in FUNCTIONS
        for place in range(len(settings.readings))
        for unit in list_reading_units(settings, function, place)
    ]


def list_reading_units(settings: Settings, function: str, place: int) -> list[Unit]:
    """Return the units of one function in one reading; without noise all tasks are the same, and one is enough."""
    reading = settings.readings[place]
    n_tasks = settings.n_tasks if reading.noise > 0.0 else 1
    asked = {"function": function, "low": reading.low, "high": reading.high, "noise": reading.noise}
    asked |= {"bonus": reading.bonus, "horizon": settings.horizon, "between": [settings.least, settings.most]}
    return divide(f"{function}-{place}", sweep_noise, n_tasks, settings.a_unit, asked)


def sweep_noise(
    *,
    seed: int,
    function: str,
    low: float,
    high: float,
    noise: float,
    bonus: str,
    horizon: int,
    between: Sequence[float],
    first: int,
    count: int,
) -> Arrays:
    """Return curves of minus the total reward over the noise, and the width of what is unproved: (tasks,)."""
    problem = on_grid(function, low=low, high=high, noise=noise)
    tasks = [problem.bandit(number, seed).task(horizon) for number in range(first, first + count)]
    parameters = {"noise": tuple(between), "bonus": bonus}
    found = Search.of(GPUCB, [horizon], parameters, loss="reward", seed=seed, extend=False).curves(tasks)
    curves = found.losses[0]
    return {
        "left": curves.left,
        "values": curves.values,
        "starts": curves.starts,
        "unproved": found.measure_doubts(),
        "best": np.array([task.means.max() for task in tasks]),
        "worst": np.array([task.means.min() for task in tasks]),
    }


ABOUT = "Q_D about 10: the number of pieces here is from 5 to 15"
SMALL = "far below n: in every reading the pieces here are fewer than a tenth of 576; no from 576 on; else undecided"
MATTERS = (
    "it matters: the best noise earns more than the worst of 1e-4, 1e-3, ..., 10, paired by task, both chosen on the "
    "other half of the tasks, with a 95% interval above 0"
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
    gained: PlusMinus  # by the best over the worst, on tasks that neither was chosen on
    unproved: float  # the most of a task: widths of where the choice is not proved, each relative to its place
    noises: NDArray[np.float64]  # (points,)
    mean: NDArray[np.float64]  # (points,) the mean total reward
    half: NDArray[np.float64]  # (points,) the half width of its 95% interval

    @property
    def span(self) -> float:
        """From the worst point in every round to the best."""
        return self.most_possible - self.least_possible


@dataclass(frozen=True, slots=True)
class NoiseFindings(Findings):
    """Every function in every reading."""

    found: tuple[Noise, ...]


def analyse(settings: Settings, results: Results) -> NoiseFindings:
    """Return the shape of each mean curve."""
    found = tuple(
        _noise(settings, function, place, results) for function in FUNCTIONS for place in range(len(settings.readings))
    )
    claims = [*(_about_ten(each) for each in found if each.function == FIRST_FUNCTION)]
    claims += [_far_below([each for each in found if each.function == function]) for function in FUNCTIONS]
    claims += [_matters(each) for each in found if each.reading == settings.readings[0].name]
    claims.append(_judge_proof(found))
    readings = (
        "The paper states neither the grid's location, the noise of rewards, the kernel nor the range of sigma^2. "
        "Here the kernel is RBF with length scale 1, beta the schedule of Srinivas et al. with delta = 0.1, sigma^2 "
        f"from {settings.least:g} to {settings.most:g}; grids and noises as listed, rewards with a standard "
        "deviation of 0.1 unless stated otherwise.",
        "GP-UCB's bonus is printed without its square root in the paper: sqrt(beta) times the variance. The usual one "
        "(times the standard deviation) is the first reading, the printed one the last.",
        f"{settings.n_tasks} tasks for each, which differ in the noise of their rewards alone; without noise, one.",
    )
    return NoiseFindings(tuple(claims), readings, found)


def _noise(settings: Settings, function: str, place: int, results: Results) -> Noise:
    parts = [results[unit.name] for unit in list_reading_units(settings, function, place)]
    least, most = settings.least, settings.most
    curves = CurveSet.concatenate([set_of(part, most, least) for part in parts])
    mean = curves.mean()
    usual = np.clip(10.0 ** np.arange(np.log10(least), np.log10(most) + 0.5), least, most)

    def best_on(members: NDArray[np.bool_]) -> float:
        return find_parameter(GPUCB, "noise").inside(*curves.mean(members).argmin())

    def worst_on(members: NDArray[np.bool_]) -> float:
        loss = curves.mean(members)
        return float(max(usual, key=lambda noise: loss(float(noise))))

    everything = np.ones(len(curves), bool)
    best, worst = best_on(everything), worst_on(everything)
    noises = np.clip(np.geomspace(least, most, POINTS), least, most)
    if len(curves) > 1:
        middle, half = mean_with_interval(curves, noises)
    else:
        middle, half = mean(noises), np.zeros(POINTS)
    return Noise(
        function=function,
        reading=settings.readings[place].name,
        pieces=estimate_mean(curves.n_pieces),
        best=best,
        reward=-float(mean(best)),
        least_possible=settings.horizon * float(parts[0]["worst"][0]),
        most_possible=settings.horizon * float(parts[0]["best"][0]),
        worst=worst,
        gained=compare_held_out(curves, best_on, worst_on),
        unproved=float(max(part["unproved"].max() for part in parts)),
        noises=noises,
        mean=-middle,
        half=half,
    )


def _about_ten(found: Noise) -> Claim:
    low, high = NEAR_TEN
    agrees = judge(low <= found.pieces.mean <= high)
    return Claim(
        f"Q_D of {FUNCTIONS[found.function]}, {found.reading}", "about 10", _pieces(found.pieces), agrees, ABOUT
    )


def _far_below(found: list[Noise]) -> Claim:
    largest = max(found, key=lambda each: each.pieces.mean)
    share = largest.pieces.mean / N_POINTS
    agrees = Agreement.YES if share < 0.1 else Agreement.UNDECIDED if share < 1.0 else Agreement.NO
    here = f"at most {_pieces(largest.pieces)} ({largest.reading})"
    return Claim(f"Q_D of {FUNCTIONS[largest.function]}", f"far below {N_POINTS}", here, agrees, SMALL)


def _judge_proof(found: Sequence[Noise]) -> Claim:
    """Say where the search could not prove its choices: far from all that was seen, points are alike."""
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
    return Claim(what, "it does", here, judge_sign(found.gained), MATTERS)


LOOKS = ((BLUE, "-"), (ORANGE, "-"), (GREEN, "-"), (BLACK, ":"), (PINK, "--"), (SKY, "-."), (RED, "--"))


def draw(found: NoiseFindings) -> Figure:
    """Return each reading a line, from the worst point in every round (0) to the best (1)."""
    figure, all_axes = panels(1, len(FUNCTIONS), size=(13.0, 5.6))
    for axes, (function, words) in zip(all_axes, FUNCTIONS.items(), strict=True):
        mine = [each for each in found.found if each.function == function]
        for each, (colour, style) in zip(mine, LOOKS, strict=False):
            share = (each.mean - each.least_possible) / each.span
            with_band(axes, each.noises, share, each.half / each.span, colour, each.reading, ls=style)
            axes.plot(each.best, (each.reward - each.least_possible) / each.span, "o", color=colour, ms=7)
        axes.set(title=words, xlabel=r"$\sigma^2$", xscale="log")
    all_axes[0].set_ylabel("total reward, from worst (0) to best (1)")
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    caption(figure, "Lines: means over tasks; bands: their 95% intervals (none without noise); dots: the best of each.")
    return figure


EXPERIMENT: Experiment[Settings, NoiseFindings] = Experiment(
    "gp-noise",
    "GP-UCB's total reward over the noise sigma^2",
    "Figure 6, Appendix J",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
