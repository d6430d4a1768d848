"""Which point GP-UCB chooses for every value of a range, with proof.

The range is cut into cells. In a cell, points are struck off that another one beats everywhere; if what is left has one
winner everywhere, the cell is proved. If not, and the differences of the few that are left all rise or all fall, each
changes sign once at most, at a float that is found; else the cell is halved. Points that tie, as on a grid they
often do, are told by a polynomial through their difference that is known to be close to it: they tie wherever it is
next to nothing. A cell too narrow to be halved is left unproved, and its width is counted; so is where, beside a
change, one of two that tie may be distinguished from the other by a last digit.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.cells import (
    REACH,
    compare_points,
    find_contenders,
    is_parted,
    least_steepness,
    look_alike,
    rounding_matters,
    wins_everywhere,
)
from banditune.kernels.gp.index import (
    NOISE,
    Asked,
    Indices,
    difference,
    leader_of,
    plain_indices,
    sure_indices,
    tie_width,
)
from banditune.kernels.gp.posterior import Floats, Integers, Observed
from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.arrays import enlarge
from banditune.kernels.watch import Watch, is_stopped

FEW = 8  # so many points are compared with each other
MANY = 64  # and so many by polynomials
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
def first_float(
    covariances: Floats,
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
    seen = sure_indices(covariances, observed, asked, low, pair)
    below = difference(seen, 1, 0) <= level
    seen = sure_indices(covariances, observed, asked, high, pair)
    if (difference(seen, 1, 0) <= level) == below:
        return low
    value = middle(low, high, asked.free)
    stride, steps = 1.0, 0
    while True:
        steps += 1
        if steps % 4 == 0:  # so that it ends whatever the slopes are worth
            value = middle(low, high, asked.free)
        if not low < value < high:
            value = middle(low, high, asked.free)
            if not low < value < high:
                value = 0.5 * (low + high)
                if not low < value < high:
                    return high
        seen = sure_indices(covariances, observed, asked, value, pair)
        gap = difference(seen, 1, 0) - level
        if (gap <= 0.0) == below:
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


@jit
def _edges(
    covariances: Floats, observed: Observed, asked: Asked, points: Integers, tie: float, low: float, high: float
) -> Floats:
    """Where the choice among a few points may change in [low, high): low, and each float where a pair parts."""
    edges = np.empty(points.size * points.size + 1)
    edges[0], size = low, 1
    pair = np.empty(2, np.int64)
    for one in range(points.size):
        for other in range(points.size):  # both ways round: a gap of exactly a tie is one, as for `leader_of`
            if one != other:
                pair[0], pair[1] = points[one], points[other]
                edge = first_float(covariances, observed, asked, pair, tie, low, high)
                if low < edge < high:
                    edges[size] = edge
                    size += 1
    return np.sort(edges[:size])


@jit
def _fewer(points: Integers, seen: Indices, chosen: Integers) -> tuple[Integers, Indices]:
    """Some of the points, and their indices."""
    return points[chosen], Indices(
        seen.high[chosen], seen.low[chosen], seen.slope[chosen], seen.bends[chosen], seen.rounding[chosen]
    )


@jit
def winners(watch: Watch, covariances: Floats, observed: Observed, asked: Asked, low: float, high: float) -> Found:
    """Which point is chosen for every value in [low, high], after what was observed."""
    n_points, m, free = covariances.shape[0], observed.places.size, asked.free
    tie = tie_width(covariances, observed)
    room = np.empty(2 * m * (m + n_points))
    lows, highs, sizes = np.empty(MOST_HALVINGS), np.empty(MOST_HALVINGS), np.empty(MOST_HALVINGS, np.int64)
    pool = np.empty(n_points * MOST_HALVINGS, np.int64)
    lows[0], highs[0], sizes[0] = low, high, n_points
    pool[:n_points] = np.arange(n_points)
    depth, top = 1, n_points
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
        seen = plain_indices(covariances, observed, asked, value, points, room)
        points, seen = _fewer(points, seen, find_contenders(seen, reach, tie))
        winner = leader_of(seen.high, seen.low, tie)
        proved = wins_everywhere(seen, winner, reach, tie)
        if not proved and (narrow or rounding_matters(seen, reach, tie)):
            seen = sure_indices(covariances, observed, asked, value, points)
            points, seen = _fewer(points, seen, find_contenders(seen, reach, tie))
            winner = leader_of(seen.high, seen.low, tie)
            proved = wins_everywhere(seen, winner, reach, tie)
        parts, blurred = points.size <= FEW and is_parted(seen, reach, tie), 0.0
        alike = free == NOISE and reach <= REACH and points.size <= MANY and not parts and look_alike(seen, reach)
        if not proved and alike:
            left_over, parts, apart = compare_points(covariances, observed, asked, value, reach, points, tie)
            points, seen = _fewer(points, seen, left_over)
            winner = leader_of(seen.high, seen.low, tie)
            proved = wins_everywhere(seen, winner, reach, tie)
            parts = parts and points.size <= FEW
            blurred = apart / least_steepness(seen, reach, tie)
        if used + 2 * FEW * FEW > left.size:
            left, arm = enlarge(left, 2 * left.size + 2 * FEW * FEW), enlarge(arm, 2 * arm.size + 2 * FEW * FEW)
        if proved or narrow:
            left[used], arm[used] = start, points[winner]
            used += 1
            n_proved += proved
            unproved += 0.0 if proved else (end - start) / end
        elif parts:
            edges = _edges(covariances, observed, asked, points, tie, start, end)
            for k in range(edges.size):
                there = sure_indices(covariances, observed, asked, edges[k], points)
                left[used], arm[used] = edges[k], points[leader_of(there.high, there.low, tie)]
                used += 1
            n_proved += edges.size
            unproved += blurred * (edges.size - 1)
        else:
            for cell_low, cell_high in ((value, end), (start, value)):
                lows[depth], highs[depth], sizes[depth] = cell_low, cell_high, points.size
                pool[top : top + points.size] = points
                top += points.size
                depth += 1
    return _join(left, arm, used, n_proved, unproved)


@jit
def _join(left: Floats, arm: Integers, used: int, n_proved: int, unproved: float) -> Found:
    """The winners, neighbours with the same one as one."""
    size = integer(0)
    for k in range(used):
        if size == 0 or arm[k] != arm[size - 1]:
            left[size], arm[size] = left[k], arm[k]
            size += 1
    return Found(left[:size].copy(), arm[:size].copy(), n_proved, unproved)
