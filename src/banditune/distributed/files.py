"""The files of a partitioned log, on a disk that all workers see or in an object store."""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from banditune.checkpoints.checkpoint_files import digest
from banditune.errors import FileError
from banditune.io.files import check_file, read_text
from banditune.logs.formats.registry import check_ending
from banditune.logs.sources import absolute, files_of, is_address, readable_files
from banditune.temporary_folders import ScratchFolder

# what stores call that which changes with a file; the first there is counts
MARKS = ("etag", "md5hash", "generation", "lastmodified", "last_modified", "updated", "mtime", "modified", "created")


def list_stored_files(address: str, left_out: list[str]) -> list[str]:
    """Return the files that an address, a pattern or a folder stands for, in the order of names.

    Files of a folder whose names say nothing that can be read are noted in `left_out`.
    """
    with _translate_errors(address):
        store, inside = _store_of(address)
        is_pattern = any(mark in inside for mark in "*?[") and not store.exists(inside)
        if is_pattern:
            found = [path for path, about in store.glob(inside, detail=True).items() if about["type"] != "directory"]
        else:
            found = store.find(inside) if store.isdir(inside) else [inside]
        for path in found if _is_local(store) else ():
            check_file(path)
        files = [store.unstrip_protocol(path) for path in sorted(found)]
        folder = store.unstrip_protocol(inside)
    if is_pattern and not files:
        raise FileError(f"there is no file {address}")
    if not is_pattern and files != [folder]:
        files = readable_files(folder, files, left_out)
    return files


def read_stored_state(address: str) -> str:
    """Return what changes when a file in a store does, as it is there now.

    What a listing tells may be old, or be written differently: the store is asked about this file.
    """
    with _translate_errors(address):
        store, inside = _store_of(address)
        store.invalidate_cache()
        info = {name.lower(): value for name, value in store.info(inside).items()}
    mark = next((f", {info[name]}" for name in MARKS if info.get(name) is not None), "")
    return f"{info.get('size')} bytes{mark}"


def copy_here(address: str, folder: str) -> str:
    """Return the path of a copy of a file in a store, in a folder of this machine."""
    copy = os.path.join(folder, os.path.basename(address))
    with _translate_errors(address):
        store, inside = _store_of(address)
        store.get_file(inside, copy)
    return copy


def _store_of(address: str) -> tuple[Any, str]:
    import fsspec

    store, inside = fsspec.core.url_to_fs(address)
    return store, inside


def _is_local(store: Any) -> bool:
    """Tell whether a store is the disk of this machine, on which there may be pipes and devices."""
    protocols = (store.protocol,) if isinstance(store.protocol, str) else store.protocol
    return "file" in protocols


@contextmanager
def _translate_errors(address: str) -> Iterator[None]:
    """Return a block in which trouble with a store is reported as such."""
    try:
        yield
    except FileError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise FileError(f"cannot read {address}: {reason[:300]}") from None


UNKNOWN = "unknown"  # the state of a file that could not be asked for it
AT_ONCE = 32  # files that are asked for their states


@dataclass(frozen=True, slots=True)
class Partition:
    """One file of a log; all rows of a task must be in one."""

    path: str
    state: str  # its size and when it was last changed, or what the store has for that

    def check(self) -> None:
        """Reject a file that is gone, or is no longer what it was."""
        if self.state != read_state(self.path):
            raise FileError(f"{self.path} was changed while it was read")

    @contextmanager
    def here(self) -> Iterator[str]:
        """Yield a path to open: its own, or that of a copy from a store. The file must not change meanwhile."""
        self.check()
        if is_address(self.path):
            with ScratchFolder() as folder:
                yield copy_here(self.path, str(folder.path))
        else:
            yield self.path
        self.check()


def list_partitions(sources: Any, kept: Path | None = None) -> tuple[list[Partition], tuple[str, ...]]:
    """Return the partitions that paths, patterns, folders and addresses such as s3://logs/*.parquet stand for.

    Also files of a folder that are left out, as their names say nothing that can be read. What is in the folder of
    kept work is no part of the log, even if that folder is inside the log's.
    """
    one = isinstance(sources, str | os.PathLike) or not isinstance(sources, Iterable)
    given = [os.fspath(each) if isinstance(each, os.PathLike) else each for each in ([sources] if one else sources)]
    addresses = [each for each in given if is_address(each)]
    local = [each for each in given if not is_address(each)]
    found, noted = files_of(local, may_lack=True) if local or not addresses else ([], ())
    paths = [absolute(path) for path in found if not _is_inside(path, kept)]
    unreadable = [path for path in noted if not _is_inside(path, kept)]
    for address in addresses:
        paths += list_stored_files(address, unreadable)
    if not paths:
        raise FileError(f"all files of the log are in {kept}, the checkpoint folder; give another folder")
    for path in paths:
        check_ending(path)
    with ThreadPoolExecutor(AT_ONCE) as several:
        states = several.map(_read_listed_state, paths)
        return [Partition(*each) for each in dict(zip(paths, states, strict=True)).items()], tuple(unreadable)


def _is_inside(path: str, folder: Path | None) -> bool:
    """Tell whether a file is in a folder, or in one of its folders."""
    return folder is not None and Path(path).resolve().is_relative_to(folder.resolve())


def _read_listed_state(path: str) -> str:
    """Return the state of a file as it is listed; that it cannot be read is found out again by whoever works on it."""
    try:
        return read_state(path)
    except FileError:
        return UNKNOWN


def read_state(path: str) -> str:
    """Return what changes when a file does."""
    if is_address(path):
        return read_stored_state(path)
    check_file(path)
    try:
        known = os.stat(path)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    return f"{known.st_size} bytes, {known.st_mtime_ns}"


def describe_partitions(partitions: Sequence[Partition]) -> str:
    """Return the partitions in a few words that differ for others."""
    first = os.path.basename(partitions[0].path)
    return f"{len(partitions)} files ({digest([each.path for each in partitions])}) from {first} on"


def states_digest(partitions: Sequence[Partition]) -> str:
    """Return a few letters that differ when any file has changed."""
    return digest([(each.path, each.state) for each in partitions])


TOKEN = ".seen-by-workers"  # the file by which workers show that they see a folder


def is_shared_folder(folder: Path, token: str) -> bool:
    """Tell whether this process sees what another wrote into a folder."""
    try:
        return read_text(folder / TOKEN) == token
    except FileError:
        return False
