"""Reading the pickles that CIFAR is published in, without running what a pickle may ask for.

A pickle names functions to call. Here the few names that an array of bytes needs lead to stand-ins of our own, and
every other name is rejected, so a hostile file can do no more than be wrong.
"""

import os
import pickle
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banditune.errors import FileError
from banditune.validation import format_value


class _Array:
    """In the place of a NumPy array: its shape and its bytes, as the file gives them."""

    def __init__(self, *ignored: object) -> None:
        self.state: object = None

    def __setstate__(self, state: object) -> None:
        self.state = state


class _Dtype:
    """In the place of a NumPy dtype: its name."""

    def __init__(self, name: object = None, *ignored: object) -> None:
        self.name = name

    def __setstate__(self, state: object) -> None:
        """The byte order, which single bytes do not have."""


class _Bytes:
    """In the place of `_codecs.encode`: how Python 3 writes bytes for Python 2."""

    def __new__(cls, text: object, encoding: object) -> bytes:  # type: ignore[misc]
        if not isinstance(text, str) or encoding not in ("latin1", b"latin1"):
            raise pickle.UnpicklingError("bytes are encoded in an unusual way")
        return text.encode("latin1")

    def __setstate__(self, state: object) -> None:
        """Nothing may be added to it."""


STAND_INS: dict[tuple[str, str], type] = {
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Dtype,
    ("_codecs", "encode"): _Bytes,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> type:
        try:
            return STAND_INS[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {format_value(f'{module}.{name}')}, as none does") from None


def read_batch(path: str | os.PathLike[str], labels: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The images (n, 3072) and the labels (n,) of one file, such as `data_batch_1` with `labels`."""
    try:
        with Path(path).open("rb") as file:
            content = _Unpickler(file, encoding="bytes").load()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:  # a broken pickle fails in any way it likes
        raise FileError(f"{path} is no file of CIFAR: {error}") from None
    if not isinstance(content, dict):
        raise FileError(f"{path} must hold a dictionary, got {type(content).__name__}")
    named = {key.decode("latin1") if isinstance(key, bytes) else key: value for key, value in content.items()}
    missing = [name for name in ("data", labels) if name not in named]
    if missing:
        raise FileError(f"{path} must hold {missing[0]!r}")
    images = _pixels(named["data"], path)
    given = named[labels]
    if not isinstance(given, list) or not all(type(label) is int and 0 <= label < 1000 for label in given):
        raise FileError(f"{path}: {labels} must be a list of whole numbers from 0")
    if len(given) != len(images):
        raise FileError(f"{path}: there must be a label an image, got {len(given)} for {len(images)} images")
    return images, np.array(given, dtype=np.int64)


def _pixels(array: object, path: str | os.PathLike[str]) -> NDArray[np.uint8]:
    wanted = f"{path}: data must be rows of 3,072 bytes in a NumPy array"
    state = array.state if isinstance(array, _Array) else None
    if not isinstance(state, tuple) or len(state) != 5:
        raise FileError(wanted)
    _, shape, kind, by_columns, content = state
    is_bytes = isinstance(kind, _Dtype) and kind.name in ("u1", b"u1") and isinstance(content, bytes)
    if not is_bytes or not isinstance(shape, tuple) or len(shape) != 2 or shape[1] != 3072:
        raise FileError(wanted)
    if type(shape[0]) is not int or shape[0] * 3072 != len(content):
        raise FileError(f"{wanted}, got {len(content)} bytes")
    return np.frombuffer(content, dtype=np.uint8).reshape(shape, order="F" if by_columns else "C")
