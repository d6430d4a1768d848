"""Policies with one free parameter by the book: means in exact fractions, bonuses in plain floats.

The random numbers are those of the library, computed here from whole numbers, so that the same arms must come out.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import banditune as bt
from tests.naive.baselines import gamma_number, random_bits, root_of, uniform

CLOSE = Fraction(1, 10**12)  # relative: calls closer than this may be decided by the rounding of a bonus
COINS = 2**40


class NaiveLines:
    """Follows a run: after the first rounds, which pull every arm once, no arm may have a higher index."""

    is_randomised = False
    needs_each = True  # whether every arm has to have a known reward

    def __init__(self, rewards: Sequence[Sequence[float]], horizon: int, key: int = 0, **settings: Any) -> None:
        self.streams, self.horizon, self.settings = rewards, horizon, settings
        self.key, self.n = random_bits(key, COINS), len(rewards)
        self.updates: Any = settings.get("updates") or bt.Updates()
        self.arms: list[int] = []  # of all rounds so far

    @property
    def is_whole(self) -> bool:
        return bool(getattr(self.updates, "whole", False)) and self.updates.size > 1

    @property
    def n_known(self) -> int:
        """How many of the rounds so far have rewards that are known."""
        rounds = len(self.arms)
        if isinstance(self.updates, bt.Batches):
            return rounds - rounds % self.updates.size
        return max(0, rounds - self.updates.rounds) if isinstance(self.updates, bt.Delay) else rounds

    @property
    def t(self) -> int:
        """The round, as growth and coins see it: without coins, or in a batch for one arm, the last of its batch."""
        if isinstance(self.updates, bt.Batches) and (self.is_whole or not self.is_randomised):
            return len(self.arms) - len(self.arms) % self.updates.size + self.updates.size
        return len(self.arms) + 1

    @property
    def seen(self) -> list[list[float]]:
        """The rewards of each arm that are known."""
        known = self.arms[: self.n_known]
        return [list(row[: known.count(arm)]) for arm, row in enumerate(self.streams)]

    def count(self, arm: int) -> int:
        """The pulls of an arm that its bonus goes by."""
        is_pending = not self.is_randomised and not self.is_whole
        return (self.arms if is_pending else self.arms[: self.n_known]).count(arm)

    def owed(self) -> int | None:
        """The arm that goes first whatever its index, if there is one."""
        pulls = [(self.arms[: self.n_known] if self.is_whole else self.arms).count(arm) for arm in range(self.n)]
        short = [
            arm
            for arm in range(self.n)
            if pulls[arm] < self.updates.burn_in or (self.needs_each and not self.seen[arm])
        ]
        if short:
            return min(short, key=lambda arm: (pulls[arm], arm))
        all_pulls = [self.arms.count(arm) for arm in range(self.n)]
        least = all_pulls.index(min(all_pulls))
        return least if all_pulls[least] < self.updates.floor * (len(self.arms) + 1) else None

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
        lines = [(self.mean(arm), self.bonus(arm, self.count(arm))) for arm in range(self.n)]
        index = [mean + Fraction(x) * Fraction(bonus) for mean, bonus in lines]
        size = max(abs(mean) + Fraction(x) * abs(Fraction(bonus)) for mean, bonus in lines)
        near = [arm for arm in range(self.n) if max(index) - index[arm] <= CLOSE * size]
        return [arm for arm in near if lines.index(lines[arm]) == arm]  # of equal ones, the lowest numbered

    def check_arms(self, x: float, arms: Sequence[int]) -> None:
        """Assert that each of the arms may be pulled in its round."""
        assert len(arms) == self.horizon
        for arm in arms:
            owed = self.owed()
            allowed = self.allowed(x) if owed is None else [owed]
            assert arm in allowed, f"round {len(self.arms) + 1}: {allowed}, not {arm}"
            self.arms.append(arm)


class UCB(NaiveLines):
    """The parameter is the root of alpha."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.priors, self.weight = settings.get("prior_means"), settings.get("prior_weight", 1.0)
        self.needs_each = self.priors is None

    def mean(self, arm: int) -> Fraction:
        if self.priors is None:
            return super().mean(arm)
        weight, total = Fraction(self.weight), sum(map(Fraction, self.seen[arm]), Fraction(0))
        return (weight * Fraction(self.priors[arm]) + total) / (weight + len(self.seen[arm]))

    def bonus(self, arm: int, pulls: int) -> float:
        by_schedule = {"constant": math.e, "remaining": (self.horizon + 1) / min(self.t, self.horizon), "log": self.t}
        growth = math.sqrt(math.log(by_schedule[self.settings.get("schedule", "log")]))
        return growth / math.sqrt(pulls if self.priors is None else pulls + self.weight)


class MOSS(NaiveLines):
    def bonus(self, arm: int, pulls: int) -> float:
        return math.sqrt(max(0.0, math.log(self.horizon / (self.n * pulls))) / pulls)


class GaussianThompson(NaiveLines):
    is_randomised = True

    def bonus(self, arm: int, pulls: int) -> float:
        return NormalDist().inv_cdf(self.uniform(arm)) / math.sqrt(pulls)


class BoltzmannGumbel(NaiveLines):
    is_randomised = True

    def bonus(self, arm: int, pulls: int) -> float:
        return -math.log(-math.log(self.uniform(arm))) / math.sqrt(pulls)


class Softmax(NaiveLines):
    is_randomised = True

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
    is_randomised = True

    def bonus(self, arm: int, pulls: int) -> float:
        return 0.0

    def allowed(self, x: float) -> list[int]:
        if self.uniform(0) < x * self.t ** -self.settings["decay"]:
            return [int(self.uniform(1) * self.n)]
        return super().allowed(x)


class ExploreThenCommit(NaiveLines):
    def allowed(self, x: float) -> list[int]:
        """In turn until enough is known; then the best mean, until some arm is ahead of its turn."""
        if self.n_known < self.n * math.floor(x):
            turn = len(self.arms) // self.updates.size if self.is_whole else len(self.arms)
            return [turn % self.n]
        counts, is_late = [self.arms.count(arm) for arm in range(self.n)], self.updates.pending > 1
        in_turn = (
            counts == sorted(counts, reverse=True) and counts[0] - counts[-1] <= 1
            if is_late
            else (len(set(counts)) == 1)
        )
        if not in_turn:
            return [max(range(self.n), key=lambda arm: (counts[arm], arm))]
        means = [self.mean(arm) for arm in range(self.n)]
        return [means.index(max(means))]


class BetaThompson(NaiveLines):
    """Samples as the library draws them; for shapes of at least 1."""

    is_randomised = True
    needs_each = False

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
        keys = [(self.taken(arm), self.count(arm)) for arm in range(self.n)]
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
