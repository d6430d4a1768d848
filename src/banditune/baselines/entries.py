"""Entries of a comparison: a policy with its settings, started anew in every game."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from banditune.baselines.base import Baseline
from banditune.baselines.corral import AnyCorral
from banditune.policies.ucb.ucb import UCB
from banditune.rng import derive_seed

Start = Callable[[int, int, int], Any]  # (n_arms, horizon, seed) -> a policy with select() and update()


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy that takes part: its name, how it is started, and what it is told beforehand."""

    name: str
    start: Start
    told: str


def entry(policy: type[Baseline] | type[UCB], *, name: str | None = None, **settings: Any) -> Entry:
    """An entry of `bt.UCB` or of one of the baselines, with these settings.

    >>> entry(UCB, alpha=0.1).name
    'UCB, alpha=0.1'
    """
    label, told = (policy.name, policy.told) if issubclass(policy, Baseline) else ("UCB", "alpha")
    if name is None:
        name = ", ".join([label, *(f"{key}={_format_setting(value)}" for key, value in settings.items())])
    return Entry(name, partial(_start, policy, settings), told)


def corral_entry(corral: type[AnyCorral], bases: Sequence[Entry], *, name: str | None = None, **settings: Any) -> Entry:
    """An entry of a corral over other entries."""
    label = name or f"{corral.name}, {settings.get('feedback', 'own')} feedback"
    return Entry(label, partial(_start_corral, corral, tuple(bases), settings), corral.told)


def _format_setting(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _start(policy: Any, settings: dict[str, Any], n_arms: int, horizon: int, seed: int) -> Any:
    if not issubclass(policy, Baseline):
        return policy(n_arms, **settings)
    if policy.needs_horizon:
        settings = {"horizon": horizon} | settings
    return policy(n_arms, seed=seed, **settings)


def _start_corral(
    corral: Any, bases: Sequence[Entry], settings: dict[str, Any], n_arms: int, horizon: int, seed: int
) -> AnyCorral:
    started = [base.start(n_arms, horizon, derive_seed(seed, "base", k)) for k, base in enumerate(bases)]
    made: AnyCorral = corral(started, horizon, seed=seed, **settings)
    return made
