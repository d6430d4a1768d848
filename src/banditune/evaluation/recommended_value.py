"""The value that a study recommends: where the mean loss is least on average over a neighbourhood.

The least piece of a mean over few tasks owes much to chance: it is narrow, and its neighbours may lose more. So the
mean loss is averaged from x / reach to x * reach, evenly in log x, x being a value in the scale in which the index is
affine, and the value with the least average is recommended. The more tasks, and draws of each, the narrower the
neighbourhood: log(reach) falls with the cube root of their number, as the error of a minimiser of a mean of step
functions does (Kim and Pollard, 1990), so that in the end the least itself is recommended. It is found exactly: the
average of a step function is piecewise linear in log x, or where the range cuts the neighbourhood off a ratio of such,
so that its least is at one of the places where an end of the neighbourhood meets an edge of the curve.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval, StepFunction
from banditune.policies.parameters import Parameter

REACH, FEW_TASKS = 1.4, 10  # with so few tasks or fewer; chosen by `benchmarks.choice`
MANY_DRAWS = 8  # of each task: with fewer, as if there were fewer tasks in proportion; more do not narrow it further
N_TRIED = 2_000
SAME = 1e-12  # of the largest loss: by how much averages differ through rounding alone
SLACK = 1e-6  # of the largest loss: by how much averages have to be worse not to be looked at more closely
STRIDE = 16  # edges from one place that is looked at first to the next

Average = Callable[[NDArray[np.float64]], NDArray[np.float64]]  # of a curve around points


def recommend(parameter: Parameter, mean: StepFunction, n_tasks: int, *, draws: int = 1) -> float:
    """Return the value of a parameter whose neighbourhood has the least mean loss on average, inside a piece.

    `mean` is the mean loss of so many tasks, with so many draws of each.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> lucky = StepFunction([0.0, 0.1, 0.2, 0.4, 0.401, 4.0], [5.0, 2.0, 1.0, 0.9, 3.0])  # least beside a high step
    >>> round(recommend(UCB.parameters["alpha"], lucky, 10), 3)
    0.205
    """
    if mean.low < 0.0:
        return parameter.inside(*mean.argmin())
    value = parameter.inside(*find_best_neighbourhood(mean, reach_of(parameter, n_tasks, draws)))
    if value not in mean.edges:
        return value
    piece = min(int(np.searchsorted(mean.edges, value, side="right")), mean.n_pieces)  # at an edge, a tie decides
    return parameter.inside(float(mean.edges[piece - 1]), float(mean.edges[piece]))


def learn_value(
    parameter: Parameter, curves: CurveSet, members: NDArray[np.bool_], draws: int | None, *, roughly: bool = False
) -> float:
    """Return the value that is learned from some of the tasks whose curves these are: members (tasks,).

    It is what a study recommends with so many draws of each task, or about that; without draws, the least of the mean.
    """
    if draws is None:
        return parameter.inside(*curves.find_least(members)[0])
    n_tasks = int(members.sum())
    if roughly:
        return recommend_about(parameter, curves.estimate_mean(members), n_tasks, draws)
    return recommend(parameter, curves.mean(members), n_tasks, draws=draws)


def recommend_about(parameter: Parameter, mean: StepFunction, n_tasks: int, draws: int) -> float:
    """Return about what `recommend` does, from the averages around `N_TRIED` values alone: for curves that pass by."""
    if mean.low < 0.0 or mean.n_pieces == 1:
        return parameter.inside(*mean.argmin())
    reach = reach_of(parameter, n_tasks, draws)
    first = max(mean.low, float(mean.edges[1]) / reach)  # below it, whole neighbourhoods lie in the first piece
    points = np.append(parameter.inside(mean.low, first), np.geomspace(first, mean.high, N_TRIED))
    return float(points[make_average(mean, reach)(points).argmin()])


def reach_of(parameter: Parameter, n_tasks: int, draws: int) -> float:
    """Return how many times a value its neighbourhood reaches, in the parameter's own scale.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> [round(reach_of(UCB.parameters["alpha"], n, 20), 2) for n in (5, 10, 100, 1_000)]
    [1.96, 1.96, 1.37, 1.16]
    """
    known = n_tasks * min(1.0, draws / MANY_DRAWS)
    reach = REACH ** min(1.0, (FEW_TASKS / known) ** (1.0 / 3.0))
    return float(reach**2 if parameter.scale == "root" else reach)


def find_best_neighbourhood(curve: StepFunction, reach: float) -> Interval:
    """Return the points x of a curve on [low >= 0, high] where its average from x / reach to x * reach is least.

    >>> find_best_neighbourhood(StepFunction([0.0, 1.0, 4.0, 9.0], [3.0, 1.0, 2.0]), 2.0)
    Interval(low=2.0, high=2.0)
    >>> find_best_neighbourhood(StepFunction([0.0, 1.0, 9.0], [1.0, 2.0]), 2.0)  # so near to 0, it is all in one piece
    Interval(low=0.0, high=0.5)
    """
    average, size = make_average(curve, reach), float(np.abs(curve.values).max())
    points = np.unique(choose_points(curve, reach, average, SLACK * size))
    averages = average(points)
    alike = np.flatnonzero(averages > averages.min() + SAME * size)
    best = int(averages.argmin())
    after = int(np.searchsorted(alike, best))  # from the last that is worse before it to the first after it
    first = 0 if after == 0 else int(alike[after - 1]) + 1
    last = points.size - 1 if after == alike.size else int(alike[after]) - 1
    return Interval(float(points[first]), float(points[last]))


def choose_points(curve: StepFunction, reach: float, average: Average, slack: float) -> NDArray[np.float64]:
    """Return all places where an end of a neighbourhood meets an edge and the average may be least, and some others.

    The average changes by at most `steepest` times the change of log x. So once it is known at some places, it is also
    known to be worse than the least of them, by more than the slack, between most of the others.
    """
    some = np.concatenate(([curve.low, curve.high], curve.edges[::STRIDE] * reach))
    some = np.unique(some[(some >= curve.low) & (some <= curve.high)])
    known, steepest = average(some), float(np.ptp(curve.values)) / np.log(reach)
    if steepest == 0.0:
        return some
    with np.errstate(divide="ignore"):
        least = 0.5 * (known[1:] + known[:-1] - steepest * np.diff(np.log(some)))
    is_open = np.append(least <= known.min() + slack, False)
    begins = np.flatnonzero(is_open & ~np.append(False, is_open[:-1]))  # of stretches of neighbours
    ends = np.flatnonzero(is_open[:-1] & ~is_open[1:]) + 1
    found = [some]
    for factor in (reach, 1.0 / reach):
        first = np.searchsorted(curve.edges, some[begins] / factor) - 1
        last = np.searchsorted(curve.edges, some[ends] / factor) + 2
        for start, stop in zip(np.maximum(first, 0), last, strict=True):
            edges = curve.edges[start:stop]
            found.append(edges * reach if factor == reach else edges / reach)
    points = np.concatenate(found)
    return points[(points >= curve.low) & (points <= curve.high)]


def make_average(curve: StepFunction, reach: float) -> Average:
    """Return what finds the averages of a curve from x / reach to x * reach, as far as it is known, evenly in log x."""
    starts = np.log(curve.edges[1:-1] if curve.n_pieces > 1 else curve.edges[-1:])  # of all pieces but the first
    integral = np.append(0.0, np.cumsum(curve.values[1:-1] * np.diff(starts)))  # from the first of them on

    def integrate(x: NDArray[np.float64]) -> NDArray[np.float64]:
        piece = np.searchsorted(starts, x, side="right")
        since = np.maximum(piece - 1, 0)
        return integral[since] + curve.values[np.minimum(piece, curve.n_pieces - 1)] * (x - starts[since])

    def average(points: NDArray[np.float64]) -> NDArray[np.float64]:
        averages = curve(points)  # which they are at 0
        left, right = np.maximum(points / reach, curve.low), np.minimum(points * reach, curve.high)
        wide = (left > 0.0) & (left < right)  # the least numbers there are have no others around them
        first, last = np.log(left[wide]), np.log(right[wide])
        averages[wide] = (integrate(last) - integrate(first)) / (last - first)
        return averages

    return average
