"""JSON from anywhere."""

import re
from pathlib import Path

import pytest

import banditune as bt
from banditune.io.json_text import JsonError, parse_json, read_json

DEEP = "[" * 200 + "]" * 200
TOO_DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is not JSON: Expecting value"),
        ("{", "it is not JSON: Expecting property name"),
        (b"\xff{}", "it is not UTF-8 text"),
        (b"\xed\xa0\x80", "it is not UTF-8 text"),
        ("[1" + "0" * 5000 + "]", "it holds a number of too many digits"),
        ("[NaN]", "it must hold finite numbers: got NaN"),
        ('{"a": -Infinity}', "it must hold finite numbers: got -Infinity"),
        ("[1e999]", "it must hold finite numbers: got 1e999"),
        ('{"a": {"b": 1, "b": 1}}', "it gives a key twice: 'b'"),
        ('["\\ud800"]', r"it has half a character \(an unpaired surrogate\)"),
        ('{"\\udfff": 1}', "it has half a character"),
        ('["\ud800"]', "it has half a character"),
        (DEEP, "it is nested too deeply"),
        (TOO_DEEP, "it is nested too deeply"),
        ('{"a":' * 100_000, "it is nested too deeply"),
        (None, "it must be JSON text: got None"),
    ],
)
def test_json_that_cannot_be_used_is_told(text: str, message: str) -> None:
    with pytest.raises(JsonError, match=f"^{message}"):
        parse_json(text, "it")


def test_other_json_is_what_it_says() -> None:
    text = '{"a": [1, -2.5e3, true, null, "\\ud83d\\ude00", "\u00e9"], "b": {"a": 12345678901234567890}}'
    expected = {"a": [1, -2500.0, True, None, "\U0001f600", "\u00e9"], "b": {"a": 12345678901234567890}}
    assert parse_json(text, "it") == parse_json(text.encode(), "it") == expected
    assert parse_json("[" * 100 + "]" * 100, "it")
    assert len(parse_json("[" + "[1]," * 1000 + "[2]]", "it")) == 1001
    written = '[1, 1.50, NaN, -Infinity, 1e999, "\\ud800"]'
    assert parse_json(written, "it", as_written=True) == ["1", "1.50", "NaN", "-Infinity", "1e999", "\ud800"]
    assert parse_json(f"[{'9' * 5000}]", "it", as_written=True) == ["9" * 5000]


@pytest.mark.parametrize("content", [TOO_DEEP, DEEP, "[NaN]", "9" * 5000, '{"format": "\\ud800"}'])
def test_file_of_such_json_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "tuned.json"
    file.write_text(content)
    for read in (read_json, bt.load):
        with pytest.raises(bt.FileError, match=f"^{re.escape(str(file))} (is|holds|has|must)"):
            read(file)
    with pytest.raises(bt.FileError, match=r"^a saved policy (is|holds|has|must)"):
        bt.policy_from_json(content)
