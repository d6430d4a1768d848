"""What the documents show works: their snippets run, their commands run, their links and paths lead somewhere."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

import banditune as bt
from banditune.cli.app import Commands
from banditune.policies.registry import find_tunable_policies
from banditune.tuning import draw_count
from scripts.docs import hooks
from tests.baselines.registered import BASELINES
from tests.cli.command import banditune
from tests.deployment.conftest import KINDS

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "benchmarks/README.md", *PAGES]
WITH_ACCOUNT = ("logs.md", "vowpal-wabbit.md", "optuna.md")  # their first text is what the first command says of a log
SET_UP = ("pip install . && banditune tune --example headlines", 'pip install ".[test]" && pytest')


def name_document(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(text: str, languages: str) -> list[tuple[str, str]]:
    """The blocks in some languages, each with its language."""
    return re.findall(rf"^```({languages})\n(.*?)^```", text, flags=re.M | re.S)


def run_command(line: str) -> subprocess.CompletedProcess[str]:
    done = banditune(*shlex.split(line)[1:])
    assert done.returncode == 0, f"{line}: {done.stderr}"
    return done


@contextmanager
def few_draws() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("AFFORDABLE", "CHEAP"):
            patch.setattr(draw_count, limit, 0.0)
        yield


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_document)
def test_snippets_and_commands_run_in_their_order(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a snippet prints is the block of text right below it, if there is one.

    Where no numbers are shown, tasks are drawn as often as is always affordable, and no more. The account of a
    log that is shown is the one given.
    """
    monkeypatch.chdir(tmp_path)
    for needed in re.findall(r"^<!-- needs: (\w+) -->$", document.read_text(encoding="utf-8"), flags=re.M):
        pytest.importorskip(needed)
    names: dict[str, object] = {}
    parts = r"^```(python|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```)?"
    found = re.findall(parts, document.read_text(encoding="utf-8"), flags=re.M | re.S)
    shows_numbers = any(shown for _, _, shown in found)
    accounts = blocks(document.read_text(encoding="utf-8"), "text")[: document.name in WITH_ACCOUNT]
    for language, code, shown in found:
        if language == "python":
            capsys.readouterr()
            with few_draws() if not shows_numbers else nullcontext():
                exec(compile(code, document.name, "exec"), names)
            assert not shown or capsys.readouterr().out == shown
            continue
        for line in code.splitlines():
            if line.startswith("banditune "):
                with few_draws():
                    done = run_command(line)
                for _, account in accounts:
                    assert account in done.stderr
                accounts = []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_document)
def test_links_lead_to_files(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_document)
def test_modules_and_their_functions_are_where_the_document_says(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for name, path in re.findall(r"(?:`(\w+)` in )?`([\w./]*/\w+\.py)`", text):
        if "NAME" in path:
            continue
        (found,) = [root / path for root in (ROOT, ROOT / "src" / "banditune") if (root / path).exists()] or [None]
        assert found is not None, path
        assert not name or re.search(rf"^(def|class) {name}\b", found.read_text(encoding="utf-8"), flags=re.M), name


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES:
        assert re.search(rf"[ :]{page.relative_to(ROOT / 'docs').as_posix()}$", menu, flags=re.M), page


def test_every_public_name_is_in_the_reference() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    named = re.findall(r"^::: banditune\.([\w.]+)$", pages, flags=re.M)
    assert {*bt.__all__} <= {*named}
    assert {f"baselines.{baseline.__name__}" for baseline in BASELINES} <= {*named}
    assert {f"deployment.{store.__name__}" for store in KINDS.values()} <= {*named}


def test_every_policy_is_in_the_tables() -> None:
    reference = (ROOT / "docs/reference/policies.md").read_text(encoding="utf-8")
    for policy in find_tunable_policies().values():
        assert f"\n| `bt.{policy.__name__}` | " in reference


def test_every_command_and_option_is_in_the_reference() -> None:
    page = hooks.on_page_markdown((ROOT / "docs/reference/command-line.md").read_text(encoding="utf-8"))
    sections = dict(re.findall(r"^## banditune (\w+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
    for name in Commands.summaries:
        command = Commands.load(name)
        for parameter in command.params:
            for option in parameter.opts:
                assert option == "--help" or not option.startswith("-") or f"`{option}" in sections[name], option


def test_pages_include_what_they_name() -> None:
    for page in PAGES:
        shown = hooks.on_page_markdown(page.read_text(encoding="utf-8"))
        assert "<!-- include" not in shown
    assert "80 tasks" in hooks.include("README.md", "first command")
    with pytest.raises(ValueError, match="start: no such part"):
        hooks.include("README.md", "no such part")


def test_readme_has_just_two_set_up_commands() -> None:
    shown = [
        line
        for _, block in blocks((ROOT / "README.md").read_text(encoding="utf-8"), "sh")
        for line in block.splitlines()
    ]
    assert tuple(shown) == SET_UP


def test_set_up_commands_are_run_in_a_new_environment_by_ci() -> None:
    """There, not here: with nothing but Python and pip, they take as long as many tests."""
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command in SET_UP:
        places = [steps.index(part) for part in command.split(" && ")]
        assert places == sorted(places)


def test_readme_shows_what_the_first_command_prints() -> None:
    ((_, shown),) = blocks(hooks.include("README.md", "first command"), "text")

    def without_seconds(text: str) -> list[str]:
        return re.sub(r"[0-9.]+ s\.", "", text).split()

    assert without_seconds(run_command("banditune tune --example headlines").stdout) == without_seconds(shown)


def test_map_of_the_repository_names_what_is_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (text,) = [block for _, block in blocks(readme, "text") if "src/banditune/" in block]
    for path in (ROOT / "src" / "banditune").iterdir():
        if not path.name.startswith("_") and path.name != "py.typed" and not path.name.endswith(".egg-info"):
            assert path.name in text, path.name
