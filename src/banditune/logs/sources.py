"""From what a user points at to the parts of a log: files by path, pattern or folder, or a table."""

import glob
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from banditune.errors import FileError, ParameterError
from banditune.io.files import check_file
from banditune.logs.csv_files import CsvFile
from banditune.logs.databases import find_database, open_query, show_address, the_only
from banditune.logs.formats.optuna import Studies
from banditune.logs.formats.registry import FORMATS, READABLE, find_format, format_by_name
from banditune.logs.parts import ArrowTable, Opening, Part
from banditune.logs.text_files import is_broken
from banditune.validation import format_value


def parts_of(source: Any, opening: Opening, chosen: str | None) -> tuple[list[Part], tuple[str, ...]]:
    """Return the files or the table of a log, each opened far enough to know its columns; and files that were left out.

    `chosen` is the name of the format that all files are in; by default, it is found out.
    """
    if hasattr(source, "__arrow_c_stream__"):
        return [ArrowTable(source)], ()
    if opening.query is not None:
        return [open_query(source, opening.query, opening.engine)], ()
    if chosen == "optuna" and is_address(address := the_only(source)):
        return [Studies.of(show_address(address), find_database(address))], ()
    if hasattr(source, "read"):
        if chosen in FORMATS and chosen != "csv":
            raise ParameterError(f"an open file is read as CSV, not as {chosen}: write it to a file first")
        return [CsvFile.copy(source, opening)], ()
    paths, left_out = files_of(source, any_ending=chosen in FORMATS)
    return [find_format(path, chosen).open(path, opening) for path in paths], left_out


def files_of(source: Any, *, may_lack: bool = False, any_ending: bool = False) -> tuple[list[str], tuple[str, ...]]:
    """List the files of paths, patterns and folders, each once, those of a pattern or folder by their names.

    Files of a folder whose names say nothing that can be read are left out, and named, unless `any_ending` will do.
    With `may_lack`, links that lead nowhere are left to whoever opens them.
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
        for path in _find_files(os.fspath(each), left_out, any_ending=any_ending):
            if is_broken(path):
                raise FileError(f"the name of a file must be UTF-8, got {path!r}")
            if not os.path.isdir(path) and (not may_lack or os.path.exists(path)):
                check_file(path)
            files.setdefault(os.path.realpath(path), path)
    if not files:
        raise ParameterError("a log must have at least one file, got none")
    return list(files.values()), tuple(left_out)


def _find_files(path: str, left_out: list[str], *, any_ending: bool) -> Sequence[str]:
    """List the files that a path, a pattern or a folder stands for; folders that cannot be read are noted."""
    if "\0" in path:
        raise ParameterError(f"a path must not contain a zero byte, got {format_value(path)}")
    if is_address(path):
        raise FileError(
            f"{show_address(path)} is an address in an object store, which only the workers of a cluster read: give a "
            "local copy; or it is one of a database, which needs query="
            + (f", or ./{path} for the file of that name" if os.path.lexists(path) else "")
        )
    if os.path.isdir(path):
        if _is_one_log(path):
            return [path]
        return _visible(path, _inside(path)) if any_ending else readable_files(path, _inside(path), left_out)
    if os.path.lexists(path):
        return [path]
    found: list[str] = []
    for match in sorted(glob.glob(path, recursive=True)):  # each as if it had been given by name
        is_folder = os.path.isdir(match) and not _is_one_log(match)
        found += _readable(match, _inside(match), left_out) if is_folder else [match]
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
    """List the files inside a folder that are logs by their names; others that are not hidden are noted."""
    readable = _readable(folder, inside, left_out)
    if not readable:
        raise FileError(f"the folder {folder} has no log; a log must be {READABLE}")
    return readable


def _readable(folder: str, inside: Iterable[str], left_out: list[str]) -> list[str]:
    visible = _visible(folder, inside)
    left_out += [file for file in visible if format_by_name(file) is None]
    return [file for file in visible if format_by_name(file) is not None]


def _visible(folder: str, inside: Iterable[str]) -> list[str]:
    return [file for file in inside if not _is_hidden(os.path.relpath(file, folder))]


def _is_one_log(folder: str) -> bool:
    """Tell whether all files of a folder are one log together."""
    return any(each.is_folder and each.claims(folder) for each in FORMATS.values())


def is_address(path: object) -> TypeGuard[str]:
    """Tell whether a path is an address in a store of files: a scheme and ://, as in s3://logs/2026.

    Everything else is a path on this machine, and is handed on as `absolute` has it, which nobody takes for an address.
    """
    return isinstance(path, str) and re.match(r"([A-Za-z][\w+.-]*::)*[A-Za-z][\w+.-]*://", path) is not None


def absolute(path: str) -> str:
    """Return a path on this machine from its root; unlike os.path.abspath, it leaves link/.. to mean what it does."""
    return os.path.join(os.getcwd(), path)


def _is_hidden(path: str) -> bool:
    """Tell whether a name within a folder, or that of a folder in it, says that the file is no data."""
    return any(name.startswith((".", "_")) for name in Path(path).parts)
