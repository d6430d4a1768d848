"""The account of a log: which rows are rejected and why, and what is odd."""

from pathlib import Path

import pyarrow as pa
import pytest

import banditune as bt
from tests.logs.rows import as_dict


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
