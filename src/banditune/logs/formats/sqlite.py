"""SQLite files, of which a query says what is read."""

from banditune.errors import FileError
from banditune.logs.databases import QueryResult, SqliteFile, is_sqlite, open_query
from banditune.logs.formats.base import Format, Opening
from banditune.logs.parts import Part

SHOWN = 20  # tables that an error names


def open_sqlite(path: str, opening: Opening) -> Part:
    """Return the rows of the query; without one, say which tables there are."""
    if opening.query is not None:
        return open_query(path, opening.query, opening.engine)
    statement = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    tables = [str(row[0]) for _, _, row in QueryResult.open(SqliteFile(path), statement).list_all()]
    named = ", ".join(f'"{name}"' for name in tables[:SHOWN])
    raise FileError(
        f"{path} is a database: say what to read with query=, as in SELECT task, arm, reward FROM log; "
        + (f"it has the tables {named}" if tables else "it has no tables")
    )


FORMATS = (Format("sqlite", "SQLite", open_sqlite, (), is_sqlite),)
