"""What is known of indices within a cell, by what was computed in its middle: who may win, who wins, who parts once."""

import math

import numpy as np

from banditune.kernels.gp.index import Indices, difference
from banditune.kernels.gp.posterior import Integers
from banditune.kernels.jit import integer, jit

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
