"""Files that are whole or not there, and none that is no file."""

import errno
import io
import os
import re
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from banditune.errors import FileError

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


def open_file(path: str | os.PathLike[str]) -> io.BufferedReader:
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


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file beside its place and rename it: no reader ever sees half of it."""
    write_bytes(path, text.encode("utf-8"))


def write_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write text files into a folder by their names, and return their paths."""
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]


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
    os.umask(mask := os.umask(0))  # which cannot be asked for in another way
    os.chmod(beside, 0o666 & ~mask)
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
