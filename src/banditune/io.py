"""Files that are whole or not there, and none that is no file; and JSON text that others may have written."""

import errno
import io
import json
import math
import os
import re
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

from banditune.errors import FileError
from banditune.validation import format_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TEXT = 2**30  # bytes of a text that is read whole
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_descriptor(path: str | os.PathLike[str], flags: int, *, to: str = "read") -> int:
    """Open a regular file, links followed; anything else is an error that says what it is, and never waited for.

    It is looked at before it is opened, as to open a device may do something, and again when it is open, as something
    else may have taken its place.
    """
    try:
        try:
            _reject_irregular(path, os.stat(path), to)
        except FileNotFoundError:
            if os.path.islink(path):
                raise FileError(
                    f"cannot {to} {os.fspath(path)}: it is a link to {os.readlink(path)}, which is not there"
                ) from None
            if not flags & os.O_CREAT:
                raise
        never_wait = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
        handle = os.open(path, flags | never_wait | getattr(os, "O_BINARY", 0), 0o666)
        try:
            _reject_irregular(path, os.fstat(handle), to)
        except BaseException:
            os.close(handle)
            raise
        return handle
    except FileError:
        raise
    except (OSError, TypeError, ValueError) as error:
        raise FileError(f"cannot {to} {path}: {getattr(error, 'strerror', None) or error}") from None


def open_file(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a regular file that is not empty for reading; every file that is read comes in by here."""
    handle = open_descriptor(path, os.O_RDONLY)
    if os.fstat(handle).st_size == 0:  # or one of those that the system makes up, which may never end
        os.close(handle)
        raise FileError(f"{os.fspath(path)} is empty")
    return os.fdopen(handle, "rb")


def check_file(path: str | os.PathLike[str]) -> None:
    """Reject what cannot be opened and read as a file."""
    os.close(open_descriptor(path, os.O_RDONLY))


def _reject_irregular(path: str | os.PathLike[str], known: os.stat_result, to: str) -> None:
    if not stat.S_ISREG(known.st_mode):
        kind = KINDS.get(stat.S_IFMT(known.st_mode), "something else")
        raise FileError(f"cannot {to} {os.fspath(path)}: it must be a regular file, but it is {kind}")


MOST_NESTED = 100  # lists and objects within each other; Python would fail at some 1000, here or wherever they go next
NOT_JSON = "is not JSON"


class JsonError(FileError):
    """A text is no JSON that can be used; `trouble` says why, in the same words wherever in a text it is."""

    trouble = NOT_JSON


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file beside its place and rename it: no reader ever sees half of it."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Write a file beside its place and rename it."""
    write_together({path: content})


def write_together(files: Mapping[str | os.PathLike[str], bytes | memoryview]) -> None:
    """Write files beside their places, and rename them when all are written, the first of them last."""
    written: dict[Path, str] = {}
    path: Any = None
    try:
        for path, content in files.items():
            _write_beside(Path(path), content, written)
        for path, beside in reversed(list(written.items())):
            os.replace(beside, path)
            del written[path]
    except OSError as error:
        raise FileError(f"cannot write {os.fspath(path)}: {error.strerror or error}") from None
    except (TypeError, ValueError) as error:
        raise FileError(f"cannot write {path!r}: {error}") from None
    finally:
        for beside in written.values():
            Path(beside).unlink(missing_ok=True)


def _write_beside(target: Path, content: bytes | memoryview, written: dict[Path, str]) -> None:
    """Write a file beside its place, and note where; a folder in its place is an error."""
    handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    written[target] = beside
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(handle)
    os.chmod(beside, 0o666 & ~_umask())
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def remove_half_written(folder: Path, names: str) -> None:
    """Remove what killed runs had begun to write into a folder of theirs: files with names that match a pattern.

    Whatever `write_bytes` cannot have made is left alone: other names, folders and links.
    """
    half_written = re.compile(rf"\.(?:{names})\.[a-z0-9_]{{8}}\.part")  # as mkstemp makes them
    try:
        with os.scandir(folder) as inside:
            for each in inside:
                if half_written.fullmatch(each.name) and each.is_file(follow_symlinks=False):
                    Path(each.path).unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"cannot tidy up {folder}: {error.strerror or error}") from None


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a text file."""
    with open_file(path) as file:
        if (size := os.fstat(file.fileno()).st_size) > MOST_TEXT:
            raise FileError(f"cannot read {path}: {size:,} bytes are too many for such a text")
        try:
            return file.read().decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise FileError(f"cannot read {path}: it is not UTF-8 text") from None
        except OSError as error:
            raise FileError(f"cannot read {path}: {error.strerror or error}") from None


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read the data of a JSON file."""
    return parse_json(read_text(path), os.fspath(path))


