"""The table of accuracies: as a file that says how it was made, and as text."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banditune.io.files import write_arrays
from banditune.tasks.task import Task
from scripts.cifar.images import TrainingData
from scripts.cifar.settings import RATES, SIDE, TASKS, Settings


def write_table(path: Path, accuracy: NDArray[np.float32], settings: Settings, data: TrainingData) -> Path:
    """Write accuracies (tasks, rates, networks) in the form that `datasets.read_learning_rates` reads."""
    write_arrays(
        path,
        {
            "accuracy": accuracy.astype(np.float32),
            "depth": np.array([task.depth for task in TASKS]),
            "noise": np.array([task.noise for task in TASKS]),
            "rates": np.array(RATES),
            "description": np.array(description(settings, len(data.test_labels), data.n_classes)),
        },
    )
    return path


def description(settings: Settings, n_test: int, n_classes: int) -> str:
    """How a table was made, in a paragraph.

    >>> description(Settings(), 10_000, 10).split(";")[0]
    'Test accuracy of fully connected ReLU networks on 10,000 images of 10 classes'
    """
    square = SIDE // settings.side
    return (
        f"Test accuracy of fully connected ReLU networks on {n_test:,} images of {n_classes} classes;"
        f" axes of accuracy: task (depth, noise), learning rate, network."
        f" Trained on {settings.images:,} images drawn by the seed {settings.seed}, the same for all;"
        f" images of {settings.side} x {settings.side} pixels in three colours, averages of squares of"
        f" {square} x {square}, each colour with mean 0 and standard deviation 1."
        f" depth counts the matrices of weights; hidden layers have {settings.width} units; He's normal initial"
        f" weights, biases 0. noise is the probability of a training label to be another class, drawn for each network;"
        f" test labels are true. Mean cross-entropy, plain SGD, batch {settings.batch}, {settings.epochs} epochs"
        f" ({settings.steps:,} steps), single precision, no momentum, no decay, no augmentation."
        f" Where an output is not finite class 0 is predicted, so networks that diverged have the accuracy of chance."
    )


def as_text(tasks: Sequence[Task], *, spread: bool = False) -> str:
    """Mean accuracies in per cent, a row a task and a column a rate, in Markdown; the best of a row is bold.

    With `spread`, the standard deviations over the networks instead.

    >>> print(as_text([Task([[0.1, 0.2], [0.4, 0.5]], arms=["0.01", "0.1"], name="depth 2, noise 0")]))
    | task | 0.01 | 0.1 |
    |---|---|---|
    | depth 2, noise 0 | 15.0 | **45.0** |
    """
    rows = [["task", *map(str, tasks[0].arms)], ["---"] * (1 + tasks[0].n_arms)]
    for task in tasks:
        numbers = [row.std() if spread else row.mean() for row in task.rewards]
        cells = [f"{100 * number:.1f}" for number in numbers]
        if not spread:
            best = int(np.argmax(numbers))
            cells[best] = f"**{cells[best]}**"
        rows.append([task.name or "", *cells])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines[1] = lines[1].replace(" ", "")
    return "\n".join(lines)
