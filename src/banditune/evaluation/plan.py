"""How many tasks to collect: from a few pilot tasks, by theory and by how learning went on so far."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.display import html_table, take_axes
from banditune.curves.palette import BEST, CURVE, TREND
from banditune.curves.step_function import Interval
from banditune.errors import InputError, ParameterError
from banditune.evaluation.certificate_bounds import NEXT
from banditune.evaluation.complexity import DualComplexity, dual_complexity
from banditune.evaluation.concentration import bound_mean_above, bound_mean_below, scale_losses
from banditune.evaluation.intervals import percentile_interval, resamples
from banditune.evaluation.learning_curve import LEAST_TASKS, LearningCurve, measure_learning_curve
from banditune.evaluation.sample_size import EXCESSES, check_epsilon, least_tasks, sample_size
from banditune.policies.parameters import Parameter
from banditune.rng import generator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPLITS = 60  # of the pilot tasks, at most: to learn from, and to measure on
RESAMPLES = 200
RATES = np.arange(0.3, 1.51, 0.05)  # of n^-rate: about 1/2 where tasks differ much, about 1 where they agree
SHARE = 0.1  # of the loss: the precision where none is asked for

Floats = NDArray[np.float64]


class PowerLaw(NamedTuple):
    """A loss of floor + factor n^-rate after learning from n tasks."""

    floor: float
    factor: float
    rate: float

    def at(self, n: float) -> float:
        """Return the loss after learning from n tasks."""
        return self.floor + self.factor * math.pow(n, -self.rate)

    def tasks_for(self, epsilon: float) -> float:
        """Return the number of tasks after which the loss is within epsilon of the floor."""
        if self.factor <= 0.0:
            return 1.0
        power = math.log(self.factor / epsilon) / self.rate
        return max(1.0, math.exp(min(power, 700.0)))


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of tasks needed for an expected loss within epsilon of the best value's.

    Attributes
    ----------
    needed : float
        Tasks needed by the trend of the learning curve; `needed_range` is its 90% range over resamples.
    theory : mapping of str to int
        Tasks that guarantee it with probability at least 1 - delta, by method; empty where losses have no limits.
    more : int
        How many more tasks are needed than the `n_pilot` there are, by the trend.
    """

    epsilon: float
    delta: float
    n_pilot: int
    complexity: DualComplexity
    limits: Interval | None  # between which losses lie, if that is known
    theory: Mapping[
        str, int | None
    ]  # tasks that promise it, by method; None: more than can be foreseen; empty: no limits
    learning: LearningCurve
    trend: PowerLaw  # of the learning curve
    needed: float  # tasks, by that trend
    needed_range: Interval  # 90% of resampled learning curves say so
    seed: int

    def __repr__(self) -> str:
        low, high = self.needed_range
        return (
            f"Plan(epsilon={self.epsilon:.4g}, needed={self.needed:.4g}, needed_range=({low:.4g}, {high:.4g}), "
            f"n_pilot={self.n_pilot})"
        )

    def _repr_html_(self) -> str:
        low, high = self.needed_range
        rows = [
            ("epsilon", f"{self.epsilon:.4g}"),
            ("pilot tasks", f"{self.n_pilot:,}"),
            ("needed, by the learning curve", f"{self.needed:,.0f} (90% range {low:,.0f} to {high:,.0f})"),
            *(
                (f"needed, by {method}", f"{n:,}" if n is not None else "very many")
                for method, n in self.theory.items()
            ),
        ]
        return html_table("Plan", rows)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the learning curve with its trend and the tasks needed; return the Matplotlib axes."""
        axes = take_axes(ax)
        sizes, means = self.learning.sizes, [each.mean for each in self.learning.losses]
        axes.fill_between(
            sizes,
            [each.low for each in self.learning.losses],
            [each.high for each in self.learning.losses],
            color=CURVE,
            alpha=0.15,
            linewidth=0,
        )
        axes.plot(sizes, means, "o", color=CURVE, label="held-out tasks, 95% interval")
        ahead = np.geomspace(1.0, max(self.n_pilot, min(self.needed, 100.0 * self.n_pilot)), 120)
        axes.plot(ahead, [self.trend.at(n) for n in ahead], "--", color=TREND, label="trend")
        if self.needed <= ahead[-1]:
            axes.axvline(self.needed, color=BEST, label=f"{self.needed:,.0f} tasks needed")
        axes.set(xscale="log", xlabel="training tasks", ylabel="mean loss")
        axes.legend()
        return axes

    @property
    def excess_now(self) -> float:
        """What is lost more than with the best value after learning from the pilot tasks, by the trend."""
        return self.trend.at(self.n_pilot) - self.trend.floor

    @property
    def more(self) -> int:
        """How many more tasks are needed, by the trend."""
        return max(0, math.ceil(self.needed) - self.n_pilot)


def make_plan(
    curves: CurveSet,
    parameter: Parameter,
    *,
    epsilon: float | None,
    delta: float,
    limits: Interval | None,
    seed: int,
    draws: int | None,
    progress: Callable[[float], None] | None = None,
) -> Plan:
    """Return the plan that the curves of some pilot tasks lead to.

    The learning curve is that of what a study recommends with `draws` draws of each task; without, that of the least
    of the mean, of which theory speaks. Without an epsilon, a tenth of the least mean loss above the lower limit of
    losses is wanted.
    """
    learning = measure_learning_curve(curves, parameter, seed, progress, draws=draws, most_splits=SPLITS)
    if learning is None:
        raise InputError(f"a plan needs at least {LEAST_TASKS} pilot tasks, got {len(curves)}")
    mean = curves.mean()
    wanted = _choose_epsilon(epsilon, mean.minimum(), limits)
    levelled = np.array(learning.levelled)
    trend = _trend(learning.sizes, levelled)
    drawn = resamples(generator(seed, "plan", "resamples"), len(levelled), RESAMPLES)
    tries = [_trend(learning.sizes, levelled[rows]) for rows in drawn]
    complexity = dual_complexity(curves)
    theory: dict[str, int] = {}
    if limits is not None:
        theory = {
            method: sample_size(
                epsilon=wanted, delta=delta, complexity=complexity.mean, bound=limits.width, method=method
            )
            for method in EXCESSES
        }
        losses = scale_losses(curves.at(parameter.inside(*mean.argmin())), limits)
        theory["certificate"] = forecast_certificate(losses, complexity.mean, delta, wanted / limits.width)
    return Plan(
        epsilon=wanted,
        delta=delta,
        n_pilot=len(curves),
        complexity=complexity,
        limits=limits,
        theory=theory,
        learning=learning,
        trend=trend,
        needed=trend.tasks_for(wanted),
        needed_range=percentile_interval([each.tasks_for(wanted) for each in tries], 5.0),
        seed=seed,
    )


def _choose_epsilon(epsilon: float | None, least: float, limits: Interval | None) -> float:
    if epsilon is not None:
        return check_epsilon(epsilon)
    floor = limits.low if limits is not None else min(0.0, least)
    if least == floor:
        raise ParameterError(
            "the pilot tasks have no loss above the least that is known to be possible, and a tenth of it is the "
            "default of epsilon: give epsilon="
        )
    return SHARE * (least - floor)


def _trend(sizes: tuple[int, ...], losses: Floats) -> PowerLaw:
    """Fit a power law to the mean of learning curves (draws, sizes), each size weighing by how sure it is."""
    mean, spread = losses.mean(axis=0), losses.std(axis=0, ddof=1)
    best, least = PowerLaw(float(mean[-1]), 0.0, 1.0), math.inf
    if not np.ptp(losses, axis=0).any():  # the same is learned from any tasks
        return best
    weight = 1.0 / np.maximum(spread, 1e-3 * max(float(spread.max()), 1e-300))
    weighted, columns = mean * weight, weight[:, None]
    for rate, powers, design in _designs(sizes):
        (floor, factor), *_ = np.linalg.lstsq(design * columns, weighted, rcond=None)
        error = float(np.square((floor + factor * powers - mean) * weight).sum())
        if factor > 0.0 and error < least:
            best, least = PowerLaw(float(floor), float(factor), float(rate)), error
    return best


@lru_cache(maxsize=1)  # several hundred trends are over the same sizes
def _designs(sizes: tuple[int, ...]) -> list[tuple[float, Floats, Floats]]:
    """Return each rate that is tried, the sizes to minus it, (sizes,), and these beside ones, (sizes, 2)."""
    n = np.array(sizes, np.float64)
    powers = [n**-rate for rate in RATES]
    return [(rate, each, np.stack([np.ones_like(n), each], axis=1)) for rate, each in zip(RATES, powers, strict=True)]


def forecast_certificate(losses: Floats, complexity: float, delta: float, epsilon: float) -> int:
    """Forecast how many tasks a certificate by compression needs to promise epsilon, if losses spread like these.

    losses (tasks,) are the pilots', from 0 to 1. Betting comes close to Bernstein's inequality, which stands for it.
    """
    mean, variance = float(losses.mean()), float(losses.var())

    def enough(n: int) -> bool:
        cost = math.log(4.0 * n * n * complexity / ((1.0 - NEXT) * delta)) / (n - 2)
        above = min(bound_mean_above(mean, cost) - mean, math.sqrt(2.0 * variance * cost) + 2.0 * cost / 3.0)
        return above + mean - bound_mean_below(mean, math.log(2.0 / delta) / n) <= epsilon

    return least_tasks(enough)
