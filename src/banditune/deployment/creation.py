"""Deployments are made, found again, and carried from one store to another."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from banditune.deployment.definition import Definition, Recipe, check_format
from banditune.deployment.deployment import Deployment
from banditune.deployment.events import Arm, Event, write_text
from banditune.deployment.history import check_history
from banditune.deployment.learner import Learner
from banditune.deployment.stores import open_store
from banditune.deployment.stores.base import Store
from banditune.deployment.transaction import Transaction
from banditune.errors import FileError, ParameterError
from banditune.io.json_text import parse_json
from banditune.policies.base import Policy
from banditune.validation import format_value

PROPENSITY_DRAWS = 200  # where there is no formula


def deploy(
    policy: type[Policy[Any]],
    *,
    arms: Sequence[Arm],
    store: Store | str | None = None,
    name: str = "default",
    seed: int = 0,
    horizon: int | None = None,
    dim: int | None = None,
    points: Any = None,
    propensity_draws: int = PROPENSITY_DRAWS,
    clock: Callable[[], float] = time.time,
    **parameters: Any,
) -> Deployment:
    """Put a policy into production, or go on with it where the store has it already.

    `tuned.deploy` does the same with what was learned.

    Parameters
    ----------
    policy : type
        The policy class, such as `bt.UCB`.
    arms : sequence of str or int
        The names of the arms.
    store : Store, str or path, optional
        Where it is kept: a store, "postgresql://...", or a file that ends in .db, .sqlite, .sqlite3 (SQLite) or .jsonl
        (JSON lines). By default in memory.
    name : str, default "default"
        What it is called: a store can hold several.
    seed : int, default 0
        The random seed. What a decision draws depends on it and on the number of the decision.
    horizon, dim, points
        For policies that need them: the number of rounds, the features of a context, the point of each arm.
    propensity_draws : int, default 200
        How many draws the propensity of a choice is computed from where a policy draws and has no formula; 0 for none.
    clock : callable, default time.time
        Returns the time, in seconds.
    **parameters
        Values of the policy's parameters; the others have their defaults.

    Returns
    -------
    Deployment

    Examples
    --------
    >>> import banditune as bt
    >>> deployment = deploy(bt.BetaThompson, arms=["red", "blue"], stretch=0.5, seed=3)
    >>> decision = deployment.choose()
    >>> deployment.reward(decision.id, 1.0)
    True
    """
    recipe = Recipe.of(policy, parameters, horizon, dim)
    definition, place = Definition.make(name, recipe, seed, propensity_draws, arms, points), open_store(store)
    return _attach(place, definition, clock)


def _attach(store: Store, definition: Definition, clock: Callable[[], float]) -> Deployment:
    """Make the deployment in its store, or take the one that is there, if it is the same."""
    where = f'{store.describe()}, deployment "{definition.name}"'
    with store.transact(definition.name) as journal:
        text = journal.read_head()
        if text is None:
            journal.begin(definition.to_json())
            return Deployment(definition, store, clock)
        there = Definition.from_json(text, where)
        now = Transaction(there, journal, clock, where)
        definition.check_same(there, now.learner.arms, where)
    return Deployment(there, store, clock)


def open_deployment(store: Store | str, name: str = "default", *, clock: Callable[[], float] = time.time) -> Deployment:
    """Go on with a deployment that is in a store, as it is there.

    Parameters
    ----------
    store : Store, str or path
        As for `deploy`.
    name : str, default "default"
        What it is called.
    clock : callable, default time.time
        Returns the time, in seconds.

    Returns
    -------
    Deployment
    """
    place = open_store(store)
    with place.transact(name, writes=False) as journal:
        text = journal.read_head()
    if text is None:
        raise ParameterError(f"{place.describe()} has no deployment {format_value(name)}: deploy() makes one")
    return Deployment(Definition.from_json(text, f'{place.describe()}, deployment "{name}"'), place, clock)


def deployment_from_json(
    text: str, *, store: Store | str | None = None, clock: Callable[[], float] = time.time
) -> Deployment:
    """Restore a deployment from what its `to_json` returned, into a store that has none of its name.

    Parameters
    ----------
    text : str
        What `Deployment.to_json` returned.
    store, clock
        As for `deploy`.

    Returns
    -------
    Deployment
        Decisions that were waiting for their rewards still are.
    """
    what, place = "a saved deployment", open_store(store)
    saved = parse_json(text, what)
    check_format(saved, what)
    if not isinstance(saved.get("events"), list):
        raise FileError(f"{what} must have a list of events, got {format_value(saved.get('events'))}")
    definition = Definition.from_json(write_text(saved.get("head")), what)
    events = [Event.from_json(each, f"{what}, event {k}") for k, each in enumerate(saved["events"], start=1)]
    check_history(definition.arms, events, what)
    learner = Learner(definition)
    for event in events:
        learner.apply(event, what)
    with place.transact(definition.name) as journal:
        if journal.read_head() is not None:
            raise ParameterError(f'{place.describe()} has a deployment "{definition.name}" already: give another store')
        journal.begin(definition.to_json())
        journal.append(0, events)
        journal.write_snapshot(len(events), learner.to_json())
    return Deployment(definition, place, clock)
