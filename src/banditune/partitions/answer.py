"""From the sums over all tasks to what was learned."""

import math
from collections.abc import Mapping

import numpy as np

from banditune.curve_set import scale_of
from banditune.exact_sum import Floats, Merged, next_place, next_places
from banditune.kernels.step_sums import plausible_span
from banditune.partitions.sums import FirstSums, SecondSums
from banditune.search import Search
from banditune.step_function import Interval
from banditune.tuned import Tuned

ROUNDED_UP = 1.0 + 1e-9


def best_of(search: Search, sums: FirstSums) -> float:
    """The value that loses least: inside the best piece, and where breakpoints are merged where that piece is exact."""
    low, high = sums.losses.mean().argmin()
    if sums.losses.level == 0:
        return search.searched.inside(low, high)
    exact_from = next_place(low, sums.losses.level)
    return search.searched.inside(exact_from, high) if exact_from < high else math.nextafter(high, low)


def answer(
    search: Search,
    first: FirstSums,
    second: SecondSums,
    *,
    origin: Mapping[str, object] | None = None,
    left_out: tuple[str, ...] = (),
) -> Tuned:
    """What the search finds: the same, to the last bit, as if it had all the curves."""
    mean = first.losses.mean()
    interval = mean.argmin()
    best = best_of(search, first)
    low, high = _plausible(first, second)
    count = first.losses.count
    loss = mean(best) if second.rises is None else float(second.at_best.totals()[0]) / count
    return Tuned(
        policy_class=search.policy,
        params={search.parameter: search.searched.found(best), **search.policy.stated(search.fixed)},
        interval=interval,
        plausible=Interval(min(low, best), max(high, best)),
        curve=mean,
        loss=loss,
        loss_name=search.loss,
        parameter=search.parameter,
        n_tasks=count,
        horizon=search.horizons[-1],
        complexity=first.pieces / count,
        histories=first.histories / count,
        seed=search.seed,
        origin=origin,
        merged=_merged(first, second, loss),
        left_out=left_out,
    )


def _plausible(first: FirstSums, second: SecondSums) -> tuple[float, float]:
    """From the first to the last value that may be as good as the best.

    In a cell of merged breakpoints, that is judged by the lowest sum of differences there can be, which is that at the
    right end less all rises, and by the largest of squares, which is that at the left end and all rises.
    """
    differences = first.losses - second.at_best
    edges, totals, squares = differences.edges(), differences.totals(), second.squares.totals()
    if second.rises is not None and second.square_rises is not None:
        ends = np.minimum(next_places(differences.places, first.losses.level), differences.high)
        lowest = totals[1:] - ROUNDED_UP * second.rises.jumps()
        largest = squares[:-1] + ROUNDED_UP * second.square_rises.jumps()
        edges = _alternating(edges[0], differences.places, ends)
        totals, squares = _alternating(totals[0], lowest, totals[1:]), _alternating(squares[0], largest, squares[1:])
    return plausible_span(edges, totals, squares, scale_of(first.largest), differences.high)


def _alternating(first: float, within: Floats, after: Floats) -> Floats:
    """What is so at first, then for each cell what is within it and what is after it."""
    return np.append(first, np.column_stack((within, after)))


def _merged(first: FirstSums, second: SecondSums, loss: float) -> Merged | None:
    """What merging breakpoints can have changed; None if none were merged.

    In a cell of merged breakpoints the curve is exact at the right end. From there to the left it can be lower by no
    more than the tasks' curves rise in the cell together, and higher by no more than they fall.
    """
    if second.rises is None:
        return None
    count = first.losses.count
    at_ends, rises = first.losses.totals()[1:] / count, second.rises.jumps() / count
    falls = rises - first.losses.jumps() / count
    least = min(float(first.losses.totals()[0]) / count, float((at_ends - rises).min(initial=np.inf)))
    return Merged(
        resolution=2.0 ** (first.losses.level - 52),
        breakpoints=int(first.losses.places.size),
        error=ROUNDED_UP * float(np.maximum(rises, falls).max(initial=0.0)),
        excess=ROUNDED_UP * max(0.0, loss - least),
    )
