"""Temporary folders that are gone when their process is, whatever ended it.

A folder holds a lock file, which its process has locked for as long as it lives: the system lets go of the lock when
the process dies, however it does. So whoever can lock the file of a folder knows that nobody works in it, and removes
it; each new folder is an occasion to look for such. Where files cannot be locked, and on Windows, nothing is ever
removed for others.
"""

import os
import shutil
import stat
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

from banditune.errors import FileError
from banditune.io.files import lock

PREFIX = "banditune-"
LOCK = "banditune.lock"  # by it, a folder is known as ours
UNLOCKED = "banditune.new"  # what it is called before it is locked
CAN_TIDY = hasattr(os, "getuid")  # not on Windows, where no open file can be renamed or removed


class ScratchFolder:
    """A temporary folder at `path`, removed with all that is in it at the end of the block, or with this object.

    >>> with ScratchFolder() as folder:
    ...     (folder.path / "much").touch()
    >>> folder.path.exists()
    False
    """

    def __init__(self) -> None:
        try:
            remove_abandoned_folders()
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
            self._handle = os.open(self.path / UNLOCKED, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise FileError(
                f"a temporary folder cannot be made: {error.strerror or error}. Set TMPDIR to one with room"
            ) from None
        self._remover = weakref.finalize(self, _remove, self.path, self._handle)
        if CAN_TIDY and lock(self._handle):  # only then does it get the name by which others would look whether it is
            os.rename(self.path / UNLOCKED, self.path / LOCK)
        _alive.add(self)

    def remove(self) -> None:
        """Remove it now."""
        self._remover()

    def __enter__(self) -> "ScratchFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


_alive: "weakref.WeakSet[ScratchFolder]" = weakref.WeakSet()


def remove_all() -> None:
    """Remove all that this process has made and not yet removed: for one that ends at once."""
    for folder in list(_alive):
        folder.remove()


def remove_abandoned_folders() -> None:
    """Remove the folders of processes of this user that ended without doing so."""
    if not CAN_TIDY:
        return
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            handle = _open_own(path)
        except OSError:  # another's, or gone, or not one of these
            continue
        if lock(handle):
            _remove(path, handle)
        else:
            os.close(handle)


def _open_own(path: Path) -> int:
    """Return the open lock file of a folder of this user; an OSError if it is none."""
    if not stat.S_ISDIR(os.lstat(path).st_mode) or os.lstat(path).st_uid != os.getuid():
        raise PermissionError(f"{path} is no folder of this user")
    handle = os.open(path / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    if os.fstat(handle).st_uid != os.getuid() or not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise PermissionError(f"{path / LOCK} is no file of this user")
    return handle


def _remove(path: Path, handle: int) -> None:
    """Remove a folder, its lock file last: what is left if that is cut short can still be known as abandoned."""
    with suppress(OSError):  # another process may just have removed the folder
        for entry in path.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != LOCK:
                with suppress(OSError):
                    entry.unlink()
    os.close(handle)
    shutil.rmtree(path, ignore_errors=True)
