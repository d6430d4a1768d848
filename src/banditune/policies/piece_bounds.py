"""How many pieces the loss of a task can have at most, whatever its rewards: counted before any task is there."""

import math
from dataclasses import dataclass
from typing import NamedTuple


class TaskSize(NamedTuple):
    """What is known of tasks beforehand."""

    horizon: int
    n_arms: int
    n_values: int | None = None  # rewards are among 0, 1, ..., n_values - 1


@dataclass(frozen=True, slots=True)
class ComplexityBound:
    """A number of pieces that the loss of no task exceeds, and so a bound on Q_D of every distribution.

    Attributes
    ----------
    pieces : int
        At most so many pieces; an exact integer, which may have thousands of digits.
    paper : int
        What the paper's proof counts, with its errata put right.
    theorem : str
        Of the paper.
    """

    pieces: int
    paper: int
    theorem: str

    @property
    def log(self) -> float:
        """The natural logarithm of `pieces`: what sample sizes grow with."""
        return math.log(self.pieces)

    def __repr__(self) -> str:
        return f"ComplexityBound(pieces={_format(self.pieces)}, paper={_format(self.paper)}, theorem={self.theorem!r})"


def _format(number: int) -> str:
    return f"{number:,}" if number < 10**12 else f"about 10^{math.log10(number):.1f}"


def bound_lines(size: TaskSize, *, starts_with_each: bool = True) -> int:
    """Pieces where the index is a line in the parameter and what is known depends on the counts alone (Theorem 7.1).

    Before a round with t pulls made there are as many count vectors as ways to write t as n numbers, each at least 1
    if the first rounds pull every arm; an envelope of n lines has at most n - 1 corners.

    >>> bound_lines(TaskSize(100, 2))
    4852
    """
    n, horizon = size.n_arms, size.horizon
    vectors = math.comb(horizon - 1, n) if starts_with_each else math.comb(horizon + n - 1, n)
    return 1 + (n - 1) * vectors


def bound_categories(size: TaskSize) -> int:
    """Return pieces of UCB(alpha) where rewards are among 0, ..., K - 1 (Theorem 7.2).

    A critical point is given by the round, by two numbers of pulls a < b and by two sums of rewards, which have
    (K - 1) a + 1 and (K - 1) b + 1 values. With two arms a + b = t - 1 in round t; with more, the others have a
    pull each.

    >>> bound_categories(TaskSize(4, 2, 2))
    7
    """
    assert size.n_values is not None
    k, found, below = size.n_values - 1, 1, 0
    for pulls in range(2, size.horizon - size.n_arms + 2):  # a + b, at most
        both = (k * k * (pulls**3 - pulls)) // 6 + (k * pulls + 1) * (pulls - 1)  # all a and b with this sum
        if pulls % 2 == 0:
            both -= (k * pulls // 2 + 1) ** 2  # a = b: parallel lines
        below = both // 2 if size.n_arms == 2 else below + both // 2
        found += below
    return found


def bound_points(size: TaskSize, crossings: int) -> int:
    """Return pieces of GP-UCB over its noise, two of whose indices cross at most crossings * (points seen) times.

    After t rounds there are at most C(n + t - 1, t) count vectors, which the posterior depends on alone.

    >>> bound_points(TaskSize(2, 3), 4)
    37
    """
    n = size.n_arms
    pairs = math.comb(n, 2)
    return 1 + sum(math.comb(n + t - 1, t) * crossings * min(t, n) * pairs for t in range(1, size.horizon))
