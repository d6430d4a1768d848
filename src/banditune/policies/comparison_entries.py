"""Entries of a comparison: a policy with its settings, started anew in every run; and the usual ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from banditune.policies.base import OnlinePolicy, RewardScale
from banditune.policies.parameters import round_up
from banditune.policies.registry import find_policies
from banditune.policies.updates import UPDATES, Updates
from banditune.tasks.task import Task

Start = Callable[[int, int, int], Any]  # (n_arms, horizon, seed) -> a policy with select() and update()


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy that takes part: its name, how it is started, and what it knows beforehand."""

    name: str
    start: Start | tuple[Start, ...]  # on every task alike, or on each in its own way
    knowledge: str

    def start_on(self, number: int, n_arms: int, horizon: int, seed: int) -> Any:
        """Start it on the task with that number."""
        start = self.start[number] if isinstance(self.start, tuple) else self.start
        return start(n_arms, horizon, seed)


def entry(policy: type[OnlinePolicy], *, name: str | None = None, **settings: Any) -> Entry:
    """Make an entry of a policy with these settings.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> entry(UCB, alpha=0.1).name
    'UCB, alpha=0.1'
    """
    if name is None:
        name = ", ".join([policy.label, *(f"{key}={_format_setting(value)}" for key, value in settings.items())])
    return Entry(name, partial(start_policy, policy, settings), policy.knowledge)


def _format_setting(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def start_policy(
    policy: type[OnlinePolicy], settings: dict[str, Any], n_arms: int, horizon: int, seed: int
) -> OnlinePolicy:
    """Start a policy with its settings on a new task."""
    return policy.start(n_arms, horizon=horizon, seed=seed, **settings)


def list_entries(tasks: Sequence[Task], updates: Updates | None = None) -> list[Entry]:
    """List the baselines for tasks like these, and policies that can be tuned with their usual values.

    Bounds and spread of the rewards are taken from all tasks. Where rewards are late, only policies that can be told.
    """
    scale = measure_scale(tasks)
    policies = [policy for policy in find_policies().values() if policy.runs_on_rewards()]
    shared = {} if updates is None else {UPDATES.name: updates}
    policies = [policy for policy in policies if updates is None or not is_prompt(policy)]
    return [
        entry(policy, name=name, **settings, **shared)
        for policy in policies
        for name, settings in policy.list_settings(scale).items()
    ]


def is_prompt(policy: type[OnlinePolicy]) -> bool:
    """Tell whether a policy runs on rewards, and has to learn each of them before the next round."""
    return policy.runs_on_rewards() and UPDATES.name not in getattr(policy, "parameters", {})


def measure_scale(tasks: Sequence[Task]) -> RewardScale:
    """Return bounds and spread of the rewards of all tasks."""
    return RewardScale(reward_bounds(tasks), reward_sd(tasks))


def reward_bounds(tasks: Sequence[Task]) -> tuple[float, float]:
    """Return the least and the largest reward of all tasks; where all are one number, it and one more.

    >>> reward_bounds([Task([[0.2, 0.9]]), Task([[0.1], [0.4]])])
    (0.1, 0.9)
    """
    ranges = [task.reward_range for task in tasks]
    low, high = min(each.low for each in ranges), max(each.high for each in ranges)
    return (low, high) if low < high else (low, low + round_up(0.0))


def reward_sd(tasks: Sequence[Task]) -> float:
    """Return the standard deviation of rewards around their arm's mean, over arms that gave several; 1 if 0.

    >>> reward_sd([Task([[0.0, 1.0], [2.0, 2.0]])])
    0.5
    """
    pulls, variances = (np.concatenate([getattr(task, name) for task in tasks]) for name in ("lengths", "variances"))
    several = pulls > 1
    variance = float(np.mean((variances * pulls)[several] / (pulls[several] - 1))) if several.any() else 0.0
    return float(np.sqrt(variance)) or 1.0
