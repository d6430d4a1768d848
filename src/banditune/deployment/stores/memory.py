"""A store in memory: for tests, and for one process that saves with `to_json`."""

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from banditune.deployment.events import Event
from banditune.deployment.stores.base import Journal, Store


class MemoryJournal(Journal):
    """A deployment as a list of events."""

    def __init__(self) -> None:
        self.head: str | None = None
        self.events: list[Event] = []
        self.by_decision: dict[int, list[int]] = defaultdict(list)  # the places of its events

    def read_head(self) -> str | None:
        """Return what the deployment is."""
        return self.head

    def begin(self, head: str) -> None:
        """Make the deployment."""
        self.head = head

    def append(self, after: int, events: Sequence[Event]) -> None:
        """Add events."""
        for event in events:
            if event.decision is not None:
                self.by_decision[event.decision].append(len(self.events))
            self.events.append(event)

    def read(self, after: int) -> Iterator[Event]:
        """Return the events after one."""
        return iter(self.events[after:])

    def find(self, decision: int) -> list[Event]:
        """Return the events of a decision."""
        return [self.events[place] for place in self.by_decision.get(decision, ())]


class MemoryStore(Store):
    """Deployments in the memory of this process.

    Examples
    --------
    >>> import banditune as bt
    >>> from banditune.deployment import MemoryStore, deploy
    >>> deployment = deploy(bt.UCB, arms=["a", "b"], alpha=0.1, store=MemoryStore())
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._journals: dict[str, MemoryJournal] = defaultdict(MemoryJournal)

    @contextmanager
    def transact(self, name: str, *, writes: bool = True) -> Iterator[Journal]:
        """Begin a transaction; events are appended at its very end, so that nothing is to be taken back."""
        with self._lock:
            yield self._journals[name]

    def describe(self) -> str:
        """Return where it is."""
        return "this process's memory"
