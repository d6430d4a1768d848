"""The tasks one by one, and how many pieces they have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet

MOST_ROWS = 1_000
MOST_BARS = 40


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task: its size, and what it loses."""

    name: str
    n_arms: int
    n_rewards: int
    learned: float  # the loss with the learned value
    default: float | None  # the loss with the first of the usual values; None if there is none
    least: float  # the least loss over the searched range
    n_pieces: int


def list_tasks(
    curves: CurveSet, tasks: Sequence[Any], learned: float, usual: Mapping[float, NDArray[np.float64]]
) -> tuple[TaskRow, ...]:
    """Return a row for each task, or for an evenly spaced thousand of more."""
    chosen = np.arange(len(tasks))
    if len(tasks) > MOST_ROWS:
        chosen = np.linspace(0, len(tasks) - 1, MOST_ROWS).round().astype(np.int64)
    losses, n_pieces = curves.at(learned), curves.n_pieces
    least = np.minimum.reduceat(curves.values, curves.starts[:-1])
    default = next(iter(usual.values()), None)
    rows = []
    for k in chosen.tolist():
        task = tasks[k]
        rows.append(
            TaskRow(
                name=f"task {k + 1:,}" if task.name is None else task.name,
                n_arms=task.n_arms,
                n_rewards=task.n_rewards,
                learned=float(losses[k]),
                default=None if default is None else float(default[k]),
                least=float(least[k]),
                n_pieces=int(n_pieces[k]),
            )
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many tasks have low[k] to high[k] pieces."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    count: tuple[int, ...]


def count_pieces(n_pieces: NDArray[np.int64]) -> Histogram:
    """Return the numbers of pieces in at most 40 equally wide bars.

    >>> count_pieces(np.array([1, 2, 2, 4]))
    Histogram(low=(1, 2, 3, 4), high=(1, 2, 3, 4), count=(1, 2, 0, 1))
    """
    least, most = int(n_pieces.min()), int(n_pieces.max())
    width = -(-(most - least + 1) // MOST_BARS)
    low = range(least, most + 1, width)
    count = np.bincount((n_pieces - least) // width, minlength=len(low))
    return Histogram(tuple(low), tuple(k + width - 1 for k in low), tuple(count.tolist()))
