"""Files in a store such as s3://logs/2026: which there are, what changes when one does, and a copy of one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from banditune.errors import FileError
from banditune.files import check_file
from banditune.logs.sources import readable_files

# what stores call that which changes with a file; the first there is counts
MARKS = ("etag", "md5hash", "generation", "lastmodified", "last_modified", "updated", "mtime", "modified", "created")


def stored_files(address: str, left_out: list[str]) -> list[str]:
    """The files that an address, a pattern or a folder stands for, in the order of names.

    Files of a folder whose names say nothing that can be read are noted in `left_out`.
    """
    with _trouble_is_told(address):
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


def stored_state(address: str) -> str:
    """What changes when a file in a store does, as it is there now.

    What a listing tells may be old, or be told in other words: the store is asked about this file.
    """
    with _trouble_is_told(address):
        store, inside = _store_of(address)
        store.invalidate_cache()
        told = {name.lower(): value for name, value in store.info(inside).items()}
    mark = next((f", {told[name]}" for name in MARKS if told.get(name) is not None), "")
    return f"{told.get('size')} bytes{mark}"


def copy_here(address: str, folder: str) -> str:
    """The path of a copy of a file in a store, in a folder of this machine."""
    copy = os.path.join(folder, os.path.basename(address))
    with _trouble_is_told(address):
        store, inside = _store_of(address)
        store.get_file(inside, copy)
    return copy


def _store_of(address: str) -> tuple[Any, str]:
    import fsspec

    store, inside = fsspec.core.url_to_fs(address)
    return store, inside


def _is_local(store: Any) -> bool:
    """Whether a store is the disk of this machine, on which there may be pipes and devices."""
    protocols = (store.protocol,) if isinstance(store.protocol, str) else store.protocol
    return "file" in protocols


@contextmanager
def _trouble_is_told(address: str) -> Iterator[None]:
    """A block in which trouble with a store is told as such."""
    try:
        yield
    except FileError:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise FileError(f"cannot read {address}: {told[:300]}") from None
