"""The baselines by the book: lists, plain sums and bisection. Rewards are in [0, 1].

Each is a class with `select` and `update`. The random numbers are those of the library, computed here from whole
numbers, so that the same arms must come out.
"""

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

WORD = 2**64


def mixed(bits: int) -> int:
    """The finaliser of SplitMix64."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % WORD
    return bits ^ (bits >> 31)


def random_bits(key: int, count: int) -> int:
    """Number `count` of a stream."""
    return mixed((mixed((key + count * 0x9E3779B97F4A7C15) % WORD) + key) % WORD)


def uniform(key: int, count: int) -> float:
    """The same between 0 and 1."""
    return ((random_bits(key, count) >> 12) + 0.5) / 2**52


def root_of(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function passes 0, by bisection."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) < 0.0 else (low, middle)
    return 0.5 * (low + high)


def drawn(chances: Sequence[float], u: float) -> int:
    """The place that u falls on."""
    reached = 0.0
    for place, chance in enumerate(chances):
        reached += chance
        if u < reached:
            return place
    return len(chances) - 1


class Naive:
    """Remembers every reward of every arm."""

    def __init__(self, n_arms: int, key: int, **settings: float) -> None:
        self.key, self.settings, self.t = key, settings, 0
        self.rewards: list[list[float]] = [[] for _ in range(n_arms)]

    def mean(self, arm: int) -> float:
        return math.fsum(self.rewards[arm]) / len(self.rewards[arm])

    def variance(self, arm: int) -> float:
        return math.fsum((reward - self.mean(arm)) ** 2 for reward in self.rewards[arm]) / len(self.rewards[arm])

    def index(self, arm: int) -> float:
        raise NotImplementedError

    def select(self) -> int:
        for arm, rewards in enumerate(self.rewards):
            if not rewards:
                return arm
        values = [self.index(arm) for arm in range(len(self.rewards))]
        return values.index(max(values))

    def update(self, arm: int, reward: float) -> None:
        self.rewards[arm].append(reward)
        self.t += 1


class UCB(Naive):
    def index(self, arm: int) -> float:
        return self.mean(arm) + math.sqrt(self.settings["alpha"] * math.log(self.t + 1) / len(self.rewards[arm]))


def gamma_number(shape: float, key: int, count: int) -> tuple[float, int]:
    """A gamma distributed number for a shape of at least 1 (Marsaglia and Tsang, 2000), and the next unused count."""
    d = shape - 1 / 3
    while True:
        x = NormalDist().inv_cdf(uniform(key, count))
        u, count = uniform(key, count + 1), count + 2
        v = (1 + x / math.sqrt(9 * d)) ** 3
        if v > 0 and math.log(u) < x * x / 2 + d - d * v + d * math.log(v):
            return d * v, count


class Exp3(Naive):
    def __init__(self, n_arms: int, key: int, **settings: float) -> None:
        super().__init__(n_arms, key, **settings)
        self.weights = [1.0] * n_arms

    def chances(self) -> list[float]:
        gamma, n = self.settings["gamma"], len(self.weights)
        return [(1 - gamma) * weight / sum(self.weights) + gamma / n for weight in self.weights]

    def select(self) -> int:
        return drawn(self.chances(), uniform(self.key, self.t))

    def update(self, arm: int, reward: float) -> None:
        chance, gamma = self.chances()[arm], self.settings["gamma"]
        self.weights[arm] *= math.exp(gamma / len(self.weights) * reward / chance)
        super().update(arm, reward)


def tsallis(losses: Sequence[float], rates: Sequence[float]) -> list[float]:
    """w = 4 / (rate (L - x))^2 with sum 1, by bisection."""
    pairs = list(zip(losses, rates, strict=True))

    def excess(x: float) -> float:
        return sum(4 / (rate * (loss - x)) ** 2 for loss, rate in pairs) - 1

    high = min(loss - 1e-12 for loss, _ in pairs)
    x = root_of(excess, min(losses) - 2 * len(losses) / min(rates), high)
    return [4 / (rate * (loss - x)) ** 2 for loss, rate in pairs]


class TsallisInf(Naive):
    def __init__(self, n_arms: int, key: int, **settings: float) -> None:
        super().__init__(n_arms, key, **settings)
        self.losses = [0.0] * n_arms

    def chances(self) -> list[float]:
        return tsallis(self.losses, [2 / math.sqrt(self.t + 1)] * len(self.losses))

    def select(self) -> int:
        return drawn(self.chances(), uniform(self.key, self.t))

    def update(self, arm: int, reward: float) -> None:
        self.losses[arm] += (1 - reward) / self.chances()[arm]
        super().update(arm, reward)


class Syndicated(UCB):
    def __init__(self, n_arms: int, key: int, alphas: Sequence[float], gamma: float) -> None:
        super().__init__(n_arms, key)
        self.alphas, self.tuner = alphas, Exp3(len(alphas), key, gamma=gamma)

    def select(self) -> int:
        self.settings["alpha"] = self.alphas[self.tuner.select()]
        return super().select()

    def update(self, arm: int, reward: float) -> None:
        self.tuner.update(self.tuner.select(), reward)
        super().update(arm, reward)


class Cdt(UCB):
    def __init__(self, n_arms: int, key: int, horizon: int, high: float, epoch: int, warm_up: int) -> None:
        super().__init__(n_arms, key)
        self.log_horizon, self.high, self.epoch, self.warm_up = math.log(horizon), high, epoch, warm_up
        self.points: list[tuple[float, list[float]]] = []
        self.chosen = 0

    def covered_to(self) -> float | None:
        """The middle of the first gap between the points' balls, None if there is none."""
        reach = [math.sqrt(6.5 * self.log_horizon / len(seen)) for _, seen in self.points]
        balls = sorted((x - r, x + r) for (x, _), r in zip(self.points, reach, strict=True))
        reached = 0.0
        for low, high in balls:
            if low > reached:
                return (reached + low) / 2
            reached = max(reached, high)
        return None if reached >= 1 else (reached + 1) / 2

    def select(self) -> int:
        since = self.t - self.warm_up
        if since < 0:
            return int(uniform(self.key, self.t) * len(self.rewards))
        key = random_bits(self.key, self.t)
        if since % self.epoch == 0 and (not self.points or self.points[0][1]):
            self.points = []
        if all(seen for _, seen in self.points):
            new = self.covered_to() if self.points else 0.3 + 0.4 * uniform(key, 0)
            if new is not None:
                self.points.append((new, []))
                self.chosen = len(self.points) - 1
            else:
                values = []
                for row, (_, seen) in enumerate(self.points):
                    luck = max(NormalDist().inv_cdf(uniform(key, row + 1)), 1 / math.sqrt(2 * math.pi))
                    values.append(math.fsum(seen) / len(seen) + math.sqrt(13 / len(seen)) * luck)
                self.chosen = values.index(max(values))
        self.settings["alpha"] = (math.sqrt(self.high) * self.points[self.chosen][0]) ** 2
        return super().select()

    def update(self, arm: int, reward: float) -> None:
        if self.t >= self.warm_up:
            self.points[self.chosen][1].append(reward)
        super().update(arm, reward)
