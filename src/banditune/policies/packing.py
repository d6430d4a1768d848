"""Tasks as the kernels take them: checked, of one length, in plain arrays."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from banditune.checks import shown
from banditune.contextual_task import ContextualTask
from banditune.errors import TaskError
from banditune.kernels.batch import Batch
from banditune.kernels.prefix import segment_means
from banditune.kernels.ridge_sweep import Rounds
from banditune.tasks import Task


def packed_tasks(
    tasks: Sequence[Any], horizon: int, *, loss: str, seed: int, extend: bool, first: int | None = None
) -> Batch:
    """Tasks of rewards, every arm with exactly `horizon` of them."""
    for k, task in enumerate(tasks):
        label = checked_kind(task, Task, k, first)
        if not extend and task.lengths.min() < horizon:
            arm = int(task.lengths.argmin())
            raise TaskError(
                f"{label}, {task.arm_label(arm)}: the horizon needs {horizon} rewards of each arm, "
                f"got {task.lengths[arm]}; extend=True draws the missing ones from those observed"
            )
    full = [task.extend(horizon, seed=seed) for task in tasks]
    starts = np.cumsum([0, *(task.n_arms for task in full)])
    streams = np.concatenate([task.flat for task in full]).reshape(-1, horizon)
    if loss == "reward":
        return Batch(streams, np.zeros(starts[-1]), starts, 1.0)
    means = segment_means(streams.reshape(-1), np.arange(starts[-1] + 1) * horizon)
    for task, begin in zip(full, starts[:-1], strict=True):
        if task.given_means is not None:  # as those of an extended task, whose draws say nothing new
            means[begin : begin + task.n_arms] = task.given_means
    best = np.repeat(np.maximum.reduceat(means, starts[:-1]), np.diff(starts))
    return Batch(streams, best - means, starts, 0.0)


def packed_rounds(
    tasks: Sequence[Any], horizon: int, *, loss: str, seed: int, extend: bool, first: int | None = None
) -> list[Rounds]:
    """Contextual tasks, each of exactly `horizon` rounds."""
    packed = []
    for k, task in enumerate(tasks):
        label = checked_kind(task, ContextualTask, k, first)
        if not extend and len(task) < horizon:
            raise TaskError(
                f"{label}: the horizon needs {horizon} rounds, got {len(task)}; extend=True draws the missing ones"
            )
        full = task.extend(horizon, seed=seed)
        costs = -full.rewards if loss == "reward" else full.means.max(axis=1, keepdims=True) - full.means
        packed.append(Rounds(full.contexts, full.rewards, costs))
    return packed


def of_kind(tasks: Iterable[Any], kind: type) -> Iterator[Any]:
    """The tasks, each one checked to be of the kind that a policy plays."""
    for k, task in enumerate(tasks):
        checked_kind(task, kind, k, first=0)
        yield task


def checked_kind(task: object, kind: type, k: int, first: int | None) -> str:
    """What messages call the task; one of another kind than the policy plays is refused."""
    label = "task" if first is None else f"tasks[{first + k}]"
    if not isinstance(task, kind):
        raise TaskError(f"{label} must be a bt.{kind.__name__}, got {shown(task)}")
    return label
