"""LinUCB by the book: the normal equations are solved afresh in each round. Algorithm 4 of the paper.

In floats; and for features of any size in fractions, with square roots to 200 digits.
"""

from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from tests.naive.baselines import random_bits, uniform
from tests.naive.lines import COINS

ROOTS = mpmath.mp.clone()
ROOTS.dps = 200

Array = NDArray[np.float64]


class NaiveLinUCB:
    """What was seen of each regression, and nothing else."""

    def __init__(self, n_arms: int, alpha: float, *, ridge: float, disjoint: bool) -> None:
        self.alpha, self.ridge, self.disjoint = alpha, ridge, disjoint
        self.seen: list[list[tuple[Array, float]]] = [[] for _ in range(n_arms if disjoint else 1)]

    def indices(self, contexts: Array) -> list[float]:
        """The index of every arm, given its context (n, d)."""
        found = []
        for arm, x in enumerate(contexts):
            known = self.seen[arm if self.disjoint else 0]
            moments = self.ridge * np.eye(x.size) + sum((np.outer(y, y) for y, _ in known), np.zeros((x.size, x.size)))
            sums = sum((reward * y for y, reward in known), np.zeros(x.size))
            mean = x @ np.linalg.solve(moments, sums)
            found.append(float(mean + self.alpha * np.sqrt(x @ np.linalg.solve(moments, x))))
        return found

    def learn(self, arm: int, x: Array, reward: float) -> None:
        """Remember what an arm gave."""
        self.seen[arm if self.disjoint else 0].append((x, reward))


class NaiveLinTS(NaiveLinUCB):
    """The same with samples of the weights; random numbers as the library has them."""

    def __init__(self, n_arms: int, scale: float, *, key: int, ridge: float, disjoint: bool) -> None:
        super().__init__(n_arms, scale, ridge=ridge, disjoint=disjoint)
        self.key, self.rounds = random_bits(key, COINS), 0

    def indices(self, contexts: Array) -> list[float]:
        found = []
        for arm, x in enumerate(contexts):
            which = arm if self.disjoint else 0
            known = self.seen[which]
            moments = self.ridge * np.eye(x.size) + sum((np.outer(y, y) for y, _ in known), np.zeros((x.size, x.size)))
            sums = sum((reward * y for y, reward in known), np.zeros(x.size))
            own = random_bits(random_bits(self.key, self.rounds), which)
            coins = np.array([NormalDist().inv_cdf(uniform(own, k)) for k in range(x.size)])
            deviation = np.linalg.solve(np.linalg.cholesky(moments).T, coins)
            found.append(float(x @ np.linalg.solve(moments, sums) + self.alpha * (x @ deviation)))
        return found

    def learn(self, arm: int, x: Array, reward: float) -> None:
        super().learn(arm, x, reward)
        self.rounds += 1


def naive_arms(contexts: Array, rewards: Array, alpha: float, *, ridge: float, disjoint: bool) -> list[int]:
    """The arms LinUCB chooses, given contexts (T, n, d) and the rewards (T, n) that each arm would give."""
    policy = NaiveLinUCB(contexts.shape[1], alpha, ridge=ridge, disjoint=disjoint)
    arms = []
    for seen, received in zip(contexts, rewards, strict=True):
        arms.append(int(np.argmax(policy.indices(seen))))
        policy.learn(arms[-1], seen[arms[-1]], received[arms[-1]])
    return arms


def naive_replay(
    contexts: Array, logged: NDArray[np.int64], rewards: Array, alpha: float, *, ridge: float, disjoint: bool
) -> tuple[list[int], float]:
    """The events that match in a log of contexts (T, n, d), choices and rewards (T,); and how close the calls were."""
    policy = NaiveLinUCB(contexts.shape[1], alpha, ridge=ridge, disjoint=disjoint)
    matched, closest = [], np.inf
    for t, (seen, arm, reward) in enumerate(zip(contexts, logged, rewards, strict=True)):
        indices = np.array(policy.indices(seen))
        others = np.delete(indices, arm)
        closest = min(closest, float(np.abs(indices[arm] - others).min() / np.abs(indices).max(initial=1e-300)))
        if int(np.argmax(indices)) == arm:
            matched.append(t)
            policy.learn(arm, seen[arm], reward)
    return matched, closest


class ExactLinUCB(NaiveLinUCB):
    """The same without rounding."""

    def parts(self, contexts: Array) -> list[tuple[Any, Any]]:
        """The two parts of every arm's index, weights . x and sqrt(x' K^-1 x), given its context (n, d)."""
        found = []
        for arm, floats in enumerate(contexts):
            x = [Fraction(float(number)) for number in floats]
            known = self.seen[arm if self.disjoint else 0]
            seen = [([Fraction(float(number)) for number in y], Fraction(float(reward))) for y, reward in known]
            dims = range(len(x))
            ridge = Fraction(self.ridge)
            moments = [[sum((y[i] * y[j] for y, _ in seen), ridge * (i == j)) for j in dims] for i in dims]
            solved = _solve(moments, x)
            square = sum((x[i] * solved[i] for i in dims), Fraction(0))
            mean = sum((reward * y[i] * solved[i] for y, reward in seen for i in dims), Fraction(0))
            found.append((_to_digits(mean), ROOTS.sqrt(_to_digits(square))))
        return found

    def shortfalls(self, contexts: Array) -> list[float]:
        """By how much every arm's index is lower than another's, relative to the sizes of their parts: the worst."""
        parts = self.parts(contexts)
        worst = []
        for mean, spread in parts:
            short = [0.0]
            for other, other_spread in parts:
                gap = (other - mean) + self.alpha * (other_spread - spread)
                size = abs(other) + abs(mean) + self.alpha * (other_spread + spread)
                short.append(float(gap / size) if gap > 0 else 0.0)
            worst.append(max(short))
        return worst


def _solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """The solution of a linear system with a positive definite matrix."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k, pivot in enumerate(rows):
        for i, row in enumerate(rows):
            if i != k and row[k] != 0:
                factor = row[k] / pivot[k]
                rows[i] = [one - factor * other for one, other in zip(row, pivot, strict=True)]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def _to_digits(number: Fraction) -> Any:
    return ROOTS.mpf(number.numerator) / number.denominator


def worst_shortfall(
    contexts: Array, rewards: Array, arms: Sequence[int], alpha: float, *, ridge: float, disjoint: bool
) -> float:
    """By how much a chosen arm's exact index is lower than another's at worst, given all of contexts (T, n, d)."""
    policy = ExactLinUCB(contexts.shape[1], alpha, ridge=ridge, disjoint=disjoint)
    worst = 0.0
    for seen, received, arm in zip(contexts, rewards, arms, strict=True):
        worst = max(worst, policy.shortfalls(seen)[arm])
        policy.learn(arm, seen[arm], received[arm])
    return worst
