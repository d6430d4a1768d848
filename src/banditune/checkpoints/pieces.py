"""A finished piece of work: a file with a note in plain data and named arrays, as they were written or not taken.

A file is written beside its place and renamed, so that it is whole or not there. Each part of it has a checksum, and no
object in it could run code when it is read.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.checkpoints.asked import digest, plain_data
from banditune.errors import FileError
from banditune.io import open_file, parse_json, write_arrays

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
    """The name of a file for a piece of work that is known by what was asked."""
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
    with reading_piece(path):
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
def reading_piece(path: Path) -> Iterator[None]:
    """A block that reads a piece of work; a damaged one fails in any way it likes, and is named."""
    try:
        yield
    except CheckpointError:
        raise
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:
        raise CheckpointError(f"{path} is damaged ({str(error) or type(error).__name__}){REMEDY}") from None
