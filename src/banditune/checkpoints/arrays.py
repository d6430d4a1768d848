"""What sweeps found as named arrays, for files."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.checkpoints.pieces import Arrays
from banditune.curves.curve_set import CurveSet
from banditune.policies.sweeps import Swept

CURVES = ("losses", "matched")
PLAIN = ("histories", "events", "proved", "unproved", "pieces", "variances")


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
    return Swept(losses=curves["losses"], matched=curves["matched"] or None, **plain)


def _curve_sets(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Iterator[CurveSet]:
    k = 0
    while f"{prefix}{k}.range" in arrays:
        low, high = arrays[f"{prefix}{k}.range"].tolist()
        yield CurveSet(low, high, *(arrays[f"{prefix}{k}.{part}"] for part in ("left", "values", "starts")))
        k += 1
