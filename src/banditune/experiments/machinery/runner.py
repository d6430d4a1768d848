"""An experiment from its first unit to its files, by any number of workers; finished units are not run again."""

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

from banditune.checkpoints.asked import digest, plain_data, version
from banditune.checkpoints.pieces import (
    NOTE,
    REMEDY,
    CheckpointError,
    name_piece,
    read_piece,
    reading_piece,
    write_piece,
)
from banditune.experiments.machinery.experiment import Arrays, Experiment, Findings, Results, Unit
from banditune.experiments.machinery.figures import can_draw, write_figure
from banditune.experiments.machinery.tables import markdown, numbers
from banditune.interruption import Work
from banditune.io import make_folder, write_text


@dataclass(frozen=True, slots=True)
class Store:
    """The folder of an experiment's finished units, for one seed."""

    folder: Path
    experiment: str
    seed: int

    def describe(self, unit: Unit) -> dict[str, Any]:
        """What a unit's result depends on, with the version of all code and the very text of the module at work."""
        asked = {
            "version": version(),
            "experiment": self.experiment,
            "unit": unit.name,
            "work": f"{unit.work.__module__}.{unit.work.__qualname__}",
            "source": digest(_source_of(unit.work.__module__)),
            "arguments": dict(unit.arguments),
            "seed": self.seed,
        }
        return dict(plain_data(asked))

    def place(self, unit: Unit) -> Path:
        """Where a unit's result is, once it is finished."""
        return self.folder / name_piece(unit.name, self.describe(unit))

    def read(self, unit: Unit) -> Arrays | None:
        """The result of a unit; None if it is not finished. A file that cannot be used is a CheckpointError."""
        place = self.place(unit)
        if not place.exists():
            return None
        with reading_piece(place):
            note, arrays = read_piece(place)
            if note != self.describe(unit):
                raise ValueError("it is the result of something else")
            return {name: array for name, array in arrays.items() if name != NOTE}

    def write(self, unit: Unit, arrays: Arrays) -> None:
        """Keep the result of a unit."""
        make_folder(self.folder)
        write_piece(self.place(unit), self.describe(unit), arrays)


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
        except CheckpointError as error:
            say(f"{str(error).removesuffix(REMEDY)}; this part is computed again")
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
