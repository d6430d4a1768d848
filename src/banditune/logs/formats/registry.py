"""Every format there is, and which of them a file is in."""

from pathlib import Path
from typing import Any

from banditune.errors import FileError
from banditune.logs.formats import aslib, dsjson, optuna, tables, vw
from banditune.logs.layouts import LAYOUTS
from banditune.logs.parts import Format
from banditune.validation import one_of

STORED = (tables.CSV, tables.PARQUET, tables.JSON, dsjson.FORMAT, vw.FORMAT, optuna.FORMAT, aslib.FORMAT, tables.SQLITE)
FORMATS = {each.name: each for each in STORED}  # what --format can be, with the names of layouts
PACKED = ".gz"
READABLE = "CSV (.csv, .tsv, .txt), Parquet (.parquet, .pq) or JSON lines (.jsonl, .ndjson, .json), text also as .gz"


def names() -> list[str]:
    """Return what --format can be."""
    return [*FORMATS, *LAYOUTS]


def check_format(given: Any) -> str | None:
    """Check the name of a format; None is to find it out."""
    return None if given is None else one_of("format", given, names())


def find_format(path: str, chosen: str | None) -> Format:
    """Return which format a file is in: as chosen, as it unmistakably begins, or as the ending of its name says."""
    if chosen in FORMATS:
        return FORMATS[chosen]
    for each in FORMATS.values():
        if each.claims(path):
            return each
    found = format_by_name(path)
    if found is None:
        raise FileError(
            f"the format of {path} is not known by its name or its content; a log must be {READABLE}, or another that "
            f"is chosen with format=, one of {', '.join(FORMATS)}"
        )
    return found


def check_ending(path: str) -> None:
    """Reject a file whose name says nothing that can be read."""
    if format_by_name(path) is None:
        raise FileError(f"the format of {path} is not known by its name; a log must be {READABLE}")


def format_by_name(path: str) -> Format | None:
    """Return which format the ending of a file's name says, if it does."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] == PACKED:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    return next((each for each in FORMATS.values() if ending in each.endings), None)
