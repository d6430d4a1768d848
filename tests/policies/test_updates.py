"""When policies learn: what is given, saved and rejected; what pending pulls change."""

import json
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.kernels.lines.feedback import IMMEDIATE

UPDATES = [bt.Updates(burn_in=3), bt.Batches(10, whole=True), bt.Batches(4, floor=0.1), bt.Delay(7, burn_in=2)]


@pytest.mark.parametrize("updates", UPDATES, ids=repr)
def test_policies_are_saved_with_their_updates(updates: bt.Updates) -> None:
    policy = bt.UCB(3, alpha=0.1, updates=updates)
    policy.expect(1)
    again = bt.policy_from_json(policy.to_json())
    assert isinstance(again, bt.UCB)
    assert again.updates == updates
    assert again.pending.tolist() == [0, 1, 0]
    assert eval(repr(updates), vars(bt) | {name: getattr(bt, name) for name in bt.__all__}) == updates


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Batches(0), "size must be a whole number"),
        (lambda: bt.Batches(2.5), "size must be a whole number"),  # type: ignore[arg-type]
        (lambda: bt.Batches(2, whole="yes"), "whole must be"),  # type: ignore[arg-type]
        (lambda: bt.Delay(-1), "rounds must be a whole number"),
        (lambda: bt.Updates(floor=1.5), "floor must be"),
        (lambda: bt.Updates(burn_in=-1), "burn_in must be"),
        (lambda: bt.UCB(3, updates=1000), r"updates must be bt.Batches\(size\)"),  # type: ignore[arg-type]
        (lambda: bt.MOSS(3, horizon=9, updates=bt.Updates(floor=0.5)), "floor must be at most 1 / n_arms, here 1 / 3"),
        (lambda: bt.UCB(3).forget(1), "arm 1 has no pending pull"),
        (lambda: bt.UCB(3).expect(3), "arm must be less than n_arms"),
    ],
)
def test_what_cannot_be_meant_is_rejected(make: Any, message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        make()


def test_a_floor_that_arms_of_a_task_cannot_have_is_rejected() -> None:
    tasks = [bt.Task(np.zeros((2, 5))), bt.Task(np.zeros((4, 5)))]
    with pytest.raises(bt.ParameterError, match="here 1 / 4"):
        bt.tune(bt.UCB, tasks, horizon=5, updates=bt.Updates(floor=0.3), alpha=(0, 1))


def test_prior_means_are_not_searched_with_late_rewards() -> None:
    with pytest.raises(bt.ParameterError, match=r"bt\.GaussianUCB takes updates"):
        bt.tune(
            bt.UCB, [bt.Task([[0, 1], [1, 0]])], horizon=2, updates=bt.Delay(1), alpha=(0, 1), prior_means=(0.0, 1.0)
        )


def test_updates_that_change_nothing_are_no_updates() -> None:
    for updates in (bt.Updates(), bt.Batches(1), bt.Batches(1, whole=True), bt.Delay(0)):
        assert updates.to_feedback(is_randomised=False) is None
    task = bt.datasets.headlines()[0]
    asked = {"horizon": 300, "alpha": (0.0, 0.05)}
    assert bt.loss_curve(bt.UCB, task, updates=bt.Batches(1), **asked) == bt.loss_curve(bt.UCB, task, **asked)


def test_randomised_policies_do_not_count_pending_pulls() -> None:
    assert bt.Batches(5).to_feedback(is_randomised=False) == IMMEDIATE._replace(batch=5)
    assert bt.Batches(5).to_feedback(is_randomised=True) == IMMEDIATE._replace(batch=5, counts_pending=0)
    whole = bt.Batches(5, whole=True).to_feedback(is_randomised=False)
    assert whole == IMMEDIATE._replace(batch=5, is_whole=1, counts_pending=0)


def test_a_batch_goes_to_one_arm_only_if_that_is_asked_for() -> None:
    task = bt.Task(np.random.default_rng(0).random((3, 60)))
    spread = bt.play(bt.UCB, task, horizon=60, alpha=1.0, updates=bt.Batches(20)).arms.reshape(3, 20)
    whole = bt.play(bt.UCB, task, horizon=60, alpha=1.0, updates=bt.Batches(20, whole=True)).arms.reshape(3, 20)
    assert all(len(set(batch)) == 3 for batch in spread.tolist())
    assert [set(batch) for batch in whole.tolist()] == [{0}, {1}, {2}]


def test_pending_pulls_settle_in_any_order_and_can_be_given_up() -> None:
    policy = bt.UCB(2, alpha=1.0)
    for arm in (0, 1, 0, 1):
        policy.expect(arm)
    policy.update(1, 1.0)
    policy.forget(0)
    assert policy.pending.tolist() == [1, 1]
    assert policy.counts.tolist() == [0, 1]
    assert policy.select() == 0  # no reward of it is known
    assert "pending" not in json.loads(bt.UCB(2).to_json())


def test_tuned_results_hand_over_policies_with_their_updates(tmp_path: Any) -> None:
    tasks = bt.datasets.headlines()[:5]
    tuned = bt.tune(bt.MOSS, tasks, horizon=200, scale=(0.0, 0.5), updates=bt.Batches(50), draws=1)
    tuned.save(tmp_path / "tuned.json")
    for each in (tuned, bt.load(tmp_path / "tuned.json")):
        assert each.policy(n_arms=4).updates == bt.Batches(50)
        assert each.params["updates"] == bt.Batches(50)


def test_no_bound_on_pieces_is_claimed_for_late_rewards() -> None:
    with pytest.raises(bt.ParameterError, match="no bound on the number of pieces is known where rewards are late"):
        bt.dual_complexity_bound(bt.UCB, horizon=10, n_arms=2, updates=bt.Delay(2))


def test_conversions_say_when_rewards_were_known() -> None:
    tuned = bt.tune(bt.UCB, [bt.Task([[0, 1], [1, 0]])], horizon=4, alpha=(0, 1), updates=bt.Batches(2), draws=1)
    assert "It was tuned with rewards known in batches of 2 rounds" in tuned.to("mabwiser").remark
