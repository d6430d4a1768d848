"""Every format: rows come back as they were written, broken ones are counted, and nothing is lost in silence."""

import gzip
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.logs.formats import registry
from banditune.logs.layouts import LAYOUTS
from tests.logs.format_cases import CASES, Case, Row
from tests.naive import logs as naive
from tests.strategies import share

days = st.sampled_from(["2026-03-01", "2026-03-02", "2026-12-31"])
arms = st.sampled_from(["1", "2", "30"])
rewards = st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.6g}")).filter(lambda x: x == 0.0 or abs(x) > 1e-100)
tables = st.lists(st.tuples(days, arms, rewards), min_size=1, max_size=12)
MARKS = [bytes([mark]) for mark in b"\n\0\r\t \"'{}[]:|,%-\xff"]
ODD = st.sampled_from(
    [*MARKS, b"nan", b"1e999", b"null", b"true", b"shared", b"@DATA", b"9" * 30, b"\\ud800", b"\xef\xbb\xbf"]
)
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.format)
with_lines = pytest.mark.parametrize("case", [case for case in CASES if case.lines_per_row], ids=lambda c: c.format)
of_text = pytest.mark.parametrize("case", [case for case in CASES if case.packed], ids=lambda case: case.format)


def as_dict(log: bt.Log) -> naive.Tasks:
    return {t.name: {a: r.tolist() for a, r in zip(t.arms, t.rewards, strict=True)} for t in log}


def expect(case: Case, rows: list[Row]) -> naive.Tasks:
    return naive.grouped([(case.task(day), arm, reward) for day, arm, reward in rows])


def test_every_format_has_a_case() -> None:
    summaries = {name for name, layout in LAYOUTS.items() if "pulls" in layout.usual}  # test_platforms.py
    assert {case.format for case in CASES} == {*registry.names()} - {"parquet"} - summaries


def test_every_format_is_in_the_documents() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/logs.md").read_text(encoding="utf-8")
    for name in registry.names():
        assert f"`{name}`" in page
        assert name in (bt.read_log.__doc__ or "")


def test_open_files_are_csv_alone() -> None:
    with pytest.raises(bt.ParameterError, match="an open file is read as CSV, not as vw"):
        bt.read_log(io.BytesIO(b"1:0:1 | x"), format="vw")


def test_files_of_a_folder_that_need_a_query_are_left_out_and_named(tmp_path: Path) -> None:
    for case in CASES:
        if case.format in ("csv", "sqlite"):
            case.save([("2026-03-01", "1", 1.0)], tmp_path)
    log = bt.read_log(tmp_path)
    assert log.account.rows_used == 1
    assert [Path(name).name for name in log.account.left_out] == ["log.db"]


