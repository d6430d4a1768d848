"""banditune reproduce."""

import json
import signal
import time
from pathlib import Path

import pytest

from banditune.experiments.catalogue import EXPERIMENTS
from banditune.experiments.machinery import figures, runner
from banditune.experiments.machinery.figures import can_draw
from tests.cli.command import COMMAND, banditune, started


def test_list_names_every_experiment() -> None:
    done = banditune("reproduce", "--list")
    assert done.returncode == 0
    for name in EXPERIMENTS:
        assert name in done.stdout
    listed = json.loads(banditune("reproduce", "--list", "--json").stdout)
    assert [each["name"] for each in listed] == list(EXPERIMENTS)


@pytest.mark.parametrize("arguments", [["tabel-qd"], [], ["table-qd", "--all"]])
def test_what_cannot_be_meant_is_answered_with_the_names(arguments: list[str], tmp_path: Path) -> None:
    done = banditune("reproduce", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert ", ".join(EXPERIMENTS) in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_interrupted_work_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [*COMMAND, "reproduce", "table-qd", "--quick", "--workers", "1"]
    with started([*command, "--out", "stopped"], cwd=tmp_path) as process:
        units = tmp_path / "stopped" / "units" / "table-qd"
        deadline = time.monotonic() + 120
        while not list(units.glob("*.npz")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "interrupted" in stderr
    assert "finished parts are checkpointed" in " ".join(stderr.split())
    kept = {path: path.stat().st_mtime_ns for path in units.glob("*.npz")}
    assert 1 <= len(kept) < 12
    assert not (tmp_path / "stopped" / "table-qd.json").exists()
    monkeypatch.setattr(figures, "DOTS_AN_INCH", 40)  # of a figure that nobody looks at
    resumed = banditune(*command[3:], "--out", "stopped", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert can_draw() == (tmp_path / "stopped" / "table-qd.png").exists()
    monkeypatch.setattr(runner, "can_draw", lambda: False)
    whole = banditune(*command[3:], "--workers", "2", "--out", "whole", "--json", cwd=tmp_path)
    assert json.loads(whole.stdout)["table-qd"] == json.loads((tmp_path / "stopped" / "table-qd.json").read_text())
    assert "agrees?" in resumed.stdout
    assert "28.26 ± 1.05" in resumed.stdout


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    done = banditune("reproduce", "table-qd", "--quick", "--out", "results", cwd=tmp_path)
    assert done.returncode == 2
    assert "results" in done.stderr
