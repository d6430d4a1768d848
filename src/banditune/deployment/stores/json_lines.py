"""A store in one file of JSON lines: the first says what the deployment is, each other one holds an event."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from banditune.deployment.events import FORMAT, Event, write_text
from banditune.deployment.stores.base import Journal, Store
from banditune.deployment.stores.memory import MemoryJournal
from banditune.errors import FileError
from banditune.io.files import open_descriptor
from banditune.io.json_text import parse_json
from banditune.validation import format_value

POLL = 0.001  # seconds between two attempts to have the file


class LinesJournal(MemoryJournal):
    """What was read of the file so far; what is appended goes there first."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path, self.end, self.lines, self.written = path, 0, 0, b""

    def begin(self, head: str) -> None:
        """Write the first line, which has the head as it is."""
        self.written += head.encode("ascii") + b"\n"
        super().begin(head)

    def append(self, after: int, events: Sequence[Event]) -> None:
        """Add events, each as a line."""
        self.written += b"".join(write_text(event.to_json()).encode("ascii") + b"\n" for event in events)
        super().append(after, events)

    def read_new(self, handle: int) -> int:
        """Read what others have written; return where the last whole line ends: one that was cut short is none."""
        size = os.fstat(handle).st_size
        if size < self.end:
            raise FileError(f"{self.path} is shorter than it was: deployments are only ever added to")
        os.lseek(handle, self.end, os.SEEK_SET)
        parts = []
        while part := os.read(handle, 2**20):
            parts.append(part)
        text = b"".join(parts)
        whole = text[: text.rfind(b"\n") + 1]
        for line in whole.split(b"\n")[:-1]:
            self.lines += 1
            where = f"{self.path}, line {self.lines}"
            if self.head is None:
                self.head = self._check_head(line)
            else:
                super().append(0, [Event.from_json(parse_json(line.decode("ascii", "replace"), where), where)])
        self.end += len(whole)
        return self.end

    def _check_head(self, line: bytes) -> str:
        if not line.startswith(b'{"format":"banditune.deployment/'):
            found = format_value(line[:60])
            raise FileError(f'{self.path} is not a deployment: it must begin with "format": "{FORMAT}", got {found}')
        return line.decode("ascii", "replace")


class JsonLinesStore(Store):
    """One deployment in a file of JSON lines, which processes on one machine may share.

    Every line is on the disk before a call returns. A process that starts reads the whole file: for more than some
    hundred thousand decisions `SqliteStore` is the better place.

    Parameters
    ----------
    path : path
        The file; it is made if it is not there.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lock = threading.RLock()
        self._known: LinesJournal | None = None

    @contextmanager
    def transact(self, name: str, *, writes: bool = True) -> Iterator[Journal]:
        """Begin a transaction: the file is locked, and what was written is appended in one piece."""
        from filelock import lock_descriptor

        with self._lock:
            handle = open_descriptor(self.path, os.O_RDWR | os.O_CREAT, to="open")
            try:
                lock_descriptor(handle, poll_interval=POLL)
                journal = self._known or LinesJournal(self.path)
                self._known = None  # until all is well: else it is read again
                end = journal.read_new(handle)
                yield journal
                if journal.written:
                    os.ftruncate(handle, end)  # a line that was cut short when its process ended
                    os.lseek(handle, end, os.SEEK_SET)
                    left = memoryview(journal.written)
                    while left:
                        left = left[os.write(handle, left) :]
                    os.fsync(handle)
                    journal.end, journal.lines = (
                        end + len(journal.written),
                        journal.lines + journal.written.count(b"\n"),
                    )
                    journal.written = b""
                self._known = journal
            except OSError as error:
                raise FileError(f"cannot write {self.path}: {error.strerror or error}") from None
            finally:
                os.close(handle)

    def describe(self) -> str:
        """Return where it is."""
        return self.path
