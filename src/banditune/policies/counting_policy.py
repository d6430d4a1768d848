"""What policies have in common that go by the pulls of each arm and the sum of its rewards."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.kernels.lines.feedback import IMMEDIATE, Feedback, find_owed_arm
from banditune.kernels.lines.run import record
from banditune.kernels.numerics.double_double import add
from banditune.policies.base import Policy
from banditune.policies.updates import UPDATES, Updates
from banditune.tasks.arrays import MOST_PULLS, check_reward
from banditune.validation import LONGEST_GAME, format_value, whole_number

BatchT = TypeVar("BatchT")
MOST_ARMS = 10**7


class CountingPolicy(Policy[BatchT]):
    """A policy that knows its arms by number: how often each was pulled, what it gave, and what is still to come."""

    recommends: ClassVar[bool] = True

    def __init__(self, n_arms: int, updates: Updates | None) -> None:
        self.n_arms = whole_number("n_arms", n_arms, least=1, most=MOST_ARMS)
        self.updates: Updates | None = UPDATES.value(updates)
        if self.updates is not None:
            self.updates.check_arms(self.n_arms)
        self.counts = np.zeros(self.n_arms, np.int64)
        self.pending = np.zeros(self.n_arms, np.int64)
        self._sums = np.zeros((self.n_arms, 2))

    @classmethod
    def uses_horizon(cls, settings: Mapping[str, Any]) -> bool:
        """Tell whether it is told the horizon: always, or where a schedule counts the rounds that remain."""
        return cls.needs_horizon or settings.get("schedule") == "remaining"

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean reward of each arm so far, without a prior; nan for an arm without a reward."""
        return np.where(self.counts > 0, self._sums[:, 0] / np.maximum(self.counts, 1), np.nan)

    def update(self, arm: Any, reward: float) -> None:
        """Learn from the reward of a pull.

        Parameters
        ----------
        arm : int or name
            The arm that was pulled. If pulls of it are pending, one of them is settled.
        reward : float
            Its reward.
        """
        number = self._find(arm)
        self._learn(number, check_reward("reward", reward))
        self.pending[number] = max(0, self.pending[number] - 1)

    def _learn(self, arm: int, reward: float) -> None:
        record(self.counts, self._sums, arm, reward)

    def expect(self, arm: Any) -> None:
        """Count a pull whose reward is still to come, so that the next choice knows of it.

        Parameters
        ----------
        arm : int or name
            The arm that was pulled.
        """
        self.pending[self._find(arm)] += 1

    def forget(self, arm: Any) -> None:
        """Give up a pending pull, whose reward will not come.

        Parameters
        ----------
        arm : int or name
            The arm that was pulled.
        """
        number = self._find(arm)
        if self.pending[number] == 0:
            raise ParameterError(f"arm {format_value(arm)} has no pending pull to forget")
        self.pending[number] -= 1

    def add_totals(self, arm: Any, pulls: int, total: float, squares: float | None = None) -> None:
        """Learn from many pulls of an arm at once: see `OnlinePolicy.add_totals`."""
        self._learn_totals(self._find(arm), whole_number("pulls", pulls, least=0, most=MOST_PULLS), total, squares)

    def _learn_totals(self, arm: int, pulls: int, total: float, squares: float | None) -> None:
        value = check_reward("the sum of rewards", total)
        if int(self.counts.sum()) + pulls > MOST_PULLS:
            came = f"{self.counts.sum()} and {pulls} more"
            raise ParameterError(f"all pulls together must be at most {MOST_PULLS}, got {came}")
        if pulls == 0 and value != 0.0:
            raise ParameterError(f"the sum of the rewards of 0 pulls must be 0, got {value!r}")
        self.counts[arm] += pulls
        self._sums[arm] = add(self._sums[arm, 0], self._sums[arm, 1], value, 0.0)

    def _find(self, arm: Any) -> int:
        number = whole_number("arm", arm, least=0)
        if number >= self.n_arms:
            raise ParameterError(f"arm must be less than n_arms ({self.n_arms}), got {number}")
        return number

    @property
    def next_round(self) -> int:
        """The number of the next round: pending pulls are rounds that were."""
        return int(self.counts.sum() + self.pending.sum()) + 1

    def owes_arm(self) -> bool:
        """Tell whether the next round goes to an arm that is owed it, whatever the policy would choose."""
        late, counts = self._late or IMMEDIATE, (self.counts + self.pending)[np.newaxis]
        return find_owed_arm(late, counts, self.counts[np.newaxis], 0, True, self.next_round) >= 0

    @property
    def _late(self) -> Feedback | None:
        """When rewards become known, as kernels take it; None if at once."""
        found = None if self.updates is None else self.updates.to_feedback(is_randomised=self.is_randomised)
        if found is None and self.pending.any():
            return IMMEDIATE._replace(counts_pending=int(not self.is_randomised))
        return found

    def _state_of_updates(self) -> dict[str, Any]:
        """Return what is saved of pending pulls, if there are any."""
        return {"pending": self.pending.tolist()} if self.pending.any() else {}

    def _restore_pending(self, state: Mapping[str, Any]) -> None:
        """Take pending pulls from what was saved, if there were any."""
        if "pending" not in state:
            return
        pending = state["pending"]
        if not isinstance(pending, list) or len(pending) != self.n_arms:
            raise ParameterError(f"pending must be a whole number for each of {self.n_arms} arms")
        self.pending[:] = [whole_number("pending", each, least=0, most=LONGEST_GAME) for each in pending]
