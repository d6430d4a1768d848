"""Databases: rows of a query, read as they come, with nothing changed there and no password shown."""

import contextlib
import shutil
import sqlite3
import weakref
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

import banditune as bt
from banditune.logs.databases import _hide, _list_secrets, show_address
from tests.cli.command import banditune
from tests.deployment.postgresql import explain_absence, run_server

QUERY = "SELECT test AS task, arm, won AS reward FROM log"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE log (test TEXT, arm INTEGER, won FLOAT, at TEXT)")
    rows = [(f"t{k % 4}", k % 3, float(k % 7 == 0), f"2026-01-{1 + k % 28:02d}") for k in range(600)]
    connection.executemany("INSERT INTO log VALUES (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def test_rows_of_a_query_are_a_log_by_every_way_to_a_database(database: Path) -> None:
    by_file = bt.read_log(database, query=QUERY)
    assert by_file.account.rows_used == 600
    ways = [f"sqlite:///{database}", f"sqlite+pysqlite:///{database}", sqlite3.connect(database)]
    pytest.importorskip("sqlalchemy")
    for source in ways:
        log = bt.read_log(source, query=QUERY)
        assert [(task.name, task.arms, [r.tolist() for r in task.rewards]) for task in log] == [
            (task.name, task.arms, [r.tolist() for r in task.rewards]) for task in by_file
        ]
    odd = shutil.copy(database, database.with_name("a 100%20?#;.db"))
    assert bt.read_log(odd, query=QUERY).names == by_file.names
    totals = "SELECT test AS task, arm, count(*) AS pulls, sum(won) AS successes FROM log GROUP BY 1, 2"
    assert bt.read_log(database, query=totals).form == "totals"
    assert bt.read_log(database, task="at:month", query="SELECT * FROM log", reward="won").account.n_tasks == 1


def test_rows_that_cannot_be_used_are_counted(database: Path) -> None:
    query = "SELECT 't' AS task, 'a' AS arm, column1 AS reward FROM (VALUES (1), ('x'), (NULL), (x'00ff'), (1e999))"
    log = bt.read_log(database, query=query)
    assert log.account.rows_read == 5
    assert [(row.unit, row.number, row.reason) for row in log.account.examples] == [
        ("row", 2, "the reward is not a number"),
        ("row", 3, "there is no reward"),
        ("row", 4, "a value is of bytes, not of text"),
        ("row", 5, "the reward is not finite"),
    ]


def test_text_that_is_not_utf8_costs_its_row_alone(database: Path) -> None:
    query = "SELECT 't' AS task, CAST(column1 AS TEXT) AS arm, 1 AS reward FROM (VALUES ('a'), (x'ff41'), ('b'))"
    log = bt.read_log(database, query=query)
    assert log[0].arms == ("a", "b")
    assert [(row.number, row.reason.partition(",")[0]) for row in log.account.examples] == [
        (2, "the record is not UTF-8 text")
    ]


def test_values_of_other_kinds_are_written_as_text() -> None:
    class Cursor:
        description = (("task",), ("arm",), ("reward",), ("at",))

        def execute(self, query: str) -> None:
            self.rows = [("t", True, Decimal("0.50"), datetime(2026, 1, 2)), ("t", False, 2, datetime(2026, 1, 1))]

        def fetchmany(self, count: int) -> list[tuple[object, ...]]:
            rows, self.rows = self.rows, []
            return rows

        def close(self) -> None:
            pass

    class Connection:
        def cursor(self) -> Cursor:
            return Cursor()

    log = bt.read_log(Connection(), query="SELECT", time="at")
    assert {a: r.tolist() for a, r in zip(log[0].arms, log[0].rewards, strict=True)} == {"false": [2.0], "true": [0.5]}


def test_connections_that_hand_over_arrow_are_streamed() -> None:
    """As those of ADBC do, whose streams end when their cursors are gone."""

    class Cursor:
        def execute(self, query: str) -> None:
            self.open = True

        def fetch_record_batch(self) -> pa.RecordBatchReader:
            schema = pa.schema({"task": pa.string(), "arm": pa.int64(), "reward": pa.float64()})
            cursor = weakref.ref(self)

            def stream() -> Iterator[pa.RecordBatch]:
                for k in range(3):
                    assert cursor() is not None
                    yield pa.record_batch([["t"] * 4, [0, 1, 0, 1], [0.1 * k] * 4], schema=schema)

            return pa.RecordBatchReader.from_batches(schema, stream())

    class Connection:
        def cursor(self) -> Cursor:
            return Cursor()

    log = bt.read_log(Connection(), query="SELECT")
    assert log.account.rows_used == 12
    assert log[0].rewards[0].tolist() == [0.0, 0.0, 0.1, 0.1, 0.2, 0.2]


def test_nothing_is_written(database: Path) -> None:
    pytest.importorskip("sqlalchemy")
    before = database.read_bytes()
    for source in (database, f"sqlite+pysqlite:///{database}"):
        for query in ("DELETE FROM log", "DELETE FROM log RETURNING test AS task, arm, won AS reward"):
            with contextlib.suppress(bt.FileError):
                bt.read_log(source, query=query)
    assert database.read_bytes() == before


@pytest.mark.parametrize(
    ("source", "query", "words"),
    [
        ("nowhere.db", QUERY, "nowhere.db cannot be queried: there is no such file"),
        (__file__, QUERY, "it is no SQLite database"),
        (["a.db", "b.db"], QUERY, "a query needs one database"),
        (3, QUERY, "a query needs one database"),
        ("x.db", " ", "query must be a statement"),
        ("nosuch://host/db", QUERY, "nosuch://host/db cannot be read|the driver of nosuch://host/db is not installed"),
        (
            "postgresql://ann:geheim@localhost:1/x",
            None,
            "postgresql://localhost:1/x is an address .* of a database, which needs query=",
        ),
    ],
)
def test_what_cannot_be_queried_is_said(source: object, query: str | None, words: str) -> None:
    with pytest.raises(bt.InputError, match=words):
        bt.read_log(source, query=query)


def test_errors_of_a_database_are_told_in_a_line(database: Path) -> None:
    with pytest.raises(bt.FileError, match="cannot be read: no such table: nowhere"):
        bt.read_log(database, query="SELECT * FROM nowhere")
    with pytest.raises(bt.FileError, match=r'is a database: say what to read with query=.*the tables "log"'):
        bt.read_log(database)
    done = banditune("tune", database, "--query", "SELECT * FROM nowhere")
    assert done.returncode == 2
    done = banditune("tune", database, "--query", QUERY, "--horizon", "20", "--json")
    assert done.returncode == 0


@pytest.mark.parametrize("address", ["postgresql://ann:ge%3Aheim@db/x?sslpassword=ge:heim", "mysql://ann:ge%3Aheim@db"])
def test_passwords_are_never_shown(address: str) -> None:
    assert show_address(address) in ("postgresql://db/x", "mysql://db")
    secrets = _list_secrets(address)
    for leak in (f"could not connect to {address}", "password ge:heim is wrong", "ge%3Aheim"):
        assert "heim" not in _hide(leak, secrets)
    done = banditune("tune", address, "--query", "SELECT 1")
    assert done.returncode == 2
    assert "heim" not in done.stderr
    assert "ann" not in done.stderr.replace("cannot", "")


def test_rows_of_postgresql_are_streamed_and_left_alone() -> None:
    pytest.importorskip("sqlalchemy")
    if (absent := explain_absence()) is not None:
        pytest.skip(absent)
    psycopg = pytest.importorskip("psycopg")
    with run_server() as address, psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE TABLE log (test text, arm int, won double precision, at timestamp, spent numeric)")
        rows = "SELECT 't' || k % 4, k % 3, k % 7, timestamp '2026-01-01' + k * interval '1 minute', k * 0.25"
        connection.execute(f"INSERT INTO log {rows} FROM generate_series(1, 30000) k")
        query = "SELECT test AS task, arm, won AS reward, at FROM log WHERE test LIKE 't%' ORDER BY at DESC"
        named = address.replace("postgresql://", "postgresql+psycopg://")
        by_address, by_connection = (bt.read_log(source, query=query, time="at") for source in (named, connection))
        assert by_address.account.rows_used == 30000
        assert by_address[3].rewards[1].tolist() == by_connection[3].rewards[1].tolist()
        spent = bt.read_log(named, query="SELECT test AS task, arm, spent AS reward FROM log")
        assert spent[0].rewards[0][:2].tolist() == [3.0, 6.0]
        for wrong in ("DELETE FROM log", "SELECT nothing", "SELECT 1; DROP TABLE log"):
            with pytest.raises(bt.FileError, match="cannot be read"):
                bt.read_log(named, query=wrong)
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (30000,)
