"""What is UCB's own; the contract of all policies is in test_conformance.py."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.baselines import entry
from banditune.kernels.lines.batch import without_priors
from banditune.policies.exports import convert
from banditune.policies.sweep_results import Swept
from banditune.simulation.simulate import simulate
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


def test_long_tasks_are_walked_and_agree_with_runs_and_with_the_sweep_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk is chosen for long horizons once it is compiled, or sweeps have lost some seconds: the same curve."""
    random = np.random.default_rng(4)
    task = bt.Task((random.random((3, 2500)) < np.array([[0.02], [0.03], [0.01]])).astype(float))
    monkeypatch.setattr("banditune.policies.ucb.sweep.WAITING.lost", 1e9)
    walked = bt.tune(bt.UCB, [task], horizon=2500, alpha=(0.0, 1.0))
    for alpha in random.uniform(0.0, 1.0, 20):
        assert walked.curve(alpha) == bt.play(bt.UCB, task, horizon=2500, alpha=alpha).regret[-1]
    monkeypatch.setattr("banditune.policies.ucb.sweep.WAITING.chooses_walk", lambda *_: False)
    swept = bt.tune(bt.UCB, [task], horizon=2500, alpha=(0.0, 1.0))
    assert swept.curve == walked.curve
    assert swept.summary() == walked.summary()


@pytest.mark.parametrize("schedule", ["constant", "remaining"])
def test_tuned_schedule_runs_online_in_the_simulator_and_from_a_file(schedule: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    tasks = [bt.Task((rng.random((3, 80)) < rng.random((3, 1))).astype(float)) for _ in range(5)]
    tuned = bt.tune(bt.UCB, tasks, horizon=80, alpha=(0.0, 1.0), schedule=schedule)
    assert tuned.params == {"alpha": tuned.alpha, "schedule": schedule}
    tuned.save(tmp_path / "tuned.json")
    loaded = bt.load(tmp_path / "tuned.json")
    simulated = simulate([entry(bt.UCB, **tuned.params)], tasks, horizon=80, rounds=[20, 80])
    for k, task in enumerate(tasks):
        run = bt.play(bt.UCB, task, horizon=80, **tuned.params)
        for policy in (tuned.policy(n_arms=3), loaded.policy(n_arms=3)):
            arms, pulls = [], [0, 0, 0]
            for _ in range(80):
                arm = policy.select()
                policy.update(arm, float(task.rewards[arm][pulls[arm]]))
                pulls[arm] += 1
                arms.append(arm)
            assert arms == run.arms.tolist()
        assert simulated.regret[0, k, 0].tolist() == [run.regret[19], run.regret[79]]


def test_schedule_of_remaining_rounds_needs_their_number() -> None:
    with pytest.raises(bt.ParameterError, match=r'schedule="remaining" needs the horizon, .*; got None'):
        bt.UCB(2, schedule="remaining")
    with pytest.raises(bt.ParameterError, match="horizon must be a whole number"):
        bt.UCB(2, schedule="remaining", horizon=0)
    with pytest.raises(bt.ParameterError, match="schedule must be one of log, constant, remaining"):
        bt.UCB(2, schedule="falling")


def test_schedule_of_remaining_rounds_stays_what_it_was_after_them() -> None:
    """In round 100 of 5 the growth is sqrt(log(6 / 5)) still: the index of the arm that was pulled less is higher."""
    policy = bt.UCB(2, alpha=1.0, schedule="remaining", horizon=5)
    for arm, reward, pulls in ((0, 0.5, 64), (1, 0.3, 4)):
        for _ in range(pulls):
            policy.update(arm, reward)
    growth = np.sqrt(np.log(6 / 5))
    assert 0.3 + growth / 2 < 0.5 + growth / 8
    assert policy.select() == 0
    policy.alpha = 2.0
    assert 0.3 + 2.0**0.5 * growth / 2 > 0.5 + 2.0**0.5 * growth / 8
    assert policy.select() == 1


def test_schedules_are_compared_and_named() -> None:
    tasks = [bt.Task(np.random.default_rng(k).random((3, 30))) for k in range(4)]
    tuned = bt.tune(bt.UCB, tasks, horizon=30, alpha=(0.0, 1.0), schedule=["log", "constant", "remaining"])
    assert [each.params.get("schedule", "log") for each in tuned.compared] == ["log", "constant", "remaining"]
    assert tuned.loss == min(each.loss for each in tuned.compared)
    formulas = [bt.UCB.describe_index(each.params) for each in tuned.compared]
    assert formulas == [
        "mean + sqrt(alpha ln t / pulls)",
        "mean + sqrt(alpha / pulls)",
        "mean + sqrt(alpha ln((T + 1) / t) / pulls)",
    ]
    with pytest.raises(bt.ParameterError, match='other libraries explore by the schedule "log"'):
        convert(bt.UCB, tuned.compared[2].params, "river")


def test_rewards_are_collected_for_the_horizon_of_the_schedule() -> None:
    streams = np.random.default_rng(5).random((3, 40))
    asked = [iter(row) for row in streams.tolist()]
    how = {"alpha": (0.0, 1.0), "schedule": "remaining"}
    task = bt.collect(bt.UCB, lambda arm: next(asked[arm]), n_arms=3, horizon=40, **how)
    curve = bt.loss_curve(bt.UCB, task, horizon=40, loss="reward", extend=False, **how)
    assert curve == bt.loss_curve(bt.UCB, bt.Task(streams), horizon=40, loss="reward", **how)
    with pytest.raises(bt.TaskError, match="needs 20 rewards"):  # runs of 20 rounds are not the beginnings of these
        bt.loss_curve(bt.UCB, task, horizon=20, loss="reward", extend=False, **how)


def test_histories_are_known_if_those_of_all_parts_are() -> None:
    """Unless they are asked for nobody counts them: then the whole has no number, and is saved and loaded so."""
    batch = without_priors(np.eye(2), np.zeros(2), np.array([0, 2]), 0.0)
    short = bt.UCB.sweep(batch, [2], "alpha", 0.0, 1.0, {})
    assert short.histories is None
    short = short._replace(histories=bt.UCB.count_histories(batch, 2, "alpha", 0.0, 1.0, {}))
    assert short.histories is not None
    unknown = short._replace(histories=None)
    assert Swept.concatenate([short, unknown]).histories is None
    assert Swept.adjoin([short, unknown]).histories is None
    joined = Swept.concatenate([short, short]).histories
    assert joined is not None
    assert joined.tolist() == 2 * short.histories.tolist()


def test_result_without_histories_is_saved_and_loaded(tmp_path: Path) -> None:
    task = bt.Task((np.random.default_rng(1).random((2, 2000)) < 0.02).astype(float))
    tuned = bt.tune(bt.UCB, [task], horizon=2000, alpha=(0.0, 0.1))
    tuned.save(tmp_path / "tuned.json")
    loaded = bt.load(tmp_path / "tuned.json")
    assert tuned.histories is loaded.histories is None
    assert loaded.summary() == tuned.summary()
