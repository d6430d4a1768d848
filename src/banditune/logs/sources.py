"""From what a user points at to the parts of a log: files by path, pattern or folder, or a table."""

import glob
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from banditune.errors import FileError, ParameterError
from banditune.io.files import check_file
from banditune.logs.columns import Columns
from banditune.logs.csv_files import CsvFile
from banditune.logs.engine import Engine
from banditune.logs.json_files import JsonLines
from banditune.logs.parts import ArrowTable, ParquetFile, Part
from banditune.logs.text_files import is_broken
from banditune.validation import format_value

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


def parts_of(
    source: Any, columns: Columns, delimiter: str | None, engine: Engine
) -> tuple[list[Part], tuple[str, ...]]:
    """The files or the table of a log, each opened far enough to know its columns; and files that were left out."""
    if hasattr(source, "__arrow_c_stream__"):
        return [ArrowTable(source)], ()
    named = asdict(columns) | {"parameters": None, "features": None}
    wanted = [*(name for name in named.values() if name is not None), *columns.kinds, *columns.feature_names]
    if hasattr(source, "read"):
        return [CsvFile.copy(source, wanted, delimiter, engine)], ()
    parts: list[Part] = []
    paths, left_out = files_of(source)
    for path in paths:
        kind = kind_of(path)
        if kind == "parquet":
            parts.append(ParquetFile.open(path, engine))
        elif kind == "json":
            parts.append(JsonLines.open(path))
        else:
            parts.append(CsvFile.open(path, wanted, delimiter))
    return parts, left_out


def files_of(source: Any, *, may_lack: bool = False) -> tuple[list[str], tuple[str, ...]]:
    """The files of paths, patterns and folders, each file once, those of a pattern or folder in the order of names.

    Files of a folder whose names say nothing that can be read are left out, and named. With `may_lack`, links that
    lead nowhere are left to whoever opens them.
    """
    given = [source] if isinstance(source, str | os.PathLike) else source
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        needed = (
            "a path, a glob pattern, a folder, a list of them, an open file, or a table (Arrow, pandas, polars, ...)"
        )
        raise ParameterError(f"a log must be {needed}; got {format_value(source)}")
    files: dict[str, str] = {}
    left_out: list[str] = []
    for each in given:
        if not isinstance(each, str | os.PathLike):
            raise ParameterError(f"the files of a log must be given by their paths, got {format_value(each)}")
        for path in _find_files(os.fspath(each), left_out):
            if is_broken(path):
                raise FileError(f"the name of a file must be UTF-8, got {path!r}")
            if not may_lack or os.path.exists(path):
                check_file(path)
            files.setdefault(os.path.realpath(path), path)
    if not files:
        raise ParameterError("a log must have at least one file, got none")
    return list(files.values()), tuple(left_out)


def kind_of(path: str) -> str:
    """How a file is to be read, by the end of its name."""
    kind = _kind(path)
    if kind is None:
        raise FileError(f"the format of {path} is not known by its name; a log must be {READABLE}")
    return kind


def _find_files(path: str, left_out: list[str]) -> Sequence[str]:
    """The files that a path, a pattern or a folder stands for; those of a folder that cannot be read are noted."""
    if "\0" in path:
        raise ParameterError(f"a path must not contain a zero byte, got {format_value(path)}")
    if is_address(path):
        raise FileError(
            f"{path} is an address in an object store, which only the workers of a cluster read; give a local copy"
            + (f", or ./{path} for the file of that name" if os.path.lexists(path) else "")
        )
    if os.path.isdir(path):
        return readable_files(path, _inside(path), left_out)
    if os.path.lexists(path):
        return [path]
    found: list[str] = []
    for match in sorted(glob.glob(path, recursive=True)):  # each as if it had been given by name
        found += _readable(match, _inside(match), left_out) if os.path.isdir(match) else [match]
    if not found:
        escaped = re.search(r"\\[*?\[]", path) is not None
        advice = r"; in a pattern, [*] stands for a star itself, not \*" if escaped else ""
        raise FileError(f"there is no file {path}{advice}")
    return found


def _inside(folder: str) -> list[str]:
    """All that is inside a folder and is no folder itself, in the order of names; links to folders are followed."""
    found: list[str] = []
    seen: set[tuple[int, int]] = set()
    for here, folders, names in os.walk(folder, onerror=_reject_folder, followlinks=True):
        folders[:] = [name for name in folders if not _is_hidden(name)]
        known = os.stat(here)
        if (known.st_dev, known.st_ino) in seen:  # a link led back
            folders.clear()
            continue
        seen.add((known.st_dev, known.st_ino))
        found += [os.path.join(here, name) for name in names]
    return sorted(found)


def _reject_folder(error: OSError) -> None:
    raise FileError(f"cannot read the folder {error.filename}: {error.strerror or error}")


def readable_files(folder: str, inside: Iterable[str], left_out: list[str]) -> list[str]:
    """Of the files inside a folder, those that are a log by their names; others that are not hidden are noted."""
    readable = _readable(folder, inside, left_out)
    if not readable:
        raise FileError(f"the folder {folder} has no log; a log must be {READABLE}")
    return readable


def _readable(folder: str, inside: Iterable[str], left_out: list[str]) -> list[str]:
    visible = [file for file in inside if not _is_hidden(os.path.relpath(file, folder))]
    left_out += [file for file in visible if _kind(file) is None]
    return [file for file in visible if _kind(file) is not None]


def is_address(path: str) -> bool:
    """Whether a path is an address in a store of files: a scheme and ://, as in s3://logs/2026.

    Everything else is a path on this machine, and is handed on as `absolute` has it, which nobody takes for an address.
    """
    return re.match(r"([A-Za-z][\w+.-]*::)*[A-Za-z][\w+.-]*://", path) is not None


def absolute(path: str) -> str:
    """A path on this machine from its root; unlike os.path.abspath, it leaves link/.. to mean what it does."""
    return os.path.join(os.getcwd(), path)


def _is_hidden(path: str) -> bool:
    """Whether a name within a folder, or that of a folder in it, says that the file is no data."""
    return any(name.startswith((".", "_")) for name in Path(path).parts)


def _kind(path: str) -> str | None:
    """How a file is to be read, by the end of its name, if that is known."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return KINDS.get(suffixes[-1] if suffixes else "")
