"""Rademacher complexities by chaining: covers at every scale, and no logarithm of the number of tasks.

The arguments are written out in docs/theory/proofs.md.
"""

import math
from collections.abc import Callable

RATIOS = tuple(k / 100.0 for k in range(2, 70, 2))  # of a scale to the one before, among which the best is taken
LEAST_SCALE = 1e-12  # below it the rest of the sum is smaller than a float

LogCover = Callable[[float], float]  # the log of how many balls of a radius in the mean square cover all losses


def chain(log_cover: LogCover) -> float:
    """Return C such that the Rademacher complexity of losses from 0 to 1 on N tasks is at most C / sqrt(N).

    With scales e_k = r^k / 2, C is the sum over k = 1, 2, ... of e_(k-1) sqrt(2 log cover(e_k)), for the best r.

    >>> round(chain(lambda radius: math.log(7.0)), 4), round(math.sqrt(2 * math.log(7.0)) / 2, 4)
    (1.0065, 0.9864)
    """
    return min(_sum_scales(log_cover, ratio) for ratio in RATIOS)


def _sum_scales(log_cover: LogCover, ratio: float) -> float:
    total, scale = 0.0, 0.5
    while scale > LEAST_SCALE:
        finer = scale * ratio
        total += scale * math.sqrt(2.0 * log_cover(finer))
        scale = finer
    return total


def chain_pieces(complexity: float) -> float:
    """Return the constant for step functions of one parameter with Q pieces on average: 1 + (Q - 1) / e^2 balls.

    >>> round(chain_pieces(30), 3)
    2.454
    """
    if complexity <= 1:
        return 0.0
    changes = math.log(complexity - 1)
    return chain(lambda radius: _log_one_more(changes - 2.0 * math.log(radius)))


def chain_dimension(dimension: int) -> float:
    """Return the constant for a class of pseudo-dimension d: e (d + 1) (2 e / e_k^2)^d balls, by Haussler's theorem.

    >>> round(chain_dimension(3), 3)
    4.063
    """
    if dimension == 0:
        return 0.0
    least = 1.0 + math.log(dimension + 1)
    return chain(lambda radius: least + dimension * (math.log(2.0 * math.e) - 2.0 * math.log(radius)))


def _log_one_more(log: float) -> float:
    """Return the log of 1 + e^log."""
    return max(log, 0.0) + math.log1p(math.exp(-abs(log)))
