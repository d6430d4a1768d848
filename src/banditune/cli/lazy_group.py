"""A group of commands that are imported when one is run: help and version are there at once."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

# Contexts and commands are Click's, or those of the copy of it that newer versions of Typer carry: no type is both.


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
        alone.command(name)(cls.wrap(function))
        return typer.main.get_command(alone)
