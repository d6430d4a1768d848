"""A store in an SQLite file, which the processes of one machine share."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from banditune.deployment.stores.sql import SqlStore
from banditune.errors import FileError, StoreError
from banditune.io.files import check_file
from banditune.validation import finite_number


class SqliteStore(SqlStore):
    """Deployments in an SQLite file, for all processes of one machine.

    Parameters
    ----------
    path : path
        The file; it is made if it is not there. It must be on a disk of this machine, as SQLite asks for.
    timeout : float, default 30.0
        How many seconds a transaction waits for others, at most.
    durable : bool, default True
        Whether a reward is on the disk before `reward` returns. If not, a power failure may undo the last ones; the end
        of a process never does.

    Examples
    --------
    >>> import os, tempfile
    >>> import banditune as bt
    >>> from banditune.deployment import SqliteStore, deploy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = SqliteStore(os.path.join(folder, "bandit.db"))
    ...     deployment = deploy(bt.UCB, arms=["a", "b"], alpha=0.1, store=store)
    ...     arm = deployment.choose().arm
    ...     store.close()
    """

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = 30.0, durable: bool = True) -> None:
        super().__init__()
        self.path = os.fspath(path)
        self.timeout, self.durable = finite_number("timeout", timeout, least=0.0), durable

    def connect(self) -> Any:
        """Open the file."""
        if os.path.exists(self.path):
            check_file(self.path)
        connection = sqlite3.connect(self.path, timeout=self.timeout, isolation_level=None, check_same_thread=False)
        synchronous = f"PRAGMA synchronous = {'FULL' if self.durable else 'NORMAL'}"
        return self.set_up(connection, "REAL", "PRAGMA journal_mode = WAL", synchronous, "BEGIN IMMEDIATE")

    def begin(self, connection: Any, name: str, writes: bool) -> None:
        """Begin a transaction: one that writes has the file for itself."""
        connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    def roll_back(self, connection: Any) -> None:
        """Undo a transaction; one for which the file was locked has not begun."""
        if connection.in_transaction:
            super().roll_back(connection)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Name the file in errors of SQLite: of a file that is locked or full, and of one that is something else."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreError(f"cannot use {self.path} now: {error}") from error
        except sqlite3.Error as error:
            raise FileError(f"cannot use {self.path} as an SQLite store: {error}") from error

    def describe(self) -> str:
        """Return where it is."""
        return self.path
