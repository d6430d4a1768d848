"""An experiment from its first unit to its files, by any number of workers; finished units are not run again."""

import hashlib
import inspect
import json
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from banditune import __version__
from banditune.errors import FileError
from banditune.experiments.machinery.experiment import Arrays, Experiment, Findings, Results, Unit
from banditune.experiments.machinery.figures import can_draw, write_figure
from banditune.experiments.machinery.tables import markdown, numbers
from banditune.interruption import Work
from banditune.io import read_all_arrays, write_arrays, write_text

MADE = "made_of"  # the array that says what a file was made of


@dataclass(frozen=True, slots=True)
class Store:
    """The folder of an experiment's finished units, for one seed."""

    folder: Path
    experiment: str
    seed: int

    def fingerprint(self, unit: Unit) -> str:
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
        return self.folder / f"{unit.name}-{_digest(self.fingerprint(unit))}.npz"

    def read(self, unit: Unit) -> Arrays | None:
        """The result of a unit; None if it is not finished. A file that cannot be used is a FileError."""
        place = self.place(unit)
        if not place.exists():
            return None
        arrays = read_all_arrays(place)
        made = arrays.pop(MADE, None)
        if made is None or str(made) != self.fingerprint(unit):
            raise FileError(f"{place} does not say that it was made of {self.fingerprint(unit)}")
        return arrays

    def write(self, unit: Unit, arrays: Arrays) -> None:
        """Keep the result of a unit."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot create the folder {self.folder}: {error.strerror or error}") from None
        write_arrays(self.place(unit), {**arrays, MADE: np.array(self.fingerprint(unit))})


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


@cache
def _source_of(module: str) -> str:
    """The text of a module; empty where only its compiled form is there."""
    try:
        return inspect.getsource(sys.modules[module])
    except OSError:
        return ""


Progress = Callable[[int, int], None]  # how many units are done, and of how many


def finish_units(
    units: Sequence[Unit], store: Store, executor: Executor, tell: Progress, say: Callable[[str], None]
) -> Results:
    """The results of all units, in their order: read where they were kept, else done and kept.

    A file that cannot be read is told through `say`, and its unit done again. Whatever ends the work, what was finished
    until then is kept.
    """
    results: dict[str, Arrays] = {}
    for unit in units:
        try:
            kept = store.read(unit)
        except FileError as error:
            say(f"{error}; this part is computed again")
            kept = None
        if kept is not None:
            results[unit.name] = kept
    tell(len(results), len(units))
    waiting = [unit for unit in units if unit.name not in results]
    with Work() as work:
        jobs = {work.submit(executor, _run_unit, unit, store): unit for unit in waiting}
        for job in as_completed(jobs):
            results[jobs[job].name] = job.result()
            tell(len(results), len(units))
    return {unit.name: results[unit.name] for unit in units}


def _run_unit(unit: Unit, store: Store) -> Arrays:
    """Do a unit and keep it: what a worker does."""
    arrays = unit.work(seed=store.seed, **unit.arguments)
    store.write(unit, arrays)
    return arrays


UNITS = "units"  # the folder of finished units, within that of the results


@dataclass(frozen=True, slots=True)
class Conducted:
    """What became of an experiment."""

    experiment: Experiment[Any, Any]
    findings: Findings
    numbers: dict[str, Any]  # as they were written
    written: tuple[Path, ...]
    seconds: float


def conduct(
    experiment: Experiment[Any, Any],
    folder: Path,
    executor: Executor,
    *,
    settings: Any,
    seed: int = 0,
    tell: Progress = lambda done, total: None,
    say: Callable[[str], None] = lambda message: None,
) -> Conducted:
    """Do what is not finished yet, and write NAME.json, NAME.md and, if it can be drawn, NAME.png and NAME.svg.

    The folder must be there. The numbers are the same whatever the executor and however often the work was stopped.
    """
    began = time.perf_counter()
    store = Store(folder / UNITS / experiment.name, experiment.name, seed)
    results = finish_units(experiment.units(settings), store, executor, tell, say)
    if experiment.then is not None:
        results = {**results, **finish_units(experiment.then(settings, results), store, executor, tell, say)}
    findings = experiment.analyse(settings, results)
    found = numbers(experiment, settings, findings, seed)
    texts = {"json": json.dumps(found, indent=1) + "\n", "md": markdown(findings)}
    written = []
    for ending, text in texts.items():
        written.append(folder / f"{experiment.name}.{ending}")
        write_text(written[-1], text)
    if can_draw():
        written += write_figure(experiment.draw, findings, folder, experiment.name)
    return Conducted(experiment, findings, found, tuple(written), time.perf_counter() - began)
