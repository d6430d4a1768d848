"""The losses: what a pull costs under each, how it is called in text, and between which limits it lies.

A loss is added here and in its test.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss: the sum over the rounds of `gaps` (best mean - mean of the arm) - `rewards` (reward)."""

    name: str  # in calls and files
    measure: str  # what is measured, in a whole run
    measure_per_event: str  # the same for a mean event of a log that is replayed
    gaps: float
    rewards: float

    @property
    def is_lost(self) -> bool:
        """Whether what is measured is kept low; else it is earned, and the loss is minus that."""
        return self.gaps > 0.0

    @property
    def sign(self) -> float:
        """Return 1 or -1: what a loss is multiplied by to get what is measured."""
        return 1.0 if self.is_lost else -1.0

    @property
    def fits_logs(self) -> bool:
        """Whether it can be computed where the rewards of the other arms are unknown."""
        return self.gaps == 0.0

    def cost_arms(self, means: Floats, starts: NDArray[np.int64]) -> Floats:
        """Return what a pull of each arm costs besides its reward, the arms of task k from starts[k] on. (arms,)"""
        best = np.repeat(np.maximum.reduceat(means, starts[:-1]), np.diff(starts))
        return self.gaps * (best - means)

    def cost_rounds(self, means: Floats, rewards: Floats) -> Floats:
        """Return what each arm costs in each round of a contextual task. (rounds, arms)"""
        earned = self.rewards * rewards
        return -earned if self.fits_logs else self.gaps * (means.max(axis=1, keepdims=True) - means) - earned

    def find_limits(self, rewards: Interval, rounds: int) -> Interval:
        """Return the limits of the loss of so many rounds whose rewards and means keep to limits.

        >>> LOSSES["regret"].find_limits(Interval(0.0, 1.0), 100), LOSSES["reward"].find_limits(Interval(0.0, 1.0), 100)
        (Interval(low=0.0, high=100.0), Interval(low=-100.0, high=0.0))
        """
        low = 0.0 - self.rewards * (rounds * rewards.high)
        return Interval(low, self.gaps * (rounds * rewards.width) - self.rewards * (rounds * rewards.low))


LOSSES = {
    loss.name: loss
    for loss in (
        Loss("regret", "regret", "regret", gaps=1.0, rewards=0.0),
        Loss("reward", "total reward", "reward per event", gaps=0.0, rewards=1.0),
    )
}
