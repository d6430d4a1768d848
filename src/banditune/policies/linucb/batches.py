"""Contextual tasks and logs as LinUCB's kernels take them: checked, in plain arrays, their contexts scaled."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from banditune.errors import TaskError
from banditune.kernels.linear.sweep import ALL_KNOWN, Rounds
from banditune.policies.batches import Terms, check_kind
from banditune.policies.linucb.scaling import scale_contexts
from banditune.policies.losses import LOSSES
from banditune.tasks.contextual import ContextualTask
from banditune.tasks.logged import LoggedTask
from banditune.validation import format_value


def batch_rounds(tasks: Sequence[Any], terms: Terms) -> list[Rounds]:
    """Contextual tasks, each of as many rounds as the horizon; or logs, of at most so many events; contexts scaled."""
    packed = []
    for k, task in enumerate(tasks):
        label = check_kind(task, CONTEXTUAL_KINDS, k, terms.first)
        if task.is_log != tasks[0].is_log:
            kind = type(tasks[0]).__name__
            raise TaskError(f"{label} must be a bt.{kind} like the tasks before it, got {format_value(task)}")
        if not terms.extend and len(task) < terms.horizon:
            needed = f"the horizon needs {terms.horizon} rounds, got {len(task)}"
            raise TaskError(f"{label}: {needed}; extend=True resamples the missing ones, or uses a log as it is")
        packer = next(each for kind, each in _PACKED.items() if isinstance(task, kind))
        rounds = packer(task, terms, label)
        packed.append(rounds._replace(contexts=scale_contexts(rounds.contexts, terms.settings["scaling"])))
    return packed


def _full_rounds(task: ContextualTask, terms: Terms, label: str) -> Rounds:
    full = task.extend(terms.horizon, seed=terms.seed)
    costs = LOSSES[terms.loss].cost_rounds(full.means, full.rewards)
    known = np.full(terms.horizon, ALL_KNOWN)
    return Rounds(task.n_arms, full.contexts, full.rewards, costs, known, float(costs.max()))


def _logged_rounds(task: LoggedTask, terms: Terms, label: str) -> Rounds:
    """A log is not extended: its loss is that of a mean event, whatever their number."""
    if not LOSSES[terms.loss].fits_logs:
        raise TaskError(f'{label}: a log allows only loss="reward": the rewards of the other arms are unknown')
    uniform = task.thin(seed=terms.seed)
    events = slice(min(len(uniform), terms.horizon))
    seen = (uniform.contexts if uniform.contexts.ndim == 3 else uniform.contexts[:, None, :])[events]
    rewards = uniform.rewards[events, None]
    return Rounds(task.n_arms, seen, rewards, -rewards, uniform.arms[events], -float(task.rewards.min()))


_PACKED: dict[type, Callable[[Any, Terms, str], Rounds]] = {
    ContextualTask: _full_rounds,
    LoggedTask: _logged_rounds,
}
CONTEXTUAL_KINDS = tuple(_PACKED)
