"""The curves of a saved result: a binary file beside its JSON, which stays small and readable."""

import hashlib
import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval, StepFunction
from banditune.errors import FileError
from banditune.io import read_all_arrays

Arrays = dict[str, NDArray[np.float64]]
ENDING = ".curve.npz"


class SavedCurve(StepFunction):
    """A curve that is read from its file when it is first asked for; only its range is known before."""

    __slots__ = ("_ends", "_read")

    _read: Callable[[], StepFunction]
    _ends: Interval

    def __init__(self, read: Callable[[], StepFunction], ends: Interval) -> None:
        object.__setattr__(self, "_read", read)
        object.__setattr__(self, "_ends", ends)

    def __getattr__(self, name: str) -> NDArray[np.float64]:  # only what is not there yet is looked for here
        if name not in ("edges", "values"):
            raise AttributeError(name)
        curve = self._read()
        for each in ("edges", "values"):
            object.__setattr__(self, each, getattr(curve, each))
        return getattr(self, name)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[type[StepFunction], tuple[NDArray[np.float64], NDArray[np.float64]]]:
        return StepFunction, (self.edges, self.values)

    @property
    def low(self) -> float:
        """The left end."""
        return self._ends.low

    @property
    def high(self) -> float:
        """The right end."""
        return self._ends.high


def name_curve_file(path: str | os.PathLike[str]) -> Path:
    """Return where the curves of a result are that is saved at a path.

    >>> name_curve_file("results/tuned.json").name
    'tuned.curve.npz'
    """
    try:
        saved = Path(path)
    except TypeError as error:
        raise FileError(f"cannot write {path!r}: {error}") from None
    return saved.with_name(saved.name.removesuffix(".json") + ENDING)


def pack_curves(curves: Mapping[str, StepFunction]) -> tuple[bytes, str]:
    """Return curves as the content of a file, and their digest, by which it is known to belong to a result."""
    arrays = {f"{name}_{part}": getattr(curve, part) for name, curve in curves.items() for part in ("edges", "values")}
    held = io.BytesIO()
    np.savez_compressed(held, allow_pickle=False, **arrays)
    return held.getvalue(), _digest(arrays)


def read_curves(path: Path, digest: object, owner: str | os.PathLike[str]) -> dict[str, StepFunction]:
    """Read the curves of a result; a file that belongs to another one is rejected."""
    arrays = read_all_arrays(path)
    if any(array.dtype != np.float64 for array in arrays.values()) or _digest(arrays) != digest:
        raise FileError(
            f"{path} does not belong to {os.fspath(owner)}: its checksum is another. Copy both files of the result; "
            f"without {path.name}, all but the curve can be used"
        )
    names = [name.removesuffix("_edges") for name in arrays if name.endswith("_edges")]
    return {name: StepFunction(arrays[f"{name}_edges"], arrays[f"{name}_values"]) for name in names}


def await_curve(path: Path, owner: str | os.PathLike[str], ends: Interval) -> SavedCurve:
    """Return a curve whose file is not there: an error says so when it is asked for."""

    def fail() -> StepFunction:
        raise FileError(
            f"the loss curve of {os.fspath(owner)} is in {path.name}, which is not beside it: copy both files of the "
            "result"
        )

    return SavedCurve(fail, ends)


def _digest(arrays: Mapping[str, NDArray[np.float64]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].shape}\n".encode())
        digest.update(np.ascontiguousarray(arrays[name], "<f8").tobytes())
    return digest.hexdigest()
