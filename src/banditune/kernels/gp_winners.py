"""Which point GP-UCB chooses for every value of a range, with proof.

The range is cut into cells. In a cell, points are struck off that another one beats everywhere; if what is left has one
winner everywhere, the cell is proved. If not, and the differences of the few that are left all rise or all fall, each
changes sign once at most, at a float that is found; else the cell is halved. Points that tie, as on a grid they
often do, are told by a polynomial through their difference that is known to be close to it: they tie wherever it is
next to nothing. A cell too narrow to be halved is left unproved, and its width is counted.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.double_double import add
from banditune.kernels.gp_index import (
    NOISE,
    Asked,
    Indices,
    difference,
    leader_of,
    plain_indices,
    sure_indices,
    tie_width,
)
from banditune.kernels.gp_posterior import Floats, Integers, Observed
from banditune.kernels.growth import enlarged
from banditune.kernels.jit import integer, jit

FEW = 8  # so many points are compared with each other
MOST_HALVINGS = 120
MOST_CELLS = 200_000  # of one range; what is left then is left unproved
MANY = 64  # and so many by polynomials
ALIKE = 1e-3
NODES = 20  # of a polynomial
REACH = 0.25  # the half of a cell in which it is taken
ELLIPSE = 12.0  # within the ellipse of this parameter around such a cell, the imaginary part is below pi / 2


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
def moved(value: float, step: float, free: int) -> float:
    """The value that lies so far away."""
    if free == NOISE:
        return value * math.exp(step)
    root = max(math.sqrt(value) + step, 0.0)
    return root * root


@jit
def bend(seen: Indices, k: int, reach: float) -> float:
    """The most that an index bends within reach: a bound of its second derivative."""
    grown = math.exp(0.5 * reach)
    most: float = seen.bends[k, 0] * grown**2 + seen.bends[k, 1] * grown**3 + seen.bends[k, 2] * grown**7
    return most


@jit
def leeway(seen: Indices, one: int, other: int, reach: float) -> float:
    """How far the difference of two indices may be within reach from what was computed."""
    bent = 0.5 * (bend(seen, one, reach) + bend(seen, other, reach)) * reach * reach
    rounded = seen.rounding[one] + seen.rounding[other]
    moves: float = abs(seen.slope[one] - seen.slope[other]) * reach + bent + rounded
    return moves


@jit
def kept(seen: Indices, reach: float, tie: float) -> Integers:
    """Which points may win within reach: those not beaten everywhere by the one that is surely best here."""
    best = integer(-1)
    for k in range(seen.high.size):
        if seen.rounding[k] < math.inf and (
            best < 0 or seen.high[k] - seen.rounding[k] > seen.high[best] - seen.rounding[best]
        ):
            best = k
    if best < 0:
        return np.arange(seen.high.size)
    left = np.empty(seen.high.size, np.int64)
    size = 0
    for k in range(seen.high.size):
        if k == best or not difference(seen, best, k) - leeway(seen, best, k, reach) > tie:
            left[size] = k
            size += 1
    return left[:size].copy()


@jit
def wins_everywhere(seen: Indices, arm: int, reach: float, tie: float) -> bool:
    """Whether a point is the choice within reach: nowhere below another by more than a tie, and all before it are."""
    best = integer(0)
    for k in range(1, seen.high.size):
        if difference(seen, k, best) > 0.0:
            best = k
    for k in range(seen.high.size):
        if k != arm and not difference(seen, k, arm) + leeway(seen, k, arm, reach) <= tie:
            return False
        if k < arm and not difference(seen, best, k) - leeway(seen, best, k, reach) > tie:
            return False
    return True


@jit
def parted(seen: Indices, reach: float, tie: float) -> bool:
    """Whether within reach every difference passes plus and minus a tie once at most."""
    for one in range(seen.high.size):
        for other in range(one):
            gap, slope = difference(seen, one, other), seen.slope[one] - seen.slope[other]
            may_move = leeway(seen, one, other, reach)
            settled = abs(gap - tie) > may_move and abs(gap + tie) > may_move
            rounding = 4.0 * (seen.rounding[one] + seen.rounding[other])
            rises = abs(slope) - rounding > (bend(seen, one, reach) + bend(seen, other, reach)) * reach
            if not settled and not rises:
                return False
    return True


@jit
def look_alike(seen: Indices, reach: float) -> bool:
    """Whether some of the points hardly differ within reach, so that bounds of each say little about the two."""
    for one in range(seen.high.size):
        for other in range(one):
            change = abs(seen.slope[one] - seen.slope[other]) * reach
            if abs(difference(seen, one, other)) + change < ALIKE * bend(seen, one, reach) * reach * reach:
                return True
    return False


@jit
def compared(
    covariances: Floats, observed: Observed, asked: Asked, value: float, reach: float, points: Integers, tie: float
) -> tuple[Integers, bool]:
    """Compare points (k,) within reach by the polynomials through their differences at Chebyshev's nodes.

    Returns which are left without those that tie everywhere with one before them, and whether every difference of those
    passes plus and minus a tie once at most. Where the noise has a positive real part, so has the variance, and indices
    are analytic. So the polynomial is off by 4 B rho^(1 - nodes) / (rho - 1) at most, with B a bound of the differences
    in the ellipse.
    """
    size = points.size
    high, low = np.empty((NODES, size)), np.empty((NODES, size))
    for node in range(NODES):
        there = value * math.exp(reach * math.cos(math.pi * (node + 0.5) / NODES))
        seen = sure_indices(covariances, observed, asked, there, points)
        high[node], low[node] = seen.high, seen.low
    off = polynomial_error(covariances, observed, asked, value, reach)
    left = np.empty(size, np.int64)
    n_left = 0
    all_part = True
    gaps = np.empty(NODES)
    for one in range(size):
        tied, parts = False, True
        for k in range(n_left):
            other = left[k]
            for node in range(NODES):
                gaps[node], _ = add(high[node, one], low[node, one], -high[node, other], -low[node, other])
            centre, spread, rises = told_by_polynomial(gaps, off)
            tied = tied or abs(centre) + spread <= 0.25 * tie
            settled = abs(centre - tie) > spread and abs(centre + tie) > spread
            parts = parts and (settled or rises)
        if not tied:
            left[n_left] = one
            n_left += 1
            all_part = all_part and parts
    return left[:n_left].copy(), all_part


@jit
def polynomial_error(covariances: Floats, observed: Observed, asked: Asked, value: float, reach: float) -> float:
    """How far a polynomial through the differences of two indices may be off, within reach."""
    squares = prior = 0.0
    for j in range(observed.places.size):
        squares += observed.counts[j] * observed.averages[j] * observed.averages[j]
    for k in range(covariances.shape[0]):
        prior = max(prior, covariances[k, k])
    least_noise = value * math.exp(-0.5 * reach * (ELLIPSE + 1.0 / ELLIPSE))
    bonus = asked.width * (2.0 * prior if asked.squared else math.sqrt(2.0 * prior))
    most = 2.0 * (math.sqrt(prior * squares / (2.0 * least_noise)) + bonus)
    off: float = 4.0 * most * ELLIPSE ** (1 - NODES) / (ELLIPSE - 1.0)
    return off


@jit
def told_by_polynomial(gaps: Floats, off: float) -> tuple[float, float, bool]:
    """The middle of a function that has these values at Chebyshev's nodes, how far it strays, and if it is monotone."""
    factors = np.zeros(NODES)
    for k in range(NODES):
        for node in range(NODES):
            factors[k] += gaps[node] * math.cos(math.pi * k * (node + 0.5) / NODES)
        factors[k] *= 2.0 / NODES
    spread = off
    for k in range(1, NODES):
        spread += abs(factors[k])
    slopes = np.zeros(NODES + 1)
    for k in range(NODES - 2, -1, -1):
        slopes[k] = (slopes[k + 2] if k + 2 <= NODES else 0.0) + 2.0 * (k + 1) * factors[k + 1]
    strays = off * NODES * NODES
    for k in range(1, NODES):
        strays += abs(slopes[k])
    return 0.5 * factors[0], spread, 0.5 * abs(slopes[0]) > strays


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
        guess = moved(value, step, asked.free)
        if abs(guess - value) <= 2.0 * (np.nextafter(value, math.inf) - value):  # a few floats on, until it is passed
            unit = (np.nextafter(value, math.inf) - value) * stride
            guess = value + unit if low == value else value - unit
            stride *= 4.0
        value = guess


