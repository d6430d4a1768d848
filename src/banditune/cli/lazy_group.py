"""A group of commands that are imported when one is run: help and version are there at once."""

from collections.abc import Callable, Mapping
from copy import copy
from importlib import import_module
from typing import Any, ClassVar

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

# Contexts and commands are Click's, or those of the copy of it that newer versions of Typer carry: no type is both.


class LiteralCommand(TyperCommand):
    """A command whose help is shown letter by letter: Rich would take what stands in [brackets] for its markup."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with what Rich would swallow escaped."""
        shown = copy(self)
        shown.help, shown.params = escape(self.help or ""), [copy(each) for each in self.params]
        for each in shown.params:
            each.help = escape(getattr(each, "help", None) or "")  # type: ignore[attr-defined]
        TyperCommand.format_help(shown, ctx, formatter)


class LazyGroup(TyperGroup):
    """Commands by name, each a function of that name in a module of that name."""

    package: ClassVar[str]
    summaries: ClassVar[Mapping[str, str]]  # what the list of commands says of each
    wrap: ClassVar[Callable[..., Any]]  # what a command is wrapped in

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
        function: Any = getattr(import_module(f"{cls.package}.{name}"), name)
        alone = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
        alone.command(name, cls=LiteralCommand)(cls.wrap(function))
        return typer.main.get_command(alone)
