"""Losses: what they cost, by their definitions, and between which limits they lie."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.curves.step_function import Interval
from banditune.policies.losses import LOSSES, choose_loss
from tests.naive.recommended_arm import naive_loss, naive_recommended
from tests.naive.tail import naive_tail, naive_tail_curve

MEANS, REWARDS = np.array([0.25, 0.75, 0.5]), np.array([1.0, 0.0, 0.5])
DEFINITIONS: dict[str, Callable[[float, float, float], float]] = {  # best mean, mean of the arm, reward
    "regret": lambda best, mean, reward: best - mean,
    "reward": lambda best, mean, reward: -reward,
    "simple": lambda best, mean, reward: 0.0,
    "rollout": lambda best, mean, reward: best - mean,
}
AFTER = [
    {"loss": "simple"},
    {"loss": "rollout", "rollout": 400},
    {"loss": "rollout", "rollout": 400, "recommend": "pulls"},
]


def test_every_loss_has_a_definition_here_and_is_documented() -> None:
    assert set(DEFINITIONS) == set(LOSSES)
    page = (Path(__file__).parents[2] / "docs/how-to/objectives.md").read_text(encoding="utf-8")
    for name in LOSSES:
        assert f'\n| `"{name}"`' in page
        assert all(f'"{name}"' in (function.__doc__ or "") for function in (bt.tune, bt.loss_curve))


@pytest.mark.parametrize("name", LOSSES)
def test_costs_are_those_of_the_definition(name: str) -> None:
    loss, best = LOSSES[name], MEANS.max()
    expected = [DEFINITIONS[name](best, mean, reward) for mean, reward in zip(MEANS, REWARDS, strict=True)]
    assert loss.cost_rounds(MEANS[None], REWARDS[None]).tolist() == [expected]
    two_tasks, starts = np.append(MEANS, 2.0 * MEANS), np.array([0, 3, 6])
    if loss.gaps:
        assert (loss.cost_arms(two_tasks, starts) - loss.rewards * np.tile(REWARDS, 2)).tolist() == [
            *expected,
            *(DEFINITIONS[name](2.0 * best, 2.0 * mean, reward) for mean, reward in zip(MEANS, REWARDS, strict=True)),
        ]


@pytest.mark.parametrize("name", LOSSES)
def test_no_cost_lies_outside_the_limits_and_the_worst_and_best_reach_them(name: str) -> None:
    low, high, rounds = -1.0, 3.0, 7
    costs = [DEFINITIONS[name](best, mean, mean) for best in (low, high) for mean in (low, high) if mean <= best]
    later = LOSSES[name].later * (high - low)
    limits = Interval(rounds * min(costs), rounds * max(costs) + later)
    assert LOSSES[name].find_limits(Interval(low, high), rounds) == limits


@pytest.mark.parametrize("name", [name for name, loss in LOSSES.items() if not loss.later])
def test_curves_are_the_sums_of_costs_over_single_runs(name: str) -> None:
    rng = np.random.default_rng(5)
    task = bt.Task(rng.integers(0, 8, (3, 30)) / 8.0)
    curve = bt.loss_curve(bt.UCB, task, horizon=30, alpha=(0.0, 2.0), loss=name)
    for value in (0.03, 0.4, 1.7):
        run = bt.play(bt.UCB, task, horizon=30, alpha=value)
        pulls = zip(task.means[run.arms], run.rewards, strict=True)
        expected = sum(DEFINITIONS[name](task.means.max(), mean, reward) for mean, reward in pulls)
        assert curve(value) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("loss", AFTER, ids=str)
def test_curves_count_what_the_arm_recommended_loses_after_the_run(loss: dict[str, Any]) -> None:
    rng = np.random.default_rng(6)
    tasks = [bt.Task(rng.integers(0, 8, (4, 30)) / 8.0) for _ in range(20)]
    for task in tasks:
        curve = bt.loss_curve(bt.UCB, task, horizon=30, alpha=(0.0, 2.0), **loss)
        for value in (0.03, 0.4, 1.7):
            run = bt.play(bt.UCB, task, horizon=30, alpha=value)
            arms, rewards = run.arms.tolist(), run.rewards.tolist()
            arm = naive_recommended(arms, rewards, loss.get("recommend", "mean"))
            expected = naive_loss(task.means.tolist(), arms, rewards, arm, loss["loss"], loss.get("rollout", 0))
            assert curve(value) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("loss", AFTER, ids=str)
def test_tuning_and_studies_follow_what_comes_after_the_run(loss: dict[str, Any], tmp_path: Path) -> None:
    tasks = bt.problems.bernoulli(3).sample(20, 40, seed=2)
    curves = [bt.loss_curve(bt.UCB, task, horizon=40, alpha=(0.0, 2.0), **loss) for task in tasks]
    tuned = bt.tune(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0), **loss)
    assert tuned.curve == bt.mean_curve(curves)
    tuned.save(tmp_path / "tuned.json")
    again = bt.load(tmp_path / "tuned.json")
    assert again == tuned
    assert again.search.loss == tuned.search.loss == choose_loss(**loss)
    certified = tuned.certificate(bound=None if tuned.reward_limits else 440.0)
    assert certified.loss_bound >= tuned.loss
    found = bt.study(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0), **loss)
    assert found.tuned.curve == tuned.curve
    assert found.held_out is not None
    split = found.held_out.others["equal split"]
    means = np.array([task.means for task in tasks])
    least = 40.0 * tuned.search.loss.gaps * (means.max(axis=1) - means.mean(axis=1))
    assert (split >= least - 1e-9).all()
    assert (split <= least + tuned.search.loss.later * np.ptp(means, axis=1) + 1e-9).all()
    if loss["loss"] == "rollout":
        assert found.rollout is not None
        value = found.tuned.recommended["alpha"]
        runs = [bt.play(bt.UCB, task, horizon=40, alpha=value, **loss) for task in tasks]
        assert found.rollout.test == pytest.approx(np.mean([run.regret[-1] for run in runs]))
        after = [task.means.max() - task.means[run.recommended] for task, run in zip(tasks, runs, strict=True)]
        assert found.rollout.after == pytest.approx(400.0 * np.mean(after))
        assert found.rollout.random == pytest.approx(10.0 * least.mean())


def test_equal_split_recommends_by_what_it_saw() -> None:
    rewards = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0], [0.5, 0.5, 0.5, 0.5]]
    found = bt.study(bt.UCB, [bt.Task(rewards)] * 2, horizon=4, loss="simple", alpha=(0.0, 1.0))
    assert found.held_out is not None  # arms 0, 1, 2, 0: means 0.5, 0, 0.5, of which the first is recommended
    assert found.held_out.others["equal split"].tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"loss": "rollout"}, "needs rollout=.*got no number"),
        ({"rollout": 5}, "no other loss takes it; got 5 with the loss 'regret'"),
        ({"loss": "rollout", "rollout": 0}, "rollout must be a whole number from 1"),
        ({"loss": "rollout", "rollout": 5, "recommend": "best"}, "recommend must be"),
        ({"recommend": "pulls"}, 'recommend is for the losses "simple" and "rollout"'),
    ],
)
def test_what_cannot_be_meant_is_rejected(given: dict[str, Any], message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        bt.loss_curve(bt.UCB, bt.Task([[1.0], [0.0]]), horizon=3, alpha=(0.0, 1.0), **given)


def test_with_contexts_no_arm_is_recommended() -> None:
    rng = np.random.default_rng(0)
    task = bt.ContextualTask(rng.normal(size=(5, 2, 2)), rng.random((5, 2)))
    with pytest.raises(bt.ParameterError, match="with contexts none is best"):
        bt.tune(bt.LinUCB, [task, task], alpha=(0.0, 1.0), loss="simple")


def test_tail_is_the_mean_over_the_worst_tasks_in_tuning_and_study(tmp_path: Path) -> None:
    tasks = bt.problems.bernoulli(3).sample(35, 40, seed=3)
    curves = [bt.loss_curve(bt.UCB, task, horizon=40, alpha=(0.0, 2.0)) for task in tasks]
    tuned = bt.tune(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0), tail=0.1)
    left, values = naive_tail_curve(curves, 0.1)
    assert (tuned.curve.edges[:-1].tolist(), tuned.curve.values.tolist()) == (left, values)
    assert tuned.loss == min(values)
    tuned.save(tmp_path / "tuned.json")
    assert bt.load(tmp_path / "tuned.json") == tuned
    found = bt.study(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0), tail=0.1)
    assert found.held_out is not None
    for value, each in found.held_out.usual.items():
        expected = naive_tail([bt.play(bt.UCB, task, horizon=40, alpha=value).loss for task in tasks], 0.1)
        assert each.mean() == pytest.approx(expected)
        assert found.usual_losses[value] == pytest.approx(expected)
    single = found.held_out.unweighed
    assert single is not None
    assert found.held_out.rows[0].loss.mean == pytest.approx(naive_tail(single.learned.tolist(), 0.1))
    worse = found.held_out.rows[1]
    assert worse.n_worse + worse.n_equal + worse.n_better == 35
    assert worse.n_worse == int((single.usual[1.0] > single.learned).sum())
    assert "regret in the worst 10% of tasks" in found.verdict.text
    found.report(tmp_path)
    assert "The mean is over the worst 10% of the tasks at each value" in (tmp_path / "report.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tail": 0.0}, "tail must be a share of the tasks above 0"),
        ({"tail": 1.5}, "tail must be a finite number of at least 0 and at most 1"),
        ({"tail": 0.1, "prior_means": (0.0, 1.0)}, "tail= needs a single searched parameter"),
        ({"tail": 0.1, "racing": True}, "tail= counts the worst ones alone"),
    ],
)
def test_tails_that_cannot_be_tuned_for_are_rejected(given: dict[str, Any], message: str) -> None:
    tasks = [bt.Task([[1.0, 0.0], [0.0, 1.0]])] * 3
    with pytest.raises(bt.ParameterError, match=message):
        bt.tune(bt.UCB, tasks, horizon=3, alpha=(0.0, 1.0), **given)


def test_nothing_is_certified_of_a_tail() -> None:
    tuned = bt.tune(bt.UCB, [bt.Task([[1.0, 0.0], [0.0, 1.0]])] * 3, horizon=3, alpha=(0.0, 1.0), tail=0.5)
    for promise in (lambda: tuned.certificate(bound=3.0), lambda: tuned.improvement(0.5, bound=3.0), tuned.plan):
        with pytest.raises(bt.InputError, match="no bound is known here"):
            promise()
