"""UCB and LinUCB from their definitions, in fractions: slow, plain, and independent of all other code."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

Row = Sequence[Fraction]


def play_ucb(
    rewards: Sequence[Sequence[float]], horizon: int, alpha: float, priors: Sequence[float] | None, weight: float
) -> list[int]:
    """The arms that UCB pulls; without priors each is pulled once first. Of arms that tie, the first is taken.

    >>> play_ucb([[0.0, 1.0, 0.0], [0.5, 0.5, 0.5]], 4, 0.0, None, 1.0)
    [0, 1, 1, 1]
    """
    n = len(rewards)
    held = Fraction(0) if priors is None else Fraction(weight)
    totals = [Fraction(0)] * n if priors is None else [held * Fraction(prior) for prior in priors]
    counts = [held] * n
    pulled, arms = [0] * n, []
    for t in range(1, horizon + 1):
        if priors is None and t <= n:
            arm = t - 1
        else:
            arm = 0
            for other in range(1, n):
                if _is_higher(totals[other], counts[other], totals[arm], counts[arm], alpha, t):
                    arm = other
        totals[arm] += Fraction(rewards[arm][pulled[arm]])
        counts[arm] += 1
        pulled[arm] += 1
        arms.append(arm)
    return arms


def _is_higher(
    total: Fraction, count: Fraction, best_total: Fraction, best_count: Fraction, alpha: float, t: int
) -> bool:
    """Whether total / count + sqrt(alpha log t / count) exceeds that of the best arm so far.

    The logarithm of a whole number above 1 is transcendental, so that the two are equal only if means and counts are,
    or nothing is added to the means; else they differ, and enough digits will show it.
    """
    ahead = total / count - best_total / best_count
    if alpha == 0 or t == 1 or count == best_count:
        return ahead > 0
    digits = 40
    while True:
        with localcontext() as context:
            context.prec = digits
            grown = Decimal(alpha) * Decimal(t).ln()
            bonuses = [(grown * each.denominator / each.numerator).sqrt() for each in (count, best_count)]
            mean = Decimal(ahead.numerator) / Decimal(ahead.denominator)
            gap = mean + bonuses[0] - bonuses[1]
            if abs(gap) > (abs(mean) + bonuses[0] + bonuses[1]) * Decimal(10) ** (5 - digits):
                return gap > 0
        digits *= 2


def play_linucb(
    contexts: Sequence[Sequence[Row]], rewards: Sequence[Row], alpha: Fraction, ridge: Fraction, *, disjoint: bool
) -> tuple[list[int], list[bool]]:
    """The arms that LinUCB chooses, and in which rounds two indices are equal or within a billionth of each other.

    `contexts` is (T, n, d) and `rewards` (T, n), in nested lists.

    >>> one = Fraction(1)
    >>> play_linucb([[[one], [2 * one]]] * 2, [[one, 0 * one]] * 2, one, one, disjoint=True)
    ([1, 0], [False, False])
    """
    n, d = len(contexts[0]), len(contexts[0][0])
    number = n if disjoint else 1
    moments = [[[ridge * (i == j) for j in range(d)] for i in range(d)] for _ in range(number)]
    sums = [[Fraction(0)] * d for _ in range(number)]
    arms, close = [], []
    for seen, given in zip(contexts, rewards, strict=True):
        parts = []
        for arm, x in enumerate(seen):
            of = arm if disjoint else 0
            solved = _solve(moments[of], [list(x), sums[of]])
            parts.append((_dot(x, solved[1]), alpha**2 * _dot(x, solved[0])))  # the mean, and the bonus squared
        best = 0
        for arm in range(1, n):
            if _compare(parts[arm], parts[best]) > 0:
                best = arm
        size = max(abs(mean) + _root(square) for mean, square in parts)
        indices = [mean + _root(square) for mean, square in parts]
        close.append(any(abs(indices[best] - each) <= size * 1e-9 for k, each in enumerate(indices) if k != best))
        of, x = (best if disjoint else 0), seen[best]
        for i in range(d):
            sums[of][i] += given[best] * x[i]
            for j in range(d):
                moments[of][i][j] += x[i] * x[j]
        arms.append(best)
    return arms, close


def _compare(one: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction]) -> int:
    """The sign of (a + sqrt(p)) - (b + sqrt(q)), without rounding."""
    (a, p), (b, q) = one, other
    if a < b:
        return -_compare(other, one)
    ahead = a - b  # at least 0; the question is whether ahead + sqrt(p) exceeds sqrt(q): square both sides
    rest = q - p - ahead**2  # against 2 ahead sqrt(p)
    if rest < 0:
        return 1
    return _sign(4 * ahead**2 * p - rest**2)


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def _root(square: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = 40
        return Fraction((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())


def _dot(one: Row, other: Row) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def _solve(matrix: Sequence[Row], columns: list[Row]) -> list[list[Fraction]]:
    """Solve the equations for each column by elimination."""
    d = len(matrix)
    rows = [[*matrix[i], *(column[i] for column in columns)] for i in range(d)]
    for i in range(d):
        rows[i] = [each / rows[i][i] for each in rows[i]]  # positive definite: never 0
        for j in range(d):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [[rows[i][d + k] for i in range(d)] for k in range(len(columns))]
