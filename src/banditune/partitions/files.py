"""The files of a partitioned log, on a disk that all workers see or in an object store."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from banditune.errors import FileError
from banditune.logs.sources import files_of, is_address, kind_of
from banditune.partitions.stores import copy_here, stored_files, stored_state


@dataclass(frozen=True, slots=True)
class Partition:
    """One file of a log; all rows of a task must be in one."""

    path: str
    state: str  # its size and when it was last changed, or what the store has for that

    def check(self) -> None:
        """Refuse a file that is gone, or is no longer what it was."""
        if self.state != state_of(self.path):
            raise FileError(f"{self.path} was changed while it was worked on")

    @contextmanager
    def here(self) -> Iterator[str]:
        """A path that can be opened: its own, or that of a copy from a store."""
        self.check()
        if not is_address(self.path):
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="banditune-") as folder:
            yield copy_here(self.path, folder)


def partitions_of(sources: Sequence[str]) -> tuple[list[Partition], tuple[str, ...]]:
    """The partitions that paths, patterns, folders and addresses such as s3://logs/*.parquet stand for.

    Also files of a folder that are left out, as their names say nothing that can be read.
    """
    local = [path for path in sources if not is_address(path)]
    paths, left_out = files_of(local) if local else ([], ())
    states = {path: state_of(path) for path in map(os.path.abspath, paths)}
    unreadable = list(left_out)
    for address in sources:
        if is_address(address):
            states |= stored_files(address, unreadable)
    for path in states:
        kind_of(path)
    return [Partition(path, state) for path, state in states.items()], tuple(unreadable)


def state_of(path: str) -> str:
    """What changes when a file does."""
    if is_address(path):
        return stored_state(path)
    try:
        known = os.stat(path)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    return f"{known.st_size} bytes, {known.st_mtime_ns}"


TOKEN = ".seen-by-workers"  # the file by which workers show that they see a folder


def folder_is_shared(folder: Path, token: str) -> bool:
    """Whether this process sees what another wrote into a folder."""
    try:
        return (folder / TOKEN).read_text(encoding="utf-8") == token
    except OSError:
        return False