@jit
def winners(covariances: Floats, observed: Observed, asked: Asked, low: float, high: float) -> Found:
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
    while depth > 0:
        depth -= 1
        n_cells += 1
        start, end, size = lows[depth], highs[depth], sizes[depth]
        top -= size
        points = pool[top : top + size].copy()
        value = middle(start, end, free)
        narrow = not start < value < end or depth + 2 > MOST_HALVINGS or n_cells > MOST_CELLS
        reach = max(distance(start, value, free), distance(value, end, free)) * (1.0 + 1e-12)
        seen = plain_indices(covariances, observed, asked, value, points, room)
        points, seen = _fewer(points, seen, kept(seen, reach, tie))
        winner = leader_of(seen.high, seen.low, tie)
        proved = wins_everywhere(seen, winner, reach, tie)
        if not proved and (narrow or rounding_matters(seen, reach, tie)):
            seen = sure_indices(covariances, observed, asked, value, points)
            points, seen = _fewer(points, seen, kept(seen, reach, tie))
            winner = leader_of(seen.high, seen.low, tie)
            proved = wins_everywhere(seen, winner, reach, tie)
        parts = points.size <= FEW and parted(seen, reach, tie)
        alike = free == NOISE and reach <= REACH and points.size <= MANY and not parts and look_alike(seen, reach)
        if not proved and alike:
            left_over, parts = compared(covariances, observed, asked, value, reach, points, tie)
            points, seen = _fewer(points, seen, left_over)
            winner = leader_of(seen.high, seen.low, tie)
            proved = wins_everywhere(seen, winner, reach, tie)
            parts = parts and points.size <= FEW
        if used + 2 * FEW * FEW > left.size:
            left, arm = enlarged(left, 2 * left.size + 2 * FEW * FEW), enlarged(arm, 2 * arm.size + 2 * FEW * FEW)
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
        else:
            for cell_low, cell_high in ((value, end), (start, value)):
                lows[depth], highs[depth], sizes[depth] = cell_low, cell_high, points.size
                pool[top : top + points.size] = points
                top += points.size
                depth += 1
    return _joined(left, arm, used, n_proved, unproved)


