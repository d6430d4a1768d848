"""A deployment the slow and obvious way: all that happened in a list, and everything worked out from it anew."""

from collections.abc import Callable, Sequence
from typing import Any


class NaiveDeployment:
    """Decisions and rewards by number; the policy is made anew for every choice."""

    def __init__(self, make: Callable[[Sequence[Any]], Any], arms: Sequence[Any]) -> None:
        self.make, self.arms = make, list(arms)
        self.chosen: dict[int, Any] = {}
        self.rewards: dict[int, float] = {}
        self.dropped: set[int] = set()
        self.learned: list[tuple[Any, float]] = []  # what the policy goes by, in order

    @property
    def pending(self) -> list[int]:
        return [number for number in self.chosen if number not in self.rewards and number not in self.dropped]

    def choose(self) -> Any:
        policy = self.make(self.arms)
        for arm, reward in self.learned:
            policy.update(self.arms.index(arm), reward)
        for number in self.pending:
            if self.chosen[number] in self.arms:
                policy.expect(self.arms.index(self.chosen[number]))
        arm = self.arms[policy.select()]
        self.chosen[len(self.chosen) + 1] = arm
        return arm

    def reward(self, number: int, reward: float) -> bool:
        if number in self.rewards:
            return False
        self.rewards[number] = reward
        if self.chosen[number] in self.arms:
            self.learned.append((self.chosen[number], reward))
        return True

    def drop(self, number: int) -> bool:
        was_pending = number in self.pending
        self.dropped |= {number} if was_pending else set()
        return was_pending

    def add(self, arm: Any) -> None:
        self.arms.append(arm)

    def remove(self, arm: Any) -> None:
        self.arms.remove(arm)
        self.learned = [(each, reward) for each, reward in self.learned if each != arm]

    def tally(self) -> dict[Any, tuple[int, float]]:
        found: dict[Any, tuple[int, float]] = {}
        for number, reward in self.rewards.items():
            pulls, total = found.get(self.chosen[number], (0, 0.0))
            found[self.chosen[number]] = pulls + 1, total + reward
        return found
