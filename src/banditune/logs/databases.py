"""Rows of databases: SQLite files, any that SQLAlchemy reaches by an address, and open connections.

Nothing is ever written or committed. An address may hold a password: messages and results have it without.
"""

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from banditune.errors import FileError, ParameterError
from banditune.logs.engine import Engine, first_line
from banditune.logs.parts import ArrowTable, Part
from banditune.logs.records import Record, Records
from banditune.logs.text_files import Place

SQLITE_MAGIC = b"SQLite format 3\0"
SQLITE_ADDRESS = "sqlite:///"
FETCHED = 10_000  # rows at a time
Rows = tuple[list[str], Iterator[Sequence[Any]]]  # the names of the columns, and the rows


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A SQLite file, opened for reading alone."""

    path: str

    @contextmanager
    def run(self, query: str) -> Iterator[Rows]:
        """Run a query on the file, and yield its columns and rows; they are read as they come."""
        address = f"file:{quote(os.path.abspath(self.path))}?mode=ro"
        with _explain(self.path, (sqlite3.Error, UnicodeError)):
            connection = sqlite3.connect(address, uri=True, check_same_thread=False)
            connection.text_factory = partial(
                str, encoding="utf-8", errors="surrogateescape"
            )  # rows are judged one by one
            try:
                yield _take_rows(connection.execute(query), self.path)
            finally:
                connection.close()


@dataclass(frozen=True, slots=True)
class Address:
    """A database that SQLAlchemy reaches."""

    path: str
    url: str

    @contextmanager
    def run(self, query: str) -> Iterator[Rows]:
        """Run a query in a transaction that is not committed, in the same way."""
        try:
            import sqlalchemy
        except ImportError:
            raise FileError(
                f'{self.path} is read through SQLAlchemy, which is not installed: pip install "banditune[sql]", and '
                "the driver of the database, such as psycopg for PostgreSQL"
            ) from None
        hidden = _list_secrets(self.url)
        try:
            engine = sqlalchemy.create_engine(self.url, poolclass=sqlalchemy.pool.NullPool)
        except ImportError as error:
            raise FileError(f"the driver of {self.path} is not installed: {_hide(first_line(error), hidden)}") from None
        except Exception as error:
            raise FileError(f"{self.path} cannot be read: {_hide(first_line(error), hidden)}") from None
        with _explain(self.path, (sqlalchemy.exc.SQLAlchemyError, OSError), hidden), engine.connect() as connection:
            options = {"stream_results": True, "max_row_buffer": FETCHED, "no_parameters": True}
            result = connection.execution_options(**options).exec_driver_sql(query)
            try:
                if not result.returns_rows:
                    raise FileError(f"the query must return rows, as a SELECT does; {self.path} returned none")
                yield list(result.keys()), iter(result)
            finally:
                result.close()


Database = SqliteFile | Address


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult(Records):
    """The rows that a query returns; it is run again whenever they are needed again."""

    unit = "row"

    database: Database
    query: str

    @classmethod
    def open(cls, database: Database, query: str) -> "QueryResult":
        """Return the result, with its columns."""
        with database.run(query) as (names, _):
            return cls(database.path, tuple(names), database=database, query=query)

    def list_records(self, wanted: Sequence[str], place: Place) -> Iterator[Record]:
        """Return the rows, their values as text."""
        with self.database.run(self.query) as (names, rows):
            positions = [names.index(name) for name in wanted]
            for number, row in enumerate(rows, 1):
                yield number, *_write_values([row[k] for k in positions])


def open_query(source: Any, query: Any, engine: Engine) -> Part:
    """Return the rows of a query to a database: a SQLite file, an address, or an open connection."""
    if not isinstance(query, str) or not query.strip():
        raise ParameterError("query must be a statement such as SELECT task, arm, reward FROM log")
    if hasattr(source, "cursor"):
        with _explain("the connection", Exception):
            cursor = source.cursor()
            cursor.execute(query)
            if hasattr(cursor, "fetch_record_batch"):  # ADBC, which hands over Arrow
                return ArrowTable(cursor.fetch_record_batch(), cursor)
            return _copy_rows(cursor, engine)
    return QueryResult.open(find_database(source), query)


def _copy_rows(cursor: Any, engine: Engine) -> Part:
    """Copy the rows of a cursor to the disk: the engine reads in a thread of its own, which many connections forbid."""
    import pyarrow as pa

    names, rows = _take_rows(cursor, "the connection")
    schema = pa.schema([(name, pa.string()) for name in names])
    path = engine.new_file("rows")
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, schema) as writer:
        while batch := list(islice(rows, FETCHED)):
            written = [_write_values(row)[1] or [None] * len(names) for row in batch]
            columns = [pa.array(list(column), pa.string()) for column in zip(*written, strict=True)]
            writer.write_batch(pa.record_batch(columns, schema=schema))
    cursor.close()
    return ArrowTable(pa.ipc.open_stream(pa.memory_map(str(path))))


def find_database(source: Any) -> Database:
    """Return the database that a path or an address stands for."""
    given = the_only(source)
    if not isinstance(given, str | os.PathLike):
        raise ParameterError("a query needs one database: a SQLite file, an address or an open connection")
    text = os.fspath(given)
    if text.startswith(SQLITE_ADDRESS):
        text = text.removeprefix(SQLITE_ADDRESS).partition("?")[0]
    if re.match(r"[A-Za-z][\w+.-]*://", text):
        return Address(show_address(text), text)
    if not is_sqlite(text):
        what = "it is no SQLite database" if os.path.exists(text) else "there is no such file"
        raise FileError(f"{text} cannot be queried: {what}; a database is given by a SQLite file or an address")
    return SqliteFile(text)


def the_only(source: Any) -> Any:
    """Return what is alone in a list, or is given by itself."""
    return source[0] if isinstance(source, list | tuple) and len(source) == 1 else source


def is_sqlite(path: str) -> bool:
    """Tell whether a file is a SQLite database."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except (OSError, ValueError):
        return False


