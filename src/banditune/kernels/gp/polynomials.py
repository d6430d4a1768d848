"""What is known of the differences of indices within a cell, by polynomials through them.

On grids points tie with each other by symmetry, and bounds of each index say little about the difference of two. Where
the noise has a positive real part, so has the variance, and an index is analytic in the noise: a polynomial through the
difference of two indices is very close to it, and known to be.
"""

import math

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.gp.cells import ALWAYS, MOST_PAIRS, NEVER, SOMEWHERE, Verdict, renumber
from banditune.kernels.gp.index import Asked, Values, base_indices, subtract_values, sure_indices
from banditune.kernels.gp.posterior import Evidence, Observed, Prior
from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.arrays import Floats, Integers

Flags = NDArray[np.bool_]
NODES = 20  # of a polynomial
REACH = 0.25  # the half of a cell in which it is taken, at most
ELLIPSE = 2.95  # within the ellipse of parameter ELLIPSE / reach around a cell, the imaginary part is below pi / 2


@jit
def judge_by_polynomials(
    prior: Prior,
    evidence: Evidence,
    asked: Asked,
    value: float,
    reach: float,
    points: Integers,
    tie: float,
    above: float,
) -> Verdict:
    """Tell who matters of points (k,) within reach, by the polynomials through their differences at Chebyshev's nodes.

    One that ties with another before it is left out, if it is nowhere above that by more than so much.
    """
    size = points.size
    base, base_low, _ = base_indices(prior, asked, value, points)  # the same at all nodes
    moved, moved_low, rounding = np.empty((NODES, size)), np.empty((NODES, size)), 0.0
    for node in range(NODES):
        noise = value * math.exp(reach * math.cos(math.pi * (node + 0.5) / NODES))
        seen = sure_indices(prior, evidence, asked, noise, points)
        moved[node], moved_low[node] = seen.values.moved, seen.values.moved_low
        rounding = max(rounding, seen.rounding.max())
    off = polynomial_error(prior, evidence.known, asked, value, reach) + 2.0 * NODES * rounding
    left = np.empty(size, np.int64)
    n_left, apart = 0, 0.0
    centres, spreads, rises = np.zeros((size, size)), np.zeros((size, size)), np.ones((size, size), np.bool_)
    gaps = np.empty(NODES)
    for one in range(size):
        tied = False
        for k in range(n_left):
            other = left[k]
            for node in range(NODES):
                there = Values(base, base_low, moved[node], moved_low[node])
                gaps[node], _ = subtract_values(there, one, other)
            centre, spread, rising = bound_polynomial(gaps, off)
            centres[one, other], centres[other, one] = centre, -centre
            spreads[one, other] = spreads[other, one] = spread
            rises[one, other] = rises[other, one] = rising
            if centre + spread <= above and centre - spread >= -0.25 * tie:
                tied, apart = True, max(apart, centre + spread)
                break
        if not tied:
            left[n_left] = one
            n_left += 1
    return _judge_pairs(left[:n_left], centres, spreads, rises, tie, apart)


@jit
def _judge_pairs(left: Integers, centres: Floats, spreads: Floats, rises: Flags, tie: float, apart: float) -> Verdict:
    """Tell who matters of the points that are left, by bounds of their differences."""
    matters = np.zeros(centres.shape[0], np.bool_)
    pairs = np.empty((MOST_PAIRS, 2), np.int64)
    n_pairs, parted, open_choice = integer(0), True, True
    for one in left:
        highest, within, first = True, ALWAYS, n_pairs
        for other in left:
            if other != one:
                gap, spread = centres[other, one], spreads[other, one] + apart
                highest = highest and not gap - spread > 0.0
                if gap - spread > tie:
                    within = NEVER
                elif within != NEVER and not gap + spread <= tie:
                    within = SOMEWHERE
                    if open_choice and n_pairs < MOST_PAIRS:
                        pairs[n_pairs] = one, other
                        n_pairs += 1
        if within == NEVER or not open_choice:
            n_pairs = first
        matters[one] = highest or (open_choice and within != NEVER)
        open_choice = open_choice and within != ALWAYS
    for p in range(n_pairs):
        parted = parted and rises[pairs[p, 0], pairs[p, 1]]
    parted = parted and n_pairs < MOST_PAIRS
    for p in range(n_pairs):
        matters[pairs[p, 1]] = True
    return Verdict(*renumber(np.flatnonzero(matters), pairs[:n_pairs]), parted, apart)


@jit
def polynomial_error(prior: Prior, observed: Observed, asked: Asked, value: float, reach: float) -> float:
    """Return how far a polynomial through the differences of two indices may be off, within reach.

    That is 4 B rho^(1 - nodes) / (rho - 1), with B a bound of the differences in the ellipse of parameter rho.
    """
    squares = variance = 0.0
    for j in range(observed.places.size):
        squares += observed.counts[j] * observed.averages[j] * observed.averages[j]
    for k in range(prior.means.size):
        variance = max(variance, prior.covariances[k, k])
    ellipse = ELLIPSE / reach
    least_noise = value * math.exp(-0.5 * reach * (ellipse + 1.0 / ellipse))
    bonus = asked.width * (2.0 * variance if asked.squared else math.sqrt(2.0 * variance))
    most = 2.0 * (math.sqrt(variance * squares / (2.0 * least_noise)) + bonus)
    off: float = 4.0 * most * ellipse ** (1 - NODES) / (ellipse - 1.0)
    return off


@jit
def bound_polynomial(gaps: Floats, off: float) -> tuple[float, float, bool]:
    """Return the middle of a function with these values at Chebyshev's nodes, its stray, if it is monotone."""
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
