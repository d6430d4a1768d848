"""Columns: which of them are meant, what is missing, and what becomes of totals, moments and contexts."""

import gzip
import json
import pickle
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import banditune as bt
from tests.cli.command import banditune
from tests.logs.rows import as_dict


def test_totals_are_kept_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(
        "test,variant,shown,clicks\nx,A,1000,30\nx,B,900,45\nx,A,10,1\ny,A,5,6\ny,A,5.5,1\ny,B,0,0\ny,C,-1,0\n"
    )
    log = bt.read_log(tmp_path / "log.csv", task="test", arm="variant", pulls="shown", successes="clicks")
    assert log.form == "totals"
    (task,) = log
    assert task.arms == ("A", "B")
    assert (task.summary.pulls.tolist(), task.summary.successes.tolist()) == ([1010, 900], [31, 45])
    assert log.account.added_up == 1
    assert [row.number for row in log.account.examples] == [5, 6, 7, 8]
    again = bt.Task.from_counts([1010, 900], [31, 45], arms=["A", "B"], name="x")
    assert [row.tolist() for row in task.extend(90).rewards] == [row.tolist() for row in again.extend(90).rewards]


def test_contexts_become_logged_tasks() -> None:
    table = pa.table(
        {
            "task": ["t", "t", "u", "t"],
            "arm": ["b", "a", "a", "b"],
            "reward": [1.0, 0.0, 1.0, 0.5],
            "x_age": [0.1, 0.2, 0.3, 0.4],
            "x_new": [True, False, True, False],
            "p": [0.5, 0.5, 1.0, 0.0],
            "when": [3, 1, 2, 0],
        }
    )
    log = bt.read_log(table, features="x_", propensity="p", time="when")
    first = log[0]
    assert isinstance(first, bt.LoggedTask)
    assert first.contexts.tolist() == [[0.2, 0.0], [0.1, 1.0]]
    assert first.arms.tolist() == [0, 1]
    assert first.arm_names == ("a", "b")
    assert first.rewards.tolist() == [0.0, 1.0]
    assert first.propensities is not None
    assert first.propensities.tolist() == [0.5, 0.5]
    assert len(log) == 1
    assert log.account.rejected == (
        ("the propensity is 0, yet the arm was chosen", 1),
        ("the task has choices of this arm alone", 1),
    )


def test_contexts_without_a_task_are_one_log_and_tasks_have_their_own_arms(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("arm,reward,x\na,1,0.5\nb,0,0.25\na,1,1\n")
    (log,) = bt.read_log(tmp_path / "one.csv", features="x")
    assert log.arms.tolist() == [0, 1, 0]
    assert log.contexts.tolist() == [[0.5], [0.25], [1.0]]
    (tmp_path / "two.csv").write_text("task,arm,reward,x\nt,c,1,1\nt,a,0,2\nu,b,1,3\nu,c,1,4\n")
    assert [(task.arm_names, task.arms.tolist()) for task in bt.read_log(tmp_path / "two.csv", features="x")] == [
        (("a", "c"), [1, 0]),
        (("b", "c"), [0, 1]),
    ]
    with pytest.raises(bt.ParameterError, match="not both"):
        bt.read_log(tmp_path / "one.csv", features="x", pulls="x", successes="x")
    with pytest.raises(bt.ParameterError, match="a propensity needs a log with features"):
        bt.read_log(tmp_path / "one.csv", propensity="x")
    with pytest.raises(bt.FileError, match='has no column "day"'):
        bt.read_log(tmp_path / "one.csv", task="day", features="x")
    (tmp_path / "three.csv").write_text("task,arm,pulls,successes,x\nt,c,2,1,1\n")  # totals have no features
    with pytest.raises(bt.FileError, match='has no column "reward"'):
        bt.read_log(tmp_path / "three.csv", features="x")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"task,arm,reward\n", "no rows below"),
        (b"task,arm\nt,a\n", 'has no column "reward"; it has "task", "arm"'),
        (b"task,arm,reward,reward\nt,a,1,2\n", '2 columns called "reward"'),
        (b"Task,ARM,Reward,rewarD\nt,a,1,2\n", '2 columns called "reward"'),
        ("task,arm,reward\nt,a,1\n".encode("utf-16"), "begins like UTF-16"),
        (b"PK\x03\x04abc", "a ZIP archive or a spreadsheet"),
        (b"task,arm,reward\nt,a,one\n", "none of the 1 rows can be used"),
        (gzip.compress(b"task,arm,reward\nt,a,1\n" * 999, mtime=0)[:60], "cannot read"),
    ],
)
def test_what_cannot_be_used_says_what_is_missing(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "log.csv").write_bytes(content)
    with pytest.raises(bt.FileError, match=words):
        bt.read_log(tmp_path / "log.csv")


