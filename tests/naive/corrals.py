"""The corrals by the book: the text of the papers, with bisection."""

import math
from collections.abc import Sequence
from typing import Any

from tests.naive.baselines import drawn, root_of, tsallis, uniform


class NaiveCorral:
    """What both have in common; `importance` as in the papers, else only the base that is followed learns."""

    def __init__(self, bases: Sequence[Any], horizon: int, key: int, *, importance: bool) -> None:
        self.bases, self.horizon, self.key, self.importance = list(bases), horizon, key, importance
        self.t = 0
        self.chances = [1 / len(self.bases)] * len(self.bases)

    def followed(self) -> int:
        return drawn(self.chances, uniform(self.key, self.t))

    def select(self) -> int:
        return int(self.bases[self.followed()].select())

    def update(self, arm: int, reward: float) -> None:
        followed = self.followed()
        for k, base in enumerate(self.bases):
            if self.importance:
                base.update(base.select(), reward / self.chances[k] if k == followed else 0.0)
            elif k == followed:
                base.update(arm, reward)
        self.t += 1
        self.step(followed, 1 - reward)

    def step(self, followed: int, loss: float) -> None:
        raise NotImplementedError


class Corral(NaiveCorral):
    """Agarwal et al. (2017), Algorithms 1 and 2."""

    def __init__(self, bases: Sequence[Any], horizon: int, key: int, *, importance: bool) -> None:
        super().__init__(bases, horizon, key, importance=importance)
        m = len(self.bases)
        self.p = [1 / m] * m
        self.eta, self.rho = [math.sqrt(m / horizon)] * m, [2.0 * m] * m

    def step(self, followed: int, loss: float) -> None:
        m = len(self.bases)
        losses = [loss / self.chances[k] if k == followed else 0.0 for k in range(m)]

        def updated(x: float) -> list[float]:
            return [1 / (1 / p + e * (each - x)) for p, e, each in zip(self.p, self.eta, losses, strict=True)]

        poles = [each + 1 / (e * p) for p, e, each in zip(self.p, self.eta, losses, strict=True)]
        high = min(max(losses), min(poles) * (1 - 1e-12))
        self.p = updated(root_of(lambda x: sum(updated(x)) - 1, 0.0, high))
        gamma = 1 / self.horizon
        self.chances = [(1 - gamma) * p + gamma / m for p in self.p]
        for k, chance in enumerate(self.chances):
            if 1 / chance > self.rho[k]:
                self.rho[k] = 2 / chance
                self.eta[k] *= math.exp(1 / math.log(self.horizon))


class StochasticCorral(NaiveCorral):
    """Arora, Marinov and Mohri (2021); x is found again after each shift."""

    def __init__(self, bases: Sequence[Any], horizon: int, key: int, *, importance: bool) -> None:
        super().__init__(bases, horizon, key, importance=importance)
        m = len(self.bases)
        self.losses, self.factors, self.limits = [0.0] * m, [1.0] * m, [5.0 * m] * m
        self.weights = [1 / m] * m

    def step(self, followed: int, loss: float) -> None:
        self.losses[followed] += loss / self.weights[followed]
        m, t, beta = len(self.bases), self.t + 1, math.exp(math.log(self.horizon) ** -2)
        self.weights = tsallis(self.losses, [factor / math.sqrt(t) for factor in self.factors])
        for k in range(m):
            if 1 / self.weights[k] > self.limits[k]:
                rate = self.factors[k] / math.sqrt(t)
                x = self.losses[k] - 2 / (rate * math.sqrt(self.weights[k]))
                self.losses = [each - x for each in self.losses]
                self.losses[k] /= beta
                self.factors[k] *= beta
                self.limits[k] *= 2
        self.chances = [(1 - 1 / t) * weight + 1 / (t * m) for weight in self.weights]
