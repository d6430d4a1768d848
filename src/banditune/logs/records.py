"""Files that are read record by record in Python, whatever they are written in."""

import contextlib
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from banditune.errors import FileError
from banditune.io.json_text import NOT_JSON, JsonError, parse_json
from banditune.logs.engine import Engine
from banditune.logs.parts import Part
from banditune.logs.text_files import BYTE_ORDER_MARK, Place, is_broken, open_bytes

BATCH = 50_000  # records that are handed over at once
START, BLOCK = 2**20, 2**14  # bytes by which a format is recognised, and that are read at once
Record = tuple[int, str | None, Sequence[str | None]]  # where it is, what is wrong with it, its values as text


class Records(Part):
    """A part whose rows are made by a generator."""

    def list_records(self, wanted: Sequence[str], place: Place) -> Iterator[Record]:
        """All records with their values for the wanted columns; none for a record with which something is wrong."""
        raise NotImplementedError

    def relation(self, engine: Engine, wanted: Sequence[str]) -> str:
        """Return the values as text."""
        import pyarrow as pa

        texts = [(f"w{k}", pa.string()) for k in range(len(wanted))]
        schema = pa.schema([("row", pa.int64()), ("problem", pa.string()), *texts])
        place = Place()
        engine.stream(schema, self._batches(wanted, schema, place), place.share)
        return "SELECT * FROM part"

    def _batches(self, wanted: Sequence[str], schema: Any, place: Place) -> Iterator[Any]:
        import pyarrow as pa

        nothing: list[str | None] = [None] * len(wanted)
        records = self.list_records(wanted, place)
        while batch := list(islice(records, BATCH)):
            rows = []
            for number, given, values in batch:
                problem = given
                if problem is None and any(value is not None and is_broken(value) for value in values):
                    problem = "the record is not UTF-8 text, or has half a character (an unpaired surrogate)"
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
