"""Tasks whose arms are points, as GP-UCB plays them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import InputError, TaskError
from banditune.kernels.batch import task_tables, without_priors, workspace
from banditune.kernels.count_state import TaskTables
from banditune.policies.covariance import checked_points, covariances
from banditune.policies.packing import checked_kind, packed_tasks
from banditune.policies.reward_units import seen_as
from banditune.tasks import Task

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PointTask:
    """One task."""

    covariances: Floats  # (n, n)
    rewards: Floats  # (n, T) what a pull gives
    seen: Floats  # (n, T) the same in the units that the policy sees
    sums: Floats  # (n, T + 1, 2) of what is seen, high and low part
    tables: TaskTables  # of the rewards


def packed_points(
    tasks: Sequence[Any],
    horizon: int,
    *,
    loss: str,
    seed: int,
    extend: bool,
    settings: Mapping[str, Any],
    first: int | None = None,
) -> list[PointTask]:
    """Tasks with points, every arm with exactly `horizon` rewards."""
    return [
        _packed(task, horizon, loss, seed, extend, settings, checked_kind(task, (Task,), k, first), first)
        for k, task in enumerate(tasks)
    ]


def _packed(
    task: Task,
    horizon: int,
    loss: str,
    seed: int,
    extend: bool,
    settings: Mapping[str, Any],
    label: str,
    first: int | None,
) -> PointTask:
    if task.points is None:
        raise TaskError(
            f"{label} must say where its arms sit, bt.Task(rewards, points=...), for GP-UCB; it has no points"
        )
    batch = packed_tasks(
        [task], horizon, loss=loss, seed=seed, extend=extend, settings={"prior_means": None}, first=first
    )
    try:
        made = covariances(settings["kernel"], checked_points(task.points), settings["length_scale"])
        seen = seen_as(batch.streams, settings["center"], settings["scale"], "rewards, as the policy sees them,")
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
