"""One bandit problem: arms whose rewards are drawn when they are needed, and never have to be held."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
        """The arms as a run takes them."""
        random = generator(self.seed, "rewards", self.number, repetition)
        keys = random.integers(0, 2**64, self.n_arms, np.uint64)
        known = [arm.rewards if isinstance(arm, Recorded) else np.empty(0) for arm in self.arms]
        return Source(
            np.array([arm.kind for arm in self.arms]),
            np.array([arm.numbers for arm in self.arms], np.float64),
            keys,
            np.concatenate(known),
            np.cumsum([0, *(rewards.size for rewards in known)]),
        )

    def task(self, horizon: int, repetition: int = 0) -> Task:
        """The first `horizon` rewards of each arm, as a task."""
        horizon = whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
        rewards = np.empty((self.n_arms, horizon))
        draw_rewards(*self.source(repetition), rewards)
        bounded = all(isinstance(arm, Bernoulli | Beta) for arm in self.arms)  # others' limits may differ by task
        limits = ZERO_ONE if bounded else None
        return Task(rewards, means=self.means, points=self.points, name=self.name, limits=limits)
