"""A store in PostgreSQL, which processes on any number of machines share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from banditune.deployment.stores.sql import TABLES, SqlStore
from banditune.errors import BanditTuneError, ParameterError

MAKING = 0x62616E64  # the number of the lock for making the tables


class PostgresqlStore(SqlStore):
    """Deployments in a PostgreSQL database; needs psycopg (`pip install "banditune[postgresql]"`).

    A transaction locks the row of its deployment, so that decisions of one deployment are made one after the other, and
    those of others side by side.

    Parameters
    ----------
    address : str
        How to connect, such as "postgresql://user@host/database"; passwords are better left to libpq's own files.
    durable : bool, default True
        Whether a reward is on the server's disk before `reward` returns (synchronous_commit).
    """

    def __init__(self, address: str, *, durable: bool = True) -> None:
        super().__init__()
        self._address, self.durable = address, durable

    def connect(self) -> Any:
        """Open a connection."""
        connection = _psycopg().connect(self._address, autocommit=True)
        try:
            connection.execute("SET default_transaction_isolation = 'read committed'")
            connection.execute(f"SET synchronous_commit = {'on' if self.durable else 'off'}")
            connection.execute("SET client_min_messages = warning")
            connection.execute("BEGIN")
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING,))
            for table in TABLES:
                connection.execute(table.format(real="DOUBLE PRECISION"))
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def begin(self, connection: Any, name: str, writes: bool) -> None:
        """Begin a transaction: one that writes has the row of its deployment for itself."""
        connection.execute("BEGIN")
        if writes:
            locked = connection.execute("SELECT 1 FROM banditune_deployments WHERE name = %s FOR UPDATE", (name,))
            if locked.fetchone() is None:  # two may be about to make it
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING,))

    def mark_places(self, statement: str) -> str:
        """Write %s for each question mark; statements hold no others."""
        return statement.replace("?", "%s")

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Say that it is the database that failed; the address, which may hold a password, is not shown."""
        psycopg = _psycopg()
        try:
            yield
        except psycopg.Error as error:
            raise StoreError(f"PostgreSQL: {str(error).strip() or type(error).__name__}") from error

    def describe(self) -> str:
        """Return where it is."""
        return "the PostgreSQL database"


class StoreError(BanditTuneError, ConnectionError):
    """A database cannot be used now: what was asked may be asked again."""


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise ParameterError('a PostgreSQL store needs psycopg: pip install "banditune[postgresql]"') from None
    return psycopg
