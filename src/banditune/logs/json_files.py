"""Logs of one JSON object a line."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from banditune.errors import FileError
from banditune.logs.records import Record, Records, parse_object
from banditune.logs.text_files import Place, check_start, number_lines

LOOKED_AT = 1000  # lines in which the names of the columns are looked for


@dataclass(frozen=True, slots=True)
class JsonLines(Records):
    """A file with a JSON object on each line."""

    path: str
    columns: tuple[str, ...]
    unit: str = "line"

    @classmethod
    def open(cls, path: str) -> "JsonLines":
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
