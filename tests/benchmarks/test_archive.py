"""The command of the archive's benchmark, on hardly anything."""

import sys

import pytest

from benchmarks import archive


@pytest.mark.parametrize("scale", [[], ["--linear"]])
def test_command_compares_on_the_bundled_tests(
    scale: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--tasks", "2", "--horizons", "40", "--growing", "1", "--long", "30", "60"]
    monkeypatch.setattr(sys, "argv", ["archive", *options, *scale])
    archive.main()
    shown = capsys.readouterr().out
    (row,) = [line for line in shown.splitlines() if "simulated" in line and "yes" in line]
    assert "40" in row
    for words in ("pieces of a task with alpha in", "two arms (0.5, 0.6), T = 60", "the walk's seconds grow as T^"):
        assert words in shown
