"""A bound by sample compression: one or two tasks name the value that was learned, and all others are unseen to it.

Whatever value two tasks name, to the other tasks it is a value like any other. There are many names; each gets a share
of delta, so that the bounds of all values that can be named hold at once, and with them that of the value learned.
"""

from typing import NamedTuple

import numpy as np

from banditune.guarantees.betting import upper_expectation
from banditune.guarantees.learned import Learned

NEXT = 0.1  # what a name weighs whose piece ends at the end after the next one, against one that ends at the next


class Name(NamedTuple):
    """The tasks that say where a piece begins and ends, and the share of delta that this name has."""

    begins: int
    ends: int
    weight: float


def compression(learned: Learned, delta: float) -> float:
    """What the learned value is expected to lose is at most this, but for a chance of at most delta."""
    name = name_of(learned)
    others = np.ones(learned.n_tasks, bool)
    others[[name.begins, name.ends]] = False
    return upper_expectation(learned.losses[others], delta * name.weight)


def name_of(learned: Learned) -> Name:
    """The weightiest name of the best piece.

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
