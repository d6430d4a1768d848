"""Costs of arms: rewards, means and losses are net of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from tests.cli.command import banditune

ARMS = ["call", "letter", "mail"]


def some_tasks() -> list[bt.Task]:
    rng = np.random.default_rng(1)
    return [bt.Task(rng.integers(0, 8, (3, 30)) / 8.0, arms=ARMS, limits=(0, 1)) for _ in range(12)]


@given(st.lists(st.integers(0, 16), min_size=3, max_size=3), st.floats(0.0, 2.0))
def test_losses_net_of_costs_are_those_of_tasks_whose_rewards_are_net(costs: list[int], alpha: float) -> None:
    task = some_tasks()[0]
    each = np.array(costs) / 16.0
    by_hand = bt.Task([row - cost for row, cost in zip(task.rewards, each, strict=True)])
    net = task.net(dict(zip(ARMS, each.tolist(), strict=True)))
    for loss in ("regret", "reward"):
        played, expected = (bt.play(bt.UCB, of, horizon=30, alpha=alpha, loss=loss) for of in (net, by_hand))
        assert played.arms.tolist() == expected.arms.tolist()
        assert played.loss == expected.loss
    means = task.means - each
    assert net.means == pytest.approx(means)
    pulled = bt.play(bt.UCB, net, horizon=30, alpha=alpha)
    assert pulled.regret[-1] == pytest.approx(sum(means.max() - means[arm] for arm in pulled.arms))


@pytest.mark.parametrize(
    ("costs", "named"),
    [({"call": 1e151}, r"costs\['call'\]"), ({"mail": -1e300}, r"costs\['mail'\]"), ([0.0, 0.0, 2e150], r"costs\[2\]")],
)
def test_costs_beyond_what_rewards_may_be_are_rejected_by_name(costs: Any, named: str) -> None:
    with pytest.raises(bt.ParameterError, match=named):
        bt.tune(bt.UCB, some_tasks(), horizon=5, costs=costs)
    assert bt.tune(bt.UCB, some_tasks(), horizon=5, alpha=(0.0, 1.0), costs=[1e149, 0.0, 0.0]).n_tasks == 12


def test_tasks_of_totals_draw_the_same_successes_net_of_costs() -> None:
    task = bt.Task.from_counts([50, 60, 70], [10, 20, 30], arms=ARMS, name="a")
    net = task.net({"letter": 0.25})
    gross, less = task.extend(100, seed=3), net.extend(100, seed=3)
    assert (less.rewards[1] == gross.rewards[1] - 0.25).all()
    assert (less.rewards[0] == gross.rewards[0]).all()
    assert net.means.tolist() == [0.2, 20 / 60 - 0.25, 30 / 70]
    assert net.limits == bt.Interval(-0.25, 1.0)
    assert net.net({"letter": 0.25}).means[1] == pytest.approx(20 / 60 - 0.5)
    assert net.variances.tolist() == task.variances.tolist()
    assert net.reward_range == bt.Interval(-0.25, 1.0)


def test_tasks_of_moments_are_net_of_costs() -> None:
    task = bt.Task.from_summary([50, 60], means=[2.0, 3.0], sds=[1.0, 0.5])
    net = task.net([0.5, 0.0])
    assert net.means.tolist() == [1.5, 3.0]
    assert net.extend(10).rewards[0] == pytest.approx(task.net([0.0, 0.0]).extend(10).rewards[0] - 0.5, abs=10.0)
    assert net.variances.tolist() == [1.0, 0.25]


def test_tuning_and_study_with_costs_are_those_of_net_tasks(tmp_path: Path) -> None:
    tasks, costs = some_tasks(), {"call": 0.3, "mail": 0.05}
    net = [task.net(costs) for task in tasks]
    tuned, by_hand = bt.tune(bt.UCB, tasks, horizon=30, costs=costs), bt.tune(bt.UCB, net, horizon=30)
    assert tuned.curve == by_hand.curve
    assert tuned.reward_limits == bt.Interval(-0.3, 1.0)
    assert tuned.costs == costs
    tuned.save(tmp_path / "tuned.json")
    assert bt.load(tmp_path / "tuned.json") == tuned
    found = bt.study(bt.UCB, iter(tasks), horizon=30, costs=costs)
    assert found.tuned.curve == tuned.curve
    assert found.held_out is not None
    expected = [30 * (task.means.max() - task.means.mean()) for task in net]
    assert found.held_out.others["equal split"] == pytest.approx(expected)
    generated = bt.tune(bt.UCB, (task for task in tasks), horizon=30, alpha=(0.0, 4.0), costs=costs)
    assert generated.curve == bt.tune(bt.UCB, net, horizon=30, alpha=(0.0, 4.0)).curve


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"fax": 0.1}, "costs must be of arms that tasks have: call, letter, mail; got 'fax'"),
        ({"call": float("nan")}, r"costs\['call'\] must be a finite number"),
        ([0.1], "costs must be one for each of 3 arms, got 1"),
        (0.1, "costs must map arms to numbers"),
    ],
)
def test_costs_that_fit_no_arm_are_rejected(costs: Any, message: str) -> None:
    with pytest.raises(bt.InputError, match=message):
        bt.tune(bt.UCB, some_tasks(), horizon=5, alpha=(0.0, 1.0), costs=costs)


def test_costs_are_of_arms_and_known_beforehand() -> None:
    contextual = bt.ContextualTask(np.ones((3, 2, 1)), np.ones((3, 2)))
    with pytest.raises(bt.InputError, match="costs are of the arms of a bt"):
        bt.tune(bt.LinUCB, [contextual], horizon=3, alpha=(0.0, 1.0), costs=[0.1, 0.2])
    collected = bt.collect(bt.UCB, lambda arm: 1.0, n_arms=2, horizon=4, alpha=(0.0, 1.0))
    with pytest.raises(bt.InputError, match="have pull"):
        collected.net([0.1, 0.2])


def test_costs_of_logged_arms_are_rejected_for_what_they_are_of() -> None:
    logs = [bt.LoggedTask(np.zeros((2, 1)), [0, 1], [0.0, 1.0], arm_names=["a", "b"])]
    with pytest.raises(bt.TaskError, match=r"costs are of the arms of a bt\.Task, got LoggedTask"):
        bt.tune(bt.LinUCB, logs, horizon=2, alpha=(0.0, 1.0), loss="reward", costs={"a": 0.1})


def test_command_takes_costs(tmp_path: Path) -> None:
    rows = ["task,arm,pulls,successes"]
    rows += [f"t{k},{arm},100,{20 + 5 * j + k}" for k in range(6) for j, arm in enumerate("ab")]
    (tmp_path / "log.csv").write_text("\n".join(rows) + "\n")
    asked = ["tune", str(tmp_path / "log.csv"), "--horizon", "50", "--draws", "2"]
    done = banditune(*asked, "--cost", "b=0.2", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "net of costs" in done.stdout
    assert "Rewards are net of costs: b 0.2." in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert json.loads(banditune(*asked, "--cost", "b=0.2", "--json").stdout)["costs"] == {"b": 0.2}
    for cost, message in (("b", "--cost must be ARM=COST"), ("c=1", "--cost must be of arms that tasks have")):
        done = banditune(*asked, "--cost", cost)
        assert done.returncode == 2
        assert message in done.stderr
