"""Sweeps whose rewards become known on the way: what collecting asks of a policy."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class LazySweep(Protocol):
    """All games of a range, round by round: a reward is needed only when one of them has asked for it."""

    def advance(self) -> NDArray[np.int64]:
        """Play the next round in all games; return the most pulls of each arm in any of them: (n_arms,)."""

    def checked(self, reward: object, what: str) -> float:
        """A reward that the policy can learn from; another is refused, by the name of `what`."""

    def learn(self, arm: int, reward: float) -> None:
        """Take the next reward of an arm; all that a round asked for has to be known before the next."""
