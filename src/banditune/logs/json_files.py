"""Logs of one JSON object a line."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from banditune.errors import FileError
from banditune.io.json_text import NOT_JSON, JsonError, parse_json
from banditune.logs.engine import Engine
from banditune.logs.parts import Part
from banditune.logs.text_files import Place, check_start, is_broken, number_lines

LOOKED_AT = 1000  # lines in which the names of the columns are looked for
BATCH = 50_000


@dataclass(frozen=True, slots=True)
class JsonLines(Part):
    """A file with a JSON object on each line."""

    path: str
    columns: tuple[str, ...]
    unit: str = "line"

    @classmethod
    def open(cls, path: str) -> "JsonLines":
        """The file, with the names that its first lines use."""
        check_start(path)
        names: dict[str, None] = {}
        for _, line in islice(number_lines(path), LOOKED_AT):
            try:
                record = parse_json(line, "the line", as_written=True)
            except FileError:
                continue
            if isinstance(record, dict):
                names |= dict.fromkeys(record)
        if not names:
            raise FileError(f"{path} must hold a JSON object on each line; none was found")
        return cls(path, tuple(names))

    def relation(self, engine: Engine, wanted: Sequence[str]) -> str:
        """The values as text, numbers as they are written; a line that is no JSON object is a problem."""
        import pyarrow as pa

        texts = [(f"w{k}", pa.string()) for k in range(len(wanted))]
        schema = pa.schema([("row", pa.int64()), ("problem", pa.string()), *texts])
        place = Place()
        engine.stream(schema, self._batches(wanted, schema, place), place.share)
        return "SELECT * FROM part"

    def _batches(self, wanted: Sequence[str], schema: Any, place: Place) -> Iterator[Any]:
        import pyarrow as pa

        lines = number_lines(self.path, place)
        while batch := list(islice(lines, BATCH)):
            rows = [(number, *_values(line, wanted)) for number, line in batch]
            yield pa.record_batch([list(column) for column in zip(*rows, strict=True)], schema=schema)


def _values(line: bytes, wanted: Sequence[str]) -> list[str | None]:
    """What is wrong with a line, if anything, and the values of an object's keys as text."""
    nothing: list[str | None] = [None] * len(wanted)
    try:
        record = parse_json(line, "the line", as_written=True)
    except JsonError as error:
        if error.trouble != NOT_JSON:
            return [f"the line {error.trouble}", *nothing]
        record = None
    if not isinstance(record, dict):
        return ["the line is not a JSON object", *nothing]
    values = [_as_text(record.get(name)) for name in wanted]
    if any(value is not None and is_broken(value) for value in values):
        return ["the line has half a character (an unpaired surrogate)", *nothing]
    return [None, *values]


def _as_text(value: object) -> str | None:
    """A JSON value as text: what is text or a number already, as it is."""
    return value if value is None or isinstance(value, str) else json.dumps(value)
