"""What the command says on stderr while it works: how long it will take, and where an ended run goes on."""

from pathlib import Path

import pytest

from banditune.cli.output import Estimate
from banditune.cli.signals import Terminated, tell_resumption


def test_long_work_is_announced_once_from_its_first_seconds() -> None:
    estimate = Estimate(2)
    assert estimate.update(4, 1000, now=60.0) == []  # after a minute of compiling, which is not counted
    assert estimate.update(8, 1000, now=61.0) == []
    assert estimate.update(14, 1000, now=62.0) == ["This takes about 3 minutes on 2 cores."]
    assert estimate.update(20, 1000, now=63.0) == []


def test_short_work_is_not_announced() -> None:
    estimate = Estimate(1)
    estimate.update(1, 100, now=0.0)
    assert estimate.update(31, 100, now=3.0) == []
    assert estimate.update(32, 100, now=9.0) == []


def test_a_run_that_is_ended_says_where_it_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in (KeyboardInterrupt(), Terminated(15)):
        with pytest.raises(type(ending)), tell_resumption(tmp_path):
            raise ending
        assert f"with --resume {tmp_path}, goes on" in capsys.readouterr().err
    for folder, ending in (
        (tmp_path, ValueError()),
        (None, KeyboardInterrupt()),
        (tmp_path / "x", KeyboardInterrupt()),
    ):
        with pytest.raises(type(ending)), tell_resumption(folder):
            raise ending
        assert capsys.readouterr().err == ""
