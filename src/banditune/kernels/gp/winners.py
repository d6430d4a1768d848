"""Which point GP-UCB chooses for every value of a range, with proof.

The range is cut into cells. In a cell, points are left out that cannot matter (`cells`); if one point is the choice
everywhere, the cell is proved. If not, and the differences of the few pairs that decide it all rise or all fall, each
passes a tie once at most, at a float that is found; else the cell is halved. Points whose covariances with all that was
observed are the same have the same index, and the first stands for all. A cell too narrow to be halved is left
unproved, and its width is counted; so is how far an edge may be off, for the rounding of numbers of 32 digits.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.cells import (
    REACH,
    Verdict,
    bound_moves,
    find_contenders,
    judge,
    judge_by_polynomials,
    look_alike,
    rounding_matters,
)
from banditune.kernels.gp.exact_posterior import sure_posterior
from banditune.kernels.gp.incremental_posterior import Reference, reference_indices
from banditune.kernels.gp.index import (
    NOISE,
    Asked,
    Indices,
    difference,
    is_within,
    leader_of,
    noise_at,
    plain_indices,
    sure_indices,
    sure_indices_of,
    tie_width,
)
from banditune.kernels.gp.posterior import Floats, Integers, Observed, Prior
from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.arrays import enlarge
from banditune.kernels.watch import Watch, is_stopped

MANY = 64  # so many points are compared by polynomials
GUESSES = 12  # steps in plain floats towards an edge
BLUR = 1e-13  # edges are found where they are at most this far off
MOST_HALVINGS = 120
MOST_CELLS = 200_000  # of one range; what is left then is left unproved


class Found(NamedTuple):
    """The winners of a range in order: arm[k] from left[k] on; and how much of it is proved."""

    left: Floats
    arm: Integers
    n_proved: int  # intervals with one winner
    unproved: float  # the widths of the others, each relative to its place


@jit
def middle(low: float, high: float, free: int) -> float:
    """The middle of a cell in the scale of the free parameter."""
    if free == NOISE:
        return math.sqrt(low) * math.sqrt(high)
    half = 0.5 * (math.sqrt(low) + math.sqrt(high))
    return half * half


@jit
def distance(one: float, other: float, free: int) -> float:
    """How far two values lie apart in the scale of the free parameter, from the lower to the higher."""
    if free == NOISE:
        return math.log1p((other - one) / one)
    return (other - one) / (math.sqrt(one) + math.sqrt(other))


@jit
def move(value: float, step: float, free: int) -> float:
    """The value that lies so far away."""
    if free == NOISE:
        return value * math.exp(step)
    root = max(math.sqrt(value) + step, 0.0)
    return root * root


@jit
def guess_edge(
    prior: Prior, observed: Observed, asked: Asked, pair: Integers, level: float, low: float, high: float
) -> float:
    """About where the difference of a pair passes a level in (low, high), in plain floats."""
    m, value = observed.places.size, middle(low, high, asked.free)
    room = np.empty(2 * m * (m + 2))
    for _ in range(GUESSES):
        seen = plain_indices(prior, observed, asked, value, pair, room)
        gap, slope = difference(seen, 1, 0) - level, seen.slope[1] - seen.slope[0]
        step = -gap / slope if slope != 0.0 else 0.0
        guess = move(value, step, asked.free)
        if not low < guess < high:  # bisect between the value and the end that the step leads to
            guess = middle(value, high, asked.free) if step > 0.0 else middle(low, value, asked.free)
        if abs(guess - value) <= 1e-14 * value:
            break
        value = guess
    return value


@jit
def first_float(
    prior: Prior,
    observed: Observed,
    asked: Asked,
    pair: Integers,
    level: float,
    low: float,
    high: float,
) -> float:
    """The first float in (low, high] where the difference of a pair has passed a level; low if it does not.

    The difference rises, or falls, throughout [low, high].
    """
    m = observed.places.size
    known = sure_posterior(prior.covariances, observed, noise_at(asked, low), pair)
    seen = sure_indices_of(prior, asked, low, pair, known, m)
    below = is_within(seen, 1, 0, level)
    if asked.free == NOISE:
        known = sure_posterior(prior.covariances, observed, high, pair)
    seen = sure_indices_of(prior, asked, high, pair, known, m)
    if is_within(seen, 1, 0, level) == below:
        return low
    value = guess_edge(prior, observed, asked, pair, level, low, high)
    stride, steps = 1.0, 0
    while True:
        steps += 1
        if steps % 8 == 0:  # so that it ends whatever the slopes are worth
            value = middle(low, high, asked.free)
        if not low < value < high:
            value = middle(low, high, asked.free)
            if not low < value < high:
                value = 0.5 * (low + high)
                if not low < value < high:
                    return high
        if asked.free == NOISE:
            known = sure_posterior(prior.covariances, observed, value, pair)
        seen = sure_indices_of(prior, asked, value, pair, known, m)
        gap = difference(seen, 1, 0) - level
        if is_within(seen, 1, 0, level) == below:
            low = value
        else:
            high = value
        step = -gap / (seen.slope[1] - seen.slope[0])
        guess = move(value, step, asked.free)
        if abs(guess - value) <= 2.0 * (np.nextafter(value, math.inf) - value):  # a few floats on, until it is passed
            unit = (np.nextafter(value, math.inf) - value) * stride
            guess = value + unit if low == value else value - unit
            stride *= 4.0
        value = guess


class Edges(NamedTuple):
    """Where the choice may change in a cell, in order, and how far off that may be."""

    values: Floats
    blur: float  # in the scale of the free parameter, added up


@jit
def find_edges(
    prior: Prior,
    observed: Observed,
    asked: Asked,
    points: Integers,
    verdict: Verdict,
    tie: float,
    low: float,
    high: float,
) -> Edges:
    """Where the choice may change in [low, high): low, and each float where one of a pair passes the other by a tie."""
    values = np.empty(verdict.pairs.shape[0] + 1)
    values[0], size, blur = low, 1, 0.0
    for p in range(verdict.pairs.shape[0]):
        pair = points[verdict.pairs[p]]
        edge = first_float(prior, observed, asked, pair, tie, low, high)
        if low < edge < high:
            seen = sure_indices(prior, observed, asked, edge, pair)
            blur += (verdict.apart + seen.rounding[0] + seen.rounding[1]) / abs(seen.slope[1] - seen.slope[0])
            values[size] = edge
            size += 1
    return Edges(np.sort(values[:size]), blur)


@jit
def choose_indices(points: Integers, seen: Indices, chosen: Integers) -> tuple[Integers, Indices]:
    """Some of the points, and their indices."""
    return points[chosen], Indices(
        seen.high[chosen], seen.low[chosen], seen.slope[chosen], seen.bends[chosen], seen.rounding[chosen]
    )


@jit
def find_distinct(prior: Prior, observed: Observed, points: Integers) -> Integers:
    """The points (k,) without those that are the same to the process as one before them."""
    kept = np.empty(points.size, np.int64)
    size = 0
    for point in points:
        fresh = True
        for k in range(size):
            before = kept[k]
            same = prior.means[point] == prior.means[before]
            same = same and prior.covariances[point, point] == prior.covariances[before, before]
            for place in observed.places:
                if not same:
                    break
                same = prior.covariances[place, point] == prior.covariances[place, before]
            if same:
                fresh = False
                break
        if fresh:
            kept[size] = point
            size += 1
    return kept[:size].copy()


@jit
def winners(
    watch: Watch, prior: Prior, observed: Observed, asked: Asked, points: Integers, low: float, high: float
) -> Found:
    """Which of the points (k,), in order, is chosen for every value in [low, high], after what was observed."""
    m, free, tie = observed.places.size, asked.free, tie_width(prior, observed)
    points = find_distinct(prior, observed, points)
    room = np.empty(2 * m * (m + points.size))
    lows, highs, sizes = np.empty(MOST_HALVINGS), np.empty(MOST_HALVINGS), np.empty(MOST_HALVINGS, np.int64)
    pool = np.empty(points.size * MOST_HALVINGS, np.int64)
    lows[0], highs[0], sizes[0] = low, high, points.size
    pool[: points.size] = points
    depth, top = 1, points.size
    left, arm = np.empty(16), np.empty(16, np.int64)
    used = n_proved = n_cells = integer(0)
    unproved = 0.0
    while depth > 0 and not is_stopped(watch):
        depth -= 1
        n_cells += 1
        start, end, size = lows[depth], highs[depth], sizes[depth]
        top -= size
        points = pool[top : top + size].copy()
        value = middle(start, end, free)
        narrow = not start < value < end or depth + 2 > MOST_HALVINGS or n_cells > MOST_CELLS
        reach = max(distance(start, value, free), distance(value, end, free)) * (1.0 + 1e-12)
        seen = plain_indices(prior, observed, asked, value, points, room)
        points, seen, verdict, in_doubt = _look(points, seen, reach, tie)
        if verdict.pairs.size > 0 and (narrow or in_doubt):
            seen = sure_indices(prior, observed, asked, value, points)
            points, seen, verdict, in_doubt = _look(points, seen, reach, tie)
        close = free == NOISE and reach <= REACH and points.size <= MANY
        if not verdict.parted and not narrow and close and look_alike(seen, reach):
            verdict = judge_by_polynomials(prior, observed, asked, value, reach, points, tie)
            points, seen = choose_indices(points, seen, verdict.kept)
        edges = Edges(np.array([start]), 0.0)
        proved = verdict.parted
        if proved and verdict.pairs.size > 0:
            edges = find_edges(prior, observed, asked, points, verdict, tie, start, end)
            proved = edges.blur <= BLUR or verdict.apart == 0.0
        if proved or narrow:
            if used + edges.values.size > left.size:
                left, arm = enlarge(left, 2 * used + edges.values.size), enlarge(arm, 2 * used + edges.values.size)
            for edge in edges.values:
                there = seen
                if verdict.pairs.size > 0:
                    there = sure_indices(prior, observed, asked, edge, points)
                left[used], arm[used] = edge, points[leader_of(there.high, there.low, tie)]
                used += 1
            n_proved += edges.values.size if proved else 0
            unproved += min(edges.blur, 1.0) if proved else (end - start) / end
        else:
            for cell_low, cell_high in ((value, end), (start, value)):
                lows[depth], highs[depth], sizes[depth] = cell_low, cell_high, points.size
                pool[top : top + points.size] = points
                top += points.size
                depth += 1
    return _join(left, arm, used, n_proved, unproved)


@jit
def choose(
    watch: Watch, prior: Prior, observed: Observed, asked: Asked, known: Reference, low: float, high: float
) -> Found:
    """Which point is chosen for every value in [low, high], by what is known at a reference within it."""
    value = known.value if asked.free == NOISE else middle(low, high, asked.free)
    reach = max(distance(low, value, asked.free), distance(value, high, asked.free)) * (1.0 + 1e-12)
    tie, points = tie_width(prior, observed), np.arange(prior.means.size)
    points, seen, verdict, _ = _look(points, reference_indices(prior, asked, known, value), reach, tie)
    if verdict.parted and verdict.pairs.size == 0:
        return Found(np.array([low]), points[leader_of(seen.high, seen.low, tie) :][:1].copy(), 1, 0.0)
    return winners(watch, prior, observed, asked, points, low, high)


@jit
def _look(points: Integers, seen: Indices, reach: float, tie: float) -> tuple[Integers, Indices, Verdict, bool]:
    """Leave out the points that do not matter within reach; also whether rounding is why more are not left out."""
    points, seen = choose_indices(points, seen, find_contenders(seen, bound_moves(seen, reach), reach, tie))
    verdict = judge(seen, bound_moves(seen, reach), reach, tie)
    points, seen = choose_indices(points, seen, verdict.kept)
    return points, seen, verdict, rounding_matters(seen, bound_moves(seen, reach), reach, tie)


@jit
def _join(left: Floats, arm: Integers, used: int, n_proved: int, unproved: float) -> Found:
    """The winners, neighbours with the same one as one."""
    size = integer(0)
    for k in range(used):
        if size == 0 or arm[k] != arm[size - 1]:
            left[size], arm[size] = left[k], arm[k]
            size += 1
    return Found(left[:size].copy(), arm[:size].copy(), n_proved, unproved)
