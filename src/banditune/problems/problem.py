"""Distributions over tasks, and the bandit problems drawn from them: their rewards never have to be held."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.numerics.arrays import read_only
from banditune.kernels.simulator.rewards import Source, draw_rewards
from banditune.problems.arms import Arm, Bernoulli, Beta, Recorded
from banditune.rng import generator
from banditune.tasks.task import ZERO_ONE, Task
from banditune.validation import LONGEST_GAME, whole_number


@dataclass(frozen=True, slots=True, eq=False)
class Bandit:
    """A problem that was drawn: the distributions of its arms, and where its random numbers come from.

    The k-th pull of an arm gives the same reward to whoever pulls it, in this and in every other run; another
    `repetition` gives other rewards.

    >>> from banditune.problems.arms import Bernoulli
    >>> bandit = Bandit([Bernoulli(0.5), Bernoulli(0.7)], seed=0)
    >>> short, long = bandit.task(10), bandit.task(1000)
    >>> bool((long.rewards[1][:10] == short.rewards[1]).all())
    True
    """

    arms: Sequence[Arm]
    seed: int
    number: int = 0  # of the problem, among those drawn with the seed
    points: NDArray[np.float64] | None = None
    name: str | None = None

    @property
    def n_arms(self) -> int:
        """How many arms there are."""
        return len(self.arms)

    @property
    def means(self) -> NDArray[np.float64]:
        """The arms' true means: (n_arms,)."""
        return np.array([arm.mean for arm in self.arms])

    def source(self, repetition: int = 0) -> Source:
        """Return the arms as a run takes them."""
        random = generator(self.seed, "rewards", self.number, repetition)
        keys = random.integers(0, 2**64, self.n_arms, np.uint64)
        known = [arm.rewards if isinstance(arm, Recorded) else np.empty(0) for arm in self.arms]
        return Source(
            np.array([arm.kind for arm in self.arms]),
            np.array([arm.numbers for arm in self.arms], np.float64),
            keys,
            read_only(np.concatenate(known)),
            read_only(np.cumsum([0, *(rewards.size for rewards in known)])),
        )

    def task(self, horizon: int, repetition: int = 0) -> Task:
        """Return the first `horizon` rewards of each arm, as a task."""
        horizon = whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
        rewards = np.empty((self.n_arms, horizon))
        draw_rewards(self.source(repetition), rewards)
        bounded = all(isinstance(arm, Bernoulli | Beta) for arm in self.arms)  # others' limits may differ by task
        limits = ZERO_ONE if bounded else None
        return Task(rewards, means=self.means, points=self.points, name=self.name, limits=limits)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A distribution over tasks: the arms of each are drawn anew.

    Problem k of a seed is the same whatever the number of problems, and a longer task begins with the shorter one.

    >>> from banditune.problems import bernoulli
    >>> bernoulli(3).sample(2, horizon=100, seed=0)
    [Task(name='3 Bernoulli arms 0', n_arms=3, rewards=300), Task(name='3 Bernoulli arms 1', n_arms=3, rewards=300)]
    """

    name: str
    draw: Callable[[np.random.Generator], Sequence[Arm]] = field(repr=False)
    points: NDArray[np.float64] | None = field(default=None, repr=False)  # (n_arms, d) where the arms sit

    def bandit(self, number: int, seed: int = 0) -> Bandit:
        """Problem number 0, 1, ... of the seed."""
        arms = self.draw(generator(seed, "problem", self.name, number))
        return Bandit(arms, seed, number, points=self.points, name=f"{self.name} {number}")

    def bandits(self, n_tasks: int, seed: int = 0) -> list[Bandit]:
        """Problems whose rewards are drawn when they are needed: for runs of any length."""
        seed = whole_number("seed", seed, least=0)
        return [self.bandit(number, seed) for number in range(whole_number("n_tasks", n_tasks, least=1))]

    def sample(self, n_tasks: int, horizon: int, seed: int = 0) -> list[Task]:
        """Return tasks with `horizon` rewards of each arm: those of the `bandits`, pull for pull."""
        return [bandit.task(horizon) for bandit in self.bandits(n_tasks, seed)]
