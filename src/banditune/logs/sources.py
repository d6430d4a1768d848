"""From what a user points at to the parts of a log: files by path, pattern or folder, or a table."""

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from banditune.checks import shown
from banditune.errors import FileError, ParameterError
from banditune.logs.columns import Columns
from banditune.logs.csv_files import CsvFile
from banditune.logs.engine import Engine
from banditune.logs.json_files import JsonLines
from banditune.logs.parts import ArrowTable, ParquetFile, Part

KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
READABLE = "CSV (.csv, .tsv, .txt), Parquet (.parquet, .pq) or JSON lines (.jsonl, .ndjson, .json), text also as .gz"


def parts_of(source: Any, columns: Columns, delimiter: str | None, engine: Engine) -> list[Part]:
    """The files or the table of a log, each opened far enough to know its columns."""
    if hasattr(source, "__arrow_c_stream__"):
        return [ArrowTable(source)]
    wanted = [name for name in columns.to_json().values() if name is not None]
    parts: list[Part] = []
    for path in files_of(source):
        kind = kind_of(path)
        if kind == "parquet":
            parts.append(ParquetFile.opened(path, engine))
        elif kind == "json":
            parts.append(JsonLines.opened(path))
        else:
            parts.append(CsvFile.opened(path, wanted, delimiter))
    return parts


def files_of(source: Any) -> list[str]:
    """The files of paths, patterns and folders, each file once, those of a pattern or folder in the order of names."""
    given = [source] if isinstance(source, str | os.PathLike) else source
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        needed = "a path, a pattern, a folder, a list of them, or a table (Arrow, pandas, polars, DuckDB)"
        raise ParameterError(f"a log must be {needed}; got {shown(source)}")
    files: dict[str, str] = {}
    for each in given:
        if not isinstance(each, str | os.PathLike):
            raise ParameterError(f"the files of a log must be given by their paths, got {shown(each)}")
        for path in _matching(os.fspath(each)):
            files.setdefault(os.path.realpath(path), path)
    if not files:
        raise ParameterError("a log must have at least one file, got none")
    return list(files.values())


def kind_of(path: str) -> str:
    """How a file is to be read, by the end of its name."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    kind = KINDS.get(suffixes[-1] if suffixes else "")
    if kind is None:
        raise FileError(f"{path} cannot be read by its name; a log must be {READABLE}")
    return kind


def _matching(path: str) -> Sequence[str]:
    """The files that a path, a pattern or a folder stands for."""
    if "\0" in path:
        raise ParameterError(f"a path must not hold a zero byte, got {shown(path)}")
    if os.path.isfile(path):
        return [path]
    if os.path.isdir(path):
        inside = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
        readable = sorted(file for file in inside if _is_readable(os.path.relpath(file, path)))
        if not readable:
            raise FileError(f"the folder {path} holds no log; a log must be {READABLE}")
        return readable
    found = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
    if not found:
        raise FileError(f"there is no file {path}")
    return found


def _is_readable(path: str) -> bool:
    """Whether a file in a folder is part of a log: no hidden file, and a name we know."""
    names = Path(path).parts
    known = (suffix.lower() for suffix in Path(path.removesuffix(".gz")).suffixes[-1:])
    return not any(name.startswith((".", "_")) for name in names) and any(suffix in KINDS for suffix in known)