def parse_json(text: str | bytes, what: str, *, as_written: bool = False) -> Any:
    """The data of a JSON text, whoever wrote it; `what` is how an error calls the text.

    NaN and infinities, keys that are given twice, halves of characters, and what is nested too deeply to be handed on
    are rejected. With `as_written`, numbers (NaN as well) stay the text they are, and nothing is asked of what strings
    hold.

    >>> parse_json('{"reward": 1.50}', "the line", as_written=True)
    {'reward': '1.50'}
    """
    if not isinstance(text, str | bytes):
        _reject_json(what, "must be JSON text", f"got {format_value(text)}")
    try:
        whole = text if isinstance(text, str) else text.decode("utf-8")
        found = (_AS_WRITTEN if as_written else _STRICT).decode(whole)
    except json.JSONDecodeError as error:
        _reject_json(what, NOT_JSON, str(error))
    except UnicodeDecodeError:
        _reject_json(what, "is not UTF-8 text")
    except RecursionError:
        _reject_json(what, "is nested too deeply")
    except _UnusableError as error:
        _reject_json(what, *error.args)
    except ValueError:  # Python reads no integer of so many digits
        _reject_json(what, "holds a number of too many digits")
    if whole.count("[") + whole.count("{") > MOST_NESTED and _is_deep(found):
        _reject_json(what, "is nested too deeply")
    if not as_written and ("\\u" in whole or not whole.isascii()) and _is_broken(found):
        _reject_json(what, "has half a character (an unpaired surrogate)")
    return found


class _UnusableError(Exception):
    """Some JSON is read by Python, but cannot be used."""


def _reject_json(what: str, trouble: str, details: str = "") -> NoReturn:
    error = JsonError(f"{what} {trouble}{details and ': '}{details}")
    error.trouble = trouble
    raise error from None


def _finite(written: str) -> float:
    """A number as it is written, or Python's NaN and Infinity, which are not JSON."""
    number = float(written)
    if not math.isfinite(number):
        raise _UnusableError("must hold finite numbers", f"got {written[:80]}")
    return number


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of pairs whose keys differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _UnusableError("gives a key twice", format_value(next(key for key in keys if keys.count(key) > 1)))
    return found


_STRICT = json.JSONDecoder(object_pairs_hook=_once_each, parse_float=_finite, parse_constant=_finite)
_AS_WRITTEN = json.JSONDecoder(object_pairs_hook=_once_each, parse_float=str, parse_int=str, parse_constant=str)


def _is_deep(data: Any) -> bool:
    """Whether lists and objects are nested too deeply."""
    level = [data]
    for _ in range(MOST_NESTED):
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = [each for values in inside for each in values if isinstance(each, list | dict)]
        if not level:
            return False
    return True


def _is_broken(data: Any) -> bool:
    """Whether there is half of a surrogate pair in any text: it could not be written or shown."""
    try:
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def write_arrays(
    path: str | os.PathLike[str], arrays: "Mapping[str, NDArray[Any]]", *, compressed: bool = True
) -> None:
    """Write arrays by name into an npz, without any object that could run code when it is read."""
    import numpy as np

    held = io.BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(held, allow_pickle=False, **arrays)
    write_bytes(path, held.getbuffer())


def read_arrays(path: str | os.PathLike[str], *names: str) -> "list[NDArray[Any]]":
    """Read arrays from an npz, in the order of the names."""
    arrays = read_all_arrays(path)
    for name in names:
        if name not in arrays:
            raise FileError(f"{path} must hold an array {name!r}")
    return [arrays[name] for name in names]


def read_all_arrays(path: str | os.PathLike[str]) -> "dict[str, NDArray[Any]]":
    """Read the arrays of an npz, by name."""
    import numpy as np

    try:
        with open_file(path) as file, np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:  # a broken file fails in any way it likes
        raise FileError(f"cannot read {path} as an npz of arrays: {error}") from None


def make_folder(folder: str | os.PathLike[str]) -> Path:
    """Return a folder, made if it is not there."""
    try:
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, TypeError, ValueError) as error:
        raise FileError(f"cannot create the folder {folder}: {getattr(error, 'strerror', None) or error}") from None
    return path


def lock(handle: int) -> bool | None:
    """Have an open file for this process alone, for as long as it is open; False if another has it.

    None where files cannot be locked: then two processes have to be kept apart by whoever starts them.
    """
    from filelock import lock_descriptor

    try:
        return lock_descriptor(handle, blocking=False)
    except OSError:  # a file system without locks
        return None


def open_alone(path: str | os.PathLike[str], flags: int, *, to: str, in_use: str) -> int:
    """Open a regular file for this process alone, until it is closed; `in_use` is the error if another has it."""
    handle = open_descriptor(path, flags, to=to)
    if lock(handle) is False:
        os.close(handle)
        raise FileError(in_use)
    return handle


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
