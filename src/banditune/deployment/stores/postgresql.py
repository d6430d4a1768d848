"""A store in PostgreSQL, which processes on any number of machines share."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from banditune.deployment.stores.sql import SqlStore
from banditune.errors import ParameterError, StoreError

LOCK = "SELECT pg_advisory_xact_lock(1650552420)"  # until the transaction ends: for making tables and deployments


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
        self._made: set[str] = set()  # deployments that are known to be there

    def connect(self) -> Any:
        """Open a connection."""
        return self.set_up(
            _psycopg().connect(self._address, autocommit=True),
            "DOUBLE PRECISION",
            "SET default_transaction_isolation = 'read committed'",
            f"SET synchronous_commit = {'on' if self.durable else 'off'}",
            "SET client_min_messages = warning",
            "BEGIN",
            LOCK,
        )

    def begin(self, connection: Any, name: str, writes: bool) -> None:
        """Begin a transaction: one that writes has the row of its deployment for itself."""
        connection.execute("BEGIN")
        if not writes:
            return
        locked = connection.execute("SELECT 1 FROM banditune_deployments WHERE name = %s FOR UPDATE", (name,))
        if name not in self._made:
            if locked.fetchone() is None:  # two may be about to make it
                connection.execute(LOCK)
            else:
                self._made.add(name)

    def send_together(self, connection: Any) -> AbstractContextManager[Any]:
        """Use the pipeline: a transaction waits for the server twice, when it reads and when it is committed."""
        can: bool = _psycopg().Pipeline.is_supported()
        return connection.pipeline() if can else nullcontext()

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


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise ParameterError('a PostgreSQL store needs psycopg: pip install "banditune[postgresql]"') from None
    return psycopg
