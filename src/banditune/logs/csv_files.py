"""Logs as text with delimiters: fast where a file is regular, careful where it is not."""

import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from banditune.errors import FileError
from banditune.logs.engine import Engine
from banditune.logs.parts import IrregularError, Opening
from banditune.logs.records import Record, Records
from banditune.logs.text_files import BYTE_ORDER_MARK, Place, check_start, open_bytes, read_lines, reading

DELIMITERS = ",\t;|"
LONGEST_FIELD = 2**22  # characters; the fast reader takes no longer row
MOST_LINES = 1_000  # of a row


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvFile(Records):
    """A file of rows with a delimiter, the names of the columns in its first row."""

    not_text: ClassVar = "the row is not UTF-8 text"

    delimiter: str
    careful: bool
    content: str = ""  # the file that holds it, if that is not the path: of what came through a pipe

    @classmethod
    def open(cls, path: str, opening: Opening) -> "CsvFile":
        """Return the file, with its first row read by the delimiter under which it holds most of the wanted names."""
        blank_first = check_start(path)[:1] in b"\r\n"  # the fast reader would not know which row is the first
        lowered = {name.lower() for name in opening.columns.wanted}
        headers = {mark: _first_row(path, mark) for mark in opening.delimiter or DELIMITERS}
        known = {mark: len(lowered & {name.lower() for name in names}) for mark, names in headers.items()}
        mark = max(headers, key=lambda mark: (known[mark], len(headers[mark])))
        if not headers[mark]:
            raise FileError(f"{path} must begin with the names of its columns, but its first row cannot be parsed")
        careful = blank_first or not is_well_quoted(path, mark)
        return cls(path, headers[mark], delimiter=mark, careful=careful)

    @classmethod
    def copy(cls, source: Any, opening: Opening) -> "CsvFile":
        """Take over what an open file holds, such as standard input: it can be read once, and a log is read twice."""
        name = getattr(source, "name", None)
        path = name if isinstance(name, str) else "the open file"
        content = str(opening.engine.keep_stream(source, path))
        try:
            return replace(cls.open(content, opening), path=path, content=content)
        except FileError as error:
            raise FileError(*(str(line).replace(content, path) for line in error.args)) from None

    def relation(self, engine: Engine, wanted: Sequence[str]) -> str:
        """Return the values as text. In a file that is not read with care, an irregular row raises `IrregularError`."""
        Records.relation(self, engine, wanted)
        values = "".join(f", trim(w{k}, ' ') AS w{k}" for k in range(len(wanted)))
        return f"SELECT row, problem{values} FROM part"

    def places(self, rows: Sequence[int]) -> dict[int, int]:
        """Find the lines where some rows begin: in a file read with care, rows are numbered by their lines."""
        if self.careful:
            return {row: row for row in rows}
        until_last = islice(records(self.content or self.path, self.delimiter, len(self.columns)), 1, max(rows) + 1)
        return {row: line for row, (line, _, _) in enumerate(until_last, 1) if row in rows}

    def with_care(self) -> "CsvFile | None":
        """Return the same file, row by row; None if that is how it was read."""
        return None if self.careful else replace(self, careful=True)

    def list_records(self, wanted: Sequence[str], place: Place) -> Iterator[Record]:
        """Return all rows one by one, each with its line and what is wrong with it."""
        positions = [self.columns.index(name) for name in wanted]
        rows = records(self.content or self.path, self.delimiter, len(self.columns), place)
        for line, row, problem in islice(rows, 1, None):
            yield line, problem, [row[k] for k in positions] if problem is None else ()

    def list_batches(self, wanted: Sequence[str], schema: Any, place: Place) -> Iterator[Any]:
        """Return all rows, unless they are read with care by a parser that stops at the first irregular one."""
        if self.careful:
            yield from Records.list_batches(self, wanted, schema, place)
            return
        import pyarrow as pa
        import pyarrow.csv as arrow_csv

        positions = [self.columns.index(name) for name in wanted]
        names = [f"c{k}" for k in range(len(self.columns))]
        try:
            with open_bytes(self.content or self.path, place) as file:
                rows = arrow_csv.open_csv(
                    file,
                    read_options=arrow_csv.ReadOptions(
                        column_names=names, skip_rows_after_names=1, block_size=LONGEST_FIELD
                    ),
                    parse_options=arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                    convert_options=arrow_csv.ConvertOptions(
                        column_types=dict.fromkeys(names, pa.string()),
                        include_columns=[names[k] for k in dict.fromkeys(positions)],
                        strings_can_be_null=False,
                    ),
                )
                count = 0
                for batch in rows:
                    places = np.arange(count + 1, count + batch.num_rows + 1, dtype=np.int64)
                    # pa.array would import pandas, where it is installed
                    numbers = pa.Array.from_buffers(pa.int64(), batch.num_rows, [None, pa.py_buffer(places)])
                    count += batch.num_rows
                    values = [batch.column(names[k]) for k in positions]
                    yield pa.record_batch([numbers, pa.nulls(batch.num_rows, pa.string()), *values], schema=schema)
        except (pa.ArrowException, OSError):
            raise IrregularError from None


