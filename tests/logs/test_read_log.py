"""Logs in every format give the same tasks, and every row is accounted for."""

import csv
import gzip
import io
import json
import os
import pickle
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.logs.text_files import Place, open_bytes
from tests.cli.command import banditune
from tests.naive import logs as naive
from tests.strategies import share

names = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5
) | st.sampled_from(["1", "2", "10", "-3", "<b>", 'a"b', "x,y", "two\nlines", "é", "🙂", " "])
rewards = st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.6g}")).filter(lambda x: x == 0.0 or abs(x) > 1e-100)
tables = st.lists(st.tuples(names, names, rewards), min_size=1, max_size=30)
Rows = list[tuple[str, str, float]]


def as_dict(log: bt.Log) -> naive.Tasks:
    return {t.name: {a: r.tolist() for a, r in zip(t.arms, t.rewards, strict=True)} for t in log}


def csv_text(rows: Rows, **style: object) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, **style)  # type: ignore[arg-type]
    writer.writerow(["task", "arm", "reward"])
    writer.writerows([task, arm, repr(reward)] for task, arm, reward in rows)
    return text.getvalue()


def as_table(rows: Rows) -> pa.Table:
    tasks, arms, values = (list(column) for column in zip(*rows, strict=True))
    return pa.table({"task": tasks, "arm": arms, "reward": values})


