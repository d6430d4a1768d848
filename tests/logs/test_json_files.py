"""JSON lines: odd ones, and numbers as they are written."""

from pathlib import Path

import banditune as bt
from tests.logs.rows import as_dict


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


def test_numbers_of_json_are_taken_as_they_are_written(tmp_path: Path) -> None:
    values = ["1e-400", "0.1", "1e5", '"7"', "true", "[1]", "123456789012345678901234567890"]
    lines = [f'{{"task": "t", "arm": {k}, "reward": {value}, "*": 1}}' for k, value in enumerate(values)]
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    log = bt.read_log(tmp_path / "log.jsonl")
    assert as_dict(log) == {"t": {"1": [0.1], "2": [1e5], "3": [7.0], "4": [1.0], "6": [1.2345678901234568e29]}}
    assert [row.number for row in log.account.examples] == [1, 6]
    assert bt.read_log(tmp_path / "log.jsonl", reward="*").account.rows_used == len(values)
