"""Contextual tasks and logs as LinUCB's kernels take them: checked, in plain arrays, their contexts scaled."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from banditune.errors import TaskError
from banditune.kernels.linear.sweep import ALL_KNOWN, Rounds
from banditune.policies.batches import check_kind
from banditune.policies.linucb.scaling import scale_contexts
from banditune.tasks.contextual import ContextualTask
from banditune.tasks.logged import LoggedTask
from banditune.validation import format_value


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
