"""Every store, for tests that hold for all of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from banditune.deployment import JsonLinesStore, MemoryStore, PostgresqlStore, SqliteStore, Store
from tests.deployment.postgresql import explain_absence, run_server

KINDS = {"memory": MemoryStore, "lines": JsonLinesStore, "sqlite": SqliteStore, "postgresql": PostgresqlStore}


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL database."""
    if (absent := explain_absence()) is not None:
        pytest.skip(absent)
    with run_server() as address:
        yield address


@pytest.fixture
def database(server: str) -> str:
    """The same without what other tests have left in it."""
    store = PostgresqlStore(server)
    with store.transact("none"):
        store._connection.execute("TRUNCATE banditune_deployments, banditune_events")
    store.close()
    return server


@pytest.fixture(params=KINDS)
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Open the same store as another process would: for memory it is the one that is there."""
    opened: list[Store] = []

    def keep(store: Store) -> Store:
        opened.append(store)
        return store

    if request.param == "memory":
        memory = MemoryStore()
        yield lambda: memory
    elif request.param == "lines":
        yield lambda: keep(JsonLinesStore(tmp_path / "bandit.jsonl"))
    elif request.param == "sqlite":
        yield lambda: keep(SqliteStore(tmp_path / "bandit.db", durable=False))
    elif request.param == "postgresql":
        address = request.getfixturevalue("database")
        yield lambda: keep(PostgresqlStore(address, durable=False))
    else:
        pytest.fail(f"how a store of the kind {request.param} is opened must be said here")
    for store in opened:
        store.close()