def show_address(url: str) -> str:
    """Return an address without user, password and options.

    >>> show_address("postgresql://ann:secret@db.example/shop?sslpassword=x")
    'postgresql://db.example/shop'
    """
    try:
        parts = urlsplit(url)
        host = (parts.netloc.rpartition("@")[2]) if "@" in parts.netloc else parts.netloc
    except ValueError:
        return f"{url.partition('://')[0]}://..."
    return f"{parts.scheme}://{host}{parts.path if '@' not in parts.path else ''}"


def _list_secrets(url: str) -> list[str]:
    """Return what of an address must not be shown: what stands before the host, and what its options say."""
    inside = url.partition("://")[2]
    before = inside.rpartition("@")[0]
    words = [url, before, *before.split(":", 1), *re.split(r"[=&;?]", inside.partition("?")[2])]
    return sorted({each for word in words for each in (word, unquote(word)) if len(each) > 1}, key=len, reverse=True)


def _hide(message: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        message = message.replace(secret, "***")
    return message


@contextmanager
def _explain(path: str, kinds: Any, secrets: Sequence[str] = ()) -> Iterator[None]:
    """Name the database where it fails, without what is secret."""
    try:
        yield
    except FileError:
        raise
    except kinds as error:
        raise FileError(f"{path} cannot be read: {_hide(first_line(error), secrets)}") from None


def _take_rows(cursor: Any, path: str) -> Rows:
    """Return the columns and rows of a cursor."""
    if cursor.description is None:
        raise FileError(f"the query must return rows, as a SELECT does; {path} returned none")

    def fetch() -> Iterator[Sequence[Any]]:
        while rows := cursor.fetchmany(FETCHED):
            yield from rows

    return [str(column[0]) for column in cursor.description], fetch()


def _write_values(values: Sequence[Any]) -> tuple[str | None, list[str | None]]:
    """Return values as text, and what is wrong with them, if anything."""
    written: list[str | None] = []
    for value in values:
        if isinstance(value, bytes | bytearray | memoryview):
            return "a value is of bytes, not of text", []
        if value is None or isinstance(value, str):
            written.append(value)
        elif isinstance(value, bool):
            written.append(str(value).lower())
        elif isinstance(value, float | int | Decimal):
            written.append(repr(value) if isinstance(value, float) else str(value))
        else:
            written.append(value.isoformat() if hasattr(value, "isoformat") else str(value))
    return None, written
