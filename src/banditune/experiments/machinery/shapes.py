"""Exact curves of sampled tasks, and the shape of their mean: where it is least, and a panel that shows it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.palette import BLUE, GREEN, RANGE
from banditune.curves.step_function import Interval
from banditune.evaluation.intervals import NORMAL
from banditune.experiments.distributions import distribution
from banditune.experiments.machinery.claims import PlusMinus, estimate_mean
from banditune.experiments.machinery.experiment import Arrays, Results, Unit
from banditune.experiments.machinery.figures import Axes, with_band
from banditune.policies.settings import find_parameter
from banditune.policies.ucb.ucb import UCB
from banditune.problems.problem import Problem
from banditune.tuning.search import Search

LOW = 0.0  # where every range of alpha begins
POINTS = 200  # of a drawn curve
BANDS = (
    "Line: mean over tasks; blue band: its 95% interval at each alpha; green: within one standard error of the best, "
    "paired by task."
)
SMALL = 1e-3  # so small a share of the range that a best alpha is seen on a logarithmic axis only


def sweep_unit(*, tasks: str, second: str = "variance", **asked: Any) -> Arrays:
    """Return the curves of some tasks of a distribution, as `curves_of` takes them."""
    return curves_of(distribution(tasks, second), **asked)


def curves_of(
    problem: Problem, *, seed: int, first: int, count: int, horizon: int, most: float, histories: bool = False
) -> Arrays:
    """Return curves of tasks of a problem as arrays, and how many histories each has, if they are counted."""
    search = Search.of(UCB, [horizon], {"alpha": (LOW, most)}, loss="regret", seed=seed, extend=False)
    search = replace(search, histories=histories)
    found = search.curves([problem.bandit(number, seed).task(horizon) for number in range(first, first + count)])
    curves = found.losses[0]
    arrays = {"left": curves.left, "values": curves.values, "starts": curves.starts}
    return arrays if found.histories is None else {**arrays, "histories": found.histories}


def join_curves(results: Results, units: Sequence[Unit]) -> CurveSet:
    """Return the curves of some units, end to end."""
    most = float(units[0].arguments["most"])
    return CurveSet.concatenate([set_of(results[unit.name], most) for unit in units])


def set_of(arrays: Arrays, most: float, least: float = LOW) -> CurveSet:
    """Return the curves that `curves_of` gave as arrays."""
    return CurveSet(least, most, arrays["left"], arrays["values"], arrays["starts"])


def mean_with_interval(
    curves: CurveSet, points: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean of the curves at some points, and the half width of its 95% interval: (points,) each."""
    at = np.array([curves.at(float(x)) for x in points])
    return at.mean(axis=1), NORMAL * at.std(axis=1, ddof=1) / np.sqrt(len(curves))


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The mean loss of many tasks as a function of alpha."""

    name: str
    n_tasks: int
    best: float  # alpha
    loss: float  # there
    within_one_se: Interval  # outside it, every alpha loses more than the best by over one standard error
    extra: tuple[tuple[float, PlusMinus], ...]  # what other alphas lose more, on tasks that the best was not chosen on
    pieces: PlusMinus  # of a task's curve
    alphas: NDArray[np.float64]  # (points,)
    mean: NDArray[np.float64]  # (points,) the mean loss
    half: NDArray[np.float64]  # (points,) the half width of its 95% interval


def best_alpha(curves: CurveSet, members: NDArray[np.bool_] | None = None) -> float:
    """Return the alpha that loses least on these tasks, or on those marked: inside the best piece of their mean."""
    return find_parameter(UCB, "alpha").inside(*curves.mean(members).argmin())


Choice = Callable[[NDArray[np.bool_]], float]  # a value, from the tasks marked


def compare_held_out(curves: CurveSet, best: Choice, other: Choice) -> PlusMinus:
    """Compare the loss of another value with the best's, paired by task, both chosen on tasks not compared on.

    Tasks of even numbers are compared with what those of odd numbers chose, and the other way round. A single task
    is compared with what it chose itself.
    """
    number = np.arange(len(curves))
    if number.size == 1:
        everything = number == 0
        return estimate_mean(curves.at(other(everything)) - curves.at(best(everything)))
    extra = np.empty(number.size)
    for half in (number % 2 == 0, number % 2 == 1):
        extra[half] = (curves.at(other(~half)) - curves.at(best(~half)))[half]
    return estimate_mean(extra)


def shape(name: str, curves: CurveSet, others: Sequence[float]) -> Shape:
    """Return the shape of the mean of some curves; `others` are alphas to compare with the best."""
    mean = curves.mean()
    best = best_alpha(curves)

    def compare(alpha: float) -> PlusMinus:
        return compare_held_out(curves, partial(best_alpha, curves), lambda _: alpha)

    if best < SMALL * curves.high:
        alphas = np.append(np.geomspace(best / 10.0, curves.high, POINTS)[:-1], curves.high)
    else:
        alphas = curves.low + (curves.high - curves.low) * np.linspace(0.0, 1.0, POINTS) ** 2  # denser where steep
    middle, half = mean_with_interval(curves, alphas)
    return Shape(
        name=name,
        n_tasks=len(curves),
        best=best,
        loss=float(mean(best)),
        within_one_se=curves.find_within_one_se(best),
        extra=tuple((alpha, compare(alpha)) for alpha in others),
        pieces=estimate_mean(curves.n_pieces),
        alphas=alphas,
        mean=middle,
        half=half,
    )


def draw_shape(axes: Axes, found: Shape) -> None:
    """Draw the mean loss with its 95% interval, the range within one standard error and the best alpha."""
    axes.axvspan(*found.within_one_se, color=RANGE, lw=0)
    with_band(axes, found.alphas, found.mean, found.half, BLUE)
    axes.plot(found.best, found.loss, "o", color=GREEN, ms=9, zorder=5)
    words, place = rf"best: $\alpha$ = {found.best:.2g}", (found.best, found.loss)
    is_right = found.alphas[0] == 0.0 and found.best > 0.6 * found.alphas[-1]
    side, how = (-8, "right") if is_right else (10, "left")
    axes.annotate(words, place, (side, -20), textcoords="offset points", color=GREEN, ha=how)
    axes.set(xlabel=r"$\alpha$", xlim=(found.alphas[0], found.alphas[-1]), ylim=(0, None))
    if found.alphas[0] > 0.0:
        axes.set(xscale="log", xlabel=r"$\alpha$ (log scale)")
