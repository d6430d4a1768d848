"""Logs of one JSON object a line."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from banditune.errors import FileError
from banditune.logs.engine import Engine, literal
from banditune.logs.text_files import checked_start, numbered_lines

LOOKED_AT = 1000  # lines in which the names of the columns are looked for
BATCH = 50_000


@dataclass(frozen=True, slots=True)
class JsonLines:
    """A file with a JSON object on each line."""

    path: str
    columns: tuple[str, ...]
    unit: str = "line"

    @classmethod
    def opened(cls, path: str) -> "JsonLines":
        """The file, with the names that its first lines use."""
        checked_start(path)
        names: dict[str, None] = {}
        for _, line in islice(numbered_lines(path), LOOKED_AT):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                names |= dict.fromkeys(record)
        if not names:
            raise FileError(f"{path} must hold a JSON object on each line; none was found")
        return cls(path, tuple(names))

    def relation(self, engine: Engine, wanted: Sequence[str]) -> str:
        """The values as text; a line that is no JSON object is a problem."""
        import pyarrow as pa

        schema = pa.schema([("row", pa.int64()), ("line", pa.string()), ("problem", pa.string())])
        engine.stream(schema, self._batches(schema))
        values = "".join(f", line ->> {literal(_path(name))} AS w{k}" for k, name in enumerate(wanted))
        objects = (
            "SELECT row, CASE WHEN problem IS NULL AND json_valid(line) AND json_type(line) = 'OBJECT' THEN line END "
            "AS line, problem FROM part"
        )
        told = "coalesce(problem, CASE WHEN line IS NULL THEN 'the line is not a JSON object' END)"
        return f"SELECT row, {told} AS problem{values} FROM ({objects})"

    def _batches(self, schema: Any) -> Iterator[Any]:
        import pyarrow as pa

        lines = numbered_lines(self.path)
        while batch := list(islice(lines, BATCH)):
            texts: list[str | None] = []
            problems: list[str | None] = []
            for _, line in batch:
                try:
                    texts.append(line.decode("utf-8"))
                    problems.append(None)
                except UnicodeDecodeError:
                    texts.append(None)
                    problems.append("the line is not UTF-8 text")
            yield pa.record_batch([[number for number, _ in batch], texts, problems], schema=schema)


def _path(name: str) -> str:
    """A key of an object as the engine's JSON functions take it."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'$."{escaped}"'
