"""The training as a job that can be stopped at any time and goes on where it was."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banditune.errors import FileError
from banditune.io.files import read_arrays, write_arrays, write_text
from banditune.io.json_text import read_json
from banditune.validation import format_count, whole_number
from scripts.cifar.images import Images, TrainingData, prepare
from scripts.cifar.networks import accuracies
from scripts.cifar.settings import RATES, TASKS, CifarTask, Settings
from scripts.cifar.table import write_table

TABLE = "accuracy.npz"
SEEDS_AT_ONCE = 5  # networks of each rate in a stack: the weights of 55 stay in a processor's cache


def train(images: Images, folder: Path, settings: Settings, seeds: int, say: Callable[[str], None]) -> Path:
    """Train what the folder does not hold yet, until every task has `seeds` networks of each rate; write the table.

    The folder has a file for each task, replaced as a whole after each few seeds; all tasks get their first seeds
    before any gets more. The table is its file accuracy.npz.
    """
    seeds = whole_number("seeds", seeds, least=1)
    data = prepare(images, settings)
    claim(folder, settings, images.digest)
    stops = [min(start + SEEDS_AT_ONCE, seeds) for start in range(0, seeds, SEEDS_AT_ONCE)]
    parts = [(task, stop) for stop in stops for task in TASKS]
    waiting = [(task, stop) for task, stop in parts if read_finished_runs(folder, task).shape[1] < stop]
    say(f"{len(parts) - len(waiting)} of {format_count(len(parts), 'part')} are there already")
    began, work_done, work = time.monotonic(), 0, sum(task.depth + 2 for task, _ in waiting)  # nearly its time
    for task, stop in waiting:
        new = train_part(data, folder, task, stop, settings)
        best = int(new.mean(axis=1).argmax())
        work_done += task.depth + 2
        minutes = (time.monotonic() - began) / 60 * (work / work_done - 1)
        say(
            f"{task.name}, seeds {stop - new.shape[1]} to {stop - 1}: {RATES[best]:g} is best,"
            f" mean accuracy {new[best].mean():.3f}; about {minutes:.0f} min to go"
        )
    accuracy = np.stack([read_finished_runs(folder, task)[:, :seeds] for task in TASKS])
    return write_table(folder / TABLE, accuracy, settings, data)


def train_part(data: TrainingData, folder: Path, task: CifarTask, stop: int, settings: Settings) -> NDArray[np.float32]:
    """Train and keep the networks of a task that are missing up to the number `stop`: (rates, new networks)."""
    before = read_finished_runs(folder, task)
    numbers = range(before.shape[1], stop)
    stack = [(rate, number) for rate in RATES for number in numbers]
    new = accuracies(data, task, stack, settings).reshape(len(RATES), len(numbers))
    write_arrays(folder / task.file_name, {"accuracy": np.concatenate([before, new], axis=1)})
    return new


def read_finished_runs(folder: Path, task: CifarTask) -> NDArray[np.float32]:
    """The accuracies that the folder holds for a task: (rates, networks)."""
    path = folder / task.file_name
    if not path.exists():
        return np.empty((len(RATES), 0), dtype=np.float32)
    (accuracy,) = read_arrays(path, "accuracy")
    if accuracy.ndim != 2 or len(accuracy) != len(RATES):
        raise FileError(f"{path}: accuracy must have shape ({len(RATES)}, networks), got {accuracy.shape}")
    return accuracy


def claim(folder: Path, settings: Settings, digest: str) -> None:
    """Mark a folder with its settings; reject one that holds the accuracies of others."""
    mine = {**asdict(settings), "data": digest}
    place = folder / "settings.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {error.strerror or error}") from None
    if not place.exists():
        unknown = [name for name in (TABLE, *(task.file_name for task in TASKS)) if (folder / name).exists()]
        if unknown:  # it would be taken for an accuracy of these settings, and replaced
            raise FileError(f"{folder} holds {unknown[0]}, but no {place.name} that says of what; give another folder")
        write_text(place, json.dumps(mine, indent=1) + "\n")
        return
    theirs = read_json(place)
    if theirs != mine:
        raise FileError(f"{folder} holds accuracies of other settings or images, {theirs}; these are {mine}")
