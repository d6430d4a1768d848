"""Tasks whose arms are points, as GP-UCB plays them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import InputError, TaskError
from banditune.kernels.lines.batch import task_tables, without_priors, workspace
from banditune.kernels.lines.tables import TaskTables
from banditune.policies.batches import Terms, batch_streams, check_kind
from banditune.policies.gpucb.covariance import check_points, covariances
from banditune.policies.gpucb.reward_units import convert_rewards
from banditune.tasks.task import Task

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PointTask:
    """One task."""

    covariances: Floats  # (n, n)
    rewards: Floats  # (n, T) what a pull gives
    seen: Floats  # (n, T) the same in the units that the policy sees
    sums: Floats  # (n, T + 1, 2) of what is seen, high and low part
    tables: TaskTables  # of the rewards


def batch_points(tasks: Sequence[Any], terms: Terms) -> list[PointTask]:
    """Tasks with points, every arm with exactly as many rewards as the horizon has rounds."""
    return [_batch_task(task, terms, check_kind(task, (Task,), k, terms.first)) for k, task in enumerate(tasks)]


def _batch_task(task: Task, terms: Terms, label: str) -> PointTask:
    if task.points is None:
        raise TaskError(f"{label} needs the arms' points for GP-UCB: bt.Task(rewards, points=...); it has none")
    batch, settings = batch_streams([task], terms), terms.settings
    try:
        made = covariances(settings["kernel"], check_points(task.points), settings["length_scale"])
        seen = convert_rewards(
            batch.streams, settings["center"], settings["scale"], "rewards, as the policy sees them,"
        )
    except InputError as error:
        raise TaskError(f"{label}: {error}") from None
    shown_batch = without_priors(seen, batch.gaps, batch.starts, 0.0)
    return PointTask(
        made,
        batch.streams,
        seen,
        task_tables(shown_batch, 0, workspace(shown_batch)).sums,
        task_tables(batch, 0, workspace(batch)),
    )
