"""The commands, and what happens when one fails."""

import functools
from collections.abc import Callable
from typing import Annotated, ParamSpec

import typer

from banditune import __version__
from banditune.cli.compare import compare
from banditune.cli.convert import convert
from banditune.cli.plan import plan
from banditune.cli.reproduce import reproduce
from banditune.cli.signals import Terminated, signal_behind
from banditune.cli.tune import tune
from banditune.errors import BanditTuneError

P = ParamSpec("P")

app = typer.Typer(
    name="banditune",
    help="Learn a bandit's exploration from the tasks you have already run.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def explain_failures(command: Callable[P, None]) -> Callable[P, None]:
    """The command with its failures told in a line. Exit 2: the user can mend it; 130, 143, 129: ended by a signal."""

    @functools.wraps(command)
    def run(*args: P.args, **options: P.kwargs) -> None:
        try:
            command(*args, **options)
        except BanditTuneError as error:
            typer.secho(f"banditune: {error}", fg="red", err=True)
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


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"banditune {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn a bandit's exploration from the tasks you have already run."""


app.command()(explain_failures(tune))
app.command()(explain_failures(compare))
app.command()(explain_failures(plan))
app.command()(explain_failures(convert))
app.command()(explain_failures(reproduce))
