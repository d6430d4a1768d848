"""The parts a log is made of, one file or table each, as relations that the engine can read; formats open them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, Protocol

from banditune.errors import FileError
from banditune.io.files import open_file
from banditune.logs.columns import Columns
from banditune.logs.engine import Engine, first_line, identifier, literal

ROW_NUMBER = "row_number() OVER () AS row, NULL::VARCHAR AS problem"  # which one core alone counts
LOOKED_AT = 10_000  # rows by which numbers and text are distinguished
COUNTED = "file_row_number"  # what the engine calls the numbers of a Parquet file's rows, which all cores know


class IrregularError(Exception):
    """A part is not as regular as reading it fast needs."""


class Part(Protocol):
    """One file or table of a log."""

    path: str  # where it is, or what messages call it
    unit: str  # what its rows are counted in: "line" or "row"
    columns: Sequence[str]  # the names of its columns
    title: str = ""  # what its format is called, if that says what its columns mean
    usual: Mapping[str, str] = MappingProxyType({})  # what its columns mean, if its format says so: wanted -> name
    notes: Sequence[str] = ()  # what else is to be known of how it is read

    def relation(self, engine: Engine, wanted: Sequence[str]) -> str:
        """Return a query for (row, problem, w0, w1, ...): number, what is wrong with it if anything, and values.

        To be asked for anew before each use. Values come with the types the part has; those of text files are text.
        """

    def places(self, rows: Sequence[int]) -> dict[int, int]:
        """Return where some of the rows stand, in its units: by default, as they are numbered."""
        return {row: row for row in rows}

    def find_texts(self, engine: Engine, names: Sequence[str], number: str) -> set[str]:
        """Return which of some columns hold text, and in the first rows none that matches the pattern of a number."""
        try:
            return _columns_without(engine, self.relation(engine, names), names, number)
        except (IrregularError, engine.Error):
            slowly = self.with_care()
            return set() if slowly is None else slowly.find_texts(engine, names, number)

    def with_care(self) -> "Part | None":
        """Return the same part, to be read slowly after reading it fast has failed; None if there is no other way."""
        return None


@dataclass(frozen=True, slots=True)
class Opening:
    """What is known when a file is opened."""

    columns: Columns  # as the user named them
    delimiter: str | None
    engine: Engine
    query: str | None = None  # what is read of a database


@dataclass(frozen=True, slots=True)
class Format:
    """A way in which rows are stored.

    `claims` tells, of a file that can be opened, whether it is unmistakably in this format; if not, the ending of its
    name decides. What `open` returns says by `usual` what its columns mean.
    """

    name: str  # for --format
    open: Callable[[str, Opening], Part]
    endings: tuple[str, ...] = ()
    claims: Callable[[str], bool] = lambda path: False
    is_folder: bool = False  # whether a log is a folder with several files


@dataclass(frozen=True, slots=True)
class ParquetFile(Part):
    """A Parquet file."""

    path: str
    columns: tuple[str, ...]
    engine_names: tuple[str, ...]  # of the columns: the engine tells no capitals apart, and renames what would clash
    unit: str = "row"

    @classmethod
    def open(cls, path: str, opening: Opening) -> "ParquetFile":
        """Return the file, with its columns read."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        engine = opening.engine
        try:
            with open_file(path) as file:
                names = tuple(pq.read_schema(file).names)
            engine_names = _engine_names(engine, _scan_query(engine, path))
        except UnicodeDecodeError:
            raise FileError(f"{path} cannot be read as Parquet: the name of a column is not UTF-8 text") from None
        except (pa.ArrowException, engine.Error, OSError) as error:
            raise FileError(f"{path} cannot be read as Parquet: {first_line(error)}") from None
        return cls(path, names, engine_names)

    def relation(self, engine: Engine, wanted: Sequence[str]) -> str:
        """Return the columns as they are stored."""
        values = _select_columns(self.columns, self.engine_names, wanted)
        if COUNTED in map(str.lower, self.columns):  # the file's own
            return f"SELECT {ROW_NUMBER}{values} FROM {_scan_query(engine, self.path)}"
        row = f"{COUNTED} + 1 AS row, NULL::VARCHAR AS problem"
        return f"SELECT {row}{values} FROM {_scan_query(engine, self.path, counted=True)}"


class ArrowTable(Part):
    """A table in memory, or a stream of one, from any library that speaks Arrow's stream interface."""

    path = "the table"
    unit = "row"

    def __init__(self, source: Any, owner: object = None) -> None:
        import pyarrow as pa

        self._owner = owner  # held: a stream may end when whoever made it is gone
        try:
            self._reader = pa.RecordBatchReader.from_stream(source)
            self.columns: Sequence[str] = tuple(self._reader.schema.names)
        except UnicodeDecodeError:
            raise FileError("the table cannot be read through Arrow: the name of a column is not UTF-8 text") from None
        except (pa.ArrowException, TypeError, ValueError, NotImplementedError) as error:
            raise FileError(f"the table cannot be read through Arrow: {first_line(error)}") from None

    def find_texts(self, engine: Engine, names: Sequence[str], number: str) -> set[str]:
        """Make it by the first batch, which is put back."""
        import pyarrow as pa

        schema = self._reader.schema
        first = next(iter(self._reader), None)
        if first is None:
            return set()
        whole, self._reader = self._reader, pa.RecordBatchReader.from_batches(schema, [first])
        texts = super().find_texts(engine, names, number)
        self._reader = pa.RecordBatchReader.from_batches(schema, chain([first], whole))
        return texts

    def relation(self, engine: Engine, wanted: Sequence[str]) -> str:
        """Return the columns with their types; a stream can be asked for once."""
        engine.connection.register("part", self._reader)
        return f"SELECT {ROW_NUMBER}{_select_columns(self.columns, _engine_names(engine, 'part'), wanted)} FROM part"


def _columns_without(engine: Engine, relation: str, names: Sequence[str], number: str) -> set[str]:
    """Those of the columns w0, w1, ... that are text, have some, and none that matches the pattern of a number."""
    kinds = engine.describe(relation)
    texts = {
        name: f"trim(CAST(w{k} AS VARCHAR))"
        for k, name in enumerate(names)
        if kinds[f"w{k}"] == "VARCHAR" or kinds[f"w{k}"].startswith("ENUM")
    }
    if not texts:
        return set()
    counted = ", ".join(
        f"count(*) FILTER (WHERE {text} <> ''), count(*) FILTER (WHERE regexp_full_match({text}, {literal(number)}))"
        for text in texts.values()
    )
    counts = engine.row(f"SELECT {counted} FROM (SELECT * FROM ({relation}) LIMIT {LOOKED_AT})")
    return {name for name, some, numbers in zip(texts, counts[::2], counts[1::2], strict=True) if some and not numbers}


def _engine_names(engine: Engine, source: str) -> tuple[str, ...]:
    """Return what the engine calls the columns of a file or table, in their order."""
    return tuple(engine.describe(f"SELECT * FROM {source}"))


def _select_columns(columns: Sequence[str], engine_names: Sequence[str], wanted: Sequence[str]) -> str:
    """Columns as w0, w1, ... in a SELECT."""
    called = dict(zip(columns, engine_names, strict=True))
    return "".join(f", {identifier(called[name])} AS w{k}" for k, name in enumerate(wanted))


def _scan_query(engine: Engine, path: str, *, counted: bool = False) -> str:
    """Name a Parquet file in a query: what it holds alone, whatever its name and its folders' look like."""
    further = f", {COUNTED} = true" if counted else ""
    return f"read_parquet({literal(engine.plain_path(path))}, hive_partitioning = false{further})"
