"""An experiment from its first unit to its files."""

import json
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from banditune.experiments.machinery.experiment import Experiment, Findings
from banditune.experiments.machinery.keeping import Store
from banditune.experiments.machinery.pictures import can_draw, write_figure
from banditune.experiments.machinery.running import Tell, finished
from banditune.experiments.machinery.tables import markdown, numbers
from banditune.files import write_text

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
    tell: Tell = lambda done, total: None,
    say: Callable[[str], None] = lambda message: None,
) -> Conducted:
    """Do what is not finished yet, and write NAME.json, NAME.md and, if it can be drawn, NAME.png and NAME.svg.

    The folder must be there. The numbers are the same whatever the executor and however often the work was stopped.
    """
    began = time.perf_counter()
    store = Store(folder / UNITS / experiment.name, experiment.name, seed)
    results = finished(experiment.units(settings), store, executor, tell, say)
    if experiment.then is not None:
        results = {**results, **finished(experiment.then(settings, results), store, executor, tell, say)}
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
