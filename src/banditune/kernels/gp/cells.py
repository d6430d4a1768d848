"""What is known of indices within a cell, by what was computed in its middle: who may win, who wins, who parts once.

On grids points often tie, and bounds of each index say little about the difference of two. Where the noise has a
positive real part, so has the variance, and an index is analytic in the noise: a polynomial through the difference of
two indices is very close to it, and known to be.
"""

import math

import numpy as np

from banditune.kernels.gp.index import Asked, Indices, difference, sure_indices
from banditune.kernels.gp.posterior import Floats, Integers, Observed
from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.double_double import add

ALIKE = 1e-3


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
def find_contenders(seen: Indices, reach: float, tie: float) -> Integers:
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
def is_settled(seen: Indices, one: int, other: int, reach: float, tie: float) -> bool:
    """Whether within reach the difference of two indices passes neither plus nor minus a tie."""
    gap, may_move = difference(seen, one, other), leeway(seen, one, other, reach)
    return abs(gap - tie) > may_move and abs(gap + tie) > may_move


@jit
def is_parted(seen: Indices, reach: float, tie: float) -> bool:
    """Whether within reach every difference passes plus and minus a tie once at most."""
    for one in range(seen.high.size):
        for other in range(one):
            slope = abs(seen.slope[one] - seen.slope[other])
            rounding = 4.0 * (seen.rounding[one] + seen.rounding[other])
            rises = slope - rounding > (bend(seen, one, reach) + bend(seen, other, reach)) * reach
            if not rises and not is_settled(seen, one, other, reach, tie):
                return False
    return True


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
def look_alike(seen: Indices, reach: float) -> bool:
    """Whether some of the points hardly differ within reach, so that bounds of each say little about the two."""
    for one in range(seen.high.size):
        for other in range(one):
            change = abs(seen.slope[one] - seen.slope[other]) * reach
            if abs(difference(seen, one, other)) + change < ALIKE * bend(seen, one, reach) * reach * reach:
                return True
    return False


@jit
def least_steepness(seen: Indices, reach: float, tie: float) -> float:
    """The least slope of a difference that may pass plus or minus a tie within reach."""
    least = math.inf
    for one in range(seen.high.size):
        for other in range(one):
            if not is_settled(seen, one, other, reach, tie):
                least = min(least, abs(seen.slope[one] - seen.slope[other]))
    return least


NODES = 20  # of a polynomial
REACH = 0.25  # the half of a cell in which it is taken, at most
ELLIPSE = 2.95  # within the ellipse of parameter ELLIPSE / reach around a cell, the imaginary part is below pi / 2


@jit
def compare_points(
    covariances: Floats, observed: Observed, asked: Asked, value: float, reach: float, points: Integers, tie: float
) -> tuple[Integers, bool, float]:
    """Compare points (k,) within reach by the polynomials through their differences at Chebyshev's nodes.

    Returns which are left without those that tie everywhere with one before them, and whether every difference of those
    passes plus and minus a tie once at most; and how far apart any may be of which one was left out.
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
    all_part, furthest = True, 0.0
    gaps = np.empty(NODES)
    for one in range(size):
        tied, parts = False, True
        for k in range(n_left):
            other = left[k]
            for node in range(NODES):
                gaps[node], _ = add(high[node, one], low[node, one], -high[node, other], -low[node, other])
            centre, spread, rises = bound_polynomial(gaps, off)
            if not tied and abs(centre) + spread <= 0.25 * tie:
                tied, furthest = True, max(furthest, abs(centre) + spread)
            settled = abs(centre - tie) > spread and abs(centre + tie) > spread
            parts = parts and (settled or rises)
        if not tied:
            left[n_left] = one
            n_left += 1
            all_part = all_part and parts
    return left[:n_left].copy(), all_part, furthest


@jit
def polynomial_error(covariances: Floats, observed: Observed, asked: Asked, value: float, reach: float) -> float:
    """How far a polynomial through the differences of two indices may be off, within reach.

    That is 4 B rho^(1 - nodes) / (rho - 1), with B a bound of the differences in the ellipse of parameter rho.
    """
    squares = prior = 0.0
    for j in range(observed.places.size):
        squares += observed.counts[j] * observed.averages[j] * observed.averages[j]
    for k in range(covariances.shape[0]):
        prior = max(prior, covariances[k, k])
    ellipse = ELLIPSE / reach
    least_noise = value * math.exp(-0.5 * reach * (ellipse + 1.0 / ellipse))
    bonus = asked.width * (2.0 * prior if asked.squared else math.sqrt(2.0 * prior))
    most = 2.0 * (math.sqrt(prior * squares / (2.0 * least_noise)) + bonus)
    off: float = 4.0 * most * ellipse ** (1 - NODES) / (ellipse - 1.0)
    return off


@jit
def bound_polynomial(gaps: Floats, off: float) -> tuple[float, float, bool]:
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
