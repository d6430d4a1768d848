"""Problems of any size: arms that are given, or drawn from a distribution; and arms whose means go by contexts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError, TaskError
from banditune.problems.arms import Arm, Bernoulli, Beta, Gaussian, Recorded, Uniform
from banditune.problems.problem import Problem
from banditune.rng import generator
from banditune.tasks.contextual import ContextualTask
from banditune.tasks.task import Task
from banditune.validation import LONGEST_GAME, finite_number, one_of, whole_number

MOST_ARMS = 10**6


def fixed(arms: Sequence[Arm], name: str = "fixed arms") -> Problem:
    """Return the same arms in every task; only the rewards differ.

    >>> fixed([Bernoulli(0.5), Bernoulli(0.7)]).bandit(0).means
    array([0.5, 0.7])
    """
    given = tuple(arms)
    if not given:
        raise ParameterError("arms must hold at least one arm, got none")
    return Problem(name, lambda _: given)


def bernoulli(n_arms: int, rates: Arm = Uniform(0.0, 1.0)) -> Problem:  # noqa: B008
    """Return arms that pay 1 at a rate drawn from a distribution, kept within 0 and 1."""
    n_arms = _check_arms(n_arms)

    def draw(random: np.random.Generator) -> list[Arm]:
        return [Bernoulli(min(max(rates.draw(random), 0.0), 1.0)) for _ in range(n_arms)]

    return Problem(f"{n_arms} Bernoulli arms", draw)


def gaussian(n_arms: int, means: Arm = Gaussian(0.0, 1.0), sd: float = 1.0) -> Problem:  # noqa: B008
    """Return arms with normal rewards around a mean drawn from a distribution."""
    n_arms, sd = _check_arms(n_arms), finite_number("sd", sd, least=0.0)
    return Problem(f"{n_arms} Gaussian arms", lambda random: [Gaussian(means.draw(random), sd) for _ in range(n_arms)])


def beta(n_arms: int, means: Arm = Uniform(0.1, 0.9), weight: float = 10.0) -> Problem:  # noqa: B008
    """Arms with Beta rewards around a mean drawn from a distribution; the larger the weight, the closer to it."""
    n_arms, weight = _check_arms(n_arms), finite_number("weight", weight, least=1.0)

    def draw(random: np.random.Generator) -> list[Arm]:
        drawn = [min(max(means.draw(random), 1e-3), 1.0 - 1e-3) for _ in range(n_arms)]
        return [Beta(weight * mean, weight * (1.0 - mean)) for mean in drawn]

    return Problem(f"{n_arms} Beta arms", draw)


def recorded(tasks: Sequence[Task], beyond: str = "recorded") -> Problem:
    """Return recorded tasks, each drawn as likely as any other; what comes after their rewards is drawn from them.

    `beyond="gaussian"` draws normal rewards with each arm's mean and standard deviation instead, as the paper does
    after the first 20 rewards of a network.
    """
    known, normal = list(tasks), one_of("beyond", beyond, ("recorded", "gaussian")) == "gaussian"
    if not known:
        raise TaskError("tasks must hold at least one task, got none")
    for k, task in enumerate(known):
        if not task.lengths.all():
            label = task.arm_label(int(task.lengths.argmin()))
            raise TaskError(f"tasks[{k}], {label}: at least one reward is needed to draw others from, got none")

    def draw(random: np.random.Generator) -> list[Arm]:
        task = known[int(random.integers(len(known)))]
        return [
            Recorded(row, float(mean), Gaussian(float(row.mean()), float(row.std())) if normal else None)
            for row, mean in zip(task.rewards, task.means, strict=True)
        ]

    return Problem("recorded tasks", draw)


def _check_arms(n_arms: int) -> int:
    return whole_number("n_arms", n_arms, least=1, most=MOST_ARMS)


@dataclass(frozen=True, slots=True)
class LinearContextual:
    """Every round shows a context for each arm; its mean reward is weights . context, plus normal noise.

    Contexts and weights have length 1 and any direction; the weights are drawn for each task. With `shared`, all arms
    see one context and have weights of their own.

    >>> LinearContextual(n_arms=4, dim=3).sample(1, horizon=50, seed=0)
    [ContextualTask(name='linear 0', rounds=50, n_arms=4, dim=3)]
    """

    n_arms: int
    dim: int
    noise: float = 0.1
    shared: bool = False

    def __post_init__(self) -> None:
        whole_number("n_arms", self.n_arms, least=1)
        whole_number("dim", self.dim, least=1)
        finite_number("noise", self.noise, least=0.0)

    def task(self, number: int, horizon: int, seed: int = 0) -> ContextualTask:
        """Task number 0, 1, ... of the seed; a longer one begins with the shorter one."""
        horizon = whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
        weights = _directions(generator(seed, "linear weights", number).normal(size=(self.n_arms, self.dim)))
        drawn = generator(seed, "linear contexts", number).normal(
            size=(horizon, 1 if self.shared else self.n_arms, self.dim)
        )
        contexts = _directions(drawn)
        means = contexts[:, 0] @ weights.T if self.shared else contexts @ weights[0]
        noise = generator(seed, "linear noise", number).normal(0.0, self.noise, means.shape)
        return ContextualTask(contexts, means + noise, means=means, name=f"linear {number}")

    def sample(self, n_tasks: int, horizon: int, seed: int = 0) -> list[ContextualTask]:
        """Return the first so many tasks of the seed."""
        return [self.task(number, horizon, seed) for number in range(whole_number("n_tasks", n_tasks, least=1))]


def _directions(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the vectors at length 1."""
    unit: NDArray[np.float64] = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit
