"""What the documents show works: their snippets run, their commands run, their links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

from banditune.cli.app import Commands
from tests.cli.command import banditune

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
                done = banditune(*shlex.split(line)[1:])
                assert done.returncode == 0, f"{line}: {done.stderr}"


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


def test_set_up_commands_are_run_in_a_new_environment_by_ci() -> None:
    """There, not here: with nothing but Python and pip, they take as long as many tests."""
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    places = [steps.index(part) for command in SET_UP for part in command.split(" && ")]
    assert places == sorted(places)


def test_readme_shows_what_the_first_command_prints() -> None:
    (shown,) = [block for _, block in blocks(ROOT / "README.md", "text") if "loses least" in block]
    printed = banditune("tune").stdout

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
    assert shown in banditune(*shlex.split(command)[1:]).stderr


def test_map_of_the_repository_names_what_is_there() -> None:
    (text,) = [block for _, block in blocks(ROOT / "README.md", "text") if "src/banditune/" in block]
    package = ROOT / "src" / "banditune"
    for path in package.iterdir():
        if not path.name.startswith("_") and path.name != "py.typed" and not path.name.endswith(".egg-info"):
            assert path.name in text, path.name
