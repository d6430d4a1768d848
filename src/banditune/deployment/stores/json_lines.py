"""A store in one file of JSON lines: the first says what the deployment is, each other one holds an event."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from banditune.deployment.events import FORMAT, Event, write_text
from banditune.deployment.stores.base import Journal, Store
from banditune.deployment.stores.memory import MemoryJournal
from banditune.errors import FileError, StoreError
from banditune.io.files import open_descriptor
from banditune.io.json_text import parse_json
from banditune.validation import format_value

POLL = 0.001  # seconds between two attempts to have the file


class LinesJournal(MemoryJournal):
    """What was read of the file so far; what is appended goes there first."""

    def __init__(self, path: str, name: str) -> None:
        super().__init__()
        self.path, self.name, self.end, self.lines, self.written = path, name, 0, 0, b""

    def begin(self, head: str) -> None:
        """Write the first line, which has the head as it is."""
        self.written += head.encode("ascii") + b"\n"
        super().begin(head)

    def append(self, after: int, events: Sequence[Event]) -> None:
        """Add events, each as a line."""
        self.written += b"".join(write_text(event).encode("ascii") + b"\n" for event in events)
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
        text = line.decode("ascii", "replace")
        name = parse_json(text, f"{self.path}, line 1").get("name")
        if name != self.name:
            raise FileError(f'{self.path} holds the deployment "{name}", got "{self.name}": a file holds one')
        return text


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
                is_known = self._known is not None and self._known.name == name
                journal = self._known if is_known and self._known else LinesJournal(self.path, name)
                self._known = None  # until all is well: else it is read again
                end = journal.read_new(handle)
                yield journal
                self._write(handle, journal, end)
                self._known = journal
            finally:
                os.close(handle)

    def _write(self, handle: int, journal: LinesJournal, end: int) -> None:
        """Append what a transaction wrote, over a line that was cut short when its process ended."""
        if not journal.written:
            return
        try:
            os.ftruncate(handle, end)
            os.lseek(handle, end, os.SEEK_SET)
            left = memoryview(journal.written)
            while left:
                left = left[os.write(handle, left) :]
            os.fsync(handle)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(handle, end)  # it is not to count, as its caller is told that it does not
            raise StoreError(f"cannot write {self.path} now: {error.strerror or error}") from None
        journal.end, journal.lines = end + len(journal.written), journal.lines + journal.written.count(b"\n")
        journal.written = b""

    def describe(self) -> str:
        """Return where it is."""
        return self.path
