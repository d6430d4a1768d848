"""Bounds that hold for all values of a parameter at once, by how well curves can follow random signs.

They speak of losses laid out from 0 to 1. `docs/guarantees.md` proves each of them.
"""

import math

import numpy as np

from banditune.guarantees.concentration import reach
from banditune.guarantees.learned import Learned
from banditune.randomness import generator

SIGN_DRAWS = 200  # of random signs, in the Monte Carlo estimate of the Rademacher complexity


def paper(learned: Learned, delta: float) -> float:
    """Theorem 6.2 with its constant: 4 sqrt((log(N / delta) + log Q) / N) above the mean.

    Q is the realised number of pieces of a task on average.
    """
    n_pieces = int(learned.curves.n_pieces.sum())  # N Q
    return learned.mean + 4.0 * math.sqrt((math.log(n_pieces) + math.log(1.0 / delta)) / learned.n_tasks)


def massart(learned: Learned, delta: float) -> float:
    """By Massart's lemma: with m cells on which no curve changes, the Rademacher complexity is sqrt(log m / 2N)."""
    complexity = math.sqrt(math.log(learned.curves.n_cells) / (2.0 * learned.n_tasks))
    return learned.mean + 2.0 * complexity + 3.0 * reach(learned.n_tasks, delta / 2.0)


def rademacher(learned: Learned, delta: float) -> float:
    """By the empirical Rademacher complexity itself: the mean of largest signed sums over many draws of signs."""
    n = learned.n_tasks
    signs = generator(learned.seed, "certificate", "signs").choice(np.array([-1.0, 1.0]), (SIGN_DRAWS, n))
    middle = 0.5 * (learned.limits.low + learned.limits.high)
    largest = learned.curves.signed_maxima(signs, middle) / (learned.limits.width * n)
    complexity = float(largest.mean()) + reach(n * SIGN_DRAWS, delta / 3.0)
    return learned.mean + 2.0 * complexity + 3.0 * reach(n, delta / 3.0)
