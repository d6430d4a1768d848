"""A finished piece of work: a file with a note in plain data and named arrays, as they were written or not taken.

A file is written beside its place and renamed, so that it is whole or not there. Each part of it has a checksum, and no
object in it could run code when it is read. What was asked is plain data that names the work, and is compared with what
is asked now.
"""

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune import __version__
from banditune.errors import FileError
from banditune.io.files import open_file, write_arrays
from banditune.io.json_text import parse_json
from banditune.validation import format_value

SHOWN_CHANGES = 5


def version() -> str:
    """Return the version of banditune: a part of what is asked, as another one may find something else."""
    return __version__


def plain_data(data: Any) -> Any:
    """Return data as it comes back from JSON.

    >>> plain_data({"alpha": (0.0, 1.0)})
    {'alpha': [0.0, 1.0]}
    """
    try:
        return json.loads(json.dumps(data, default=_plain))
    except (TypeError, ValueError) as error:
        raise FileError(f"a run can be resumed only if its arguments can be saved: {error}") from None


def _plain(value: Any) -> Any:
    """Return numbers and arrays of NumPy and other collections as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset) or hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{format_value(value)} cannot be")


def digest(asked: Any) -> str:
    """Sixteen letters that differ for something else."""
    return hashlib.blake2b(json.dumps(plain_data(asked), sort_keys=True).encode(), digest_size=8).hexdigest()


def reject_changes(
    place: str | os.PathLike[str], known: Mapping[str, Any], asked: Mapping[str, Any], another: str
) -> None:
    """Reject a place that holds work on something else; `another` is what to give instead."""
    changed = [
        f"{name} was {format_value(known.get(name))} and is {format_value(asked.get(name))}"
        for name in {**known, **asked}
        if known.get(name) != asked.get(name)
    ]
    if changed:
        raise FileError(
            f"{place} holds the work of another run: {'; '.join(changed[:SHOWN_CHANGES])}. "
            f"Give the same arguments, or another {another}"
        )


Arrays = dict[str, NDArray[Any]]
NOTE = "_note"  # the array that holds it
REMEDY = "; remove it, and its part is computed again"


class CheckpointError(FileError):
    """Finished work cannot be read or written."""


class Piece(NamedTuple):
    """A finished piece of work, as it was written."""

    note: Any
    arrays: Mapping[str, NDArray[Any]]  # each is made when it is asked for; the note is among them


def name_piece(what: str, asked: Any) -> str:
    """Return the name of a file for a piece of work that is known by what was asked."""
    return f"{what}-{digest(asked)}.npz"


def write_piece(path: Path, note: Any, arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
    """Write a finished piece of work."""
    text = np.frombuffer(json.dumps(plain_data(note)).encode(), np.uint8)
    try:
        write_arrays(path, {**(arrays or {}), NOTE: text}, compressed=False)
    except FileError as error:
        raise CheckpointError(str(error)) from None


def read_piece(path: Path) -> Piece:
    """Read a finished piece of work, all of which is as it was written."""
    with name_damage(path):
        with open_file(path) as file:
            if not zipfile.is_zipfile(file):  # before all of it is read
                raise ValueError("it is no npz of arrays")
            file.seek(0)
            arrays = np.load(io.BytesIO(file.read()), allow_pickle=False)
        if any(entry.comment for entry in arrays.zip.infolist()):  # other entries, taken for one
            raise ValueError("its directory was changed")
        changed = arrays.zip.testzip()
        if changed is not None:
            raise ValueError(f"{changed} was changed")
        return Piece(parse_json(arrays[NOTE].tobytes(), "its note"), arrays)


@contextmanager
def name_damage(path: Path) -> Iterator[None]:
    """Return a block that reads a piece of work; a damaged one fails in any way it likes, and is named."""
    try:
        yield
    except CheckpointError:
        raise
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:
        raise CheckpointError(f"{path} is damaged ({str(error) or type(error).__name__}){REMEDY}") from None
