"""Options that several commands have in common, as one argument: declared once, in the signature of what reads them."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import wraps
from itertools import chain
from typing import Any

KEYWORD = inspect.Parameter.KEYWORD_ONLY


@dataclass(frozen=True, slots=True)
class Group:
    """Options that commands take as one argument, `name: Annotated[Kind, Group(build)]`: those that `build` takes.

    `without` are those that a command leaves out. `declare` lists others instead, by the names that are taken.
    """

    build: Callable[..., Any]
    without: Collection[str] = ()
    declare: Callable[[Collection[str]], Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Taker:
    """A command, or what builds a group: for each argument, the option or the taker of several that make it."""

    function: Callable[..., Any]
    arguments: Mapping[str, "inspect.Parameter | Taker"]

    @classmethod
    def of(cls, function: Callable[..., Any], taken: Collection[str] | None, without: Collection[str] = ()) -> "Taker":
        """Read a signature; where it is not known yet which names are `taken`, groups that declare others are empty."""
        arguments: dict[str, inspect.Parameter | Taker] = {}
        for each in inspect.signature(function).parameters.values():
            known = (one for one in getattr(each.annotation, "__metadata__", ()) if isinstance(one, Group))
            group = next(known, None)
            if group is None:
                arguments |= {} if each.name in without else {each.name: each.replace(kind=KEYWORD)}
            elif group.declare is None:
                arguments[each.name] = cls.of(group.build, taken, {*without, *group.without})
            else:
                declared = {} if taken is None else group.declare(taken)
                options = {
                    name: inspect.Parameter(name, KEYWORD, annotation=kind, default=None)
                    for name, kind in declared.items()
                }
                arguments[each.name] = cls(group.build, options)
        return cls(function, arguments)

    def list_options(self) -> list[inspect.Parameter]:
        """Return all options, each group's in its place."""
        listed = (each.list_options() if isinstance(each, Taker) else [each] for each in self.arguments.values())
        return list(chain.from_iterable(listed))

    def call(self, given: Mapping[str, Any]) -> Any:
        """Call it with what was given for the options."""
        return self.function(
            **{
                name: each.call(given) if isinstance(each, Taker) else given[name]
                for name, each in self.arguments.items()
            }
        )


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of its groups, each in the place of the group."""
    taker = Taker.of(command, [each.name for each in Taker.of(command, None).list_options()])
    options = taker.list_options()

    @wraps(command)
    def run(**given: Any) -> None:
        taker.call(given)

    vars(run)["__signature__"] = inspect.Signature(options)  # what Typer makes the options from
    run.__annotations__ = {each.name: each.annotation for each in options}
    return run
