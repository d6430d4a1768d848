"""Reading: every format and library, files together, in the order of times, with progress and little memory."""

import gzip
import io
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

import banditune as bt
from banditune.logs.text_files import Place, open_bytes
from tests.logs.rows import ROWS, Rows, as_dict, as_table, csv_text, tables
from tests.naive import logs as naive
from tests.strategies import share


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


def test_fine_and_zoned_times_keep_their_order() -> None:
    columns = {"task": ["t"] * 3, "arm": ["a"] * 3, "reward": [0, 1, 2]}
    zoned = pa.array([3, 2, 1], pa.timestamp("ns", "UTC"))
    decimals = ["1700000000.123456789", "1700000000.123456788", "1700000000.123456780"]
    mixed = ["9007199254740993", "9007199254740992", "1.5"]
    for when in (zoned, decimals, mixed):
        assert bt.read_log(pa.table({**columns, "when": when}), time="when")[0].rewards[0].tolist() == [2.0, 1.0, 0.0]


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
