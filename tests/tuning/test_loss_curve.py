"""Loss curves against the naive game, over many tasks and points."""

import numpy as np
import pytest

import banditune as bt
from banditune.tuning import parallel_sweep
from tests.naive.ucb import naive_arms, naive_regret, naive_reward
from tests.strategies import drawn_task

KINDS = ("bernoulli", "tenths", "uniform", "gaussian")


@pytest.mark.parametrize("kind", KINDS)
def test_curve_agrees_with_naive_play_inside_every_piece(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(20):
        n_arms, horizon = int(rng.integers(1, 8)), int(rng.integers(1, 40))
        task = drawn_task(rng, n_arms, horizon, kind)
        rows = [row.tolist() for row in task.rewards]
        regret = bt.loss_curve(bt.UCB, task, horizon=horizon, alpha=(0.0, 4.0))
        reward = bt.loss_curve(bt.UCB, task, horizon=horizon, alpha=(0.0, 4.0), loss="reward")
        beside = regret.edges[1:-1] * (1 + rng.choice([-1e-9, 1e-9], regret.n_pieces - 1))
        for alpha in (*rng.uniform(0.0, 4.0, 5), *(4.0 * rng.random(5) ** 6), *beside[:10]):
            arms = naive_arms(rows, horizon, float(alpha))
            assert regret(alpha) == pytest.approx(naive_regret(rows, arms), rel=1e-12, abs=1e-12)
            assert reward(alpha) == pytest.approx(-naive_reward(rows, arms), rel=1e-12, abs=1e-12)


def test_many_arms_and_a_horizon_shorter_than_their_number() -> None:
    rng = np.random.default_rng(0)
    for horizon in (1, 20, 49, 50, 51, 80):
        task = drawn_task(rng, 50, horizon, "bernoulli")
        curve = bt.loss_curve(bt.UCB, task, horizon=horizon, alpha=(0.0, 4.0))
        rows = [row.tolist() for row in task.rewards]
        for alpha in rng.uniform(0.0, 4.0, 4):
            assert curve(alpha) == pytest.approx(naive_regret(rows, naive_arms(rows, horizon, float(alpha))), abs=1e-12)
        assert horizon > 50 or curve.n_pieces == 1


def test_range_that_does_not_begin_at_zero_is_a_window_of_the_whole() -> None:
    task = drawn_task(np.random.default_rng(5), 4, 60, "gaussian")
    whole = bt.loss_curve(bt.UCB, task, horizon=60, alpha=(0.0, 4.0))
    window = bt.loss_curve(bt.UCB, task, horizon=60, alpha=(0.3, 1.7))
    inside = (whole.edges > 0.3) & (whole.edges < 1.7)
    assert window.edges.tolist() == [0.3, *whole.edges[inside].tolist(), 1.7]
    assert window(1.0) == whole(1.0)


def test_true_means_decide_the_regret_when_they_are_given() -> None:
    rewards = [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    task = bt.Task(rewards, means=[0.5, 0.9])
    assert bt.play(bt.UCB, task, horizon=3, alpha=0.0).regret.tolist() == pytest.approx([0.4, 0.4, 0.8])


def test_short_task_is_extended_with_the_seed_or_rejected() -> None:
    task = bt.Task([[0.0, 1.0, 1.0], [0.4, 0.6]], arms=["a", "b"])
    curve = bt.loss_curve(bt.UCB, task, horizon=30, alpha=(0.0, 1.0), seed=9)
    assert curve == bt.loss_curve(bt.UCB, task.extend(30, seed=9), horizon=30, alpha=(0.0, 1.0))
    with pytest.raises(bt.TaskError, match=r'task, arm "b": the horizon needs 3 rewards of each arm, got 2'):
        bt.loss_curve(bt.UCB, task, horizon=3, alpha=(0.0, 1.0), extend=False)
    with pytest.raises(bt.TaskError, match="extend=True"):
        bt.play(bt.UCB, task, horizon=3, extend=False)


def test_range_worked_on_in_parts_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    task = drawn_task(np.random.default_rng(4), 5, 200, "bernoulli")
    whole = bt.loss_curve(bt.UCB, task, horizon=[50, 200], alpha=(0.0, 3.0))
    monkeypatch.setattr(parallel_sweep, "LONG_GAME", 1)
    assert bt.loss_curve(bt.UCB, task, horizon=[50, 200], alpha=(0.0, 3.0)) == whole
    drawn = bt.loss_curve(bt.UCB, task, horizon=300, alpha=(0.0, 3.0))  # longer than what is recorded
    assert drawn == bt.loss_curve(bt.UCB, task.extend(300), horizon=300, alpha=(0.0, 3.0))
    narrow = (1.0, float(np.nextafter(np.nextafter(1.0, 2.0), 2.0)))  # fewer floats than parts
    assert bt.loss_curve(bt.UCB, task, horizon=200, alpha=narrow).n_pieces == 1


def test_range_may_be_an_interval_or_an_array() -> None:
    task = drawn_task(np.random.default_rng(2), 3, 30, "uniform")
    expected = bt.loss_curve(bt.UCB, task, horizon=30, alpha=(0.0, 1.0))
    for given in (bt.Interval(0.0, 1.0), np.array([0.0, 1.0]), [0, 1]):
        assert bt.loss_curve(bt.UCB, task, horizon=30, alpha=given) == expected


def test_horizons_may_come_in_any_order_and_container() -> None:
    task = drawn_task(np.random.default_rng(2), 3, 30, "uniform")
    expected = bt.loss_curve(bt.UCB, task, horizon=[30, 5, 30], alpha=(0.0, 1.0))
    assert bt.loss_curve(bt.UCB, task, horizon=np.array([30, 5, 30]), alpha=(0.0, 1.0)) == expected
    assert [curve == expected[0] for curve in expected] == [True, False, True]


def test_constant_rewards_cost_nothing_anywhere() -> None:
    curve = bt.loss_curve(bt.UCB, bt.Task([[0.3] * 20] * 3), horizon=20, alpha=(0.0, 4.0))
    assert curve.n_pieces == 1
    assert curve.minimum() == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"horizon": 0, "alpha": (0, 1)}, "horizon must be a whole number from 1 to 1000000000, got 0"),
        ({"horizon": 2.5, "alpha": (0, 1)}, "horizon must be a whole number from 1 to 1000000000, got 2.5"),
        ({"horizon": "ten", "alpha": (0, 1)}, "horizon must be a whole number"),
        ({"horizon": [], "alpha": (0, 1)}, "empty list"),
        ({"horizon": [5, 0], "alpha": (0, 1)}, "horizon must be a whole number"),
        ({"horizon": 5, "alpha": (1, 0)}, r"low < high, got \(1.0, 0.0\)"),
        ({"horizon": 5, "alpha": (1, 1)}, "low < high"),
        ({"horizon": 5, "alpha": (-1, 1)}, "low end of alpha must be a finite number of at least 0, got -1.0"),
        ({"horizon": 5, "alpha": (0, np.nan)}, "high end of alpha must be a finite number"),
        ({"horizon": 5, "alpha": ("0", 1)}, "low end of alpha must be a finite number of at least 0, got '0'"),
        ({"horizon": 5, "alpha": (0, 1, 2)}, r"must be \(low, high\)"),
        ({"horizon": 5, "alpha": 1.0}, r"must be given as a range \(low, high\), .* got alpha=1.0"),
        ({"horizon": 5}, "as a range .* got none"),
        (
            {"horizon": np.array(5), "alpha": (0, 1)},
            r"horizon must be a whole number or a list of them, got array\(5\)",
        ),
        ({"horizon": 10**12, "alpha": (0, 1)}, "horizon must be a whole number from 1 to"),
        ({"horizon": 5, "alpha": (0, 10**400)}, "high end of alpha must be a finite number"),
        ({"horizon": 5, "alpha": np.array(1.0)}, r"must be \(low, high\), got array\(1.\)"),
        ({"horizon": 5, "alpha": "ab"}, r"must be given as a range \(low, high\), .* got alpha='ab'"),
        ({"horizon": 5, "alpha": (0, 1), "extend": "no"}, "extend must be True or False, got 'no'"),
        ({"horizon": 5, "beta": (0, 1)}, 'UCB has no parameter "beta"; it has alpha'),
        ({"horizon": 5, "alpha": (0, 1), "loss": "clicks"}, "simple, rollout; got 'clicks'"),
        ({"horizon": 5, "alpha": (0, 1), "seed": -1}, "seed must be a whole number"),
    ],
)
def test_bad_question_is_rejected(options: dict[str, object], message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        bt.loss_curve(bt.UCB, bt.Task([[1.0]]), **options)


@pytest.mark.parametrize("policy", ["ucb", None, 3, bt.UCB(2)])
def test_policy_must_be_a_policy_class(policy: object) -> None:
    with pytest.raises(bt.ParameterError, match=r"policy must be a policy class such as bt\.UCB"):
        bt.loss_curve(policy, bt.Task([[1.0]]), horizon=1, alpha=(0.0, 1.0))


def test_task_must_be_a_task() -> None:
    with pytest.raises(bt.TaskError, match=r"task must be a bt\.Task, got \[\[1.0\]\]"):
        bt.loss_curve(bt.UCB, [[1.0]], horizon=1, alpha=(0.0, 1.0))


def test_a_range_is_not_a_value_to_play_with() -> None:
    with pytest.raises(bt.ParameterError, match="alpha must be one number here, not a range"):
        bt.play(bt.UCB, bt.Task([[1.0]]), horizon=1, alpha=(0.0, 1.0))