@jit
def rounding_matters(seen: Indices, reach: float, tie: float) -> bool:
    """Whether what is left is in doubt for the rounding of plain floats rather than for the width of the cell."""
    most = rounding = 0.0
    for k in range(1, seen.high.size):
        errors = seen.rounding[0] + seen.rounding[k]
        rounding = max(rounding, errors)
        most = max(most, leeway(seen, 0, k, reach) - errors) if errors < math.inf else most
    return rounding > max(0.1 * tie, 0.1 * most)


@jit
def _fewer(points: Integers, seen: Indices, chosen: Integers) -> tuple[Integers, Indices]:
    """Some of the points, and their indices."""
    return points[chosen], Indices(
        seen.high[chosen], seen.low[chosen], seen.slope[chosen], seen.bends[chosen], seen.rounding[chosen]
    )


@jit
def _edges(
    covariances: Floats, observed: Observed, asked: Asked, points: Integers, tie: float, low: float, high: float
) -> Floats:
    """Where the choice among a few points may change in [low, high): low, and each float where a pair parts."""
    edges = np.empty(points.size * points.size + 1)
    edges[0], size = low, 1
    pair = np.empty(2, np.int64)
    for one in range(points.size):
        for other in range(one):
            for level in (-tie, tie):
                pair[0], pair[1] = points[one], points[other]
                edge = first_float(covariances, observed, asked, pair, level, low, high)
                if low < edge < high:
                    edges[size] = edge
                    size += 1
    return np.sort(edges[:size])


@jit
def _joined(left: Floats, arm: Integers, used: int, n_proved: int, unproved: float) -> Found:
    """The winners, neighbours with the same one as one."""
    size = integer(0)
    for k in range(used):
        if size == 0 or arm[k] != arm[size - 1]:
            left[size], arm[size] = left[k], arm[k]
            size += 1
    return Found(left[:size].copy(), arm[:size].copy(), n_proved, unproved)
