"""What a deployment does, and what it says where it cannot: the same in every store."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.deployment import Deployment, MemoryStore, Store, deploy, deployment_from_json, open_deployment

Open = Callable[[], Store]
ODD_NAMES = [
    "",
    "é\u202e\x00\n",
    "'; DROP TABLE banditune_events; --",
    "%s ? {0}",
    "1",
    1,
    "\\",
    '"',
    "\N{PILE OF POO}" * 300,
]


def states(deployment: Deployment) -> dict[Any, tuple[int, float, int]]:
    return {each.arm: (each.pulls, each.total, each.pending) for each in deployment.table()}


def test_rewards_count_late_in_any_order_and_once(open_again: Open) -> None:
    deployment = deploy(bt.EpsilonGreedy, arms=["a", "b"], epsilon=0.5, store=open_again())
    decisions = deployment.choose(6)
    assert len({decision.id for decision in decisions}) == 6
    assert [decision.number for decision in decisions] == [1, 2, 3, 4, 5, 6]
    for value, decision in enumerate(reversed(decisions)):
        assert deployment.reward(decision if value % 2 else decision.id, value)
    assert [deployment.reward(decision, 5 - k) for k, decision in enumerate(decisions)] == [False] * 6
    assert deployment.pending == 0
    assert sum(each.pulls for each in deployment.table()) == 6
    assert sum(each.total for each in deployment.table()) == 15.0
    with pytest.raises(bt.ParameterError, match=r"has got its reward, 5.0, before; a decision has one reward, got 1.0"):
        deployment.reward(decisions[0], 1.0)


def test_processes_see_what_others_did(open_again: Open) -> None:
    one = deploy(bt.UCB, arms=["a", "b"], alpha=0.1, store=open_again())
    other = deploy(bt.UCB, arms=["a", "b"], alpha=0.1, store=open_again())
    decision = one.choose()
    assert other.reward(decision.id, 1.0)
    assert not one.reward(decision.id, 1.0)
    other.add_arms(["c"])
    third = open_deployment(open_again())
    assert one.arms == third.arms == ["a", "b", "c"]
    assert states(one) == states(other) == states(third)
    one.remove_arms(["b"])
    assert third.choose().arm in ("a", "c")
    again = deploy(bt.UCB, arms=["a", "b"], alpha=0.1, store=open_again())  # as the first time: it goes on
    assert again.arms == ["a", "c"]
    assert deploy(bt.UCB, arms=["a", "c"], alpha=0.1, store=open_again()).arms == ["a", "c"]


def test_names_may_be_any_text(open_again: Open) -> None:
    deployment = deploy(bt.UCB, arms=ODD_NAMES, alpha=0.1, store=open_again(), name=ODD_NAMES[2])
    for k in range(len(ODD_NAMES)):
        decision = deployment.choose()
        assert decision.arm == ODD_NAMES[k]
        assert type(decision.arm) is type(ODD_NAMES[k])
        deployment.reward(decision, 0.5)
    assert open_deployment(open_again(), ODD_NAMES[2]).arms == ODD_NAMES
    deployment.remove_arms(ODD_NAMES[:3])
    assert deployment.arms == ODD_NAMES[3:]


def test_snapshot_and_events_after_it_are_read(open_again: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banditune.deployment.transaction.SNAPSHOT_EVERY", 7)
    deployment = deploy(bt.UCBV, arms=["a", "b", "c"], store=open_again(), scale=0.3)
    rng = np.random.default_rng(0)
    waiting = []
    for _ in range(40):
        waiting.append(deployment.choose())
        if rng.random() < 0.6:
            deployment.reward(waiting.pop(rng.integers(len(waiting))), float(rng.random()))
    late = open_deployment(open_again())
    assert states(late) == states(deployment)
    assert late.choose(3)[0].number == 41
    assert all(late.reward(decision, 0.5) for decision in waiting)
    assert states(late) == states(deployment)


def test_arm_that_was_removed_still_gets_its_rewards_reported(open_again: Open) -> None:
    deployment = deploy(bt.UCB, arms=["a", "b"], alpha=0.0, store=open_again())
    for reward in (0.1, 0.2):
        deployment.reward(deployment.choose(), reward)
    first = deployment.choose()
    deployment.remove_arms([first.arm])
    assert deployment.reward(first, 100.0)
    assert not deployment.reward(first, 100.0)
    assert states(deployment)[first.arm] == (2, 100.2, 0)
    assert deployment.choose().arm != first.arm
    deployment.add_arms([first.arm])
    assert deployment.choose().arm == first.arm  # nothing is known of it
    arms = deployment.arms
    with pytest.raises(bt.ParameterError, match="'b' is the only arm left: add_arms lets others join first"):
        deployment.remove_arms(["a", "b"])
    assert deployment.arms == arms
    deployment.add_arms(["new"])
    deployment.remove_arms(["a", "b"])
    assert deployment.choose(2)[1].arm == "new"


def test_given_up_decisions_are_no_longer_waited_for(open_again: Open) -> None:
    now = [1000.0]
    deployment = deploy(bt.UCB, arms=["a", "b"], alpha=0.1, store=open_again(), clock=lambda: now[0])
    early = deployment.choose(3)
    now[0] += 60.0
    late = deployment.choose(2)
    assert deployment.drop(early[0])
    assert not deployment.drop(early[0].id)
    assert deployment.expire(30.0) == [early[1].id, early[2].id]
    assert deployment.expire(30.0) == []
    assert deployment.pending == 2
    assert deployment.reward(early[0], 1.0)  # it came after all
    assert not deployment.reward(early[0], 1.0)
    assert not deployment.drop(early[0])
    assert deployment.reward_many([(decision, 0.0) for decision in late]) == [True, True]
    assert sum(each.pulls for each in deployment.table()) == 3


def test_totals_of_the_time_before_are_restored_once(open_again: Open) -> None:
    deployment = deploy(bt.UCB, arms=["a", "b"], alpha=0.0, store=open_again())
    assert deployment.restore_counts({"a": (100, 10), "b": (100, 20.0)}, label="archive")
    assert not deployment.restore_counts({"a": (100, 10), "b": (100, 20.0)}, label="archive")
    assert not open_deployment(open_again()).restore_counts([("a", 1, 1.0)], label="archive")
    assert deployment.restore_rewards([("a", 1.0), ("a", 0.0)], label="more")
    assert states(deployment) == {"a": (102, 11.0, 0), "b": (100, 20.0, 0)}
    assert deployment.choose().arm == "b"
    with pytest.raises(bt.ParameterError, match=r"arm must be one of 'a', 'b'; got 'z'"):
        deployment.restore_counts({"a": (1, 1.0), "z": (1, 1.0)}, label="wrong")
    assert deployment.restore_counts({"a": (1, 1.0)}, label="wrong")  # nothing of it was kept
    for wrong in (
        {"a": (1.5, 1.0)},
        {"a": (-1, 1.0)},
        {"a": (0, 1.0)},
        {"a": (1, math.nan)},
        {"a": (1,)},
        {"a": (2**60, 1.0)},
    ):
        with pytest.raises(bt.ParameterError):
            deployment.restore_counts(wrong, label="bad")
    by_variance = deploy(bt.UCBV, arms=["a"], store=MemoryStore())
    with pytest.raises(bt.ParameterError, match="needs the sum of their squares, got None"):
        by_variance.restore_counts({"a": (2, 1.0)}, label="x")
    with pytest.raises(bt.ParameterError, match=r"at least total\*\*2 / pulls = 0.5, got 0.1"):
        by_variance.restore_counts({"a": (2, 1.0, 0.1)}, label="x")
    assert by_variance.restore_counts({"a": (2, 1.0, 1.0)}, label="x")


@pytest.mark.parametrize("wrong", [math.nan, math.inf, "1", None, True, 1e200])
def test_reward_that_is_none_changes_nothing(open_again: Open, wrong: Any) -> None:
    deployment = deploy(bt.GaussianUCB, arms=["a"], prior_mean=0.0, prior_cov=1.0, noise=1.0, store=open_again())
    decisions = deployment.choose(2)
    with pytest.raises(bt.ParameterError, match="reward"):
        deployment.reward(decisions[0], wrong)
    with pytest.raises(bt.ParameterError, match="reward"):
        deployment.reward_many([(decisions[0], 1.0), (decisions[1], wrong)])
    assert states(deployment) == {"a": (0, 0.0, 2)}
    assert deployment.reward(decisions[0], 1.0)


def test_unknown_ids_are_named(open_again: Open) -> None:
    deployment = deploy(bt.UCB, arms=["a"], store=open_again())
    foreign = deploy(bt.UCB, arms=["a"]).choose()
    mine = deployment.choose()
    with pytest.raises(bt.ParameterError, match='is the id of another deployment: those of "default" begin with'):
        deployment.reward(foreign.id, 1.0)
    ahead = mine.id.replace("-1", "-2")
    for call in (
        lambda: deployment.reward(ahead, 1.0),
        lambda: deployment.drop(ahead),
        lambda: deployment.replay(ahead),
    ):
        with pytest.raises(bt.ParameterError, match=r"has no decision '.*-2': it has made 1 decision so far"):
            call()
    for wrong in (
        "",
        "a",
        None,
        1,
        mine.id + "\n",
        mine.id + "0" * 30,
        "-1",
        f" {mine.id}",
        mine.id.replace("-", "-0"),
    ):
        with pytest.raises(bt.ParameterError, match=r"what choose\(\) gave, such as"):
            deployment.reward(wrong, 1.0)  # type: ignore[arg-type]


def test_another_deployment_in_its_place_is_rejected(open_again: Open) -> None:
    deploy(bt.UCB, arms=["a", "b"], alpha=0.1, store=open_again())
    for match, wrong in {
        r'"default" runs UCB with alpha = 0.1, got UCB with alpha = 0.2; give this one another name': {"alpha": 0.2},
        r'"default" has the seed 0, got 1': {"alpha": 0.1, "seed": 1},
        r"has the arms \['a', 'b'\], got \['a', 'c'\]; change them with add_arms": {"alpha": 0.1, "arms": ["a", "c"]},
    }.items():
        with pytest.raises(bt.ParameterError, match=match):
            deploy(bt.UCB, **({"arms": ["a", "b"]} | wrong), store=open_again())
    with pytest.raises(bt.ParameterError, match=r"runs UCB with alpha = 0\.1, got MOSS"):
        deploy(bt.MOSS, arms=["a", "b"], horizon=10, store=open_again())


def test_what_cannot_be_deployed_is_rejected() -> None:
    for wrong in ([], ["a", "a"], "ab", None, ["a", 1.5], ["a", True], [None], [("a",)], ["\ud800"], 3):
        with pytest.raises(bt.InputError, match="arms must be"):
            deploy(bt.UCB, arms=wrong)
    for policy in (bt.baselines.EXP3, bt.UCB(2), "ucb", None):
        with pytest.raises(bt.ParameterError, match=r"deploy\(\) needs a registered policy that can be tuned"):
            deploy(policy, arms=["a"])
    with pytest.raises(bt.ParameterError, match="UCB has no parameter 'beta'; it has alpha"):
        deploy(bt.UCB, arms=["a"], beta=1.0)
    with pytest.raises(bt.ParameterError, match="cannot be stored as JSON"):
        deploy(bt.GPUCB, arms=["a"], points=[[0.0]], kernel=lambda one, other: one @ other.T)
    with pytest.raises(bt.ParameterError, match="GPUCB needs points, one for each of 2 arms; got None"):
        deploy(bt.GPUCB, arms=["a", "b"])
    with pytest.raises(bt.ParameterError, match="UCB takes no points"):
        deploy(bt.UCB, arms=["a"], points=[[0.0]])
    with pytest.raises(bt.ParameterError, match="UCB takes no contexts"):
        deploy(bt.UCB, arms=["a"]).choose(contexts=[1.0])
    with pytest.raises(bt.ParameterError, match="LinUCB needs contexts"):
        deploy(bt.LinUCB, arms=["a"], dim=1).choose()
    for k in (0, -1, 1.0, True, 10**6):
        with pytest.raises(bt.ParameterError, match="k must be a whole number"):
            deploy(bt.UCB, arms=["a"]).choose(k)
    with pytest.raises(bt.ParameterError, match="store must be a Store, postgresql://"):
        deploy(bt.UCB, arms=["a"], store="bandit.xlsx")
    with pytest.raises(bt.ParameterError, match="has an arm 'a' already"):
        deploy(bt.UCB, arms=["a"]).add_arms(["a"])
    with pytest.raises(bt.ParameterError, match="has no deployment 'default'"):
        open_deployment(MemoryStore())


def test_state_as_json_goes_on_elsewhere(open_again: Open) -> None:
    first = deploy(bt.BetaThompson, arms=["a", "b"], seed=3)
    waiting = first.choose(5)
    first.reward(waiting[2], 1.0)
    text = first.to_json()
    second = deployment_from_json(text, store=open_again())
    assert second.to_json() == text
    assert second.reward(waiting[0], 0.0)
    assert not second.reward(waiting[2], 1.0)
    first.reward(waiting[0], 0.0)
    assert [each.arm for each in first.choose(20)] == [each.arm for each in second.choose(20)]
    with pytest.raises(bt.ParameterError, match='has a deployment "default" already'):
        deployment_from_json(text, store=open_again())


@pytest.mark.parametrize(
    ("version", "advice"),
    [("banditune.deployment/2", "upgrade banditune"), ("banditune.deployment/0", "restore_counts")],
)
def test_other_versions_say_what_to_do(version: str, advice: str, tmp_path: Path) -> None:
    text = deploy(bt.UCB, arms=["a"]).to_json().replace("banditune.deployment/1", version)
    with pytest.raises(bt.FileError, match=f"has the format {version}, this version reads .*{advice}"):
        deployment_from_json(text)
    path = tmp_path / "bandit.jsonl"
    deploy(bt.UCB, arms=["a"], store=path)
    path.write_text(path.read_text().replace("banditune.deployment/1", version))
    for call in (lambda: open_deployment(path), lambda: deploy(bt.UCB, arms=["a"], store=path)):
        with pytest.raises(bt.FileError, match=f"has the format {version}, this version reads .*{advice}"):
            call()


def test_broken_text_is_rejected() -> None:
    deployment = deploy(bt.UCB, arms=["a", "b"])
    deployment.reward(deployment.choose(), 1.0)
    state = json.loads(deployment.to_json())
    broken: list[Any] = [None, [], {}, "x", {"format": "x"}, state | {"events": None}, state | {"head": None}]
    broken += [state | {"head": {**state["head"], each: None}} for each in state["head"] if each != "key"]
    for event in (
        None,
        [],
        ["choose"],
        ["choose", 0.0, 0, "a", None, None, None],
        ["eat", 0.0, 1, "a", 1.0, None, None],
    ):
        broken.append(state | {"events": [event]})
    for event in (["reward", 0.0, 1, "a", None, None, None], ["drop", 0.0, 9, "a", None, None, None],
                  ["add", 0.0, None, "a", None, None, None], ["restore", 0.0, None, "a", None, None, {}]):  # fmt: skip
        broken.append(state | {"events": [event]})
    for each in broken:
        with pytest.raises(bt.InputError):
            deployment_from_json(json.dumps(each))


def test_text_edited_by_hand_counts_nothing_twice() -> None:
    deployment = deploy(bt.UCB, arms=["a", "b"])
    first, second = deployment.choose(2)
    deployment.drop(second)
    deployment.reward(first, 1.0)
    deployment.restore_counts({"a": (3, 1.0)}, label="before")
    deployment.add_arms(["c"])
    state = json.loads(deployment.to_json())
    chosen, other, dropped, rewarded, restored, added = state["events"]
    late = ["reward", 0.0, 2, other[3], 0.5, None, None]
    assert deployment_from_json(json.dumps(state | {"events": [*state["events"], late]})).table()[1].pulls == 1
    for event, message in (
        (rewarded, r"event 7 \(reward\): decision 1 has got its reward in event 4 before"),
        (dropped, r"event 7 \(drop\): decision 2 was given up in event 3 before"),
        (chosen, r"event 7 \(choose\): decisions are numbered one after the other, 3 is the next; got 1"),
        (restored, r"event 7 \(restore\): these totals of arm 'a' were added in event 5 before"),
        (added, r"event 7 \(add\): there is an arm 'c' already"),
        (["remove", 0.0, None, "d", None, None, None], "there is no arm 'd' at that time"),
        (["reward", 0.0, 3, "a", 1.0, None, None], "decision 3 was not made before"),
        (["reward", 0.0, 2, "a", 1.0, None, None], "decision 2 chose arm 'b', got 'a'"),
    ):
        with pytest.raises(bt.FileError, match=f"a saved deployment, {'event 7 .*' * (message[0] != 'e')}{message}"):
            deployment_from_json(json.dumps(state | {"events": [*state["events"], event]}))


def test_arms_whose_names_look_alike_stay_apart_in_a_log(tmp_path: Path) -> None:
    arms: list[str | int] = ["a", " a", "a ", '"a"', "1", 1, "", "  ", "x\ny"]
    deployment = deploy(bt.UCB, arms=arms, alpha=0.1)
    for decision in deployment.choose(len(arms)):
        deployment.reward(decision, float(arms.index(decision.arm)))
    deployment.write_log(tmp_path / "log.csv")
    for source in (deployment.log(), tmp_path / "log.csv"):
        log = bt.read_log(source)
        (task,) = log
        assert log.account.rows_rejected == 0
        assert sorted(float(each) for rewards in task.rewards for each in rewards) == [float(k) for k in range(9)]
        assert set(task.arms) == {"a", '" a"', '"a "', '"\\"a\\""', '"1"', "1", '""', '"  "', "x\ny"}


def test_many_decisions_may_be_pending(open_again: Open) -> None:
    deployment = deploy(bt.UCB, arms=["a", "b", "c"], alpha=0.1, store=open_again())
    many = [decision for _ in range(4) for decision in deployment.choose(1_000)]
    assert deployment.pending == open_deployment(open_again()).pending == 4_000
    assert all(deployment.reward_many((decision, 1.0) for decision in many[::-1]))
    assert sum(each.pulls for each in open_deployment(open_again()).table()) == 4_000