@given(tables, st.sampled_from([",", ";", "\t", "|"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@share(20)
def test_csv_is_read_as_the_csv_module_reads_it(
    tmp_path_factory: pytest.TempPathFactory, rows: Rows, delimiter: str, quoting: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "log.csv"
    text = csv_text(rows, delimiter=delimiter, quoting=quoting)
    path.write_bytes(text.encode())
    expect_as_the_naive_reader(path, delimiter)


def expect_as_the_naive_reader(path: Path, delimiter: str = ",") -> None:
    expected, rejected = naive.read_text(path.read_bytes(), delimiter)
    if expected:
        log = bt.read_log(path)
        assert (as_dict(log), log.account.rows_rejected) == (expected, rejected)
    else:
        with pytest.raises(bt.FileError, match="can be used"):
            bt.read_log(path)


@given(tables)
@share(10)
def test_every_format_gives_the_same_tasks(tmp_path_factory: pytest.TempPathFactory, rows: Rows) -> None:
    folder = tmp_path_factory.mktemp("log")
    table, expected = as_table(rows), naive.grouped(rows)
    pq.write_table(table, folder / "log.parquet")
    lines = "\n".join(json.dumps({"task": t, "arm": a, "reward": r}) for t, a, r in rows)
    (folder / "log.jsonl").write_text(lines)
    with gzip.open(folder / "log.jsonl.gz", "wt") as file:
        file.write(lines)
    for source in (folder / "log.parquet", folder / "log.jsonl", folder / "log.jsonl.gz", table, pl.from_arrow(table)):
        log = bt.read_log(source)
        assert as_dict(log) == expected
        assert log.account.rows_used == len(rows)


ROWS = [("t2", "b", 1.0), ("t1", "a", 0.0), ("t2", "a", 0.5), ("t1", "b", 2.0), ("t2", "b", 3.0)]


def test_tables_of_every_library_are_read() -> None:
    import duckdb

    frame = pd.DataFrame(ROWS, columns=["task", "arm", "reward"])
    for table in (frame, pl.from_pandas(frame), as_table(ROWS), duckdb.sql("SELECT * FROM frame")):
        assert as_dict(bt.read_log(table)) == naive.grouped(ROWS)


def test_folders_patterns_and_lists_are_one_log(tmp_path: Path) -> None:
    inside = tmp_path / "logs" / "deep"
    inside.mkdir(parents=True)
    (tmp_path / "logs" / "a[1].csv").write_text(csv_text(ROWS[:2]))
    (tmp_path / "logs" / "_ignored.csv").write_text("nothing")
    (tmp_path / "logs" / "README.md").write_text("nothing")
    (tmp_path / "logs" / "d.csv.bz2").write_text("nothing")
    with gzip.open(inside / "b.csv.gz", "wt") as file:
        file.write(csv_text(ROWS[2:4], delimiter=";"))
    pq.write_table(as_table(ROWS[4:]), inside / "c*.parquet")
    sources = (tmp_path / "logs", [tmp_path / "logs" / "a[1].csv", str(inside / "*")], f"{tmp_path}/logs/**/[abc]*.*")
    for source in sources:
        log = bt.read_log(source)
        assert as_dict(log) == naive.grouped(ROWS)
        assert len(log.account.parts) == 3
    assert [Path(name).name for name in bt.read_log(tmp_path / "logs").account.left_out] == ["README.md", "d.csv.bz2"]
    twice = bt.read_log([inside / "b.csv.gz", inside / "b.csv.gz"])
    assert twice.account.rows_read == 2


def test_time_gives_the_order_and_disorder_is_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"task": "t", "arm": ["a", "b"] * 3, "reward": range(6), "when": [5, 4, 3, 2, 1, 0]})
    stamps = frame.assign(when=pd.to_datetime(frame.when, unit="D"))
    texts = frame.assign(when=[f"2024-01-0{9 - k}T00:00:00Z" for k in range(6)])
    zones = frame.assign(when=[f"2024-01-01T0{9 - k}:00:00{'+03:00' if k % 2 else '+01:30'}" for k in range(6)])
    large = frame.assign(when=2**60 - frame.index)  # apart by less than a float can tell
    huge = frame.assign(when=(2**64 - 1 - frame.index.to_numpy().astype("uint64")))
    instants = frame.assign(when=pd.to_datetime(frame.when, unit="ns"))
    for table in (frame, stamps, texts, zones, large, huge, instants, frame.astype({"when": float})):
        table.to_csv(tmp_path / "log.csv", index=False)
        for source in (table, tmp_path / "log.csv"):
            log = bt.read_log(source, time="when")
            assert [row.tolist() for row in log[0].rewards] == [[4, 2, 0], [5, 3, 1]]
            assert log.account.out_of_order == 4
    assert bt.read_log(frame).account.out_of_order == 0


def test_times_of_several_files_are_compared_as_what_they_all_are(tmp_path: Path) -> None:
    pq.write_table(pa.table({"task": ["t"], "arm": ["a"], "reward": [1], "when": [7]}), tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("task,arm,reward,when\nt,a,2,3\nt,a,3,noon\n")
    log = bt.read_log(tmp_path, time="when")
    assert log[0].rewards[0].tolist() == [2, 1]
    assert [str(row) for row in log.account.examples] == [
        f"{tmp_path}/b.csv, line 3: the time is not a whole number as others are: 'noon'"
    ]


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


def test_account_names_the_line_of_what_it_rejects(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(
        b'\xef\xbb\xbftask,arm,reward\n\nt,a,1\nt,"a\nb",2\nt,,3\nt,a,\nt,a,abc\nt,a,NaN\nt,a,1e999\nt,a\nt,\xff,1\n'
        b"t,a,1e-400\nt,a,2024-01-01\nt,a,1_000\nt,a,TRUE\n"
    )
    log = bt.read_log(tmp_path / "log.csv")
    assert [(row.number, row.reason, row.value) for row in log.account.examples] == [
        (6, "there is no arm", None),
        (7, "there is no reward", None),
        (8, "the reward is not a number", "abc"),
        (9, "the reward is not finite", "NaN"),
        (10, "the reward is not finite", "1e999"),
        (11, "the row has 2 fields, not 3", None),
        (12, "the row is not UTF-8 text", None),
        (13, "the reward is too large or too small to compute with", "1e-400"),
        (14, "the reward is not a number", "2024-01-01"),
        (15, "the reward is not a number", "1_000"),
    ]
    assert as_dict(log) == {"t": {"a": [1.0, 1.0], "a\nb": [2.0]}}
    assert log.account.rows_read == 13


def test_lines_are_right_in_regular_files_too(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text('task,arm,reward\nt,"a\nb",2\n\nt,a,x\n')
    (row,) = bt.read_log(tmp_path / "log.csv").account.examples
    assert (row.unit, row.number) == ("line", 5)
    (tmp_path / "log.jsonl").write_text(
        '{"task": 1, "arm": 2, "reward": 3}\n\n[1]\n{"task": 1\n{"arm": {}, "reward": 1}\n'
    )
    found = bt.read_log(tmp_path / "log.jsonl").account.examples
    assert [(row.number, row.reason) for row in found] == [
        (3, "the line is not a JSON object"),
        (4, "the line is not a JSON object"),
        (5, "there is no task"),
    ]


def test_odd_json_is_rejected_by_the_line_and_no_more(tmp_path: Path) -> None:
    lines = [
        '{"task": "t", "arm": "a", "reward": 1, "note": NaN, "other": "\\ud800"}',  # in columns that are not read
        '{"task": "t", "arm": "a", "reward": 1, "reward": 0}',
        '{"task": "t", "arm": ' + "[" * 200 + "]" * 200 + ', "reward": 1}',
        '{"task": "t", "arm": ' + "[" * 99_999 + ', "reward": 1}',
        '{"task": "t", "arm": "a", "reward": NaN}',
        '{"task": "t", "arm": "a", "reward": ' + "9" * 5000 + "}",
        '{"task": "t", "arm": "a", "reward": 0.5, "size": ' + "9" * 5000 + "}",
    ]
    (tmp_path / "log.jsonl").write_bytes("\n".join(lines).encode() + b'\n{"task": "\xff"}\n')
    log = bt.read_log(tmp_path / "log.jsonl")
    assert as_dict(log) == {"t": {"a": [1.0, 0.5]}}
    reasons = {row.number: row.reason for row in log.account.examples}
    assert sorted(reasons) == [2, 3, 4, 5, 6, 8]
    assert reasons[2] == "the line gives a key twice"
    assert reasons[3] == reasons[4] == "the line is nested too deeply"
    assert reasons[8] == "the line is not UTF-8 text"


def test_name_of_a_column_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    table = pa.table({"task": ["t"], "arm": ["a"], "reward": [1.0], "wordZ": [1]})
    pq.write_table(table, tmp_path / "log.parquet", store_schema=False)
    content = (tmp_path / "log.parquet").read_bytes()
    (tmp_path / "log.parquet").write_bytes(content.replace(b"wordZ", b"word\xff"))
    with pytest.raises(bt.FileError, match=r"log\.parquet cannot be read .*: the name of a column is not UTF-8 text"):
        bt.read_log(tmp_path / "log.parquet")
    named = pa.schema([*list(table.schema)[:3], pa.field(b"word\xff", pa.int64())])
    with pytest.raises(bt.FileError, match=r"the table cannot be read .*: the name of a column is not UTF-8 text"):
        bt.read_log(pa.Table.from_arrays(table.columns, schema=named))


def test_half_a_character_in_a_name_is_rejected_rather_than_replaced(tmp_path: Path) -> None:
    lines = ['{"task": "\\ud800", "arm": 2, "reward": 3}', '{"task": "\\ud83d\\ude00", "arm": 2, "reward": 3}']
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    log = bt.read_log(tmp_path / "log.jsonl")
    assert [task.name for task in log] == ["\N{GRINNING FACE}"]
    assert [row.number for row in log.account.examples] == [1]


@pytest.mark.parametrize("odd", ['"1', '"1"2', '1"2"', '"1""', '""1""', '1"', '"1"\nt,a,"2\nt,a,3"4'])
def test_quotation_marks_gone_wrong_change_no_number(tmp_path: Path, odd: str) -> None:
    for content in (f'task,arm,reward\nt,a,7\nt,"b",{odd}\n', f'task,arm,reward\nt,"b",{odd}\nt,a,7\n'):
        (tmp_path / "log.csv").write_text(content)
        expect_as_the_naive_reader(tmp_path / "log.csv")


def test_oddities_are_told_and_strict_makes_them_errors() -> None:
    spotless = pa.table({"task": ["t"] * 20, "arm": ["a", "b"] * 10, "reward": [0.0] * 20, "when": range(20)})
    assert not list(bt.read_log(spotless, time="when", strict=True).account.oddities())
    one_arm = pa.table({"task": ["t"] * 10, "arm": ["a"] * 10, "reward": [0.0] * 10})
    few = spotless.slice(0, 18)
    twice = pa.concat_tables([spotless, spotless.slice(5, 1)])
    for table, words in (
        (one_arm, "single arm"),
        (few, "fewer than 10"),
        (twice, "1 duplicate row:"),
        (twice, "order"),
    ):
        columns = {"time": "when"} if "when" in table.column_names else {}
        assert any(words in oddity for oddity in bt.read_log(table, **columns).account.oddities())
        with pytest.raises(bt.FileError, match=words):
            bt.read_log(table, **columns, strict=True)
    with pytest.raises(bt.FileError, match="20 rows can be used"):
        bt.read_log(spotless, reward_range=(1, 2))
    with pytest.raises(bt.FileError, match="1 row rejected"):
        bt.read_log(
            pa.concat_tables([spotless, spotless.slice(0, 1).set_column(2, "reward", [[7.0]])]),
            strict=True,
            reward_range=(0, 1),
        )


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


def test_logs_larger_than_the_memory_allowed_are_sorted_on_disk(tmp_path: Path) -> None:
    n = 1_000_000
    rng = np.random.default_rng(0)
    when = rng.permutation(n)
    table = pa.table(
        {"task": rng.integers(0, 500, n), "arm": rng.integers(0, 4, n), "reward": rng.random(n), "when": when}
    )
    pq.write_table(table, tmp_path / "log.parquet")
    log = bt.read_log(tmp_path / "log.parquet", time="when", memory="50MB")
    assert log.account.rows_used == n  # 32 MB of numbers alone, beside which the sorted ones are written
    with pytest.raises(bt.FileError, match="Out of Memory"):
        bt.read_log(tmp_path / "log.parquet", time="when", memory="5MB")
    frame = table.to_pandas()
    chosen = frame[(frame.task == 77) & (frame.arm == 2)].sort_values("when")
    assert log[77].rewards[2].tolist() == chosen.reward.tolist()


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


def test_sources_that_cannot_be_meant_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "log.xlsx").write_bytes(b"x")
    (tmp_path / "log.parquet").write_bytes(b"PAR1 but no more")
    (tmp_path / "log.jsonl").write_bytes(b"[1]\n")
    (tmp_path / "empty").mkdir()
    for source, words in (
        ("nowhere.csv", "there is no file nowhere.csv"),
        (tmp_path / "log.xlsx", "is not known by its name"),
        (tmp_path / "log.parquet", "cannot be read as Parquet"),
        (tmp_path / "log.jsonl", "a JSON object on each line"),
        (tmp_path / "empty", "has no log"),
        (42, "a log must be a path"),
        ([], "at least one file"),
        ([1], "given by their paths"),
        (pa.table({"task": ["t"], "arm": ["a"], "reward": [[1]]}), "must hold numbers"),
        (pa.table({"task": ["t"], "arm": ["a"], "reward": pd.to_datetime(["2024-01-01"])}), "must hold numbers"),
    ):
        with pytest.raises(bt.InputError, match=words):
            bt.read_log(source)
    for delimiter in (", ", '"', "\n", "é", 7):
        with pytest.raises(bt.ParameterError, match="delimiter must be a single ASCII character"):
            bt.read_log(as_table(ROWS), delimiter=delimiter)  # type: ignore[arg-type]
    with pytest.raises(bt.ParameterError, match="the column of task must be given by its name"):
        bt.read_log(as_table(ROWS), task=7)  # type: ignore[arg-type]
    with pytest.raises(bt.ParameterError, match="reward_range must be"):
        bt.read_log(as_table(ROWS), reward_range=(1, 0))
    with pytest.raises(bt.ParameterError, match="memory must be a size"):
        bt.read_log(as_table(ROWS), memory="lots")


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


def test_a_stray_quotation_mark_swallows_no_other_rows(tmp_path: Path) -> None:
    good = "t,A,1,x\n" * 50
    for stray in ('t,"B,0,y\n' + good, 't,B,0,"oops\n' + good + 't,B,0,5" screen\n' + good, good + 't,B,"0,z'):
        (tmp_path / "log.csv").write_text("task,arm,reward,note\nt,B,0,n\n" + stray)
        log = bt.read_log(tmp_path / "log.csv")
        assert log[0].rewards[0].size == stray.count("t,A,1,x")
        assert log.account.rows_read == 1 + stray.count("\n") + (not stray.endswith("\n"))


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


def test_numbers_of_json_are_taken_as_they_are_written(tmp_path: Path) -> None:
    values = ["1e-400", "0.1", "1e5", '"7"', "true", "[1]", "123456789012345678901234567890"]
    lines = [f'{{"task": "t", "arm": {k}, "reward": {value}, "*": 1}}' for k, value in enumerate(values)]
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    log = bt.read_log(tmp_path / "log.jsonl")
    assert as_dict(log) == {"t": {"1": [0.1], "2": [1e5], "3": [7.0], "4": [1.0], "6": [1.2345678901234568e29]}}
    assert [row.number for row in log.account.examples] == [1, 6]
    assert bt.read_log(tmp_path / "log.jsonl", reward="*").account.rows_used == len(values)


def test_fine_and_zoned_times_keep_their_order() -> None:
    columns = {"task": ["t"] * 3, "arm": ["a"] * 3, "reward": [0, 1, 2]}
    zoned = pa.array([3, 2, 1], pa.timestamp("ns", "UTC"))
    decimals = ["1700000000.123456789", "1700000000.123456788", "1700000000.123456780"]
    mixed = ["9007199254740993", "9007199254740992", "1.5"]
    for when in (zoned, decimals, mixed):
        assert bt.read_log(pa.table({**columns, "when": when}), time="when")[0].rewards[0].tolist() == [2.0, 1.0, 0.0]


def test_blanks_around_names_of_text_files_are_no_part_of_them(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text('task, arm, reward\nt, A, 1\nt ,A,0\nt, "A", 1\n ,A,1\n')
    assert as_dict(bt.read_log(tmp_path / "log.csv")) == {"t": {"A": [1.0, 0.0, 1.0]}}


def test_columns_with_the_engines_own_names_are_left_alone(tmp_path: Path) -> None:
    table = pa.table({"task": ["t"], "arm": ["a"], "reward": [1.0], "file_row_number": [9], "row": [1], "part": [2]})
    pq.write_table(table, tmp_path / "log.parquet")
    for source in (table, tmp_path / "log.parquet"):
        assert as_dict(bt.read_log(source)) == {"t": {"a": [1.0]}}


def test_rows_of_parquet_are_numbered_through_all_row_groups(tmp_path: Path) -> None:
    n = 5_000
    rewards = [float("nan") if k in (7, 2_500, n - 1) else k / n for k in range(n)]
    table = pa.table({"task": ["t"] * n, "arm": [str(k % 2) for k in range(n)], "reward": rewards})
    for columns in (table, table.append_column("File_Row_Number", pa.array([0] * n))):  # the engine's name for it
        pq.write_table(columns, tmp_path / "log.parquet", row_group_size=100)
        log = bt.read_log(tmp_path / "log.parquet")
        assert [row.number for row in log.account.examples] == [8, 2_501, n]
        first, second = log[0].rewards
        assert first.tolist() == [reward for reward in rewards[::2] if reward == reward]
        assert second.tolist() == [reward for reward in rewards[1::2] if reward == reward]
        assert not first.flags.writeable


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_name_of_a_file_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("task,arm,reward\nt,x,1\n")
    os.rename(tmp_path / "a.csv", os.fsencode(tmp_path) + b"/bad\xff.csv")
    with pytest.raises(bt.FileError, match=r"the name of a file must be UTF-8, got '.*bad\\udcff\.csv'"):
        bt.read_log(tmp_path)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.jsonl"])
def test_reading_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("banditune.logs.engine.POLL_SECONDS", 0.001)
    lines = ['{"task": "t", "arm": "a", "reward": 1}'] * 50_000  # which take as long as more of the others
    if name != "x.jsonl":
        lines = ["task,arm,reward", *["t,a,1"] * 200_000]
    text = "\n".join(lines).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    told: list[tuple[str, float]] = []
    bt.read_log(tmp_path / name, progress=lambda words, share: told.append((words, share)))
    shares = [share for words, share in told if words.startswith("Reading ")]
    assert shares == sorted(shares)
    assert any(0.0 < share <= 1.0 for share in shares)


def test_pandas_is_not_imported_to_read_a_csv_file(tmp_path: Path) -> None:
    """It takes long, and is not needed."""
    (tmp_path / "x.csv").write_text("task,arm,reward\nt,a,1\nt,b,0.5\n")
    code = "import sys, banditune as bt; print(list(bt.read_log('x.csv')), 'pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[Task(name='t', n_arms=2, rewards=2)] False\n"


def test_file_that_is_just_being_closed_has_been_read(tmp_path: Path) -> None:
    """Between closing its descriptor and saying so, as who asks from another thread may find it."""
    (tmp_path / "x.csv").write_text("task,arm,reward\n")
    place, opened = Place(), ExitStack()
    os.close(opened.enter_context(open_bytes(tmp_path / "x.csv", place)).fileno())
    assert place.share() == 1.0
    with pytest.raises(OSError, match="Bad file descriptor"):
        opened.close()
    assert place.share() == 1.0


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


def test_open_files_are_read_as_csv() -> None:
    text = "task;arm;reward\nmon;a;1\nmon;b;x\nmon;b;0\n"
    packed = io.BytesIO(gzip.compress(text.encode()))
    for source in (io.BytesIO(text.encode()), io.StringIO(text), packed):
        log = bt.read_log(source)
        assert log[0].arms == ("a", "b")
        assert [str(row) for row in log.account.examples] == ["the open file, line 3: the reward is not a number: 'x'"]
        assert log.account.parts == ("the open file",)
    with pytest.raises(bt.FileError, match=r"^the open file is empty"):
        bt.read_log(io.BytesIO(b""))
    with pytest.raises(bt.FileError, match=r"^the open file has no columns"):
        bt.read_log(io.BytesIO(b"x,y\n1,2\n"))


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


def choices(n_rows: int = 90, seed: int = 0) -> pd.DataFrame:
    """Randomised choices with features: numbers, a number that is a category, and text."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "arm": rng.choice(["a", "b"], n_rows),
            "reward": rng.random(n_rows),
            "x_1": rng.random(n_rows),
            "x_2": rng.integers(0, 5, n_rows),
            "age": rng.integers(20, 60, n_rows),
            "age_group": "unused",
            "country": rng.choice(["de", "at", "fr, or so"], n_rows),
            "weekday": rng.integers(0, 3, n_rows),
        }
    )


@pytest.mark.parametrize("ending", ["frame", "csv", "parquet", "jsonl"])
def test_text_features_are_one_hot_encoded_in_the_order_of_the_columns(tmp_path: Path, ending: str) -> None:
    frame = choices()
    source = frame if ending == "frame" else tmp_path / f"log.{ending}"
    if ending == "csv":
        frame.to_csv(source, index=False)
    elif ending == "parquet":
        frame.to_parquet(source)
    elif ending == "jsonl":
        frame.to_json(source, orient="records", lines=True, double_precision=15)
    log = bt.read_log(source, features=["country", "x_", "age", "weekday:category"])
    (task,) = log
    countries = [(frame["country"] == each).to_numpy(float) for each in ("at", "de", "fr, or so")]
    days = [(frame["weekday"] == day).to_numpy(float) for day in range(3)]
    expected = np.stack([*countries, frame["x_1"], frame["x_2"], frame["age"], *days], axis=1)
    assert task.contexts.reshape(len(frame), -1) == pytest.approx(expected, abs=1e-12)
    assert any(
        '"country" is text, and became 3 features of 0 and 1: at, de, fr, or so' in each for each in log.account.lines()
    )
    rows = frame.to_dict("records")
    assert log.encoding.points(rows) == pytest.approx(expected, abs=1e-12)
    assert pickle.loads(pickle.dumps(log)).encoding == log.encoding


def test_a_later_log_is_encoded_as_an_earlier_one() -> None:
    early = bt.read_log(choices(), features=["country", "age"])
    late = choices(40, seed=1).assign(country="it")
    late.loc[::2, "country"] = "de"
    (task,) = bt.read_log(late, features=["country", "age"], encoding=early.encoding)
    contexts = task.contexts.reshape(40, -1)
    assert contexts[:, :3].tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]] * 20
    assert contexts[:, 3].tolist() == late["age"].tolist()
    with pytest.raises(
        bt.FileError, match='must have the features that the encoding is of; only one of them has "x_1"'
    ):
        bt.read_log(late, features=["country", "age", "x_1"], encoding=early.encoding)


def test_few_values_that_are_no_numbers_are_rejected_and_make_no_category() -> None:
    frame = choices().assign(x_1=lambda frame: frame["x_1"].astype(str))
    frame.loc[:3, "x_1"] = "n/a"
    log = bt.read_log(frame, features="x_")
    assert log.encoding is None
    assert log.account.rejected == (('the feature "x_1" is not a number', 4),)
    frame["x_2"] = [f"user {k}" for k in range(len(frame))]
    many = pd.concat([frame] * 3).assign(x_2=lambda frame: [f"user {k}" for k in range(len(frame))])
    with pytest.raises(bt.FileError, match='feature "x_2" must be numbers, or text with at most 200 different values'):
        bt.read_log(many, features="x_")


def test_a_result_keeps_how_features_were_encoded(tmp_path: Path) -> None:
    log = bt.read_log(choices(300), features=["country", "age"])
    tuned = bt.tune(bt.LinUCB, log, alpha=(0.0, 2.0), loss="reward", disjoint=True)
    tuned.save(tmp_path / "tuned.json")
    loaded = bt.load(tmp_path / "tuned.json")
    assert loaded == tuned
    assert loaded.encoding == log.encoding
    policy = loaded.policy(arms=["a", "b"])
    context = loaded.encoding.points([{"country": "at", "age": 30}])[0]
    assert context.tolist() == [1.0, 0.0, 0.0, 30.0]
    assert policy.select(context) in ("a", "b")
    choices(300).to_csv(tmp_path / "later.csv", index=False)
    done = banditune("tune", tmp_path / "later.csv", "--policy", "linucb", "--like", tmp_path / "tuned.json", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["log"]["encoding"] == loaded.origin["encoding"]
    named = ["--features", "country", "--features", "age"]
    done = banditune("tune", tmp_path / "later.csv", "--policy", "linucb", *named)
    assert '"country" is text, and became 3 features' in done.stderr


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
