"""Plain tables, whose columns are called as their owner likes: CSV, Parquet, JSON lines, and what a query returns."""

from banditune.errors import FileError
from banditune.logs.csv_files import CsvFile
from banditune.logs.databases import SqliteFile, is_sqlite, open_query
from banditune.logs.parts import Format, Opening, ParquetFile, Part
from banditune.logs.records import JsonLines

SHOWN = 20  # tables of a database that an error names


def open_sqlite(path: str, opening: Opening) -> Part:
    """Return the rows of the query; without one, say which tables there are."""
    if opening.query is not None:
        return open_query(path, opening.query, opening.engine)
    statement = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    with SqliteFile(path).run(statement) as (_, rows):
        tables = [str(row[0]) for row in rows]
    named = ", ".join(f'"{name}"' for name in tables[:SHOWN])
    raise FileError(
        f"{path} is a database: say what to read with query=, as in SELECT task, arm, reward FROM log; "
        + (f"it has the tables {named}" if tables else "it has no tables")
    )


CSV = Format("csv", CsvFile.open, (".csv", ".tsv", ".txt"))
PARQUET = Format("parquet", ParquetFile.open, (".parquet", ".pq"))
JSON = Format("json", JsonLines.open, (".jsonl", ".ndjson", ".json"))
SQLITE = Format("sqlite", open_sqlite, claims=is_sqlite)
