"""Entries of a comparison: a policy with its settings, started anew in every run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from banditune.policies.base import OnlinePolicy

Start = Callable[[int, int, int], Any]  # (n_arms, horizon, seed) -> a policy with select() and update()


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy that takes part: its name, how it is started, and what it knows beforehand."""

    name: str
    start: Start
    knowledge: str


def entry(policy: type[OnlinePolicy], *, name: str | None = None, **settings: Any) -> Entry:
    """Make an entry of a policy with these settings.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> entry(UCB, alpha=0.1).name
    'UCB, alpha=0.1'
    """
    if name is None:
        name = ", ".join([policy.label, *(f"{key}={_format_setting(value)}" for key, value in settings.items())])
    return Entry(name, partial(_start, policy, settings), policy.knowledge)


def _format_setting(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _start(policy: type[OnlinePolicy], settings: dict[str, Any], n_arms: int, horizon: int, seed: int) -> OnlinePolicy:
    return policy.start(n_arms, horizon=horizon, seed=seed, **settings)
