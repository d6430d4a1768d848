"""Tasks whose arms are points, as GP-UCB plays them, in the units it sees rewards in: (reward - center) / scale."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from banditune.errors import InputError, ParameterError, TaskError
from banditune.kernels.gp.posterior import Prior
from banditune.kernels.lines.batch import task_tables, without_priors, workspace
from banditune.kernels.lines.feedback import IMMEDIATE, Feedback
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.numerics.arrays import Floats
from banditune.policies.batches import Terms, batch_streams, check_kind, of_kind
from banditune.policies.gpucb.covariance import check_points, covariances
from banditune.policies.gpucb.learned_covariance import relate_points
from banditune.policies.gpucb.mean import expect_points
from banditune.policies.parameters import Setting
from banditune.policies.updates import read_feedback
from banditune.tasks.arrays import LARGEST, check_responses
from banditune.tasks.task import Task
from banditune.validation import finite_number, format_value

LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class RewardUnit(Setting):
    """A number, or "learned": then past tasks say it, and the number is kept."""

    default: float
    positive: bool
    of_means: Callable[[list[Any]], float]  # from the arms' means, an array a task

    lists: ClassVar[tuple[type, ...]] = ()

    def value(self, given: object) -> Any:
        """Return a number or "learned"."""
        if isinstance(given, str) and given == LEARNED:
            return LEARNED
        if isinstance(given, str | bool) or given is None or isinstance(given, Iterable):
            raise ParameterError(f'{self.name} must be a number or "{LEARNED}", got {format_value(given)}')
        number = finite_number(self.name, given)
        if abs(number) > LARGEST or (self.positive and number <= 0.0):
            wanted = "above 0" if self.positive else f"at most {LARGEST:g} in size"
            raise ParameterError(f"{self.name} must be {wanted}, got {number!r}")
        return number

    def needs_tasks(self, value: Any) -> bool:
        """Tell whether it is yet to be learned."""
        return bool(value == LEARNED)

    def fit(self, value: Any, tasks: Iterable[Any], settings: Mapping[str, Any]) -> Any:
        """Return what past tasks say."""
        means = [task.means for task in of_kind(tasks, Task)]
        if not means:
            raise TaskError("tasks must hold at least one task, got none")
        return self.of_means(means)


def center_of(means: list[Any]) -> float:
    """Return the mean over tasks of the mean over arms."""
    return float(np.mean([np.mean(each) for each in means]))


def scale_of(means: list[Any]) -> float:
    """Return how far arms' means lie from that, by the root of the mean square; 1 if they all are the same."""
    center = center_of(means)
    spread = float(np.sqrt(np.mean([np.mean(np.square(each - center)) for each in means])))
    return spread if spread > 0.0 else 1.0


def convert_rewards(rewards: Any, center: float, scale: float, what: str, means: Any = 0.0) -> NDArray[np.float64]:
    """Rewards in the units that the policy sees, relative to what was expected."""
    with np.errstate(over="ignore"):
        return check_responses((np.asarray(rewards) - center) / scale - means, what)


@dataclass(frozen=True, slots=True, eq=False)
class PointTask:
    """One task."""

    prior: Prior
    rewards: Floats  # (n, T) what a pull gives
    seen: Floats  # (n, T) the same in the units that the policy sees, relative to the prior's mean
    sums: Floats  # (n, T + 1, 2) of what is seen, high and low part
    tables: TaskTables  # of the rewards
    feedback: Feedback  # when rewards become known


def make_prior(settings: Mapping[str, Any], points: Floats, own: Floats | None = None) -> Prior:
    """Return what is known of points before any reward; own (n,) are the means of the task to be run, if known."""
    length_scale, center, scale = settings["length_scale"], settings["center"], settings["scale"]
    means = expect_points(settings["mean_function"], points, length_scale, center, scale, own)
    kernel = covariances(settings["kernel"], points, length_scale)
    expected = center + scale * means
    return Prior(means, relate_points(settings["covariance"], points, kernel, expected, length_scale, own))


def batch_points(tasks: Sequence[Any], terms: Terms) -> list[PointTask]:
    """Return tasks with points, every arm with exactly as many rewards as the horizon has rounds."""
    labels = [check_kind(task, (Task,), k, terms.first) for k, task in enumerate(tasks)]
    feedback = read_feedback(terms.settings, tasks, is_randomised=False) or IMMEDIATE
    return [_batch_task(task, terms, label, feedback) for task, label in zip(tasks, labels, strict=True)]


def _batch_task(task: Task, terms: Terms, label: str, feedback: Feedback) -> PointTask:
    if task.points is None:
        raise TaskError(f"{label} needs the arms' points for GP-UCB: bt.Task(rewards, points=...); it has none")
    batch, settings = batch_streams([task], terms), terms.settings
    try:
        points, units = check_points(task.points), (settings["center"], settings["scale"])
        prior = make_prior(settings, points, task.means)
        seen = convert_rewards(batch.streams, *units, "rewards, as the policy sees them,", prior.means[:, None])
    except InputError as error:
        raise TaskError(f"{label}: {error}") from None
    shown_batch = without_priors(seen, batch.gaps, batch.starts, 0.0)
    return PointTask(
        prior,
        batch.streams,
        seen,
        task_tables(shown_batch, 0, workspace(shown_batch)).sums,
        task_tables(batch, 0, workspace(batch)),
        feedback,
    )
