"""Gaussian policies by the book: the posterior of all arms from every single reward, in 50 digits."""

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np

import banditune as bt
from banditune.kernels.gaussian.posterior import normal_coin
from banditune.policies.gaussian.prior import GaussianPrior
from tests.naive.lines import NaiveLines as LateRounds
from tests.naive.ucb import growth, highest

mpmath.mp.dps = 50
TIED = mpmath.mpf(10) ** -30  # relative: what differs by less is equal in arithmetic
CLOSE = 1e-9  # relative: what differs by less may be decided by the grid that indices are rounded to


class NaiveGaussian:
    """A Gaussian policy on a task; with a key, one that samples."""

    def __init__(
        self,
        task: Any,
        horizon: int,
        theta: float,
        *,
        schedule: str,
        prior_mean: Sequence[float] = (),
        prior_cov: Sequence[Sequence[float]] = (),
        noise: float = 0.0,
        prior: GaussianPrior | None = None,
        key: int | None = None,
        updates: bt.Updates | None = None,
    ) -> None:
        self.rows, self.horizon, self.theta = [row.tolist() for row in task.rewards], horizon, mpmath.mpf(theta)
        self.schedule, self.key, self.is_flat = schedule, key, prior is not None
        self.noise = mpmath.mpf(noise if prior is None else prior.noise)
        self.rule = LateRounds(self.rows, horizon, updates=updates)
        self.rule.is_randomised, self.rule.needs_each = key is not None, self.is_flat
        n = len(self.rows)
        self.mean = mpmath.matrix([0] * n if self.is_flat else list(prior_mean))
        self.cov = mpmath.zeros(n) if self.is_flat else mpmath.matrix([list(row) for row in prior_cov])
        sizes = [*map(abs, self.mean), *(mpmath.sqrt(self.cov[i, i]) for i in range(n)), mpmath.sqrt(self.noise)]
        self.scale = max([*sizes, *(abs(reward) for row in self.rows for reward in row)])

    def lines(self, pulled: Sequence[int]) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
        """Intercept and slope of each arm's index after these pulls; of an arm never pulled, where nothing is expected,
        an intercept beyond all others."""
        self.rule.arms = list(pulled)
        n, t, owed = len(self.rows), self.rule.t, self.rule.owed()
        if owed is not None:
            return [(mpmath.mpf(arm == owed), mpmath.mpf(0)) for arm in range(n)]
        known = list(pulled[: self.rule.n_known])
        seen = [self.rows[arm][known[:k].count(arm)] for k, arm in enumerate(known)]
        known_by = self.average if self.is_flat else self.condition
        means, spreads = known_by(known, seen)
        if self.key is not None:
            spreads = self.sample([known.count(arm) for arm in range(n)], t)
        elif not self.rule.is_whole:
            spreads = known_by(pulled, [0.0] * len(pulled))[1]
        rise = growth(self.schedule, self.horizon, t)
        return [(mean, rise * spread) for mean, spread in zip(means, spreads, strict=True)]

    def average(self, pulled: Sequence[int], seen: Sequence[float]) -> tuple[list[mpmath.mpf], list[mpmath.mpf]]:
        own = [
            [mpmath.mpf(reward) for arm, reward in zip(pulled, seen, strict=True) if arm == i]
            for i in range(len(self.rows))
        ]
        return [mpmath.fsum(each) / len(each) for each in own], [mpmath.sqrt(self.noise / len(each)) for each in own]

    def condition(self, pulled: Sequence[int], seen: Sequence[float]) -> tuple[list[mpmath.mpf], list[mpmath.mpf]]:
        """Posterior means and standard deviations given every reward: no sums, no counts."""
        n, k = len(self.rows), len(pulled)
        if k == 0:
            return list(self.mean), [mpmath.sqrt(self.cov[i, i]) for i in range(n)]
        whole, across = mpmath.zeros(k), mpmath.zeros(k, n)
        for a in range(k):
            for b in range(k):
                whole[a, b] = self.cov[pulled[a], pulled[b]] + (self.noise if a == b else 0)
            for i in range(n):
                across[a, i] = self.cov[pulled[a], i]
        inverse = whole**-1
        error = mpmath.matrix([mpmath.mpf(reward) - self.mean[arm] for arm, reward in zip(pulled, seen, strict=True)])
        weights = inverse * error
        means = [self.mean[i] + mpmath.fsum(across[a, i] * weights[a] for a in range(k)) for i in range(n)]
        gained = across.T * inverse * across
        return means, [mpmath.sqrt(max(self.cov[i, i] - gained[i, i], mpmath.mpf(0))) for i in range(n)]

    def sample(self, counts: Sequence[int], t: int) -> list[mpmath.mpf]:
        """How far a sample of the posterior is from its means: Matheron's rule, on the arms' mean rewards."""
        n, key = len(self.rows), np.uint64(self.key or 0)
        errors = [mpmath.mpf(normal_coin(key, t, 2 * i + 1)) for i in range(n)]
        if self.is_flat:
            return [mpmath.sqrt(self.noise / count) * error for count, error in zip(counts, errors, strict=True)]
        coins = mpmath.matrix([mpmath.mpf(normal_coin(key, t, 2 * i)) for i in range(n)])
        drawn = mpmath.cholesky(self.cov) * coins
        known = [i for i in range(n) if counts[i]]
        if not known:
            return list(drawn)
        whole = mpmath.matrix(
            [[self.cov[i, j] + (self.noise / counts[i] if i == j else 0) for j in known] for i in known]
        )
        shown = mpmath.matrix([drawn[i] + mpmath.sqrt(self.noise / counts[i]) * errors[i] for i in known])
        weights = whole**-1 * shown
        return [
            drawn[i] - mpmath.fsum(self.cov[i, j] * w for j, w in zip(known, weights, strict=True)) for i in range(n)
        ]

    def indices(self, pulled: Sequence[int]) -> list[mpmath.mpf]:
        """The index of each arm after these pulls."""
        return [start + self.theta * slope for start, slope in self.lines(pulled)]

    def check_arms(self, arms: Sequence[int]) -> None:
        """Assert that each of these arms has the highest index, but for the grid; of equal ones the lowest is taken."""
        for t, arm in enumerate(arms):
            index = self.indices(arms[:t])
            self.rule.arms = list(arms[:t])
            best, size = (
                highest(index),
                self.scale * (1 + self.theta * growth(self.schedule, self.horizon, self.rule.t)),
            )
            behind = index[best] - index[arm]
            assert arm == best or TIED * size < behind < CLOSE * size, (t, arm, best, float(behind / size))

    def check_recommended(self, pulled: Sequence[int], arm: int) -> None:
        """Assert that the arm has the highest posterior mean, but for the grid; of equal ones the lowest is taken."""
        means = [start for start, _ in self.lines(pulled)]
        best = highest(means)
        assert arm == best or TIED * self.scale < means[best] - means[arm] < CLOSE * self.scale, (arm, best)

    def has_crossing(self) -> bool:
        """Whether arms whose indices rise differently tie for the highest in some round."""
        arms: list[int] = []
        for _ in range(self.horizon):
            lines, index = self.lines(arms), self.indices(arms)
            best = highest(index)
            close = [k for k, each in enumerate(index) if index[best] - each <= CLOSE * self.scale]
            if any(abs(lines[k][1] - lines[best][1]) > TIED * self.scale for k in close):
                return True
            arms.append(best)
        return False
