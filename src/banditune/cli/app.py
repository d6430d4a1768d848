"""The commands, and what happens when one fails."""

import functools
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated, ClassVar, ParamSpec

import typer

from banditune import __version__
from banditune.cli.lazy_group import LazyGroup
from banditune.cli.options import name_options
from banditune.cli.signals import Terminated, signal_behind
from banditune.errors import BanditTuneError

P = ParamSpec("P")


def explain_failures(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command so that its failures are one line. Exit 2: the user can mend it; 130, 143, 129: a signal."""

    @functools.wraps(command)
    def run(*args: P.args, **options: P.kwargs) -> None:
        try:
            command(*args, **options)
        except BanditTuneError as error:
            typer.secho(f"banditune: {name_options(str(error))}", fg="red", err=True)
            raise typer.Exit(2) from None
        except OSError as error:  # all other files are written with errors of our own
            _end_output()
            typer.secho(f"banditune: cannot write the output: {error.strerror or error}", fg="red", err=True)
            raise typer.Exit(2) from None
        except MemoryError as error:
            typer.secho(f"banditune: there is not enough memory: {error or 'no more could be had'}", fg="red", err=True)
            raise typer.Exit(2) from None
        except (KeyboardInterrupt, Terminated, SystemError) as error:
            number = signal_behind(error)
            if number is None:
                raise
            raise typer.Exit(128 + number) from None  # `main` tells it

    return run


def _end_output() -> None:
    """Have what is left of the output go nowhere, where Python would fail on it again when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Commands(LazyGroup):
    """The commands of banditune."""

    package = "banditune.cli"
    summaries: ClassVar[Mapping[str, str]] = {
        "tune": "Learn the exploration parameter with the least mean loss on past tasks, exactly.",
        "compare": "Compare tuned policies with baselines on held-out tasks.",
        "plan": "Estimate how many tasks are needed, from a few pilot tasks.",
        "convert": "Print a script with the same exploration in another library, and what differs there.",
        "reproduce": "Run the paper's experiments, and report where the results agree with it.",
    }
    wrap = staticmethod(explain_failures)


app = typer.Typer(
    name="banditune",
    cls=Commands,
    help="Learn a bandit's exploration from the tasks you have already run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"banditune {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn a bandit's exploration parameter from past tasks."""
