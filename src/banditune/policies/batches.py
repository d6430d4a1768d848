"""Tasks of rewards as the kernels take them: checked, of one length, in plain arrays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.errors import TaskError
from banditune.kernels.lines.batch import Batch, without_priors
from banditune.kernels.lines.run import recommend_after, recommend_so_far
from banditune.policies.losses import Loss
from banditune.policies.sweep_results import Run
from banditune.tasks.draws import draw_streams
from banditune.tasks.task import Task
from banditune.validation import format_value


class Terms(NamedTuple):
    """The terms on which tasks are laid out for a policy's kernels."""

    horizon: int
    loss: Loss
    seed: int
    extend: bool  # whether what short tasks lack is resampled
    settings: Mapping[str, Any]  # every parameter that is known by now
    first: int | None = None  # the number of the first task among all, for messages


def batch_streams(tasks: Sequence[Any], terms: Terms) -> Batch:
    """Lay out tasks of rewards: every arm with exactly as many of them as the horizon has rounds."""
    for k, task in enumerate(tasks):
        label = check_kind(task, (Task,), k, terms.first)
        if not terms.extend and task.lengths.min() < terms.horizon:
            arm = int(task.lengths.argmin())
            raise TaskError(
                f"{label}, {task.arm_label(arm)}: the horizon needs {terms.horizon} rewards of each arm, got "
                f"{task.lengths[arm]}; extend=True resamples the missing ones with replacement"
            )
    streams = draw_streams(tasks, terms.horizon, terms.seed)
    starts = np.append(0, np.cumsum([task.n_arms for task in tasks]))
    loss = terms.loss
    if loss.fits_logs:
        return without_priors(streams, np.zeros(starts[-1]), starts, loss.rewards)
    means = np.concatenate([task.means for task in tasks])  # of what was recorded: draws from it say nothing new
    return without_priors(streams, loss.cost_arms(means, starts), starts, loss.rewards, loss.end_runs(means, starts))


def score_run(batch: Batch, arms: NDArray[np.int64], rewards: NDArray[np.float64]) -> Run:
    """Return the run on the first task of a batch that pulled these arms (T,) and received these rewards (T,)."""
    losses, after = np.cumsum(batch.gaps[arms] - batch.earned * rewards), batch.after
    if after.rounds > 0.0:
        losses += after.rounds * after.gaps[recommend_so_far(arms, rewards, int(batch.starts[1]), after.by_pulls)]
    return finish_run(batch, arms, rewards, losses)


def finish_run(batch: Batch, arms: NDArray[np.int64], rewards: NDArray[np.float64], losses: NDArray[np.float64]) -> Run:
    """Return the run on the first task of a batch, with the arm that it recommends."""
    n_arms = int(batch.starts[1])
    return Run(arms, rewards, losses, float(losses[-1]), recommend_after(arms, rewards, n_arms, batch.after.by_pulls))


def of_kind(tasks: Iterable[Any], *kinds: type, first: int | None = 0) -> Iterator[Any]:
    """Return the tasks, each one checked to be of a kind that a policy plays; the first has this number."""
    for k, task in enumerate(tasks):
        check_kind(task, kinds, k, first)
        yield task


def check_kind(task: object, kinds: tuple[type, ...], k: int, first: int | None) -> str:
    """Return what messages call the task; one of another kind than the policy plays is rejected."""
    label = "task" if first is None else f"tasks[{first + k}]"
    if not isinstance(task, kinds):
        raise TaskError(f"{label} must be a {' or '.join(map(_name_kind, kinds))}, got {format_value(task)}")
    return label


def _name_kind(kind: type) -> str:
    return f"bt.{kind.__name__}" if kind.__module__.startswith("banditune.") else kind.__name__
