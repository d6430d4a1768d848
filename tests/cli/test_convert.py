"""banditune convert as a person uses it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

import banditune as bt
from banditune.cli.app import app
from banditune.policies.registry import find_tunable


def convert(*arguments: str | os.PathLike[str]) -> Result:
    return CliRunner().invoke(app, ["convert", *map(os.fspath, arguments)])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    tuned = bt.tune(bt.UCB, [bt.Task([[0.0, 1.0], [1.0, 1.0]])], horizon=10, alpha=(0.0, 1.0))
    tuned.save(tmp_path / "tuned.json")
    return tmp_path / "tuned.json"


@pytest.mark.parametrize("library", find_tunable("ucb").exports)
def test_script_is_what_python_prints(saved: Path, library: str) -> None:
    done = convert(saved, "--to", library)
    assert done.exit_code == 0, done.stderr
    assert done.stdout == str(bt.load(saved).to(library))
    assert done.stdout.startswith("# The same ")
    compile(done.stdout, library, "exec")


def test_json_is_one_object_on_stdout_that_agrees_with_python(saved: Path) -> None:
    converted = bt.load(saved).to("river")
    assert json.loads(convert(saved, "--to", "river", "--json").stdout) == {
        "library": "river",
        "params": dict(converted),
        "code": converted.code,
        "remark": converted.remark,
    }


@pytest.mark.parametrize("library", ["mabwiser", "growthbook"])
def test_what_cannot_be_carried_over_is_told(tmp_path: Path, library: str) -> None:
    task = bt.Task([[0.0, 1.0], [1.0, 1.0]], arms=["call", "letter"])
    how: dict[str, Any] = {"costs": {"call": 0.25}, "loss": "rollout", "rollout": 50, "recommend": "pulls"}
    tuned = bt.tune(bt.UCB, [task], horizon=10, alpha=(0.0, 1.0), updates=bt.Batches(3, floor=0.1), **how)
    tuned.save(tmp_path / "tuned.json")
    told = " ".join(convert(tmp_path / "tuned.json", "--to", library).stdout.replace("\n# ", " ").split())
    assert "net of costs (call 0.25): subtract them from each reward, which this code does not" in told
    assert "rewards known in batches of 3 rounds, at least 10.00% of the rounds for each arm: run it that way" in told
    assert "runs of 10 rounds, after which the arm with the most pulls is used" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing option '--to'"),
        (
            ["--to", "vowpal"],
            "--to must be one of mabwiser, river, smpybandits, banditpylib, or a platform (growthbook",
        ),
        (["--to", "river", "surplus"], "surplus"),
    ],
)
def test_mistake_is_explained_with_exit_code_2(saved: Path, arguments: list[str], message: str) -> None:
    done = convert(saved, *arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"format": "banditune.tuned/1"}', "[" * 99_999])
def test_file_that_is_missing_or_broken_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "tuned.json"
    if text is not None:
        path.write_text(text)
    done = convert(path, "--to", "mabwiser")
    assert done.exit_code == 2
    assert "tuned.json" in done.stderr
    assert done.stdout == ""


def test_help_names_every_library_and_an_example() -> None:
    shown = convert("--help").stdout
    for word in (*find_tunable("ucb").exports, "--to", "--json", "TUNED", "Example:"):
        assert word in shown
