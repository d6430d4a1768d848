"""Entries of a comparison: a policy with its settings, started anew in every game."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from banditune.policies.ucb import UCB
from banditune.randomness import derived_seed
from banditune.rivals.corral import AnyCorral
from banditune.rivals.rival import Rival

Start = Callable[[int, int, int], Any]  # (n_arms, horizon, seed) -> a policy with select() and update()


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy that takes part: its name, how it is started, and what it is told beforehand."""

    name: str
    start: Start
    told: str


def entry(policy: type[Rival] | type[UCB], *, name: str | None = None, **settings: Any) -> Entry:
    """An entry of `bt.UCB` or of one of the rivals, with these settings.

    >>> entry(UCB, alpha=0.1).name
    'UCB, alpha=0.1'
    """
    label, told = (policy.name, policy.told) if issubclass(policy, Rival) else ("UCB", "alpha")
    if name is None:
        name = ", ".join([label, *(f"{key}={_shown(value)}" for key, value in settings.items())])
    return Entry(name, partial(_started, policy, settings), told)


def corral_entry(corral: type[AnyCorral], bases: Sequence[Entry], *, name: str | None = None, **settings: Any) -> Entry:
    """An entry of a corral over other entries."""
    label = name or f"{corral.name}, {settings.get('feedback', 'own')} feedback"
    return Entry(label, partial(_started_corral, corral, tuple(bases), settings), corral.told)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _started(policy: Any, settings: dict[str, Any], n_arms: int, horizon: int, seed: int) -> Any:
    if not issubclass(policy, Rival):
        return policy(n_arms, **settings)
    if policy.needs_horizon:
        settings = {"horizon": horizon} | settings
    return policy(n_arms, seed=seed, **settings)


def _started_corral(
    corral: Any, bases: Sequence[Entry], settings: dict[str, Any], n_arms: int, horizon: int, seed: int
) -> AnyCorral:
    started = [base.start(n_arms, horizon, derived_seed(seed, "base", k)) for k, base in enumerate(bases)]
    made: AnyCorral = corral(started, horizon, seed=seed, **settings)
    return made
