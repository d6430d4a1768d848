"""Tasks of rewards as the kernels take them: checked, of one length, in plain arrays."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from banditune.errors import TaskError
from banditune.kernels.lines.batch import Batch, without_priors
from banditune.kernels.lines.prefix_sums import segment_means
from banditune.tasks.task import Joined, Task
from banditune.validation import format_value


def batch_streams(
    tasks: Sequence[Any],
    horizon: int,
    *,
    loss: str,
    seed: int,
    extend: bool,
    first: int | None = None,
) -> Batch:
    """Lay out tasks of rewards: every arm with exactly `horizon` of them."""
    for k, task in enumerate(tasks):
        label = check_kind(task, (Task,), k, first)
        if not extend and task.lengths.min() < horizon:
            arm = int(task.lengths.argmin())
            raise TaskError(
                f"{label}, {task.arm_label(arm)}: the horizon needs {horizon} rewards of each arm, got "
                f"{task.lengths[arm]}; extend=True resamples the missing ones with replacement"
            )
    joined = Joined.of(tasks)
    streams, starts = joined.extended(horizon, seed), joined.tasks
    if loss == "reward":
        return without_priors(streams, np.zeros(starts[-1]), starts, 1.0)
    means = segment_means(joined.flat, joined.begins)  # of what was observed: draws from it say nothing new
    for k, task in enumerate(tasks):
        if task.given_means is not None or task.may_lack:
            means[starts[k] : starts[k + 1]] = task.means
    best = np.repeat(np.maximum.reduceat(means, starts[:-1]), np.diff(starts))
    return without_priors(streams, best - means, starts, 0.0)


def of_kind(tasks: Iterable[Any], *kinds: type) -> Iterator[Any]:
    """The tasks, each one checked to be of a kind that a policy plays."""
    for k, task in enumerate(tasks):
        check_kind(task, kinds, k, first=0)
        yield task


def check_kind(task: object, kinds: tuple[type, ...], k: int, first: int | None) -> str:
    """What messages call the task; one of another kind than the policy plays is rejected."""
    label = "task" if first is None else f"tasks[{first + k}]"
    if not isinstance(task, kinds):
        raise TaskError(
            f"{label} must be a {' or '.join(f'bt.{kind.__name__}' for kind in kinds)}, got {format_value(task)}"
        )
    return label
