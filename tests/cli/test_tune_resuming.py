"""banditune tune --resume and --cluster, as a person meets them."""

import json
from pathlib import Path

import pytest

import banditune as bt
from tests.cli.command import banditune
from tests.distributed.logs import write_parts

ASKED = ("--horizon", "25", "--alpha", "0", "2")


def answer_of(*arguments: str) -> dict[str, object]:
    done = banditune("tune", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"seconds": None}


def test_folder_of_a_call_in_python_is_taken_up_by_the_command(tmp_path: Path) -> None:
    (log,) = write_parts(tmp_path, 1)
    bt.tune(bt.UCB, bt.read_log(log), horizon=25, alpha=(0.0, 2.0), resume=tmp_path / "kept")
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").rglob("*.npz")}
    assert answer_of(str(log), *ASKED, "--resume", str(tmp_path / "kept")) == answer_of(str(log), *ASKED)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").rglob("*.npz")} == files


def test_resumed_run_gives_the_same_answer_and_another_question_is_rejected(tmp_path: Path) -> None:
    (log,) = write_parts(tmp_path, 1)
    kept = str(tmp_path / "kept")
    plain = answer_of(str(log), *ASKED)
    assert answer_of(str(log), *ASKED, "--resume", kept) == plain
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").rglob("*.npz")}
    assert files
    assert answer_of(str(log), *ASKED, "--resume", kept) == plain
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").rglob("*.npz")} == files
    rejected = banditune("tune", str(log), "--horizon", "26", "--alpha", "0", "2", "--resume", kept)
    assert rejected.returncode == 2
    assert "work of another run: horizon was 25 and is 26" in rejected.stderr.replace("\n", " ")


def test_nothing_is_lost_or_left_in_a_folder_of_other_things(tmp_path: Path) -> None:
    (log,) = write_parts(tmp_path, 1)
    thesis = tmp_path / "home" / "docs" / ".thesis.tex.part"
    thesis.parent.mkdir(parents=True)
    thesis.write_text("mine")
    changed = (tmp_path / "home").stat().st_mtime_ns
    rejected = banditune("tune", str(log), *ASKED, "--resume", str(tmp_path / "home"))
    assert rejected.returncode == 2
    assert "must be empty or hold the checkpoints of a run" in " ".join(rejected.stderr.split())
    assert thesis.read_text() == "mine"
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["docs"]
    assert (tmp_path / "home").stat().st_mtime_ns == changed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--skip-broken",), "need --cluster"),
        (("--breakpoints", "5000"), "need --cluster"),
        (("--cluster", "local", "--skip-broken"), "a LOG that workers read file by file"),
        (
            ("LOG", "--cluster", "local", "--prior-means", "0", "1", "--skip-broken"),
            "one parameter of a policy such as",
        ),
        (
            ("LOG", "--cluster", "local", "--policy", "gpucb", "--parameter", "lr", "--breakpoints", "5000"),
            "one parameter of a policy such as",
        ),
    ],
)
def test_what_cannot_be_meant_is_told(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    given = [str(tmp_path / "log.parquet") if each == "LOG" else each for each in arguments]
    done = banditune("tune", *given)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_local_cluster_gives_the_answer_of_one_process(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    write_parts(tmp_path / "log", 3)
    once = (*ASKED, "--draws", "1")  # as a cluster draws, if nothing is said
    done = banditune("tune", str(tmp_path / "log"), *ASKED, "--cluster", "local", "--workers", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert "Dashboard: http" in done.stderr
    assert json.loads(done.stdout) | {"seconds": None} == answer_of(str(tmp_path / "log"), *once)
