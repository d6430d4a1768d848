"""Bounds on the expected loss of a value that was learned: by sample compression, and uniformly over all values."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval
from banditune.evaluation.concentration import bound_expectation_above, reach, scale_losses
from banditune.rng import generator


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What was learned: the curves of the tasks, and the value chosen inside the best piece of their mean."""

    curves: CurveSet
    piece: Interval  # the best piece of the mean
    value: float  # its middle: it depends on the ends of the piece and on nothing else
    limits: Interval  # between which all losses lie
    seed: int

    @property
    def n_tasks(self) -> int:
        """How many tasks were learned from."""
        return len(self.curves)

    @property
    def losses(self) -> NDArray[np.float64]:
        """What each task loses with the value, laid out from 0 to 1: (tasks,)."""
        return scale_losses(self.curves.at(self.value), self.limits)

    @property
    def mean(self) -> float:
        """The mean of the losses."""
        return float(self.losses.mean())


NEXT = 0.1  # what a name weighs whose piece ends at the end after the next one, against one that ends at the next


class Name(NamedTuple):
    """The tasks that say where a piece begins and ends, and the share of delta that this name has."""

    begins: int
    ends: int
    weight: float


def bound_by_compression(learned: Learned, delta: float) -> float:
    """Bound the expected loss of the learned value from above, with probability at least 1 - delta."""
    name = name_of(learned)
    others = np.ones(learned.n_tasks, bool)
    others[[name.begins, name.ends]] = False
    return bound_expectation_above(learned.losses[others], delta * name.weight)


def name_of(learned: Learned) -> Name:
    """Return the weightiest name of the best piece.

    A name is a task and the number of one of its B pieces (ours begins where that does), then the same or another task
    and a number c (ours ends where the c-th of that one's pieces does that end to the right of there). It weighs
    (1 - NEXT) NEXT^(c - 1) / (N^2 B), which for all names together is 1 or less.
    """
    curves, piece, n = learned.curves, learned.piece, learned.n_tasks
    curve_of = np.repeat(np.arange(n), curves.n_pieces)
    beginning = np.unique(curve_of[curves.left == piece.low])
    first = int(beginning[np.argmin(curves.n_pieces[beginning])])
    ends = np.append(curves.left[1:], curves.high)
    ends[curves.starts[1:] - 1] = curves.high
    ending = np.unique(curve_of[ends == piece.high])
    passed = np.bincount(curve_of[(ends > piece.low) & (ends <= piece.high)], minlength=n)[ending]
    last, c = int(ending[np.argmin(passed)]), int(passed.min())
    return Name(first, last, (1.0 - NEXT) * NEXT ** (c - 1) / (n * n * int(curves.n_pieces[first])))


SIGN_DRAWS = 200  # of random signs, in the Monte Carlo estimate of the Rademacher complexity


def bound_by_paper(learned: Learned, delta: float) -> float:
    """Theorem 6.2 with its constant: 4 sqrt((log(N / delta) + log Q) / N) above the mean.

    Q is the realised number of pieces of a task on average.
    """
    n_pieces = int(learned.curves.n_pieces.sum())  # N Q
    return learned.mean + 4.0 * math.sqrt((math.log(n_pieces) + math.log(1.0 / delta)) / learned.n_tasks)


def bound_by_massart(learned: Learned, delta: float) -> float:
    """Bound it by Massart's lemma: with m cells without a change, the Rademacher complexity is sqrt(log m / 2N)."""
    complexity = math.sqrt(math.log(learned.curves.n_cells) / (2.0 * learned.n_tasks))
    return learned.mean + 2.0 * complexity + 3.0 * reach(learned.n_tasks, delta / 2.0)


def bound_by_rademacher(learned: Learned, delta: float) -> float:
    """Bound it by the empirical Rademacher complexity: the mean of the largest signed sums over many draws of signs."""
    n = learned.n_tasks
    signs = generator(learned.seed, "certificate", "signs").choice(np.array([-1.0, 1.0]), (SIGN_DRAWS, n))
    middle = 0.5 * (learned.limits.low + learned.limits.high)
    largest = learned.curves.find_signed_maxima(signs, middle) / (learned.limits.width * n)
    complexity = float(largest.mean()) + reach(n * SIGN_DRAWS, delta / 3.0)
    return learned.mean + 2.0 * complexity + 3.0 * reach(n, delta / 3.0)


BOUNDS: dict[str, Callable[[Learned, float], float]] = {  # of the expected loss, laid out from 0 to 1, at a risk
    "compression": bound_by_compression,
    "rademacher": bound_by_rademacher,
    "massart": bound_by_massart,
    "paper": bound_by_paper,
}
