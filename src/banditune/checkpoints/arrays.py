"""What sweeps found as plain arrays in files, without any object that could run code when it is read."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.checkpoints.errors import reading_checkpoint
from banditune.curves.curve_set import CurveSet
from banditune.io import open_file
from banditune.policies.sweeps import Swept

Arrays = dict[str, NDArray[Any]]
CURVES = ("losses", "matched")
PLAIN = ("histories", "events", "proved", "unproved")


def to_arrays(swept: Swept, prefix: str) -> Arrays:
    """What a sweep found, by names that begin with the prefix."""
    arrays: Arrays = {}
    for name in CURVES:
        for k, curves in enumerate(getattr(swept, name) or ()):
            here = f"{prefix}{name}.{k}."
            arrays[f"{here}range"] = np.array([curves.low, curves.high])
            arrays |= {f"{here}left": curves.left, f"{here}values": curves.values, f"{here}starts": curves.starts}
    arrays |= {f"{prefix}{name}": getattr(swept, name) for name in PLAIN if getattr(swept, name) is not None}
    return arrays


def from_arrays(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Swept:
    """What `to_arrays` was given."""
    curves = {name: list(_curve_sets(arrays, f"{prefix}{name}.")) for name in CURVES}
    plain = {name: arrays.get(f"{prefix}{name}") for name in PLAIN}
    return Swept(losses=curves["losses"], matched=curves["matched"] or None, **plain)  # type: ignore[arg-type]


def _curve_sets(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Iterator[CurveSet]:
    k = 0
    while f"{prefix}{k}.range" in arrays:
        low, high = arrays[f"{prefix}{k}.range"].tolist()
        yield CurveSet(low, high, *(arrays[f"{prefix}{k}.{part}"] for part in ("left", "values", "starts")))
        k += 1


def open_arrays(path: Path) -> Any:
    """The arrays of a file by their names, each read when it is asked for; all are as they were written."""
    with reading_checkpoint(path):
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
        return arrays
