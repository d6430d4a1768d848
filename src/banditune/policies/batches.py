"""Tasks as the kernels take them: checked, of one length, in plain arrays."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from banditune.errors import TaskError
from banditune.kernels.linear.sweep import ALL_KNOWN, Rounds
from banditune.kernels.lines.batch import Batch, without_priors
from banditune.kernels.lines.prefix_sums import segment_means
from banditune.policies.linucb.scaling import scale_contexts
from banditune.policies.ucb.priors import means_of
from banditune.tasks.contextual import ContextualTask
from banditune.tasks.logged import LoggedTask
from banditune.tasks.task import Joined, Task
from banditune.validation import format_value


def batch_tasks(
    tasks: Sequence[Any],
    horizon: int,
    *,
    loss: str,
    seed: int,
    extend: bool,
    settings: Mapping[str, Any],
    first: int | None = None,
) -> Batch:
    """Tasks of rewards, every arm with exactly `horizon` of them, and with what the settings expect of it."""
    for k, task in enumerate(tasks):
        label = check_kind(task, (Task,), k, first)
        if not extend and task.lengths.min() < horizon:
            arm = int(task.lengths.argmin())
            raise TaskError(
                f"{label}, {task.arm_label(arm)}: the horizon needs {horizon} rewards of each arm, "
                f"got {task.lengths[arm]}; extend=True draws the missing ones from those observed"
            )
    joined = Joined.of(tasks)
    streams, starts = joined.extended(horizon, seed), joined.tasks
    if loss == "reward":
        return _with_priors(without_priors(streams, np.zeros(starts[-1]), starts, 1.0), tasks, settings)
    means = segment_means(joined.flat, joined.begins)  # of what was observed: draws from it say nothing new
    for k, task in enumerate(tasks):
        if task.given_means is not None or task.may_lack:
            means[starts[k] : starts[k + 1]] = task.means
    best = np.repeat(np.maximum.reduceat(means, starts[:-1]), np.diff(starts))
    return _with_priors(without_priors(streams, best - means, starts, 0.0), tasks, settings)


def _with_priors(batch: Batch, tasks: Sequence[Task], settings: Mapping[str, Any]) -> Batch:
    """The batch with what the settings expect of its arms."""
    if settings["prior_means"] is None:
        return batch
    priors = np.concatenate([means_of(settings["prior_means"], task.arms) for task in tasks])
    return batch._replace(priors=priors, weight=settings["prior_weight"])


def batch_rounds(
    tasks: Sequence[Any],
    horizon: int,
    *,
    loss: str,
    seed: int,
    extend: bool,
    settings: Mapping[str, Any],
    first: int | None = None,
) -> list[Rounds]:
    """Contextual tasks, each of exactly `horizon` rounds; or logs, each of at most so many events; contexts scaled."""
    packed = []
    for k, task in enumerate(tasks):
        label = check_kind(task, CONTEXTUAL_KINDS, k, first)
        if isinstance(task, LoggedTask) != isinstance(tasks[0], LoggedTask):
            kind = "LoggedTask" if isinstance(tasks[0], LoggedTask) else "ContextualTask"
            raise TaskError(f"{label} must be a bt.{kind} as those before it, got {format_value(task)}")
        if not extend and len(task) < horizon:
            raise TaskError(
                f"{label}: the horizon needs {horizon} rounds, got {len(task)}; extend=True draws the missing ones, "
                "or of a log takes what there is"
            )
        packer = next(each for kind, each in _PACKED.items() if isinstance(task, kind))
        rounds = packer(task, horizon, loss, seed, label)
        packed.append(rounds._replace(contexts=scale_contexts(rounds.contexts, settings["scaling"])))
    return packed


def _full_rounds(task: ContextualTask, horizon: int, loss: str, seed: int, label: str) -> Rounds:
    full = task.extend(horizon, seed=seed)
    costs = -full.rewards if loss == "reward" else full.means.max(axis=1, keepdims=True) - full.means
    return Rounds(task.n_arms, full.contexts, full.rewards, costs, np.full(horizon, ALL_KNOWN), float(costs.max()))


def _logged_rounds(task: LoggedTask, horizon: int, loss: str, seed: int, label: str) -> Rounds:
    """A log is not extended: its loss is that of a mean event, whatever their number."""
    if loss != "reward":
        raise TaskError(
            f'{label}: of a log only loss="reward" can be known: it does not tell what the other arms would have given'
        )
    uniform = task.thin(seed=seed)
    events = slice(min(len(uniform), horizon))
    seen = (uniform.contexts if uniform.contexts.ndim == 3 else uniform.contexts[:, None, :])[events]
    rewards = uniform.rewards[events, None]
    return Rounds(task.n_arms, seen, rewards, -rewards, uniform.arms[events], -float(task.rewards.min()))


_PACKED: dict[type, Callable[[Any, int, str, int, str], Rounds]] = {
    ContextualTask: _full_rounds,
    LoggedTask: _logged_rounds,
}
CONTEXTUAL_KINDS = tuple(_PACKED)


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
