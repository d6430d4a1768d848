"""Problems with contexts: the mean reward is linear in them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.rng import generator
from banditune.tasks.contextual import ContextualTask
from banditune.validation import LONGEST_GAME, finite_number, whole_number


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
