"""Files that are whole or not there."""

import io
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from banditune.errors import FileError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from numpy.typing import NDArray


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file beside its place and rename it: no reader ever sees half of it."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Write a file beside its place and rename it."""
    try:
        target = Path(path)
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from None
    except (TypeError, ValueError) as error:
        raise FileError(f"cannot write {path!r}: {error}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, target)
    except BaseException as error:
        Path(beside).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FileError(f"cannot write {target}: {error.strerror or error}") from None
        raise


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a text file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FileError(f"cannot read {path}: it is not UTF-8 text") from None
    except (OSError, TypeError, ValueError) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


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
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:  # a broken file fails in any way it likes
        raise FileError(f"cannot read {path} as an npz of arrays: {error}") from None


def lock(handle: int) -> bool | None:
    """Have an open file for this process alone, for as long as it is open; False if another has it.

    None where files cannot be locked: then two processes have to be kept apart by whoever starts them.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
