"""What is UCB's own; the contract of all policies is in test_conformance.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from tests.naive.ucb import naive_arms
from tests.strategies import tasks


@given(tasks(most_arms=50, most_rewards=3), st.integers(1, 70))
def test_many_arms_and_horizons_shorter_than_their_number(task: bt.Task, horizon: int) -> None:
    full = task.extend(horizon)
    alpha = 4.0 * max(*(abs(row).max() for row in full.rewards), 1e-149) ** 2 / 7
    played = bt.play(bt.UCB, full, horizon=horizon, alpha=alpha)
    curve = bt.loss_curve(bt.UCB, full, horizon=horizon, alpha=(0.0, 2 * alpha))
    assert played.arms.tolist() == naive_arms([row.tolist() for row in full.rewards], horizon, alpha)
    assert curve(alpha) == played.regret[-1]


def test_first_rounds_pull_every_arm_once_in_order() -> None:
    policy = bt.UCB(4)
    for expected in range(4):
        assert policy.select() == expected
        policy.update(expected, 0.5)


def test_rewards_in_another_order_still_tie() -> None:
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in floats; their means must not."""
    one, other = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    assert sum(one) != sum(other)
    for first, second in ((one, other), (other, one)):
        policy = bt.UCB(2, alpha=0.4)
        for a, b in zip(first, second, strict=True):
            policy.update(0, a)
            policy.update(1, b)
        assert policy.select() == 0


def test_means_are_nan_before_the_first_pull() -> None:
    policy = bt.UCB(2)
    policy.update(1, 3.0)
    assert np.isnan(policy.means[0])
    assert policy.means[1] == 3.0


@pytest.mark.parametrize(
    ("arm", "reward", "message"),
    [
        (2, 1.0, "arm must be less than n_arms"),
        (-1, 1.0, "arm"),
        (0.5, 1.0, "arm"),
        (0, np.nan, "reward"),
        (0, "1", "reward"),
        (0, 1e200, r"reward must be 0 or from 1e-150 to 1e\+150 in size"),
        (0, 1e-320, "reward must be 0 or from"),
        (0, 10**400, "reward must be a finite number"),
    ],
)
def test_bad_update_is_rejected_and_changes_nothing(arm: int, reward: float, message: str) -> None:
    policy = bt.UCB(2)
    before = policy.to_json()
    with pytest.raises(bt.ParameterError, match=message):
        policy.update(arm, reward)
    assert policy.to_json() == before


@pytest.mark.parametrize("n_arms", [0, -1, 2.0, "2", True, 10**13])
def test_number_of_arms_must_be_a_whole_positive_number(n_arms: int) -> None:
    with pytest.raises(bt.ParameterError, match="n_arms"):
        bt.UCB(n_arms)


@pytest.mark.parametrize(
    "state",
    ['{"policy": "ucb", "alpha": -1, "counts": [0], "sums": [[0, 0]]}',
     '{"policy": "ucb", "alpha": 1, "counts": [0.5], "sums": [[0, 0]]}',
     '{"policy": "ucb", "alpha": 1, "counts": [-1], "sums": [[0, 0]]}',
     '{"policy": "ucb", "alpha": 1, "counts": [1], "sums": [[0, 0], [0, 0]]}',
     '{"policy": "ucb", "alpha": 1, "counts": [1], "sums": [["a", 0]]}',
     '{"policy": "ucb", "alpha": 1, "counts": [0], "sums": [[5, 0]]}',
     '{"policy": "ucb", "alpha": 1, "counts": [1], "sums": [[NaN, 0]]}',
     '{"policy": "ucb", "alpha": 1, "counts": [], "sums": []}'],
)  # fmt: skip
def test_saved_state_that_cannot_be_is_rejected(state: str) -> None:
    with pytest.raises(bt.FileError, match=r"a saved (UCB )?policy"):
        bt.policy_from_json(state)


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ([[0.0, 1.0], [0.2, 0.4]], (0.0, 4.0)),
        ([[0.25], [0.31]], (0.0, 4 * 0.06**2)),
        ([[5.0, 5.0]], (0.0, 4.0)),
        ([[0.0, 35.0]], (0.0, 6400.0)),
    ],
)
def test_default_range_fits_the_scale_of_the_rewards(rewards: list[list[float]], expected: tuple[float, float]) -> None:
    assert bt.UCB.default_range("alpha", [bt.Task(rewards)]) == pytest.approx(expected)
