"""Entries of a comparison: a policy with its settings, started anew in every run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from banditune.baselines.corral import AnyCorral
from banditune.policies.base import OnlinePolicy, Policy
from banditune.rng import derive_seed

Start = Callable[[int, int, int], Any]  # (n_arms, horizon, seed) -> a policy with select() and update()


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy that takes part: its name, how it is started, and what it knows beforehand."""

    name: str
    start: Start
    knowledge: str


def entry(policy: type[OnlinePolicy], *, name: str | None = None, **settings: Any) -> Entry:
    """Make an entry of a policy that can be tuned, or of a baseline, with these settings.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> entry(UCB, alpha=0.1).name
    'UCB, alpha=0.1'
    """
    if name is None:
        label = policy.__name__ if issubclass(policy, Policy) else policy.name
        name = ", ".join([label, *(f"{key}={_format_setting(value)}" for key, value in settings.items())])
    return Entry(name, partial(_start, policy, settings), policy.knowledge)


def corral_entry(corral: type[AnyCorral], bases: Sequence[Entry], *, name: str | None = None, **settings: Any) -> Entry:
    """An entry of a corral over other entries."""
    label = name or f"{corral.name}, {settings.get('feedback', 'own')} feedback"
    return Entry(label, partial(_start_corral, corral, tuple(bases), settings), corral.knowledge)


def _format_setting(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _start(policy: type[OnlinePolicy], settings: dict[str, Any], n_arms: int, horizon: int, seed: int) -> OnlinePolicy:
    return policy.start(n_arms, horizon=horizon, seed=seed, **settings)


def _start_corral(
    corral: Any, bases: Sequence[Entry], settings: dict[str, Any], n_arms: int, horizon: int, seed: int
) -> AnyCorral:
    started = [base.start(n_arms, horizon, derive_seed(seed, "base", k)) for k, base in enumerate(bases)]
    made: AnyCorral = corral(started, horizon, seed=seed, **settings)
    return made
