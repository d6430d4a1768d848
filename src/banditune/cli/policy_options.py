"""The options of the policies' own parameters: each policy says how its settings are given on the command line."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Optional

import typer

from banditune.cli.options import pair
from banditune.policies.base import Policy
from banditune.policies.parameters import Option, Parameter
from banditune.policies.registry import find_tunable_policies

PANEL = "Parameters of the policies"


def policy_options(taken: Collection[str] = ()) -> dict[str, Any]:
    """Return the options of all policies, by the name of the setting; policies may have one in common.

    Where the command has taken a name for something else, that of the policy stands before it.
    """
    declared: dict[str, list[tuple[str, Option, str]]] = {}
    for policy in find_tunable_policies().values():
        for name, setting in policy.parameters.items():
            if setting.option is not None:
                key = _with_policy(policy, name) if name in taken else name
                index = f" (index: {policy.index})" if isinstance(setting, Parameter) else ""
                declared.setdefault(key, []).append((policy.name, setting.option, index))
    return {name: _annotate(options) for name, options in declared.items()}


def read_settings(policy: type[Policy[Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that were given, ranges as two numbers."""
    own = {_with_policy(policy, name): name for name in policy.parameters}
    settings = {}
    for key, value in given.items():
        if not value:
            continue
        name = own.get(key, key)
        known = policy.parameters.get(name)
        is_range = isinstance(value, tuple) and (known is None or known.option is None or known.option.takes == "range")
        settings[name] = pair(f"--{key.replace('_', '-')}", value) if is_range else value
    return settings


def _with_policy(policy: type[Policy[Any]], name: str) -> str:
    return f"{policy.name}_{name}".replace("-", "_")


def _annotate(options: list[tuple[str, Option, str]]) -> Any:
    first = options[0][1]
    kind: Any = {"range": tuple[str, str], "values": list[first.of], "value": first.of}[first.takes]  # type: ignore[name-defined]
    grouped: dict[str, list[str]] = {}
    for policy, option, index in options:
        grouped.setdefault(f"{option.help}{index}", []).append(policy)
    text = "; ".join(f"{', '.join(policies)}: {each}" for each, policies in grouped.items())
    return Annotated[
        Optional[kind],  # noqa: UP045  # what Typer reads best
        typer.Option(
            metavar=first.metavar, help=f"{text}.", show_default=first.default or False, rich_help_panel=PANEL
        ),
    ]
