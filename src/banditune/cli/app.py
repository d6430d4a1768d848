"""The commands, each imported when it is run, so that help is there at once; and what happens when one fails."""

import functools
import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from importlib import import_module
from typing import Annotated, Any, ClassVar, ParamSpec

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

from banditune import __version__
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
            given = [name for name, value in options.items() if value is not None]
            typer.secho(f"banditune: {name_options(str(error), given)}", fg="red", err=True)
            raise typer.Exit(2) from None
        except OSError as error:  # all other files are written with errors of our own
            _end_output()
            typer.secho(f"banditune: cannot write the output: {error.strerror or error}", fg="red", err=True)
            raise typer.Exit(2) from None
        except MemoryError as error:
            typer.secho(f"banditune: there is not enough memory: {error or 'no more could be had'}", fg="red", err=True)
            raise typer.Exit(2) from None
        except (KeyboardInterrupt, Terminated, RuntimeError, SystemError) as error:
            number = signal_behind(error)
            if number is None:
                raise
            raise typer.Exit(128 + number) from None  # `main` tells it

    return run


def _end_output() -> None:
    """Have what is left of the output go nowhere, where Python would fail on it again when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# Contexts and commands are Click's, or those of the copy of it that newer versions of Typer carry: no type is both.


class Parsing:
    """How commands read their options: those that were not given have their defaults as they are, and text is text.

    To convert the defaults of some fifty options takes a tenth of a second, and they are of the right type.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options; the help shows nothing behind flags, which take no value."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in params:
            if getattr(each, "is_flag", False):
                each.metavar = ""
        return params

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options."""
        for option in self.get_params(ctx):
            if not option.required:
                option.process_value = functools.partial(keep_default, option, type(option).process_value)
        return super().parse_args(ctx, args)  # type: ignore[misc,no-any-return]


def keep_default(option: Any, process: Callable[[Any, Any, Any], Any], ctx: Any, value: Any) -> Any:
    """Process the value of an option, unless it is the default, or text for one that takes any."""
    source, kind = ctx.get_parameter_source(option.name), getattr(option, "type_descriptor", None)
    is_text = isinstance(value, str) and kind is not None and kind.annotation is str
    if not is_text and (source is None or source.name != "DEFAULT"):
        return process(option, ctx, value)
    return value if option.callback is None else option.callback(ctx, option, value)


def join_lines(text: str) -> str:
    r"""Join the lines of each paragraph, made for the width of a source file; commands and indented lines stay lines.

    >>> join_lines("A row for\neach pull.\n\nExample:\nbanditune tune log.csv")
    'A row for each pull.\n\nExample:\nbanditune tune log.csv'
    """
    return re.sub(r"(?<!\n)\n(?!\n| |banditune )", " ", inspect.cleandoc(text))


class LiteralCommand(Parsing, TyperCommand):
    """A command whose help is shown letter by letter: Rich would take what stands in [brackets] for its markup."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with what Rich would swallow escaped; arguments are shown by name alone, without types."""
        shown = copy(self)
        shown.help, shown.params = escape(join_lines(self.help or "")), [copy(each) for each in self.params]
        for each in shown.params:
            each.help = escape(getattr(each, "help", None) or "")  # type: ignore[attr-defined]
            if each.param_type_name == "argument":
                vars(each)["display_type_rich"] = lambda ctx: ""  # what newer versions of Typer ask for
        TyperCommand.format_help(shown, ctx, formatter)


class Commands(Parsing, TyperGroup):
    """The commands of banditune by name, each a function of that name in a module of that name."""

    summaries: ClassVar[Mapping[str, str]] = {  # what the list of commands says of each
        "tune": "Learn the exploration parameter with the least mean loss on past tasks, exactly.",
        "compare": "Compare tuned policies with baselines on held-out tasks.",
        "stop": "Learn from past tests when to stop a test and roll out its leader.",
        "plan": "Estimate how many tasks are needed, from a few pilot tasks.",
        "convert": "Print a script with the same exploration in another library, and what differs there.",
        "reproduce": "Run the paper's experiments, and report where the results agree with it.",
    }

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in their order."""
        return list(self.summaries)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command as the list of commands shows it."""
        return TyperCommand(cmd_name, help=self.summaries[cmd_name]) if cmd_name in self.summaries else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is run."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else self.load(name), rest

    @classmethod
    def load(cls, name: str) -> Any:
        """Import a command."""
        function: Any = getattr(import_module(f"banditune.cli.{name}"), name)
        alone = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
        alone.command(name, cls=LiteralCommand)(explain_failures(function))
        return typer.main.get_command(alone)


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
