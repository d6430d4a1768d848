"""Saved policies that were changed by hand or by accident: rejected with a reason, or usable."""

import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.tasks.arrays import MOST_PULLS
from banditune.validation import LONGEST_GAME

HOSTILE: list[Any] = [
    *(10**30, 2**63, 2**63 - 1, 2**62, MOST_PULLS + 1, MOST_PULLS, 10**9, 1, 0, -1, -(2**63), -(10**30)),
    *(0.5, 1.0, -0.0, 5e-324, 1e-200, 1e150, 1e200, 1e308, -1e308),
    *(True, False, None, "", "1", "nan", "learned", "none", "\x00", "é"),
    *([], [[]], [1], [1, 2], [0.5, 0.5, 0.5], [[1.0, 0.0]] * 3, [None] * 3, ["1"] * 3, [10**30] * 3, [True, 2, 3]),
    *(
        [2**62] * 3,
        [MOST_PULLS, 0, 0],
        [[[1.0]]],
        [[1], [2, 3]],
        {},
        {"a": 1},
        {"of_schedule": 1e7},
        {"covariances": 1},
    ),
]
LITERALS = ["NaN", "Infinity", "-Infinity", "1e999", "1" * 5000, "[" * 2000 + "]" * 2000, '"\\ud800"', '{"a":1,"a":2}']
CONTEXTS = [[0.3, 0.4], [0.5, 0.1], [0.2, 0.9]]


def played(policy: Any, rounds: int = 5) -> Any:
    """The policy after some rounds."""
    seen = [CONTEXTS] * policy.contextual
    for t in range(rounds):
        policy.update(policy.select(*seen), float(t % 2), *seen)
    return policy


def waiting(policy: Any) -> Any:
    """A contextual policy with a choice whose reward is still to come."""
    policy.expect(1, CONTEXTS)
    return policy


POINTS = [[0.0], [0.4], [1.0]]
POLICIES: dict[str, Callable[[], Any]] = {  # made where they are asked for, not when tests are collected
    "ucb": lambda: bt.UCB(3, alpha=0.5),
    "ucb with priors": lambda: bt.UCB(3, prior_means=[0.1, 0.2, 0.3], prior_weight=2.0),
    "ucb with a schedule": lambda: bt.UCB(3, schedule="remaining", horizon=20),
    "gaussianucb": lambda: bt.GaussianUCB(3, prior_mean=[0.1, 0.2, 0.3], prior_cov=np.eye(3) + 0.5, noise=0.1),
    "gaussiants": lambda: bt.GaussianTS(3, prior_mean=0.3, prior_cov=0.1, noise=0.1, seed=2),
    "moss": lambda: bt.MOSS(3, horizon=20),
    "ucbv": lambda: bt.UCBV(3, scale=0.2),
    "softmax": lambda: bt.Softmax(3, schedule="root", seed=2),
    "explorethencommit": lambda: bt.ExploreThenCommit(3, pulls=2),
    "linucb, pending": lambda: waiting(bt.LinUCB(3, 2, scaling={"divide_by": [1.0, 2.0]}, updates=bt.Delay(4))),
    "linucb, disjoint": lambda: bt.LinUCB(3, 2, disjoint=True, scaling="contexts"),
    "gpucb": lambda: bt.GPUCB(POINTS, noise=0.1, beta={"of_schedule": 0.5}),
    "gpucb with a function": lambda: bt.GPUCB(
        POINTS, kernel=lambda one, other: np.exp(-((one - other.T) ** 2)), beta=2.0
    ),
}


def make_played(name: str) -> Any:
    """One of them, after some rounds."""
    return played(POLICIES[name]())


