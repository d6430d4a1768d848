"""What is in a folder, down to the times of its files, and what has changed since."""

import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """What is known of a name in a folder without opening more than plain files."""

    kind: str
    content: str  # the digest of a file, where a link leads, else empty
    mtime_ns: int  # of files and links: a folder's changes with what is put into it


def take_snapshot(folder: Path) -> dict[str, Entry]:
    """All names under a folder, links not followed."""
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = Path(parent, name)
            found[str(path.relative_to(folder))] = _look_at(path)
    return found


def name_harm(before: dict[str, Entry], after: dict[str, Entry]) -> list[str]:
    """What was there before and is not as it was; new names are no harm.

    >>> file = Entry("file", "5d41", 7)
    >>> name_harm({"a": file, "b": file}, {"a": file._replace(mtime_ns=8), "c": file})
    ['a: time changed', 'b: gone']
    """
    harm = []
    for name, entry in before.items():
        now = after.get(name)
        if now is None:
            harm.append(f"{name}: gone")
        elif now[:2] != entry[:2]:
            harm.append(f"{name}: content changed")
        elif now != entry:
            harm.append(f"{name}: time changed")
    return harm


def _look_at(path: Path) -> Entry:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return Entry("link", os.readlink(path), status.st_mtime_ns)
    if stat.S_ISDIR(status.st_mode):
        return Entry("folder", "", 0)
    if stat.S_ISREG(status.st_mode):
        return Entry("file", hashlib.sha256(path.read_bytes()).hexdigest(), status.st_mtime_ns)
    return Entry("special", "", status.st_mtime_ns)
