"""Equal split against the definition: every arm in turn, in all rounds."""

import numpy as np
import pytest

import banditune as bt
from banditune.tasks.base import PastTask


def test_equal_split_of_a_task_pulls_every_arm_in_turn() -> None:
    task = bt.Task([[0.0, 1.0, 1.0], [1.0, 0.0], [0.25]])
    means = [2 / 3, 1 / 2, 1 / 4]
    pulled = [means[t % 3] for t in range(30)]
    assert task.split_loss(30, "regret") == pytest.approx(sum(max(means) - mean for mean in pulled))
    assert task.split_loss(30, "reward") == pytest.approx(-sum(pulled))
    assert task.split_loss(30, "something else") is None


def test_equal_split_of_a_contextual_task_is_the_mean_over_constant_choices() -> None:
    rng = np.random.default_rng(0)
    task = bt.ContextualTask(rng.normal(size=(20, 2)), rng.random((20, 3)), means=rng.random((20, 3)))
    for horizon in (7, 20):
        regrets = [sum(task.means[t].max() - task.means[t, arm] for t in range(horizon)) for arm in range(3)]
        assert task.split_loss(horizon, "regret") == pytest.approx(np.mean(regrets))
        rewards = [sum(task.rewards[t, arm] for t in range(horizon)) for arm in range(3)]
        assert task.split_loss(horizon, "reward") == pytest.approx(-np.mean(rewards))
    extended = np.mean([task.extend(50, seed=seed).split_loss(50, "regret") for seed in range(400)])
    assert task.split_loss(50, "regret") == pytest.approx(extended, rel=0.01)


def test_equal_split_of_a_log_is_what_uniform_choices_would_have_given() -> None:
    rng = np.random.default_rng(1)
    n, rates = 20_000, np.array([0.1, 0.5, 0.8])
    likely = np.array([0.6, 0.3, 0.1])
    arms = rng.choice(3, n, p=likely)
    rewards = (rng.random(n) < rates[arms]).astype(float)
    log = bt.LoggedTask(np.ones((n, 1)), arms, rewards, propensities=likely[arms])
    found = log.split_loss(n, "reward")
    assert found == pytest.approx(-rates.mean(), abs=0.02)
    assert log.split_loss(n, "regret") is None
    uniform = bt.LoggedTask(np.ones((6, 1)), [0, 1, 2, 0, 1, 2], [1, 0, 0, 1, 1, 0])
    assert uniform.split_loss(6, "reward") == -0.5
    assert uniform.split_loss(2, "reward") == -0.5


def test_a_kind_of_task_made_elsewhere_need_not_know_it() -> None:
    assert PastTask.split_loss(bt.Task([[1.0]]), 5, "regret") is None
