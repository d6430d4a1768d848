"""CSV files: as the csv module reads them, broken quotation marks and odd names."""

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from tests.logs.rows import Rows, as_dict, csv_text, tables
from tests.naive import logs as naive
from tests.strategies import share


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


def test_a_stray_quotation_mark_swallows_no_other_rows(tmp_path: Path) -> None:
    good = "t,A,1,x\n" * 50
    for stray in ('t,"B,0,y\n' + good, 't,B,0,"oops\n' + good + 't,B,0,5" screen\n' + good, good + 't,B,"0,z'):
        (tmp_path / "log.csv").write_text("task,arm,reward,note\nt,B,0,n\n" + stray)
        log = bt.read_log(tmp_path / "log.csv")
        assert log[0].rewards[0].size == stray.count("t,A,1,x")
        assert log.account.rows_read == 1 + stray.count("\n") + (not stray.endswith("\n"))


def test_blanks_around_names_of_text_files_are_no_part_of_them(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text('task, arm, reward\nt, A, 1\nt ,A,0\nt, "A", 1\n ,A,1\n')
    assert as_dict(bt.read_log(tmp_path / "log.csv")) == {"t": {"A": [1.0, 0.0, 1.0]}}


def test_columns_with_the_engines_own_names_are_left_alone(tmp_path: Path) -> None:
    table = pa.table({"task": ["t"], "arm": ["a"], "reward": [1.0], "file_row_number": [9], "row": [1], "part": [2]})
    pq.write_table(table, tmp_path / "log.parquet")
    for source in (table, tmp_path / "log.parquet"):
        assert as_dict(bt.read_log(source)) == {"t": {"a": [1.0]}}


def test_numbers_with_commas_are_rejected_as_such(tmp_path: Path) -> None:
    rows = ["t;a;0,5", "t;a;1.234,5", "t;a;x,5", "t;b;1"]
    (tmp_path / "log.csv").write_text("\n".join(["task;arm;reward", *rows]))
    comma = "the reward has a comma (numbers are written as 0.5 or 1000)"
    log = bt.read_log(tmp_path / "log.csv")
    found = [(row.reason, row.value) for row in log.account.examples]
    assert found == [(comma, "0,5"), (comma, "1.234,5"), ("the reward is not a number", "x,5")]


def test_more_successes_than_pulls_are_shown_beside_the_pulls(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("task,arm,pulls,successes\nt,a,100,300\nt,b,100,30\n")
    (row,) = bt.read_log(tmp_path / "log.csv").account.examples
    assert (row.reason, row.value) == ("there are more successes than pulls", "300 of 100")
