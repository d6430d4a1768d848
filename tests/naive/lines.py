"""Policies with one free parameter by the book: means in exact fractions, bonuses in plain floats.

The random numbers are those of the library, computed here from whole numbers, so that the same arms must come out.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from tests.naive.baselines import random_bits, uniform

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
        return math.sqrt(2 * self.variance(arm) * effort) + 3 * self.settings["reward_range"] * effort


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
