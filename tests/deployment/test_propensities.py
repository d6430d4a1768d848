"""Propensities are the shares with which arms are chosen, and what a log of decisions says can be read back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.deployment import Decision, deploy

RANDOMISED: dict[type[Any], dict[str, Any]] = {
    bt.EpsilonGreedy: {"epsilon": 0.3},
    bt.Softmax: {"temperature": 0.2},
    bt.BetaThompson: {"stretch": 1.0},
    bt.GaussianThompson: {"scale": 0.5},
    bt.BoltzmannGumbel: {"scale": 0.3},
}


@pytest.mark.parametrize("policy", RANDOMISED, ids=lambda policy: policy.__name__)
@pytest.mark.parametrize("settings", [{}, {"decay": 0.5}, {"schedule": "root"}])
def test_propensities_are_the_shares_of_the_arms(policy: type[Any], settings: dict[str, Any]) -> None:
    if not set(settings) <= set(policy.parameters):
        pytest.skip("it has no such setting")
    totals = {"a": (20, 8.0), "b": (10, 4.5), "c": (5, 2.5)}

    def choose(number: int, **named: Any) -> list[Decision]:
        deployment = deploy(policy, arms=["a", "b", "c"], **(RANDOMISED[policy] | settings), **named)
        deployment.restore_counts(totals, label="before")
        decisions = []
        for _ in range(number):
            decisions.append(deployment.choose())
            deployment.drop(decisions[-1])  # what is known stays as it is
        return decisions

    chosen = [decision.arm for decision in choose(1_500, propensity_draws=1)]
    known = {decision.arm: decision.propensity for decision in choose(25, propensity_draws=1_000, seed=1)}
    assert len(set(chosen)) > 1
    for arm, propensity in known.items():
        assert propensity is not None
        assert abs(chosen.count(arm) / len(chosen) - propensity) < 0.07, known


def test_first_rounds_and_no_exploration_are_certain() -> None:
    deployment = deploy(bt.Softmax, arms=["a", "b"], temperature=0.0)
    for reward in (0.0, 1.0, 1.0):
        decision = deployment.choose()
        assert decision.propensity == 1.0
        deployment.reward(decision, reward)
    greedy = deploy(bt.EpsilonGreedy, arms=["a", "b"], epsilon=1.0)
    assert [each.propensity for each in (greedy.choose(),)] == [1.0]


def test_log_of_decisions_is_read_back(tmp_path: Path) -> None:
    deployment = deploy(bt.BetaThompson, arms=["a, b", 'quoted "c"'], name="checkout", seed=1)
    rng = np.random.default_rng(0)
    given: dict[Any, list[float]] = {}
    for _ in range(30):
        decision = deployment.choose()
        given.setdefault(decision.arm, []).append(float(rng.integers(2)))
        deployment.reward(decision, given[decision.arm][-1])
    deployment.choose()  # its reward never comes
    deployment.write_log(tmp_path / "log.csv")
    for source in (tmp_path / "log.csv", deployment.log()):
        (task,) = bt.read_log(source, time="time")
        assert {arm: row.tolist() for arm, row in zip(task.arms, task.rewards, strict=True)} == given
    assert deployment.log().column_names == ["task", "decision", "arm", "reward", "time", "propensity"]


def test_log_of_a_contextual_policy_is_read_back_with_its_propensities(tmp_path: Path) -> None:
    deployment = deploy(bt.LinTS, arms=["a", "b"], dim=2, disjoint=True, propensity_draws=10)
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(12, 2))
    decisions = deployment.choose(12, contexts=contexts)
    deployment.reward_many((decision, decision.number / 10) for decision in decisions)
    deployment.write_log(tmp_path / "log.csv")
    (task,) = bt.read_log(tmp_path / "log.csv", features="x", propensity="propensity")
    np.testing.assert_array_equal(task.contexts.reshape(12, 2), contexts)
    assert task.propensities.tolist() == [each.propensity for each in decisions]
    assert task.rewards.tolist() == [each.number / 10 for each in decisions]


def test_decision_that_comes_out_differently_is_reported() -> None:
    deployment = deploy(bt.UCB, arms=["a", "b"])
    decision = deployment.choose()
    journal = deployment.store._journals["default"]  # type: ignore[attr-defined]
    journal.events[0] = journal.events[0]._replace(arm="b")
    with pytest.raises(bt.FileError, match=r"decision 1 was 'b' with propensity 1\.0, and comes out as 'a' with"):
        deployment.replay(decision)