def test_capitals_tell_columns_apart(tmp_path: Path) -> None:
    table = pa.table(
        {
            "Task": ["q", "q"],
            "task": ["t", "t"],
            "ARM": ["x", "x"],
            "arm": ["a", "b"],
            "Reward": [8, 9],
            "reward": [1, 0],
        }
    )
    pq.write_table(table, tmp_path / "log.parquet")
    table.to_pandas().to_csv(tmp_path / "log.csv", index=False)
    for source in (table, table.to_pandas(), tmp_path / "log.parquet", tmp_path / "log.csv"):
        assert as_dict(bt.read_log(source)) == {"t": {"a": [1.0], "b": [0.0]}}
        assert as_dict(bt.read_log(source, reward="Reward")) == {"t": {"a": [8.0], "b": [9.0]}}


def test_features_are_matched_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x_1,task,arm,reward,x_0\n1,t,a,1,100\n")
    (tmp_path / "b.csv").write_text("x_0,task,arm,reward,x_1\n100,t,b,0,1\n")
    (tmp_path / "c.csv").write_text("x_0,task,arm,reward,x_2\n100,t,a,0,1\n")
    log = bt.read_log([tmp_path / "a.csv", tmp_path / "b.csv"], features="x_")
    assert log[0].contexts.tolist() == [[1.0, 100.0], [1.0, 100.0]]
    with pytest.raises(bt.FileError, match='only one of them has "x_1", "x_2"'):
        bt.read_log([tmp_path / "a.csv", tmp_path / "c.csv"], features="x_")


