"""The files of a partitioned log, on a disk that all workers see or in an object store."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from banditune.errors import FileError
from banditune.logs.sources import files_of, kind_of


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
        if not is_remote(self.path):
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="banditune-") as folder, _told(self.path):
            copy = os.path.join(folder, os.path.basename(self.path))
            store, inside = _store_of(self.path)
            store.get(inside, copy)
            yield copy


def partitions_of(sources: Sequence[str]) -> list[Partition]:
    """The partitions that paths, patterns, folders and addresses such as s3://logs/*.parquet stand for."""
    paths = [path for source in sources for path in (_listed(source) if is_remote(source) else [source])]
    remote = [path for path in paths if is_remote(path)]
    local = [path for path in paths if not is_remote(path)]
    files = [*(os.path.abspath(path) for path in (files_of(local)[0] if local else ())), *dict.fromkeys(remote)]
    for path in files:
        kind_of(path)
    return [Partition(path, state_of(path)) for path in files]


def is_remote(path: str) -> bool:
    """Whether a path is an address in a store."""
    return "://" in path


def state_of(path: str) -> str:
    """What changes when a file does."""
    if is_remote(path):
        with _told(path):
            store, inside = _store_of(path)
            return str(store.ukey(inside))
    try:
        known = os.stat(path)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    return f"{known.st_size} bytes, {known.st_mtime_ns}"


def _listed(pattern: str) -> list[str]:
    """The files in a store that a pattern stands for, in the order of names."""
    with _told(pattern):
        store, inside = _store_of(pattern)
        found = sorted(store.glob(inside)) if any(mark in inside for mark in "*?[") else [inside]
    if not found:
        raise FileError(f"there is no file {pattern}")
    return [store.unstrip_protocol(path) for path in found]


def _store_of(path: str) -> tuple[Any, str]:
    import fsspec

    store, inside = fsspec.core.url_to_fs(path)
    return store, inside


class _told:  # noqa: N801  # reads as a sentence: with _told(path): ...
    """A block in which trouble with a store is told as such."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, FileError):
            told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise FileError(f"cannot read {self._path}: {told[:300]}") from None


TOKEN = ".seen-by-workers"  # the file by which workers show that they see a folder


def folder_is_shared(folder: Path, token: str) -> bool:
    """Whether this process sees what another wrote into a folder."""
    try:
        return (folder / TOKEN).read_text(encoding="utf-8") == token
    except OSError:
        return False
