"""A real world for tests: arms that give their rewards one by one, and a record of who was asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import banditune as bt


@dataclass
class World:
    """`pull` gives the next reward of an arm; after `fails_after` calls it raises `error` instead."""

    streams: Sequence[Sequence[float]]
    given: list[int] = field(default_factory=list)  # how many rewards of each arm were given before
    fails_after: int | None = None
    error: type[BaseException] = ConnectionError
    asked: list[int] = field(default_factory=list)  # the arms pulled, in order

    def pull(self, arm: int) -> float:
        if len(self.asked) == self.fails_after:
            raise self.error("the world is out of reach")
        before = self.given[arm] if self.given else 0
        reward = self.streams[arm][before + self.asked.count(arm)]
        self.asked.append(arm)
        return reward


def rows_of(task: bt.Task) -> list[list[float]]:
    """The rewards of a task as lists."""
    return [row.tolist() for row in task.rewards]
