"""Files that are read record by record in Python, whatever they are written in."""

import contextlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar

from banditune.errors import FileError
from banditune.io.json_text import NOT_JSON, JsonError, parse_json
from banditune.logs.engine import Engine
from banditune.logs.parts import Opening, Part
from banditune.logs.text_files import BYTE_ORDER_MARK, Place, check_start, is_broken, number_lines, open_bytes

BATCH = 50_000  # records that are handed over at once
LOOKED_AT = 1000  # lines in which the names of the columns are looked for
START, BLOCK = 2**20, 2**14  # bytes by which a format is recognised, and that are read at once
Record = tuple[int, str | None, Sequence[str | None]]  # where it is, what is wrong with it, its values as text


@dataclass(frozen=True, slots=True)
class Records(Part):
    """A part whose rows are made by a generator."""

    path: str
    columns: tuple[str, ...]
    usual: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    unit = "line"
    not_text: ClassVar = "the record is not UTF-8 text, or has half a character (an unpaired surrogate)"

    def list_records(self, wanted: Sequence[str], place: Place) -> Iterator[Record]:
        """All records with their values for the wanted columns; none for a record with which something is wrong."""
        raise NotImplementedError

    def relation(self, engine: Engine, wanted: Sequence[str]) -> str:
        """Return the values as text."""
        import pyarrow as pa

        texts = [(f"w{k}", pa.string()) for k in range(len(wanted))]
        schema = pa.schema([("row", pa.int64()), ("problem", pa.string()), *texts])
        place = Place()
        engine.stream(schema, self.list_batches(wanted, schema, place), place.share)
        return "SELECT * FROM part"

    def list_batches(self, wanted: Sequence[str], schema: Any, place: Place) -> Iterator[Any]:
        """Return the records as Arrow batches."""
        import pyarrow as pa

        nothing: list[str | None] = [None] * len(wanted)
        records = self.list_records(wanted, place)
        while batch := list(islice(records, BATCH)):
            rows = []
            for number, given, values in batch:
                problem = given
                if problem is None and any(value is not None and is_broken(value) for value in values):
                    problem = self.not_text
                rows.append((number, problem, *(values if problem is None else nothing)))
            yield pa.record_batch([list(column) for column in zip(*rows, strict=True)], schema=schema)


def parse_object(line: bytes) -> tuple[dict[str, Any], str | None]:
    """Return the JSON object on a line, numbers as they are written, and what is wrong with it, if anything."""
    try:
        record = parse_json(line, "the line", as_written=True)
    except JsonError as error:
        if error.trouble != NOT_JSON:
            return {}, f"the line {error.trouble}"
        record = None
    return (record, None) if isinstance(record, dict) else ({}, "the line is not a JSON object")


def peek_objects(path: str, most: int = 20) -> Iterator[dict[str, Any]]:
    """Return the first JSON objects of a file, one a line; none of what cannot be read or begins otherwise."""
    start = b""
    with contextlib.suppress(OSError, EOFError, zlib.error, FileError), open_bytes(path) as file:
        while len(start) < START and (block := file.read(BLOCK)):
            start += block  # whoever opens it for good says what is wrong with the rest
    lines = start.removeprefix(BYTE_ORDER_MARK).lstrip().splitlines()[:most]
    if lines and lines[0][:1] == b"{":
        yield from (record for record, problem in map(parse_object, lines) if problem is None)


@dataclass(frozen=True, slots=True)
class JsonLines(Records):
    """A file with a JSON object on each line."""

    @classmethod
    def open(cls, path: str, opening: Opening) -> "JsonLines":
        """Return the file, with the names that its first lines use."""
        check_start(path)
        names: dict[str, None] = {}
        for _, line in islice(number_lines(path), LOOKED_AT):
            names |= dict.fromkeys(parse_object(line)[0])
        if not names:
            raise FileError(f"{path} must hold a JSON object on each line; none was found")
        return cls(path, tuple(names))

    def list_records(self, wanted: Sequence[str], place: Place) -> Iterator[Record]:
        """Return the values as text, numbers as they are written; a line that is no JSON object is a problem."""
        for number, line in number_lines(self.path, place):
            record, problem = parse_object(line)
            yield number, problem, [as_text(record.get(name)) for name in wanted]


def as_text(value: object) -> str | None:
    """Return a JSON value as text: what is text or a number already, as it is."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def negate(written: str) -> str:
    """Return a number with the other sign, both as text."""
    return written[1:] if written.startswith("-") else f"-{written}"