def records(
    path: str, delimiter: str, n_fields: int | None = None, place: Place | None = None
) -> Iterator[tuple[int, list[str], str | None]]:
    """Return the rows of a file that are not blank: the line each begins at, its fields, and what is wrong with it.

    A row over several lines that is wrong, by a quotation mark or the number of its fields, is rejected by its first
    line alone: the next row begins below it, so that one stray mark swallows no others.
    """
    with reading(path), open_bytes(path, place) as file, _fields_up_to(LONGEST_FIELD):
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
        lines = _Lines(read_lines(text, path))
        rows = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)
        while True:
            line = lines.begin_row()
            row, problem = [], None
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                problem = f"the row cannot be parsed ({error})"
            if row and n_fields is not None and len(row) != n_fields:
                problem = f"the row has {len(row)} field{'' if len(row) == 1 else 's'}, not {n_fields}"
            if problem is not None:
                lines.give_back()
            if row or problem is not None:
                yield line, row, problem


class _Lines:
    """The lines of a text, of which those of a row can be given back, all but the first."""

    def __init__(self, text: Iterable[str]) -> None:
        self._text = iter(text)
        self._given_back: deque[str] = deque()
        self._row: list[str] = []
        self._first = 1

    def begin_row(self) -> int:
        """Return the number of the next line, at which a row begins."""
        self._first += len(self._row)
        self._row = []
        return self._first

    def give_back(self) -> None:
        """Let the row have been its first line only."""
        self._given_back.extendleft(reversed(self._row[1:]))
        del self._row[1:]

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        if len(self._row) == MOST_LINES:
            raise StopIteration
        line = self._given_back.popleft() if self._given_back else next(self._text)
        self._row.append(line)
        return line


@contextmanager
def _fields_up_to(characters: int) -> Iterator[None]:
    """Return a block in which fields may be that long for the csv module."""
    before = csv.field_size_limit(characters)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _first_row(path: str, delimiter: str) -> tuple[str, ...]:
    """Return the names in the first row that is not blank; none where it cannot be taken apart."""
    return next((tuple(name.strip() for name in row) for _, row, _ in records(path, delimiter)), ())


def is_well_quoted(path: str, delimiter: str) -> bool:
    """Tell whether every quotation mark of a file begins, ends or doubles as it should.

    Then every second one, from the first, begins a field or follows a mark at once; each of the others ends a field or
    is followed by a mark at once; and there are as many of both.
    """
    is_edge = np.zeros(256, bool)
    is_edge[[*delimiter.encode(), *b'\r\n"']] = True
    unjudged, n_marks = b"\n", 0  # the last byte that was judged and one that is to be: its neighbour is not known yet
    with reading(path), open_bytes(path) as file:
        while True:
            block = file.read(LONGEST_FIELD)
            seen = unjudged + (block.replace(BYTE_ORDER_MARK, b"\n") or b"\n")
            unjudged = seen[-2:]
            if b"\0" in block:  # no text, or a file with holes: to be read to its end only if it has lines
                return False
            if b'"' in seen:
                data = np.frombuffer(seen, np.uint8)
                marks = np.flatnonzero(data[1:-1] == ord('"')) + 1
                begins = (np.arange(marks.size) + n_marks) % 2 == 0
                n_marks += marks.size
                if not is_edge[data[np.where(begins, marks - 1, marks + 1)]].all():
                    return False
            if not block:
                return n_marks % 2 == 0
