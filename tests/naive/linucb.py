"""LinUCB by the book: the normal equations are solved afresh in each round. Algorithm 4 of the paper.

Means go by the rewards that are known, spreads by the contexts of all choices, whether their rewards are known or not.
In floats; and for features of any size in fractions, with square roots to 200 digits.
"""

from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

import banditune as bt
from tests.naive.baselines import random_bits, uniform
from tests.naive.lines import COINS
from tests.naive.lines import NaiveLines as LateRounds

ROOTS = mpmath.mp.clone()
ROOTS.dps = 200

Array = NDArray[np.float64]


class NaiveLinUCB:
    """What was chosen and what it gave, and nothing else; by default every reward is known before the next round."""

    is_randomised = False

    def __init__(
        self, n_arms: int, alpha: float, *, ridge: float, disjoint: bool, updates: bt.Updates | None = None
    ) -> None:
        self.alpha, self.ridge, self.disjoint = alpha, ridge, disjoint
        self.rounds = LateRounds([[]] * n_arms, 0, updates=updates)
        self.rounds.is_randomised, self.rounds.needs_each = self.is_randomised, False
        self.pulls: list[tuple[Array, float]] = []  # the contexts of chosen arms, and their rewards

    def seen(self, arm: int) -> tuple[list[tuple[Array, float]], list[Array]]:
        """What is known for an arm, and the contexts that spreads go by: those of pending choices, too."""
        rounds = self.rounds
        own = [t for t, chosen in enumerate(rounds.arms) if not self.disjoint or chosen == arm]
        known = [self.pulls[t] for t in own if t < rounds.n_known]
        counts_pending = not self.is_randomised and not rounds.is_whole
        return known, [self.pulls[t][0] for t in own] if counts_pending else [x for x, _ in known]

    def moments(self, contexts: Sequence[Array], dim: int) -> Array:
        return self.ridge * np.eye(dim) + sum((np.outer(x, x) for x in contexts), np.zeros((dim, dim)))

    def mean(self, known: Sequence[tuple[Array, float]], x: Array) -> float:
        sums = sum((reward * y for y, reward in known), np.zeros(x.size))
        return float(x @ np.linalg.solve(self.moments([y for y, _ in known], x.size), sums))

    def indices(self, contexts: Array) -> list[float]:
        """The index of every arm, given its context (n, d)."""
        found = []
        for arm, x in enumerate(contexts):
            known, counted = self.seen(arm)
            spread = np.sqrt(x @ np.linalg.solve(self.moments(counted, x.size), x))
            found.append(self.mean(known, x) + self.alpha * float(spread))
        return found

    def choose(self, contexts: Array) -> int:
        """The arm that is owed a round, or else has the highest index."""
        owed = self.rounds.owed()
        return int(np.argmax(self.indices(contexts))) if owed is None else owed

    def learn(self, arm: int, x: Array, reward: float) -> None:
        """Remember what an arm gave."""
        self.rounds.arms.append(arm)
        self.pulls.append((x, reward))

    def check_arm(self, arm: int, contexts: Array, close: float) -> None:
        """Assert that an arm may be chosen: it is owed the round, or no index is higher, but for rounding."""
        owed, indices = self.rounds.owed(), self.indices(contexts)
        assert arm == owed if owed is not None else max(indices) - indices[arm] <= close * max(map(abs, indices))


class NaiveLinTS(NaiveLinUCB):
    """The same with samples of the weights; random numbers as the library has them."""

    is_randomised = True

    def __init__(self, n_arms: int, scale: float, *, key: int, **settings: Any) -> None:
        super().__init__(n_arms, scale, **settings)
        self.key = random_bits(key, COINS)

    def indices(self, contexts: Array) -> list[float]:
        found = []
        for arm, x in enumerate(contexts):
            known, counted = self.seen(arm)
            own = random_bits(random_bits(self.key, self.rounds.t - 1), arm if self.disjoint else 0)
            coins = np.array([NormalDist().inv_cdf(uniform(own, k)) for k in range(x.size)])
            deviation = np.linalg.solve(np.linalg.cholesky(self.moments(counted, x.size)).T, coins)
            found.append(self.mean(known, x) + self.alpha * float(x @ deviation))
        return found


def naive_arms(contexts: Array, rewards: Array, alpha: float, **settings: Any) -> list[int]:
    """The arms LinUCB chooses, given contexts (T, n, d) and the rewards (T, n) that each arm would give."""
    policy = NaiveLinUCB(contexts.shape[1], alpha, **settings)
    arms = []
    for seen, received in zip(contexts, rewards, strict=True):
        arms.append(policy.choose(seen))
        policy.learn(arms[-1], seen[arms[-1]], received[arms[-1]])
    return arms


def naive_replay(
    contexts: Array, logged: NDArray[np.int64], rewards: Array, alpha: float, **settings: Any
) -> tuple[list[int], float]:
    """The events that match in a log of contexts (T, n, d), choices and rewards (T,); and how close the calls were."""
    policy = NaiveLinUCB(contexts.shape[1], alpha, **settings)
    matched, closest = [], np.inf
    for t, (seen, arm, reward) in enumerate(zip(contexts, logged, rewards, strict=True)):
        if policy.rounds.owed() is None:
            indices = np.array(policy.indices(seen))
            others = np.delete(indices, arm)
            closest = min(closest, float(np.abs(indices[arm] - others).min() / np.abs(indices).max(initial=1e-300)))
        if policy.choose(seen) == arm:
            matched.append(t)
            policy.learn(arm, seen[arm], reward)
    return matched, closest


class ExactLinUCB(NaiveLinUCB):
    """The same without rounding."""

    def parts(self, contexts: Array) -> list[tuple[Any, Any]]:
        """The two parts of every arm's index, weights . x and sqrt(x' K^-1 x), given its context (n, d)."""
        found = []
        for arm, floats in enumerate(contexts):
            known, counted = self.seen(arm)
            x, dims = _to_fractions(floats), range(len(floats))
            seen = [(_to_fractions(y), Fraction(float(reward))) for y, reward in known]
            wide = _solve(self.exact_moments([_to_fractions(y) for y in counted], dims), x)
            solved = _solve(self.exact_moments([y for y, _ in seen], dims), x)
            square = sum((x[i] * wide[i] for i in dims), Fraction(0))
            mean = sum((reward * y[i] * solved[i] for y, reward in seen for i in dims), Fraction(0))
            found.append((_to_digits(mean), ROOTS.sqrt(_to_digits(square))))
        return found

    def exact_moments(self, contexts: Sequence[Sequence[Fraction]], dims: range) -> list[list[Fraction]]:
        return [[sum((y[i] * y[j] for y in contexts), Fraction(self.ridge) * (i == j)) for j in dims] for i in dims]

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


def _to_fractions(floats: Array) -> list[Fraction]:
    return [Fraction(float(number)) for number in floats]


def _to_digits(number: Fraction) -> Any:
    return ROOTS.mpf(number.numerator) / number.denominator


def worst_shortfall(contexts: Array, rewards: Array, arms: Sequence[int], alpha: float, **settings: Any) -> float:
    """By how much a chosen arm's exact index is lower than another's at worst, given all of contexts (T, n, d).

    A round that is owed to an arm has to be that arm's.
    """
    policy = ExactLinUCB(contexts.shape[1], alpha, **settings)
    worst = 0.0
    for seen, received, arm in zip(contexts, rewards, arms, strict=True):
        owed = policy.rounds.owed()
        assert owed in (None, arm)
        worst = max(worst, policy.shortfalls(seen)[arm] if owed is None else 0.0)
        policy.learn(arm, seen[arm], received[arm])
    return worst
