"""One transaction of a deployment: what is known when it begins, and what happens in it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from banditune.deployment.definition import Definition
from banditune.deployment.events import REWARD, Arm, Event, format_id
from banditune.deployment.learner import Learner
from banditune.deployment.stores.base import Journal
from banditune.errors import ParameterError
from banditune.validation import format_count

SNAPSHOT_EVERY = 1_000  # events: what a process that starts has to read at most


class Known(NamedTuple):
    """What is known of a decision."""

    arm: Arm
    context: list[float] | None
    reward: float | None
    is_pending: bool


class Transaction:
    """What a process knows, brought up to date, and events that are stored together at the end.

    What it knew before is its `learner`; without one, it begins with the last snapshot, or with nothing.
    """

    def __init__(
        self,
        definition: Definition,
        journal: Journal,
        clock: Callable[[], float],
        where: str,
        learner: Learner | None = None,
    ) -> None:
        if learner is None:
            learner, snapshot = Learner(definition), journal.read_snapshot()
            if snapshot is not None:
                learner.load(snapshot[1], snapshot[0], where)
        for event in journal.read(learner.sequence):  # what others have stored meanwhile
            learner.apply(event, where)
        self.journal, self.learner, self.where = journal, learner, where
        self._clock, self._new, self._before = clock, list[Event](), learner.sequence

    def record(self, event: Event) -> Event:
        """Let an event happen now; one that cannot be is an error, and nothing of the transaction is stored."""
        event = event._replace(at=self._clock())
        self.learner.check_event(event)
        self._new.append(event)
        return event

    def store(self) -> None:
        """Store what happened, and now and then a snapshot."""
        if self._new:
            self.journal.append(self._before, self._new)
            if self._before // SNAPSHOT_EVERY != self.learner.sequence // SNAPSHOT_EVERY:
                self.journal.write_snapshot(self.learner.sequence, self.learner.to_json())

    def look_up(self, number: int, key: str) -> Known:
        """Return what is known of a decision; one that was never made is an error."""
        waiting = self.learner.pending.get(number)
        if waiting is not None:
            return Known(waiting.arm, waiting.context, None, True)
        events = [*self.journal.find(number), *(event for event in self._new if event.decision == number)]
        if not events:
            made = format_count(self.learner.decisions, "decision")
            raise ParameterError(f"{self.where} has no decision {format_id(key, number)!r}: it has made {made} so far")
        first: Any = events[0]
        reward = next((event.reward for event in events if event.kind == REWARD), None)
        return Known(first.arm, (first.details or {}).get("context"), reward, False)
