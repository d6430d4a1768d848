"""The field of a comparison: every policy that runs on rewards alone, told what it needs to know of them."""

from collections.abc import Sequence

import numpy as np

from banditune.policies.base import RewardScale
from banditune.policies.entries import Entry, entry
from banditune.policies.parameters import round_up
from banditune.policies.registry import registered_policies
from banditune.tasks.task import Task


def field(tasks: Sequence[Task]) -> list[Entry]:
    """List the baselines for tasks like these, and policies that can be tuned with their usual values.

    Bounds and spread of the rewards are taken from all tasks.
    """
    scale = RewardScale(reward_bounds(tasks), reward_sd(tasks))
    policies = [policy for policy in registered_policies().values() if policy.runs_on_rewards()]
    return [
        entry(policy, name=name, **settings)
        for policy in policies
        for name, settings in policy.list_settings(scale).items()
    ]


def reward_bounds(tasks: Sequence[Task]) -> tuple[float, float]:
    """The least and the largest reward of all tasks; where all rewards are one number, an interval of width 1 from it.

    >>> reward_bounds([Task([[0.2, 0.9]]), Task([[0.1], [0.4]])])
    (0.1, 0.9)
    """
    ranges = [task.reward_range for task in tasks]
    low, high = min(each.low for each in ranges), max(each.high for each in ranges)
    return (low, high) if low < high else (low, low + round_up(0.0))


def reward_sd(tasks: Sequence[Task]) -> float:
    """The standard deviation of a reward around its arm's mean in its task, over all arms that gave several; 1 if 0.

    >>> reward_sd([Task([[0.0, 1.0], [2.0, 2.0]])])
    0.5
    """
    pulls, variances = (np.concatenate([getattr(task, name) for task in tasks]) for name in ("lengths", "variances"))
    several = pulls > 1
    variance = float(np.mean((variances * pulls)[several] / (pulls[several] - 1))) if several.any() else 0.0
    return float(np.sqrt(variance)) or 1.0
