"""Vowpal Wabbit's logs: which decisions are used, and what columns they have."""

import json
from pathlib import Path
from typing import Any

import pytest

import banditune as bt


def decide(cost: float, index: int = 0, **others: Any) -> dict[str, Any]:
    actions = [{"_tag": "a", "item": {"id/x": "one"}}, {"_tag": "b", "item": {"id/x": "two"}}]
    context = {"User": {"age": 30 + index}, "_multi": actions}
    label = {"_label_cost": cost, "_label_probability": 0.5, "_labelIndex": index, "_label_Action": index + 1}
    return {**label, "Timestamp": "2026-03-01T10:00:00Z", "EventId": "e", "c": context, **others}


def save(folder: Path, *records: object) -> Path:
    path = folder / "log.json"
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def test_decisions_that_teach_nothing_are_rejected_with_their_reason(tmp_path: Path) -> None:
    slots = decide(-1.0)
    slots["c"] = {**slots["c"], "_slots": [{}]}
    unlabelled = {key: value for key, value in decide(-1.0).items() if not key.startswith("_label")}
    costless = {key: value for key, value in decide(-1.0).items() if key != "_label_cost"}
    path = save(
        tmp_path,
        decide(-1.0),
        decide(0.0, 1),
        {"RewardValue": 1.0, "EventId": "x"},
        {"anything": 1},
        slots,
        decide(-1.0, _skipLearn=True),
        decide(-1.0, _outcomes=[]),
        unlabelled,
        costless,
        decide(-1.0, _label_Action=2),
        decide(-1.0, 7),
        decide(-1.0, _labelIndex="first"),
    )
    log = bt.read_log(path)
    assert [(task.name, task.arms) for task in log] == [("2026-03-01", ("a", "b"))]
    assert [(row.number, row.reason) for row in log.account.examples] == [
        (3, "the reward has no decision (dangling)"),
        (4, "the line is no decision"),
        (5, "the decision has several slots, and its reward does not say of which"),
        (6, "the decision is marked _skipLearn: it was not acted on"),
        (7, "the decision has several slots, and its reward does not say of which"),
        (8, "the decision has no label"),
        (9, "there is no cost"),
        (10, "_labelIndex and _label_Action name different actions"),
        (11, "the chosen action is none of those in _multi"),
        (12, "_labelIndex is not the number of an action"),
    ]


def test_pointers_name_what_is_in_the_context_and_the_chosen_action(tmp_path: Path) -> None:
    path = save(tmp_path, decide(-1.0), decide(0.0, 1), decide(-2.0, 1))
    log = bt.read_log(path, task="/c/User/age", arm="/action/item/id~1x")
    assert {task.name: (task.arms, task.rewards[0].tolist()) for task in log} == {
        "30": (("one",), [1.0]),
        "31": (("two",), [0.0, 2.0]),
    }
    contexts = bt.read_log(path, features="/c/User/")
    assert contexts[0].contexts.tolist() == [[30.0], [31.0], [31.0]]
    assert contexts[0].propensities.tolist() == [0.5] * 3
    without_tags = [decide(-1.0), decide(0.0, 1)]
    del without_tags[1]["c"]["_multi"][1]["_tag"]
    assert bt.read_log(save(tmp_path, *without_tags))[0].arms == ("1", "2")


def test_features_that_come_late_are_no_surprise(tmp_path: Path) -> None:
    """Where features are wanted, all lines are looked at for their names."""
    early = [decide(-1.0, k % 2) for k in range(1100)]
    late = decide(-1.0)
    late["c"]["User"]["late"] = 1
    path = save(tmp_path, *early, late)
    with pytest.raises(
        bt.FileError, match=r'none of the 1,101 rows can be used:\n.*there is no feature "/c/User/late"'
    ):
        bt.read_log(path, features="/c/User/")
    assert bt.read_log(path, features="/c/User/age").account.rows_used == 1101


def test_text_lines_are_taken_apart_as_vw_does(tmp_path: Path) -> None:
    path = tmp_path / "log.vw"
    path.write_text(
        "\ufeff1:0.5:0.25 'first|user:2 age:3 new age:1 | plain:-1\n"
        "2 3:-1:0.5 4 tagged| plain\n"
        "1:0.5 | x\n| x\n1:0:1 2:0:1 | x\n1:0:1 | x:y\nno bar\nca 185.1:0.6:0.2 | x\nccb slot 0:0.8:1.0 | x\n",
        encoding="utf-8",
    )
    log = bt.read_log(path, task="tag")
    assert {task.name: (task.arms, task.rewards[0].tolist()) for task in log} == {
        "first": (("1",), [-0.5]),
        "tagged": (("3",), [1.0]),
    }
    assert [(row.number, row.reason) for row in log.account.examples] == [
        (3, "the label is not action:cost:probability"),
        (4, "the example has no label action:cost:probability"),
        (5, "the example has more than one label action:cost:probability"),
        (6, "the value of a feature is not a number"),
        (7, "the line has no | before its features"),
        (8, "the line is of another problem (ca), not a choice of one action"),
        (9, "the line is of another problem (ccb), not a choice of one action"),
    ]
    contexts = bt.read_log(path, features=["user^", "^plain"])
    assert contexts[0].contexts.tolist() == [[8.0, 2.0, -1.0], [0.0, 0.0, 1.0]]


def test_examples_of_several_lines_need_no_blank_between_them(tmp_path: Path) -> None:
    text = "shared |page p\n|item a\n0:-1:0.5 'z |item b c\n"
    for between in ("", "\n", "\n\n"):
        path = tmp_path / "log.vw"
        path.write_text(between.join([text, text.replace("0:-1:0.5 'z ", ""), text]))
        log = bt.read_log(path, arm="|item", task="shared|page")
        assert [(task.name, task.arms, task.rewards[0].tolist()) for task in log] == [("p", ("b c",), [1.0, 1.0])]
        assert [row.number for row in log.account.examples] == [4 + len(between)]
    assert bt.read_log(path)[0].arms == ("2",)


def test_features_without_end_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "log.vw"
    path.write_text("".join(f"{1 + k % 2}:0:0.5 | x{k}\n" for k in range(10_001)))
    with pytest.raises(bt.FileError, match="over 10,000 features"):
        bt.read_log(path, features="^x")
    assert bt.read_log(path).account.rows_used == 10_001