def places_in(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in plain data: the keys on the way to it."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield (*path, key)
        yield from places_in(value, (*path, key))


FEW = 20  # places of a list, from which on each place is given but a share of the values


def values_for(state: Any, path: tuple[Any, ...]) -> list[Any]:
    """What to put in a place: everything; in a long list each place gets its share, all of them together everything."""
    holder = holder_of(state, path)
    share = 1 if isinstance(holder, dict) else -(-len(holder) // FEW)
    return HOSTILE[path[-1] % share :: share] if share > 1 else HOSTILE


def holder_of(state: Any, path: tuple[Any, ...]) -> Any:
    """The list or object in which a place is."""
    for key in path[:-1]:
        state = state[key]
    return state


def changed(state: Any, path: tuple[Any, ...], value: Any) -> str:
    """The text of plain data in which one value is another."""
    holder, key = holder_of(state, path), path[-1]
    before, holder[key] = holder[key], value
    text = json.dumps(state)
    holder[key] = before
    return text


def is_rejected_or_usable(text: str) -> bool:
    """Whether a saved policy is rejected; if not, it must go on playing. Anything else fails the test."""
    try:
        policy: Any = bt.policy_from_json(text)
    except bt.FileError:
        return True
    seen = [np.full((policy.n_arms, policy.dim), 0.5)] if policy.contextual else []
    try:
        for _ in range(3):
            arm = policy.select(*seen)
            assert hasattr(policy, "arms") or type(arm) is int  # some take any names of arms
            assert arm in getattr(policy, "arms", range(policy.n_arms))
            policy.update(arm, 1.0, *seen)
    except bt.InputError:  # in its units, this context or reward is beyond what can be used, or decided by
        return True
    return False


@pytest.mark.parametrize("name", POLICIES)
def test_any_changed_field_is_rejected_or_leaves_a_policy_that_plays(name: str) -> None:
    state = json.loads(make_played(name).to_json())
    assert not is_rejected_or_usable(json.dumps(state))
    places = list(places_in(state))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        texts = (changed(state, path, bad) for path in places for bad in values_for(state, path))
        assert 0.5 < np.mean([is_rejected_or_usable(text) for text in texts]) < 1.0
        for path in places:
            text = changed(state, path, "LITERAL")
            assert all(is_rejected_or_usable(text.replace('"LITERAL"', literal)) for literal in LITERALS)
    for field in state:
        less = {key: value for key, value in state.items() if key != field}
        is_rejected_or_usable(json.dumps(less))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"counts": [2**63, 1, 1]},
            r"counts must be a whole number from 0 .*, together at most 9007199254740992; got \[",
        ),
        ({"counts": [10**30, 1, 1]}, "together at most 9007199254740992"),
        ({"counts": [2**53, 1, 1]}, "together at most 9007199254740992"),
        ({"counts": [1, 1.0, 1]}, "counts must be a whole number from 0"),
        ({"sums": [[1e300, 0.0]] * 3}, "sums must be two numbers for each arm that fit its count"),
        ({"sums": [["1", 0.0]] * 3}, "sums must be numbers"),
    ],
)
@pytest.mark.parametrize("name", ["ucb", "gpucb"])
def test_counts_and_sums_that_no_run_can_have_are_rejected(name: str, change: dict[str, Any], message: str) -> None:
    state = json.loads(make_played(name).to_json())
    with pytest.raises(bt.FileError, match=rf"a saved (UCB|GPUCB) policy cannot be used: .*{message}"):
        bt.policy_from_json(json.dumps(state | change))


def test_no_room_is_made_for_a_regression_that_is_not_there() -> None:
    state = json.loads(bt.LinUCB(2, 2).to_json()) | {"n_arms": 10**6, "dim": 10**4, "disjoint": True}
    with pytest.raises(bt.FileError, match=r"known must be \d{14,} numbers, got 41"):
        bt.policy_from_json(json.dumps(state))


def test_policy_goes_on_from_more_rounds_than_a_computer_can_play() -> None:
    many = MOST_PULLS // 4
    for name in ("ucb", "gpucb"):
        state = json.loads(make_played(name).to_json()) | {"counts": [many] * 3, "sums": [[0.5 * many, 0.0]] * 3}
        policy = played(bt.policy_from_json(json.dumps(state)))
        assert policy.counts.sum() == 3 * many + 5


@pytest.mark.parametrize("number", [10**30, 2**63, LONGEST_GAME + 1, -1, 0.5, True, "1"])
@pytest.mark.parametrize("name", ["ucb", "gaussianucb", "moss", "gpucb"])
def test_more_pending_pulls_than_a_run_has_are_rejected(name: str, number: Any) -> None:
    policy = make_played(name)
    policy.expect(policy.select())
    state = json.loads(policy.to_json())
    assert sum(state["pending"]) == 1
    with pytest.raises(bt.InputError, match="pending"):
        bt.policy_from_json(json.dumps(state | {"pending": [number, 0, 0]}))