def test_totals_found_by_their_usual_names_are_noted(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("task,arm,pulls,successes\nx,A,10,3\n")
    log = bt.read_log(tmp_path / "log.csv")
    assert log.origin["columns"] == {name: name for name in ("task", "arm", "pulls", "successes")}


def test_totals_that_were_asked_for_are_read_beside_rewards(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("task,arm,pulls,successes,reward\nt,A,10,3,17.5\nt,B,10,1,3.5\n")
    assert bt.read_log(tmp_path / "log.csv").form == "rewards"
    assert bt.read_log(tmp_path / "log.csv", pulls="pulls", successes="successes").form == "totals"
    with pytest.raises(bt.FileError, match='no column "when"'):
        bt.read_log(tmp_path / "log.csv", pulls="pulls", time="when")
    with pytest.raises(bt.ParameterError, match="reward_range is for logs of rewards"):
        bt.read_log(tmp_path / "log.csv", pulls="pulls", reward_range=(0, 1))


def test_errors_of_python_name_arguments_and_those_of_commands_options(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("x,y\n1,2\n")
    for named, python, command in (
        (
            {},
            "with task=, arm=, reward=, or pulls= and successes=, or pulls=, mean= and sd=",
            "with --task, --arm, --reward, or --pulls and --successes, or --pulls, --mean and --sd",
        ),
        (
            {"features": "x"},
            "features= (their names or prefixes), propensity=",
            "--features (their names or prefixes), --propensity",
        ),
    ):
        with pytest.raises(bt.FileError) as error:
            bt.read_log(tmp_path / "log.csv", **named)
        assert python in str(error.value)
        assert "--" not in str(error.value)
        options = [word for name, value in named.items() for word in (f"--{name}", value)]
        policy = ["--policy", "linucb"] if named else []
        done = banditune("tune", tmp_path / "log.csv", *options, *policy)
        assert done.returncode == 2
        assert command in done.stderr


def test_moments_become_tasks_of_their_own_kind(tmp_path: Path) -> None:
    text = "test,variant,users,revenue,spread\n1,a,100,2.5,7.25\n1,b,90,2.0,6.5\n2,b,80,-1e-3,0\n2,a,70,1,1\n"
    (tmp_path / "log.csv").write_text(text + "2,a,5,3,1\n3,a,5,1,-1\n3,b,5,x,1\n4,a,0,1,1\n")
    named = {"task": "test", "arm": "variant", "pulls": "users", "mean": "revenue", "sd": "spread"}
    log = bt.read_log(tmp_path / "log.csv", **named)
    expected = [
        bt.Task.from_summary([100, 90], [2.5, 2.0], [7.25, 6.5], arms=["a", "b"], name="1"),
        bt.Task.from_summary([70, 80], [1.0, -1e-3], [1.0, 0.0], arms=["a", "b"], name="2"),
    ]
    assert [(task.content, task.arms, task.name) for task in log] == [(e.content, e.arms, e.name) for e in expected]
    assert dict(log.account.rejected) == {
        "the task has another row of this arm": 1,
        "the standard deviation is below 0": 1,
        "the mean is not a number": 1,
        "the number of pulls is not from 1 to 1e+09": 1,
    }
    assert log.rounds.tolist() == [190, 150]
    assert bt.tune(bt.UCB, log, horizon=30).curve == bt.tune(bt.UCB, expected, horizon=30).curve
    pickled = pickle.loads(pickle.dumps(log))
    assert [task.content for task in pickled] == [task.content for task in log]
    default = pd.DataFrame({"task": [1, 1], "arm": ["a", "b"], "pulls": [9, 8], "mean": [0.5, 1.5], "sd": [1.0, 2.0]})
    assert bt.read_log(default).form == "moments"  # by the names of its columns
    options = [word for name, column in named.items() for word in (f"--{name}", column)]
    done = banditune("tune", tmp_path / "log.csv", *options, "--horizon", "30", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["log"]["columns"] == named
    with pytest.raises(bt.ParameterError, match=r"totals .* or moments .*, not both"):
        bt.read_log(default, mean="mean", successes="pulls")
    with pytest.raises(bt.ParameterError, match="but these are means and standard deviations"):
        bt.read_log(default, reward_range=(0, 1))


def test_rates_get_a_hint_at_totals(tmp_path: Path) -> None:
    frame = pd.DataFrame({"task": [1, 1, 2, 2], "arm": ["a", "b"] * 2, "ctr": [0.1, 0.2, 0.3, 0.15], "views": 100})
    with pytest.raises(bt.FileError, match='"ctr" looks like a rate: the number of successes is needed instead'):
        bt.read_log(frame)
    log = bt.read_log(frame, reward="ctr")
    assert any("if these are rates or means, give totals (pulls=, successes=)" in line for line in log.account.lines())
    frame.to_csv(tmp_path / "log.csv", index=False)
    done = banditune("tune", tmp_path / "log.csv", "--reward", "ctr", "--horizon", "4")
    assert "give totals (--pulls, --successes) or moments (--pulls, --mean, --sd)" in " ".join(done.stderr.split())
    outcomes = frame.assign(ctr=[0.0, 1.0, 1.0, 0.0])
    assert not any("rates" in line for line in bt.read_log(outcomes, reward="ctr").account.lines())
