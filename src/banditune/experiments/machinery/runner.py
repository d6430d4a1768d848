"""An experiment from its first unit to its files, by any number of workers; finished units are not run again.

Of what was found it writes the table "paper | here | agrees?" in Markdown, and all numbers as JSON.
"""

import dataclasses
import inspect
import json
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from banditune import __version__
from banditune.checkpoints.checkpoint_files import (
    NOTE,
    REMEDY,
    CheckpointError,
    digest,
    name_damage,
    name_piece,
    plain_data,
    read_piece,
    version,
    write_piece,
)
from banditune.experiments.machinery.experiment import Arrays, Experiment, Findings, Results, Unit
from banditune.experiments.machinery.figures import can_draw, write_figure
from banditune.interruption import Work
from banditune.io.files import make_folder, write_texts

HEADS = ("", "paper", "here", "agrees?")


def markdown(findings: Findings) -> str:
    """Return the table of an experiment, when each line is said to agree, and how the paper was read."""
    lines = [f"| {' | '.join(HEADS)} |", "|---|---|---|---|"]
    for claim in findings.claims:
        cells = (claim.what, claim.paper, claim.here, claim.agrees)
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    criteria = dict.fromkeys(claim.criterion for claim in findings.claims if claim.criterion)
    lines += ["", "Criteria for agreement:", "", *(f"- {criterion}" for criterion in criteria)]
    if findings.readings:
        lines += ["", "Interpretation of the paper:", "", *(f"- {reading}" for reading in findings.readings)]
    return "\n".join(lines) + "\n"


def numbers(experiment: Experiment[Any, Any], settings: object, findings: Findings, seed: int) -> dict[str, Any]:
    """Everything that was found, with what it was made of, as it is written to JSON."""
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "place": experiment.place,
        "version": __version__,
        "seed": seed,
        "settings": plain(settings),
        **plain(findings),
    }


def plain(value: Any) -> Any:
    """Return a value as JSON holds it; what is not finite is null.

    >>> plain({"a": np.array([1.0, np.nan]), "b": (1, "x")})
    {'a': [1.0, None], 'b': [1, 'x']}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True, slots=True)
class UnitStore:
    """The folder of an experiment's finished units, for one seed."""

    folder: Path
    experiment: str
    seed: int

    def describe(self, unit: Unit) -> dict[str, Any]:
        """Return what a unit's result depends on, with the version of all code and the text of its module."""
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
        """Return where a unit's result is, once it is finished."""
        return self.folder / name_piece(unit.name, self.describe(unit))

    def read(self, unit: Unit) -> Arrays | None:
        """Return the result of a unit; None if it is not finished. A file that cannot be used is a CheckpointError."""
        place = self.place(unit)
        if not place.exists():
            return None
        with name_damage(place):
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
    """Return the text of a module; empty where only its compiled form is there."""
    try:
        return inspect.getsource(sys.modules[module])
    except OSError:
        return ""


Progress = Callable[[int, int], None]  # how many units are done, and of how many


def finish_units(
    units: Sequence[Unit], store: UnitStore, executor: Executor, tell: Progress, say: Callable[[str], None]
) -> Results:
    """Return the results of all units, in their order: read where they were kept, else done and kept.

    A file that cannot be read is told through `say`, and its unit done again. Whatever ends the work, what was finished
    until then is kept.
    """
    results: dict[str, Arrays] = {}
    for unit in units:
        try:
            if (kept := store.read(unit)) is not None:
                results[unit.name] = kept
        except CheckpointError as error:
            say(f"{str(error).removesuffix(REMEDY)}; this part is computed again")
    tell(len(results), len(units))
    waiting = [unit for unit in units if unit.name not in results]
    with Work() as work:
        jobs = {work.submit(executor, _run_unit, unit, store): unit for unit in waiting}
        for job in as_completed(jobs):
            results[jobs[job].name] = job.result()
            tell(len(results), len(units))
    return {unit.name: results[unit.name] for unit in units}


def _run_unit(unit: Unit, store: UnitStore) -> Arrays:
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
    store = UnitStore(folder / UNITS / experiment.name, experiment.name, seed)
    results = finish_units(experiment.units(settings), store, executor, tell, say)
    if experiment.then is not None:
        results = {**results, **finish_units(experiment.then(settings, results), store, executor, tell, say)}
    findings = experiment.analyse(settings, results)
    found = numbers(experiment, settings, findings, seed)
    name = experiment.name
    texts = {f"{name}.json": json.dumps(found, indent=1) + "\n", f"{name}.md": markdown(findings)}
    written = write_texts(folder, texts)
    if can_draw():
        written += write_figure(experiment.draw, findings, folder, name)
    return Conducted(experiment, findings, found, tuple(written), time.perf_counter() - began)
