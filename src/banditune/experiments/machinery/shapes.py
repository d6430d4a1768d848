"""The shape of a mean loss over alpha: where it is least, what other values lose more, and a panel that shows it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.palette import BLUE, GREEN, RANGE
from banditune.curves.step_function import Interval
from banditune.experiments.machinery.curve_units import mean_with_interval
from banditune.experiments.machinery.experiment import PlusMinus, estimate_mean
from banditune.experiments.machinery.figures import Axes, with_band
from banditune.policies.given_settings import find_parameter
from banditune.policies.ucb.ucb import UCB

POINTS = 200  # of a drawn curve
BANDS = (
    "Line: mean over tasks; blue band: its 95% interval at each alpha; green: within one standard error of the best, "
    "paired by task."
)
SMALL = 1e-3  # so small a share of the range that a best alpha is seen on a logarithmic axis only


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

    def extra_at(self, alpha: float) -> PlusMinus:
        """Return what an alpha loses more than the best."""
        return dict(self.extra)[alpha]


def best_alpha(curves: CurveSet, members: NDArray[np.bool_] | None = None) -> float:
    """Return the alpha that loses least on these tasks, or on those marked: inside the best piece of their mean."""
    return find_parameter(UCB, "alpha").inside(*curves.mean(members).argmin())


Choice = Callable[[NDArray[np.bool_]], float]  # a value, from the tasks marked


def compare_held_out(curves: CurveSet, best: Choice, other: Choice) -> PlusMinus:
    """How much more another value loses than the best, paired by task, with both chosen on tasks not compared on.

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
