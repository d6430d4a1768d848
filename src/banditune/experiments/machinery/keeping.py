"""Finished units on disk: whole or not there, and never those of other settings, seeds, versions or definitions."""

import hashlib
import inspect
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from banditune import __version__
from banditune.errors import FileError
from banditune.experiments.machinery.experiment import Arrays, Unit
from banditune.files import read_all_arrays, write_arrays

MADE = "made_of"  # the array that says what a file was made of


@dataclass(frozen=True, slots=True)
class Store:
    """The folder of an experiment's finished units, for one seed."""

    folder: Path
    experiment: str
    seed: int

    def made_of(self, unit: Unit) -> str:
        """What a unit's result depends on, with the version of all code and the very text of the module at work."""
        parts = {
            "version": __version__,
            "experiment": self.experiment,
            "unit": unit.name,
            "work": f"{unit.work.__module__}.{unit.work.__qualname__}",
            "source": _digest(_source_of(unit.work.__module__)),
            "arguments": dict(unit.arguments),
            "seed": self.seed,
        }
        return json.dumps(parts, sort_keys=True)

    def place(self, unit: Unit) -> Path:
        """Where a unit's result is, once it is finished."""
        return self.folder / f"{unit.name}-{_digest(self.made_of(unit))}.npz"

    def read(self, unit: Unit) -> Arrays | None:
        """The result of a unit; None if it is not finished. A file that cannot be used is a FileError."""
        place = self.place(unit)
        if not place.exists():
            return None
        arrays = read_all_arrays(place)
        made = arrays.pop(MADE, None)
        if made is None or str(made) != self.made_of(unit):
            raise FileError(f"{place} does not say that it was made of {self.made_of(unit)}")
        return arrays

    def write(self, unit: Unit, arrays: Arrays) -> None:
        """Keep the result of a unit."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot make the folder {self.folder}: {error.strerror or error}") from None
        write_arrays(self.place(unit), {**arrays, MADE: np.array(self.made_of(unit))})


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


@cache
def _source_of(module: str) -> str:
    """The text of a module; empty where only its compiled form is there."""
    try:
        return inspect.getsource(sys.modules[module])
    except OSError:
        return ""