@every_case
@given(rows=tables)
@share(8)
def test_rows_come_back_as_they_were_written(
    case: Case, rows: list[Row], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = case.save(rows, tmp_path_factory.mktemp("log"))
    for chosen in (None, case.format):
        log = bt.read_log(path, format=chosen, **case.options)
        assert as_dict(log) == expect(case, rows)
        assert (log.account.rows_read, log.account.rows_used) == (len(rows), len(rows))


@with_lines
@given(rows=tables, data=st.data())
@share(10)
def test_a_broken_row_costs_itself_alone_and_is_shown_with_its_line(
    case: Case, rows: list[Row], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = case.save(rows, tmp_path_factory.mktemp("log"))
    k = data.draw(st.integers(0, len(rows) - 1))
    lines = path.read_bytes().split(b"\n")
    broken = case.first_lines + k * case.lines_per_row
    lines[broken] = data.draw(st.sampled_from([b"\xfa\xff", b"{", b"?", b'"', b"x,", b"[1]", b"9" * 5000]))
    path.write_bytes(b"\n".join(lines))
    left = [row for number, row in enumerate(rows) if number != k]
    if not left:
        with pytest.raises(bt.FileError):
            bt.read_log(path, format=case.format, **case.options)
        return
    log = bt.read_log(path, format=case.format, **case.options)
    assert as_dict(log) == expect(case, left)
    assert log.account.rows_rejected >= 1
    assert broken + 1 in [row.number for row in log.account.examples]


@every_case
@given(rows=tables, data=st.data())
@share(10)
def test_whatever_a_file_holds_all_rows_are_accounted_for(
    case: Case, rows: list[Row], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = case.save(rows, tmp_path_factory.mktemp("log"))
    broken = path.with_name(data.draw(st.sampled_from([case.file, *case.beside])))
    content = bytearray(broken.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        size = data.draw(st.sampled_from([0, 1, 3, 40]))
        content[at : at + size] = data.draw(st.binary(max_size=6) | ODD)
    broken.write_bytes(content)
    try:
        log = bt.read_log(path, format=case.format, **case.options)
    except bt.InputError as error:
        str(error).encode()
        return
    assert log.account.rows_read == log.account.rows_used + sum(count for _, count in log.account.rejected)
    assert log.account.rows_used == sum(task.rounds for task in log)
    "\n".join(log.account.lines()).encode()


@of_text
def test_packed_files_are_read_and_those_cut_off_are_an_error(case: Case, tmp_path: Path) -> None:
    rows = [("2026-03-01", str(k % 3), k / 7) for k in range(1000)]
    whole = gzip.compress(case.save(rows, tmp_path).read_bytes(), mtime=0)
    packed = tmp_path / f"{case.file}.gz"
    packed.write_bytes(whole)
    assert bt.read_log(packed, **case.options).account.rows_used == len(rows)
    packed.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(bt.FileError, match="cannot"):
        bt.read_log(packed, **case.options)


@every_case
def test_rewards_that_cannot_be_computed_with_are_rejected(case: Case, tmp_path: Path) -> None:
    good = [("2026-03-01", "1", 0.5 + k) for k in range(5)]
    bad = [("2026-03-01", "2", value) for value in (float("nan"), float("inf"), 1e200, 1e-200)]
    path = case.save([row for rows in zip(good, [*bad, good[0]], strict=True) for row in rows], tmp_path)
    log = bt.read_log(path, format=case.format, **case.options)
    assert as_dict(log) == expect(case, [*good, good[0]])
    assert log.account.rows_rejected == len(bad)


def test_names_of_tasks_are_made_of_columns_times_and_places(tmp_path: Path) -> None:
    (tmp_path / "june").mkdir()
    path = tmp_path / "june" / "web.shop.csv"
    path.write_text("site,At,arm,n\na,2026-06-01 23:30:00-02:00,x,1\na,2026-06-01,y,2\nb,soon,y,2\n,2026-06-01,y,2\n")
    for task, names in (
        ("site+at:day", ["a / 2026-06-01", "a / 2026-06-02"]),
        ("At:hour", ["2026-06-01 00:00", "2026-06-02 01:00"]),
        ("at:week", ["2026-W23"]),
        ("at:month+:file+:folder", ["2026-06 / web / june"]),
    ):
        assert list(bt.read_log(path, task=task, reward="n").names) == names
    log = bt.read_log(path, task="site+At:day", reward="n:cost", arm="site+arm")
    assert as_dict(log)["a / 2026-06-02"] == {"a / x": [-1.0]}
    assert [str(row).partition(", ")[2] for row in log.account.examples] == [
        "line 4: \"At\" is not a date: 'soon'",
        'line 5: there is no value of "site"',
    ]
    assert log.origin["columns"] == {"task": "site+At:day", "arm": "site+arm", "reward": "n:cost"}
    real = pa.table({"a+b": ["t"], "a": ["u"], "b": ["v"], "arm": ["x"], "n:cost": [1.0], "n": [2.0]})
    assert as_dict(bt.read_log(real, task="a+b", reward="n:cost")) == {"t": {"x": [1.0]}}
    for wrong in ("site+nowhere", "site:year", "+", ":day"):
        with pytest.raises(bt.FileError, match="has no column"):
            bt.read_log(path, task=wrong, reward="n")


def test_moments_are_computed_from_totals_variances_and_standard_errors() -> None:
    table = pa.table(
        {"task": ["t"] * 3, "arm": ["a", "b", "c"], "pulls": [4, 25, 9], "x": [8.0, 5.0, 1.0], "v": [4.0, 9.0, -1.0]}
    )
    log = bt.read_log(table, mean="x:total", sd="v:variance")
    (task,) = log
    assert (task.means.tolist(), task.summary.sds.tolist()) == ([2.0, 0.2], [2.0, 3.0])
    assert log.account.rejected == (("the variance is below 0", 1),)
    (task,) = bt.read_log(table, mean="x", sd="v:se")
    assert task.summary.sds.tolist() == [8.0, 45.0]


def test_only_some_rows_are_taken_and_the_others_counted(tmp_path: Path) -> None:
    frame = {
        "task": ["t"] * 4,
        "arm": ["a", "b", "a", "b"],
        "reward": [1.0, 2.0, 3.0, None],
        "metric": ["m", "m", "n", None],
    }
    log = bt.read_log(pa.table(frame), only={"metric": "m"}, strict=False)
    assert as_dict(log) == {"t": {"a": [1.0], "b": [2.0]}}
    assert log.account.rows_read == 2
    assert list(log.account.notes()) == ["only metric = m: 2 other rows left out"]
    with pytest.raises(bt.FileError, match='has no column "metrik"'):
        bt.read_log(pa.table(frame), only={"metrik": "m"})
    wrong: Any
    for wrong in ("metric", {"metric": 1}):
        with pytest.raises(bt.ParameterError, match="only must map columns to values"):
            bt.read_log(pa.table(frame), only=wrong)


def test_layouts_yield_to_the_columns_that_are_named(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.format == "openbandit")
    path = case.save([("2026-03-01", "1", 1.0), ("2026-03-02", "2", 0.0)], tmp_path)
    assert list(bt.read_log(path, task="position").names) == ["1"]
    assert bt.read_log(path, arm="user_feature_0")[0].arms == ("x",)
    contexts = bt.read_log(path, features="position")
    assert contexts.columns.propensity == "propensity_score"
    assert list(contexts.names) == ["all events"]
    with pytest.raises(bt.FileError, match=r"must have the columns of Open Bandit Dataset .* but it has no timestamp"):
        bt.read_log(pa.table({"item_id": [1]}), format="openbandit")
    with pytest.raises(bt.ParameterError, match="format must be one of csv, parquet"):
        bt.read_log(path, format="excel")
    (tmp_path / "plain.csv").write_text("task,arm,reward\nt,a,1\n")
    with pytest.raises(bt.FileError, match=r"plain.csv must be read as .*men.csv is \(Open Bandit Dataset\)"):
        bt.read_log([path, tmp_path / "plain.csv"])
