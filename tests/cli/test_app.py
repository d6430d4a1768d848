"""What the commands have in common: help, version, shell completion."""

import os
import subprocess

import pytest
import typer

import banditune as bt
from banditune.cli.app import Commands
from tests.cli.command import COMMAND, banditune


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version_is_the_packages(option: str) -> None:
    assert banditune(option).stdout == f"banditune {bt.__version__}\n"


def test_module_runs_the_command_line() -> None:
    command = [*COMMAND[:1], "-m", "banditune", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"banditune {bt.__version__}\n"


@pytest.mark.parametrize("command", ["", "tune", "compare", "plan", "stop", "convert", "reproduce"])
def test_flags_are_shown_without_a_value(command: str) -> None:
    shown = banditune(*([command] if command else []), "--help").stdout
    assert "--help" in shown
    assert "bool" not in shown.lower()


@pytest.mark.parametrize("command", ["tune", "compare", "plan", "stop", "convert", "reproduce"])
def test_help_speaks_of_values_by_name_and_not_by_python_type(command: str) -> None:
    shown = banditune(command, "--help").stdout
    assert not [kind for kind in ("<str>", "<path>", "list[") if kind in shown]


def test_help_fits_its_lines_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.rstrip() for line in banditune("tune", "--help").stdout.splitlines()]
    assert " of A/B tests (task, arm, pulls, successes), as CSV, Parquet or JSON lines." in lines
    first = lines.index("   UCB: mean + sqrt(alpha ln t / pulls)")
    assert lines[first + 1].startswith("   LinUCB: ")  # indented lines stay lines
    assert " banditune tune mails.csv --policy linucb --arm mail --reward visited" in lines


def test_brackets_in_help_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'pip install "banditune[plot]"' in banditune("reproduce", "--help").stdout

    def odd(given: str = typer.Option("", "--odd", help="Takes [red] and [/].")) -> None:
        """Do something with [bold] letters."""

    monkeypatch.setattr("banditune.cli.convert.convert", odd)
    shown = banditune("convert", "--help").stdout
    assert "Takes [red] and [/]." in shown
    assert "with [bold] letters" in shown


def test_shells_complete_commands_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")  # whatever shell the tests are started from
    assert "complete" in banditune("--show-completion", "bash").stdout

    def complete(*words: str) -> list[str]:
        asked = {
            "_BANDITUNE_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
        }
        as_installed = [*COMMAND[:2], f"import sys; sys.argv = ['banditune']; {COMMAND[2]}"]
        done = subprocess.run(as_installed, capture_output=True, text=True, env={**os.environ, **asked}, check=False)
        return done.stdout.split()

    assert complete("banditune", "co") == ["compare", "convert"]
    assert complete("banditune", "tune", "--hor") == ["--horizon"]
    assert sorted(complete("banditune", "")) == sorted(Commands.summaries)
