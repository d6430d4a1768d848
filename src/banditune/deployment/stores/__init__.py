"""Where deployments are kept: in memory, in a file, in SQLite or in PostgreSQL, behind one small interface."""

import os
from typing import Any

from banditune.deployment.stores.base import Store
from banditune.deployment.stores.json_lines import JsonLinesStore
from banditune.deployment.stores.memory import MemoryStore
from banditune.deployment.stores.postgresql import PostgresqlStore
from banditune.deployment.stores.sqlite import SqliteStore
from banditune.errors import ParameterError
from banditune.validation import format_value

ENDINGS: dict[str, Any] = {
    ".jsonl": JsonLinesStore,
    ".db": SqliteStore,
    ".sqlite": SqliteStore,
    ".sqlite3": SqliteStore,
}
SCHEMES = ("postgresql://", "postgres://")


def open_store(given: object) -> Store:
    """Return a store: as given, by an address of PostgreSQL, by the ending of a file, or in memory if there is none."""
    if given is None:
        return MemoryStore()
    if isinstance(given, Store):
        return given
    if isinstance(given, str) and given.startswith(SCHEMES):
        return PostgresqlStore(given)
    if isinstance(given, str | os.PathLike):
        path = os.fspath(given)
        kind = ENDINGS.get(os.path.splitext(path)[1].lower()) if isinstance(path, str) else None
        if kind is not None:
            store: Store = kind(path)
            return store
    wanted = f"a Store, postgresql://..., or a file that ends in {', '.join(ENDINGS)}"
    raise ParameterError(f"store must be {wanted}; got {format_value(given)}")
