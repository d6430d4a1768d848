"""Policies with one free parameter by the book: means in exact fractions, bonuses in plain floats.

The random numbers are those of the library, computed here from whole numbers, so that the same arms must come out.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from tests.naive.baselines import gamma_number, random_bits, root_of, uniform

CLOSE = Fraction(1, 10**12)  # relative: calls closer than this may be decided by the rounding of a bonus
COINS = 2**40


class NaiveLines:
    """Follows a run: after the first rounds, which pull every arm once, no arm may have a higher index."""

    def __init__(self, rewards: Sequence[Sequence[float]], horizon: int, key: int = 0, **settings: Any) -> None:
        self.streams, self.horizon, self.settings = rewards, horizon, settings
        self.key, self.n = random_bits(key, COINS), len(rewards)
        self.seen: list[list[float]] = [[] for _ in rewards]
        self.t = 1

    def bonus(self, arm: int, pulls: int) -> float:
        """What the parameter multiplies."""
        raise NotImplementedError

    def uniform(self, number: int) -> float:
        """A random number of the present round."""
        return uniform(random_bits(self.key, self.t), number)

    def mean(self, arm: int) -> Fraction:
        return sum(map(Fraction, self.seen[arm]), Fraction(0)) / len(self.seen[arm])

    def variance(self, arm: int) -> float:
        mean = self.mean(arm)
        return float(sum((Fraction(each) - mean) ** 2 for each in self.seen[arm]) / len(self.seen[arm]))

    def allowed(self, x: float) -> list[int]:
        """The arms that may be pulled with the parameter x: one, unless it is a close call."""
        if self.t <= self.n:
            return [self.t - 1]
        lines = [(self.mean(arm), self.bonus(arm, len(self.seen[arm]))) for arm in range(self.n)]
        index = [mean + Fraction(x) * Fraction(bonus) for mean, bonus in lines]
        size = max(abs(mean) + Fraction(x) * abs(Fraction(bonus)) for mean, bonus in lines)
        near = [arm for arm in range(self.n) if max(index) - index[arm] <= CLOSE * size]
        return [arm for arm in near if lines.index(lines[arm]) == arm]  # of equal ones, the lowest numbered

    def check_arms(self, x: float, arms: Sequence[int]) -> None:
        """Assert that each of the arms may be pulled in its round."""
        assert len(arms) == self.horizon
        for arm in arms:
            allowed = self.allowed(x)
            assert arm in allowed, f"round {self.t}: {allowed}, not {arm}"
            self.seen[arm].append(self.streams[arm][len(self.seen[arm])])
            self.t += 1


class MOSS(NaiveLines):
    def bonus(self, arm: int, pulls: int) -> float:
        return math.sqrt(max(0.0, math.log(self.horizon / (self.n * pulls))) / pulls)


class GaussianThompson(NaiveLines):
    def bonus(self, arm: int, pulls: int) -> float:
        return NormalDist().inv_cdf(self.uniform(arm)) / math.sqrt(pulls)


class BoltzmannGumbel(NaiveLines):
    def bonus(self, arm: int, pulls: int) -> float:
        return -math.log(-math.log(self.uniform(arm))) / math.sqrt(pulls)


class Softmax(NaiveLines):
    def bonus(self, arm: int, pulls: int) -> float:
        temperature = 1.0 if self.settings["schedule"] == "constant" else 1.0 / math.sqrt(self.t)
        return -math.log(-math.log(self.uniform(arm))) * temperature


class UCBTuned(NaiveLines):
    def bonus(self, arm: int, pulls: int) -> float:
        effort, square = math.log(self.t) / pulls, self.settings["reward_range"] ** 2
        return math.sqrt(effort * min(0.25 * square, self.variance(arm) + square * math.sqrt(2 * effort)))


class UCBV(NaiveLines):
    def bonus(self, arm: int, pulls: int) -> float:
        effort = self.settings["zeta"] * math.log(self.t) / pulls
        return float(math.sqrt(2 * self.variance(arm) * effort) + 3 * self.settings["reward_range"] * effort)


class EpsilonGreedy(NaiveLines):
    def bonus(self, arm: int, pulls: int) -> float:
        return 0.0

    def allowed(self, x: float) -> list[int]:
        if self.t > self.n and self.uniform(0) < x * self.t ** -self.settings["decay"]:
            return [int(self.uniform(1) * self.n)]
        return super().allowed(x)


class ExploreThenCommit(EpsilonGreedy):
    def allowed(self, x: float) -> list[int]:
        if self.t <= self.n * math.floor(x):
            return [(self.t - 1) % self.n]
        sums = [sum(map(Fraction, rewards[: math.floor(x)])) for rewards in self.streams]
        return [sums.index(max(sums))]


class BetaThompson(NaiveLines):
    """Samples as the library draws them; for shapes of at least 1."""

    def allowed(self, x: float) -> list[int]:
        (low, high), (a, b) = self.settings["bounds"], self.settings["prior"]
        index = []
        for arm, seen in enumerate(self.seen):
            successes = min(max((float(sum(map(Fraction, seen))) - low * len(seen)) / (high - low), 0.0), len(seen))
            key = random_bits(random_bits(self.key, self.t), arm)
            one, count = gamma_number(a + successes, key, 0)
            other, _ = gamma_number(b + len(seen) - successes, key, count)
            mean = (a + successes) / (a + b + len(seen))
            index.append(mean + x * (one / (one + other) - mean))
        return [arm for arm in range(self.n) if max(index) - index[arm] <= 1e-9 * (1.0 + x)]


class KLUCB(NaiveLines):
    """The index of each arm by bisection, on a scale that does not end."""

    def taken(self, arm: int) -> Fraction:
        low, high = map(Fraction, self.settings["bounds"])
        mean = (self.mean(arm) - low) / (high - low)
        least, most = (0, 1) if self.settings["family"] == "bernoulli" else (0, mean)
        return mean if self.settings["family"] == "gaussian" else min(max(mean, Fraction(least)), Fraction(most))

    def index(self, arm: int, level: float) -> float:
        """-log(1 - q) of the index q for Bernoulli, else q itself."""
        mean, family = float(self.taken(arm)), self.settings["family"]
        if family == "bernoulli":
            if mean == 1.0:
                return math.inf
            start = -math.log1p(-mean)
            return root_of(lambda s: divergence(family, mean, -math.expm1(-s), s) - level, start, start + 60.0)
        if family == "exponential" and mean == 0.0:
            return 0.0
        return root_of(lambda q: divergence(family, mean, q, 0.0) - level, mean, mean + 1e3 * (1.0 + mean))

    def allowed(self, x: float) -> list[int]:
        if self.t <= self.n:
            return [self.t - 1]
        keys = [(self.taken(arm), len(self.seen[arm])) for arm in range(self.n)]
        index = [self.index(arm, x * math.log(self.t) / pulls) for arm, (_, pulls) in enumerate(keys)]
        top = max(index)
        near = [arm for arm in range(self.n) if index[arm] == top or top - index[arm] <= 1e-7 * (1e-7 + top)]
        return [arm for arm in near if keys.index(keys[arm]) == arm]  # of equal ones, the lowest numbered


def divergence(family: str, mean: float, q: float, rest: float) -> float:
    """The divergence of a family between two means; for Bernoulli, the rest is -log(1 - q)."""
    if family == "bernoulli":
        below = mean * math.log(mean / q) if mean > 0 else 0.0
        return below + (1 - mean) * (math.log1p(-mean) + rest)
    if family == "gaussian":
        return (q - mean) ** 2 / 2
    if family == "poisson":
        return q - mean + (mean * math.log(mean / q) if mean > 0 else 0.0)
    return mean / q - 1 - math.log(mean / q)
