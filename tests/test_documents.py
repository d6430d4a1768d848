"""What the documents show works: their snippets run, their commands run, their links lead somewhere."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from banditune.cli.app import Commands

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/*.md")])
SET_UP = ("pip install . && banditune tune", 'pip install ".[test]" && pytest')


def blocks(document: Path, languages: str) -> list[tuple[str, str]]:
    """The blocks in some languages, each with its language."""
    text = document.read_text(encoding="utf-8")
    return re.findall(rf"^```({languages})\n(.*?)^```", text, flags=re.M | re.S)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_snippets_and_commands_run_in_their_order(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for language, code in blocks(document, "python|sh"):
        if language == "python":
            exec(compile(code, document.name, "exec"), names)
            continue
        for line in code.splitlines():
            if line.startswith("banditune "):
                command = [sys.executable, "-c", "from banditune.cli import main; main()", *shlex.split(line)[1:]]
                subprocess.run(command, check=True, capture_output=True)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_every_command_and_option_is_documented() -> None:
    text = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("quickstart.md", "logs.md"))
    for name in Commands.summaries:
        command = Commands.load(name)
        assert f"banditune {name}" in text
        for parameter in command.params:
            for option in parameter.opts:
                assert option == "--help" or not option.startswith("-") or f"`{option}" in text, option


def test_readme_has_just_two_set_up_commands() -> None:
    shown = [line for _, block in blocks(ROOT / "README.md", "sh") for line in block.splitlines()]
    assert tuple(shown) == SET_UP


def test_readme_shows_what_the_first_command_prints() -> None:
    (shown,) = [block for _, block in blocks(ROOT / "README.md", "text") if "loses least" in block]
    command = [sys.executable, "-c", "from banditune.cli import main; main()", "tune"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def without_seconds(text: str) -> list[str]:
        return re.sub(r"[0-9.]+ s\.", "", text).split()

    assert without_seconds(printed) == without_seconds(shown)


def test_the_account_shown_is_the_one_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = ROOT / "docs" / "logs.md"
    monkeypatch.chdir(tmp_path)
    (code, *_), (command, *_), (shown, *_) = (
        [b for _, b in blocks(document, kind)] for kind in ("python", "sh", "text")
    )
    exec(compile(code, document.name, "exec"), {})
    run = [sys.executable, "-c", "from banditune.cli import main; main()", *shlex.split(command)[1:]]
    assert shown in subprocess.run(run, check=True, capture_output=True, text=True).stderr


def test_map_of_the_repository_names_what_is_there() -> None:
    (text,) = [block for _, block in blocks(ROOT / "README.md", "text") if "src/banditune/" in block]
    package = ROOT / "src" / "banditune"
    for path in package.iterdir():
        if not path.name.startswith("_") and path.name != "py.typed" and not path.name.endswith(".egg-info"):
            assert path.name in text, path.name


def test_first_set_up_command_works_in_a_fresh_environment(tmp_path: Path) -> None:
    """pip install . && banditune tune, from a copy of the repository, with nothing but Python and pip."""
    clone = tmp_path / "banditune"
    kept = ("src", "pyproject.toml", "README.md", "LICENSE")
    for name in kept:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, clone / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            clone.mkdir(exist_ok=True)
            shutil.copy(source, clone / name)
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    kept_environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    environment = kept_environment | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    reached = subprocess.run(
        [scripts / "pip", "download", "--no-deps", "--dest", tmp_path / "reached", "typer"],
        capture_output=True,
        check=False,
    )
    if reached.returncode != 0:
        pytest.skip("no package index can be reached")
    done = subprocess.run(
        SET_UP[0], shell=True, cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "loses least" in done.stdout
