"""What a deployment asks of the place where it is kept: events in one order, and transactions."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from banditune.deployment.events import Event


class Journal(ABC):
    """A deployment in a store, for as long as a transaction lasts: nobody else writes to it meanwhile."""

    @abstractmethod
    def read_head(self) -> str | None:
        """Return what the deployment is, as JSON text; None if there is none of this name."""

    @abstractmethod
    def begin(self, head: str) -> None:
        """Make the deployment."""

    @abstractmethod
    def append(self, after: int, events: Sequence[Event]) -> None:
        """Add events; `after` is the sequence number of the last one so far."""

    @abstractmethod
    def read(self, after: int) -> Iterator[Event]:
        """Return the events whose sequence number is above `after`, in their order."""

    @abstractmethod
    def find(self, decision: int) -> list[Event]:
        """Return the events of one decision, in their order."""

    def read_snapshot(self) -> tuple[int, str] | None:
        """Return the last snapshot, and the sequence number after which it was made; None if there is none."""
        return None

    def write_snapshot(self, sequence: int, text: str) -> None:  # noqa: B027  # a store with its events at hand
        """Replace the snapshot; a store may do without."""


class Store(ABC):
    """Where deployments are kept. Threads may share one; each process makes its own from the same address."""

    @abstractmethod
    def transact(self, name: str, *, writes: bool = True) -> AbstractContextManager[Journal]:
        """Begin a transaction on the deployment of that name.

        When the block ends, all that was written is there, and stays; if it ends with an exception, or the process with
        it, none of it is. Transactions that write wait for each other.
        """

    @abstractmethod
    def describe(self) -> str:
        """Return where it is, for messages."""

    def close(self) -> None:  # noqa: B027  # many have nothing to let go
        """Let go of files and connections; the next transaction opens them again."""
