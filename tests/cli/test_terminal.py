"""What comes from data is shown by a terminal, never obeyed."""

import io
import json
import unicodedata
from pathlib import Path

import pytest
from rich.console import Console

import banditune as bt
from banditune.cli import output
from banditune.cli.app import explain_failures
from banditune.errors import OBEYED, escape_controls
from tests.cli.command import banditune

HOSTILE = "\x1b]0;t\x07\x1b[2J\x9b1m\u202eb\u2066\r\nbanditune: all is well\x08 :smile: [red]x \\"
SHOWN = r"\x1b]0;t\x07\x1b[2J\x9b1m\u202eb\u2066\r\nbanditune: all is well\x08 :smile: [red]x " + "\\"


def obeyed(text: str) -> set[str]:
    """What a terminal would obey of a text, but for the ends of lines."""
    return {each for each in text if unicodedata.category(each) in OBEYED} - {"\n"}


def test_controls_are_shown_as_python_writes_them() -> None:
    assert escape_controls(HOSTILE) == SHOWN
    assert escape_controls("\ud800\u2028 caf\u00e9 \u3000") == "\\ud800\\u2028 caf\u00e9 \u3000"
    assert escape_controls(SHOWN) == SHOWN


def test_errors_have_the_lines_they_were_given_and_no_others() -> None:
    assert str(bt.FileError(f"there is no {HOSTILE}", "a line")) == f"there is no {SHOWN}\na line"


def test_commands_show_names_from_data_letter_by_letter(tmp_path: Path) -> None:
    name = f"{HOSTILE}.csv"
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    rows = [f"{quoted},{arm},{reward}" for arm, reward in ((quoted, 1), ("b", 0), (quoted, 0), ("b", quoted))]
    (tmp_path / name).write_text("\n".join([f"task,arm,{quoted}", *rows]), newline="")
    spoken = []
    for further in (["--reward", HOSTILE], ["--reward", HOSTILE, "--json"], ["--reward", HOSTILE, "--strict"], []):
        done = banditune("tune", name, "--horizon", "5", "--alpha", "0", "1", *further, cwd=tmp_path)
        assert not obeyed(done.stdout + done.stderr), (done.stdout, done.stderr)
        assert SHOWN in done.stderr
        assert "\nbanditune: all is well" not in done.stderr
        spoken.append(done)
    assert [done.returncode for done in spoken] == [0, 0, 2, 2]
    assert json.loads(spoken[1].stdout)["log"]["parts"] == [name]
    assert f"{SHOWN}.csv, line" in spoken[0].stderr  # a rejected row


def test_bars_and_tables_show_names_letter_by_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    made = output.terminal

    def terminal(**how: bool) -> Console:
        known = made(**how)
        return Console(file=written, force_terminal=True, width=200, highlight=False, emoji=known._emoji)

    monkeypatch.setattr(output, "terminal", terminal)
    with output.share_bar("Reading") as progress:
        progress(f"Reading {HOSTILE}", 0.5)
    with output.stage_bar("First") as stage:
        stage(f"reading {HOSTILE}", 1, 2)
    output.terminal().print(f"[bold]{output.literal(HOSTILE)}[/]")
    output.say(HOSTILE)
    text = written.getvalue()
    assert text.count(SHOWN) >= 4
    assert not obeyed(text) - {"\x1b", "\r"}  # with which bars are drawn
    assert "\x1b]" not in text
    assert "\x1b[2J" not in text


def test_failures_are_told_on_a_terminal_without_what_it_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise bt.TaskError(HOSTILE)

    with pytest.raises(Exception, match="2"):
        explain_failures(fail)()
    assert capsys.readouterr().err == f"banditune: {SHOWN}\n"
