"""The commands, and what happens when one fails."""

import sys
from typing import Annotated

import typer

from banditune import __version__
from banditune.cli.tune import tune
from banditune.errors import BanditTuneError

app = typer.Typer(
    name="banditune",
    help="Learn a bandit's exploration from the tasks you have already run.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(tune)


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


def main() -> None:
    """Run the command line. Exit 0: done; 2: the user can mend it; 130: interrupted."""
    try:
        app()
    except BanditTuneError as error:
        typer.secho(f"banditune: {error}", fg="red", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        typer.secho("banditune: interrupted; nothing was written", fg="red", err=True)
        sys.exit(130)
