"""A log is a sequence of its tasks."""

import pickle
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import banditune as bt
from tests.logs.rows import ROWS, as_table


def test_a_log_is_a_sequence_of_its_tasks() -> None:
    log = bt.read_log(as_table(ROWS))
    assert len(log) == 2
    assert [task.name for task in log] == [task.name for task in log[:]] == ["t1", "t2"]
    assert log[-1].name == "t2"
    with pytest.raises(IndexError):
        log[2]
    assert [task.name for task, _ in zip(log, log, strict=True)] == ["t1", "t2"]  # two passes at once


def test_the_thread_of_a_log_ends_when_the_log_is_gone() -> None:
    before = set(threading.enumerate())
    log = bt.read_log(as_table(ROWS))
    (own,) = set(threading.enumerate()) - before
    del log
    own.join(60.0)
    assert not own.is_alive()


def test_some_tasks_of_a_log_are_those_with_their_numbers(tmp_path: Path) -> None:
    rows = [(f"t{k}", arm, k + 0.5 * r) for k in range(9) for arm in ("a", "b") for r in range(1 + k % 3)]
    (tmp_path / "totals.csv").write_text(
        "task,arm,pulls,successes\n" + "".join(f"{t},{a},9,{r:.0f}\n" for t, a, r in rows)
    )
    numbers = np.array([0, 3, 4, 8])
    for log in (
        bt.read_log(as_table(rows)),
        bt.read_log(tmp_path / "totals.csv", pulls="pulls", successes="successes"),
    ):
        listed, chosen = list(log), list(log.select(numbers))
        assert [task.name for task in chosen] == [log.names[k] for k in numbers]
        for task, k in zip(chosen, numbers, strict=True):
            assert task.means.tolist() == listed[k].means.tolist()
            assert task.rounds == listed[k].rounds


def test_the_spread_of_a_log_is_the_largest_of_its_tasks() -> None:
    rows = [(f"t{k % 40}", "ab"[k % 3 == 0], float(np.sin(k))) for k in range(300)]
    for log in (bt.read_log(as_table(rows)), bt.read_log(as_table([("t", "a", 0.3), ("t", "b", 0.7)]))):
        assert log.spread == bt.UCB.spread(list(log)) == bt.UCB.spread(log) > 0.0
    counts = {"task": [1, 1, 2], "arm": [1, 2, 1], "pulls": [3, 4, 5]}
    for successes, spread in (([0, 0, 5], 0.0), ([3, 0, 0], 1.0), ([0, 0, 2], 1.0)):
        log = bt.read_log(pa.table({**counts, "successes": successes}), pulls="pulls", successes="successes")
        assert log.spread == bt.UCB.spread(list(log)) == spread


def test_tuning_on_a_log_is_tuning_on_its_tasks_and_notes_the_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"test": rng.integers(0, 9, 900), "arm": rng.integers(0, 3, 900), "won": rng.random(900) < 0.3}
    )
    log = bt.read_log(frame, task="test", reward="won")
    tuned = bt.tune(bt.UCB, log, horizon=50, alpha=(0, 1))
    assert tuned.interval == bt.tune(bt.UCB, list(log), horizon=50, alpha=(0, 1)).interval
    tuned.save(tmp_path / "tuned.json")
    origin = bt.load(tmp_path / "tuned.json").origin
    assert origin is not None
    assert origin["columns"] == {"task": "test", "arm": "arm", "reward": "won"}
    assert origin["rows_used"] == 900


@pytest.mark.parametrize("form", ["rewards", "totals", "contexts", "configurations"])
def test_logs_are_pickled_by_their_content(form: str) -> None:
    rng = np.random.default_rng(0)
    names = {"task": rng.integers(0, 3, 60).astype(str), "arm": rng.choice(["a", "b"], 60), "reward": rng.random(60)}
    further = {
        "rewards": {},
        "totals": {"pulls": rng.integers(5, 9, 60), "successes": rng.integers(0, 5, 60)},
        "contexts": {"x_1": rng.random(60), "x_2": rng.random(60)},
        "configurations": {"depth": rng.integers(1, 4, 60), "kind": rng.choice(["u", "v"], 60)},
    }[form]
    options = {
        "totals": {"pulls": "pulls"},
        "contexts": {"features": "x_"},
        "configurations": {"parameters": ["depth", "kind"]},
    }
    log = bt.read_log(
        pd.DataFrame(names | further), **options.get(form, {}), reward_range=(0, 1) if form == "rewards" else None
    )
    again = pickle.loads(pickle.dumps(log))
    log.close()
    log = bt.read_log(
        pd.DataFrame(names | further), **options.get(form, {}), reward_range=(0, 1) if form == "rewards" else None
    )
    assert again.origin == log.origin
    assert again.reward_limits == log.reward_limits
    assert again.names == log.names
    for one, other in zip(log, again, strict=True):
        assert pickle.dumps(one) == pickle.dumps(other)
