"""LinUCB and LinTS with rewards in batches or late: means go by rewards that are known, spreads by all contexts."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.kernels.linear.index import set_index_lines
from banditune.kernels.linear.layout import has_bounds, pad_contexts
from banditune.policies.linucb.regressions import Regressions
from tests.naive.linucb import ExactLinUCB
from tests.strategies import share

BOTH = pytest.mark.parametrize("policy", [bt.LinUCB, bt.LinTS])


def drawn_task(rounds: int, n_arms: int = 3, dim: int = 2, seed: int = 0) -> bt.ContextualTask:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rounds, n_arms, dim))
    return bt.ContextualTask(contexts, contexts @ rng.normal(size=dim) + rng.normal(size=(rounds, n_arms)))


@share(30)
@given(st.integers(0, 2**32), st.booleans(), st.integers(0, 6), st.integers(1, 5))
def test_pending_choices_count_as_if_they_gave_what_is_expected(
    seed: int, disjoint: bool, before: int, pending: int
) -> None:
    rng = np.random.default_rng(seed)
    late, imagined = (bt.LinUCB(4, 3, alpha=0.7, disjoint=disjoint) for _ in range(2))
    learned: list[list[tuple[np.ndarray, float]]] = [[] for _ in range(4)]
    for step in range(before + pending + 1):
        contexts = rng.normal(size=(4, 3))
        arm = late.select(contexts)
        assert arm == imagined.select(contexts)
        x, own = contexts[arm], learned[arm if disjoint else 0]
        moments = np.eye(3) + sum((np.outer(y, y) for y, _ in own), np.zeros((3, 3)))
        expected = x @ np.linalg.solve(moments, sum((reward * y for y, reward in own), np.zeros(3)))
        reward = float(rng.normal()) if step < before else float(expected)
        if step < before:
            late.update(arm, reward, contexts)
        else:
            late.expect(arm, contexts)
        imagined.update(arm, reward, contexts)
        own.append((x, reward))
    assert late.pending.sum() == pending + 1


@pytest.mark.parametrize("size", [1.0, 1e8])  # in plain floats, and in double-doubles
@pytest.mark.parametrize("disjoint", [False, True])
@pytest.mark.parametrize("updates", [bt.Batches(3), bt.Delay(2)], ids=repr)
def test_means_go_by_what_is_known_and_spreads_by_all(updates: bt.Updates, disjoint: bool, size: float) -> None:
    rng = np.random.default_rng(0)
    contexts, rewards = size * rng.normal(size=(9, 2, 3)), rng.normal(size=9)
    oracle = ExactLinUCB(2, 1.0, ridge=0.3, disjoint=disjoint, updates=updates)
    known = Regressions(2, 3, 0.3, disjoint=disjoint, counts_pending=True)
    shape = known.shape._replace(n_contexts=2)
    flat, lines, errors = pad_contexts(contexts, shape), np.empty((2, 7)), np.zeros((2, 2))
    rows = flat.reshape(9, 2, shape.size)
    for t in range(9):
        set_index_lines(lines, errors, known.states, 0, known.spreads, flat, t, shape)
        for arm, parts in enumerate(oracle.parts(contexts[t])):
            for k, part in enumerate(parts):
                off = abs(part - lines[arm, 2 * k] - lines[arm, 2 * k + 1])
                assert off <= (errors[arm, k] or 1e-12 * max(lines[arm, 2], abs(part)))
        known.expect(t % 2, rows[t, t % 2])
        oracle.learn(t % 2, contexts[t, t % 2], rewards[t])
        for late in range(updates.count_known(t), updates.count_known(t + 1)):
            known.learn(late % 2, rows[late, late % 2], rewards[late])
    assert has_bounds(known.states, 0, shape) == (size > 1.0)


@BOTH
@pytest.mark.parametrize("disjoint", [False, True])
@pytest.mark.parametrize("size", [1.0, 1e9])  # in plain floats, and in double-doubles
def test_choice_that_was_given_up_leaves_nothing_behind(policy: Any, disjoint: bool, size: float) -> None:
    rng = np.random.default_rng(1)
    contexts = size * rng.normal(size=(8, 3, 2))
    one, other = (policy(3, 2, disjoint=disjoint, scaling="none") for _ in range(2))
    for each in (one, other):
        for t in range(3):
            each.update(t % 2, 0.5, contexts[t])
    for t in (3, 4, 5, 4):
        one.expect(t % 3, contexts[t])
    one.forget(0, contexts[3])
    one.forget(1, contexts[4])
    for t in (4, 5):
        other.expect(t % 3, contexts[t])
    assert one.to_json() == other.to_json()
    assert one.pending.tolist() == [0, 1, 1]
    for each in (one, other, restored := bt.policy_from_json(one.to_json())):
        each.update(2, 1.0, contexts[5])  # in another order than they were chosen in
        each.update(1, 1.0, contexts[6])  # one that was not pending
        each.update(1, 0.0, contexts[4])
        each.expect(0, contexts[7])
    assert one.to_json() == other.to_json() == restored.to_json()
    one.forget(0, contexts[7])
    assert "pending" not in json.loads(one.to_json())
    with pytest.raises(bt.ParameterError, match="arm 0 has no pending pull with these contexts to forget"):
        one.forget(0, contexts[7])


def test_only_a_choice_with_the_same_context_is_settled() -> None:
    policy = bt.LinUCB(2, 1, disjoint=True, scaling={"divide_by": [3.0]})
    policy.expect(1, [0.1])
    policy.update(1, 1.0, [0.2])
    assert policy.pending.tolist() == [0, 1]
    policy.update(1, 1.0, [[7.0], [0.1]])  # that of the other arm does not matter
    assert policy.pending.tolist() == [0, 0]


@BOTH
def test_policy_does_not_change_during_a_whole_batch(policy: Any) -> None:
    """Nothing that is learned in a batch, and no new sample: where contexts are all alike, it goes to one arm."""
    rng = np.random.default_rng(0)
    task = bt.ContextualTask(np.ones((60, 1)), rng.random((60, 4)))
    how = {"horizon": 60, "disjoint": True, policy.find_searched_parameter().name: 1.0}
    whole = bt.play(policy, task, updates=bt.Batches(10, whole=True), **how).arms.reshape(6, 10)
    assert all(len(set(batch)) == 1 for batch in whole.tolist())
    spread = bt.play(policy, task, updates=bt.Batches(10), **how).arms.reshape(6, 10)
    assert all(len(set(batch)) > 1 for batch in spread[:3].tolist())


def test_whole_batches_go_by_what_is_known_alone() -> None:
    task = drawn_task(24)
    online, arms = bt.LinUCB(3, 2, alpha=0.5), []
    for t in range(0, 24, 6):
        batch = [online.select(task.contexts[t + k]) for k in range(6)]
        for k, arm in enumerate(batch):
            online.update(arm, task.rewards[t + k, arm], task.contexts[t + k])
        arms += batch
    assert bt.play(bt.LinUCB, task, horizon=24, alpha=0.5, updates=bt.Batches(6, whole=True)).arms.tolist() == arms


@BOTH
def test_arms_are_owed_their_burn_in(policy: Any) -> None:
    updates, task = bt.Batches(2, burn_in=2), drawn_task(9)
    assert bt.play(policy, task, horizon=9, updates=updates).arms[:6].tolist() == [0, 1, 2, 0, 1, 2]
    assert (
        bt.loss_curve(
            policy, task, horizon=6, updates=updates, **{policy.find_searched_parameter().name: (0.0, 2.0)}
        ).n_pieces
        == 1
    )


def test_updates_that_change_nothing_are_no_updates() -> None:
    task, asked = drawn_task(40), {"horizon": 40, "alpha": (0.0, 2.0)}
    plain = bt.loss_curve(bt.LinUCB, task, **asked)
    assert bt.loss_curve(bt.LinUCB, task, updates=bt.Batches(1, whole=True), **asked) == plain
    assert bt.loss_curve(bt.LinUCB, task, updates=bt.Delay(5), **asked) != plain
    assert "updates" not in json.loads(bt.LinUCB(2, 1).to_json())
    assert "updates" not in bt.tune(bt.LinUCB, [task], **asked).params


@BOTH
def test_policy_is_tuned_for_batches_and_handed_over_with_them(policy: Any, tmp_path: Any) -> None:
    tasks = [drawn_task(20, seed=seed) for seed in range(3)]
    asked = {"horizon": 20, policy.find_searched_parameter().name: (0.0, 2.0), "disjoint": True}
    tuned = bt.tune(policy, tasks, updates=bt.Delay(3, floor=0.1), draws=1, **asked)
    assert tuned.params["updates"] == bt.Delay(3, floor=0.1)
    tuned.save(tmp_path / "tuned.json")
    for each in (tuned, bt.load(tmp_path / "tuned.json")):
        made = each.policy(arms=["a", "b", "c"], dim=2)
        assert made.updates == bt.Delay(3, floor=0.1)
        made.expect("b", tasks[0].contexts[0])
        assert made.pending.tolist() == [0, 1, 0]
        made.forget("b", tasks[0].contexts[0])
        assert bt.policy_from_json(made.to_json()).updates == made.updates
    assert "rewards known 3 rounds late" in tuned.to("mabwiser").remark
    with pytest.raises(bt.ParameterError, match="floor must be at most 1 / n_arms, here 1 / 3"):
        bt.tune(policy, tasks, updates=bt.Updates(floor=0.5), **asked)
    with pytest.raises(bt.ParameterError, match="here 1 / 3"):
        policy(3, 2, updates=bt.Updates(floor=0.5))
