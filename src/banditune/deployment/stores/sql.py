"""What SQLite and PostgreSQL have in common: two tables, and every value a parameter of its statement."""

import os
import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from banditune.deployment.events import Event, write_text
from banditune.deployment.stores.base import Journal, Store
from banditune.io.json_text import parse_json

PAGE = 1_000  # events that are fetched at once
TABLES = (
    """CREATE TABLE IF NOT EXISTS banditune_deployments (
    name TEXT PRIMARY KEY, head TEXT NOT NULL, snapshot_after BIGINT, snapshot TEXT)""",
    """CREATE TABLE IF NOT EXISTS banditune_events (
    deployment TEXT NOT NULL, sequence BIGINT NOT NULL, kind TEXT NOT NULL, at {real} NOT NULL, decision BIGINT,
    arm TEXT, reward {real}, propensity {real}, details TEXT, PRIMARY KEY (deployment, sequence))""",
    # what makes a reward count once, whatever becomes of those who send it
    """CREATE UNIQUE INDEX IF NOT EXISTS banditune_once ON banditune_events (deployment, decision, kind)""",
)
COLUMNS = "kind, at, decision, arm, reward, propensity, details"


class SqlJournal(Journal):
    """A deployment in the two tables. Names of arms are JSON text there, which has plain characters only."""

    def __init__(self, store: "SqlStore", connection: Any, name: str) -> None:
        self._store, self._connection, self._name = store, connection, write_text(name)

    def _run(self, statement: str, *values: object) -> Any:
        return self._connection.execute(self._store.mark_places(statement), values)

    def read_head(self) -> str | None:
        """Return what the deployment is."""
        row = self._run("SELECT head FROM banditune_deployments WHERE name = ?", self._name).fetchone()
        return None if row is None else str(row[0])

    def begin(self, head: str) -> None:
        """Make the deployment."""
        self._run("INSERT INTO banditune_deployments (name, head) VALUES (?, ?)", self._name, head)

    def append(self, after: int, events: Sequence[Event]) -> None:
        """Add events."""
        statement = f"INSERT INTO banditune_events (deployment, sequence, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        rows = []
        for sequence, event in enumerate(events, start=after + 1):
            arm = None if event.arm is None else write_text(event.arm)
            details = None if event.details is None else write_text(event.details)
            numbers = event.at, event.decision, arm, event.reward, event.propensity, details
            rows.append((self._name, sequence, event.kind, *numbers))
        if len(rows) == 1:
            self._run(statement, *rows[0])
        else:
            self._connection.cursor().executemany(self._store.mark_places(statement), rows)

    def read(self, after: int) -> Iterator[Event]:
        """Return the events after one, page by page."""
        statement = (
            f"SELECT {COLUMNS} FROM banditune_events WHERE deployment = ? AND sequence > ? ORDER BY sequence LIMIT ?"
        )
        while True:
            rows = self._run(statement, self._name, after, PAGE).fetchall()
            yield from map(self._event, rows)
            after += len(rows)
            if len(rows) < PAGE:
                return

    def find(self, decision: int) -> list[Event]:
        """Return the events of a decision."""
        statement = f"SELECT {COLUMNS} FROM banditune_events WHERE deployment = ? AND decision = ? ORDER BY sequence"
        return [self._event(row) for row in self._run(statement, self._name, decision).fetchall()]

    def _event(self, row: Sequence[Any]) -> Event:
        kind, at, decision, arm, reward, propensity, details = row
        where = self._store.describe()
        plain = [None if each is None else parse_json(each, where) for each in (arm, details)]
        return Event.from_json([kind, at, decision, plain[0], reward, propensity, plain[1]], where)

    def read_snapshot(self) -> tuple[int, str] | None:
        """Return the last snapshot."""
        statement = "SELECT snapshot_after, snapshot FROM banditune_deployments WHERE name = ?"
        row = self._run(statement, self._name).fetchone()
        return None if row is None or row[0] is None else (row[0], row[1])

    def write_snapshot(self, sequence: int, text: str) -> None:
        """Replace the snapshot."""
        statement = "UPDATE banditune_deployments SET snapshot_after = ?, snapshot = ? WHERE name = ?"
        self._run(statement, sequence, text, self._name)


class SqlStore(Store):
    """Deployments in a database: one connection for each process, used by one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._connection: Any = None
        self._inherited: Any = None  # the connection of the process this one was forked from: not used, not closed
        self._owner = 0  # the process that opened the connection

    @contextmanager
    def transact(self, name: str, *, writes: bool = True) -> Iterator[Journal]:
        """Begin a transaction; it is committed when the block ends, and rolled back if it ends with an exception."""
        with self._lock, self.translate_errors():
            if self._connection is None or self._owner != os.getpid():
                self._inherited, self._connection, self._owner = self._connection, None, os.getpid()
                self._connection = self.connect()
            journal = SqlJournal(self, self._connection, name)
            try:
                with self.send_together(self._connection):
                    self.begin(self._connection, journal._name, writes)
                    yield journal
                    self._connection.execute("COMMIT")
            except BaseException:
                try:
                    self.roll_back(self._connection)
                except Exception:  # the connection is lost, and with it the transaction
                    self.close()
                raise

    def roll_back(self, connection: Any) -> None:
        """Undo a transaction."""
        connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection of this process."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None and self._owner == os.getpid():
                try:
                    connection.close()
                except Exception:  # it is gone already
                    return

    @abstractmethod
    def connect(self) -> Any:
        """Open a connection that begins no transactions by itself, with the tables there."""

    def set_up(self, connection: Any, real: str, *statements: str) -> Any:
        """Execute the statements, the last of which begins a transaction, and make the tables in it."""
        try:
            for statement in (*statements, *(table.format(real=real) for table in TABLES), "COMMIT"):
                connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection

    def send_together(self, connection: Any) -> AbstractContextManager[Any]:
        """Let statements wait for each other's results only where these are looked at, if the database can."""
        return nullcontext()

    @abstractmethod
    def begin(self, connection: Any, name: str, writes: bool) -> None:
        """Begin a transaction; one that writes waits until it is the only one of this deployment."""

    def mark_places(self, statement: str) -> str:
        """Write the places of values, each a question mark, as the database has them: by default, so."""
        return statement

    @abstractmethod
    def translate_errors(self) -> Any:
        """Turn errors of the database into those of the package, as a context."""
