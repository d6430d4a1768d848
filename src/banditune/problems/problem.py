"""Distributions over tasks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.problems.arms import Arm
from banditune.problems.bandit import Bandit
from banditune.rng import generator
from banditune.tasks.task import Task
from banditune.validation import whole_number


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A distribution over tasks: the arms of each are drawn anew.

    Problem k of a seed is the same whatever the number of problems, and a longer task begins with the shorter one.

    >>> from banditune.problems import bernoulli
    >>> bernoulli(3).sample(2, horizon=100, seed=0)
    [Task(name='3 Bernoulli arms 0', n_arms=3, rewards=300), Task(name='3 Bernoulli arms 1', n_arms=3, rewards=300)]
    """

    name: str
    draw: Callable[[np.random.Generator], Sequence[Arm]]
    points: NDArray[np.float64] | None = None  # (n_arms, d) where the arms sit

    def bandit(self, number: int, seed: int = 0) -> Bandit:
        """Problem number 0, 1, ... of the seed."""
        arms = self.draw(generator(seed, "problem", self.name, number))
        return Bandit(arms, seed, number, points=self.points, name=f"{self.name} {number}")

    def bandits(self, n_tasks: int, seed: int = 0) -> list[Bandit]:
        """Problems whose rewards are drawn when they are needed: for runs of any length."""
        seed = whole_number("seed", seed, least=0)
        return [self.bandit(number, seed) for number in range(whole_number("n_tasks", n_tasks, least=1))]

    def sample(self, n_tasks: int, horizon: int, seed: int = 0) -> list[Task]:
        """Tasks with `horizon` rewards of each arm: those of the `bandits`, pull for pull."""
        return [bandit.task(horizon) for bandit in self.bandits(n_tasks, seed)]
