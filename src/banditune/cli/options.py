"""The options that several commands have alone, how their numbers are read, and how errors name them."""

import re
from collections.abc import Collection
from typing import Annotated, Any, Optional

import typer

COLUMNS = ("task", "arm", "reward", "time", "pulls", "successes", "mean", "sd", "features", "propensity")
FURTHER = ("bound", "certify", "epsilon", "format", "query", "racing", "rollout", "tail")
ARGUMENTS = {name: name for name in (*COLUMNS, *FURTHER)} | {
    "parameters": "parameter",
    "prior_means": "prior-means",
    "reward_range": "reward-range",
}

VALUES = (  # as Python calls them
    *("bound", "breakpoints", "certify", "current", "delimiter", "delta", "draws", "epsilon", "floor", "format"),
    *("horizon", "least", "loss", "memory", "policy", "recommend", "reward_range", "rollout", "seed", "tail"),
)
RENAMED = {"check_every": "every", "costs": "cost", "library": "to"}  # by what Python calls them


def name_options(message: str, given: Collection[str] = ()) -> str:
    """Name the options where an error of Python's speaks of arguments: `task=` and `horizon must be` are options here.

    An argument of several options is that of a policy if it is among those that were `given`.

    >>> name_options("give bound=, or the limits of the rewards (limits= of bt.Task, reward_range= of bt.read_log)")
    'give --bound, or the limits of the rewards (--reward-range)'
    >>> name_options("horizon must be a whole number from 1, got 0")
    '--horizon must be a whole number from 1, got 0'
    >>> name_options("the range of prior_means must have low < high, got (1, 0)")
    '--prior-means must have low < high, got (1, 0)'
    >>> name_options('UCB has no parameter "ridge"; it has alpha')
    'UCB has no --ridge, which is an option of linucb, lints'
    >>> name_options("the low end of pulls must be at least 1, got 0", ["explorethencommit_pulls"])
    'the low end of --explorethencommit-pulls must be at least 1, got 0'
    """
    message = re.sub(r'only=\{"(\w+)": \.\.\.\}', r"--only \1=NAME", message)
    message = re.sub(r'\b(successes)="(\w+)"', r"--\1 \2", message)
    message = re.sub(r'has no parameter "(\w+)"; .*', _name_owners, message)
    message = re.sub(
        r"^(?:the range of )?(the (?:low|high) end of )?(\w+)(?=\[|: | must | needs | is for )",
        lambda found: (found[1] or "") + _name_option(found[2], given),
        message,
    )
    without_places = re.sub(r"(\w=) of bt\.\w+", r"\1", re.sub(r"\w+= of bt\.Task, ", "", message))
    argument = rf"(?<![\w=-])({'|'.join(ARGUMENTS)})=(?=[\s,.;)]|$)"
    return re.sub(argument, lambda found: "--" + ARGUMENTS[found[1]], without_places)


def _name_option(argument: str, given: Collection[str]) -> str:
    """Return the option that an argument is given by, if there is one."""
    owners = _list_owners(argument)
    own = (f"{owner}_{argument}".replace("-", "_") for owner in owners)
    known = RENAMED.get(argument, argument if argument in VALUES or owners else None)
    option = next((each for each in own if each in given), known)
    return argument if option is None else f"--{option.replace('_', '-')}"


def _name_owners(found: re.Match[str]) -> str:
    """Return which policies have a parameter that another has not, if any has."""
    owners = _list_owners(found[1])
    return f"has no --{found[1].replace('_', '-')}" + (f", which is an option of {', '.join(owners)}" if owners else "")


def _list_owners(setting: str) -> list[str]:
    """Return the names of the policies that have a parameter with an option."""
    from banditune.policies.registry import find_tunable_policies

    policies = find_tunable_policies().items()
    return [name for name, each in policies if setting in each.parameters and each.parameters[setting].option]


def whole(text: str) -> int:
    """Return a whole number."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"must be a whole number, got '{text}'") from None


def read_workers(given: int | None) -> int:
    """Return the number given with --workers; without it, one for each core."""
    from banditune.interruption import n_cores
    from banditune.validation import whole_number

    return n_cores() if given is None else whole_number("--workers", given, least=1)


def pair(option: str, texts: tuple[str, str]) -> tuple[float, float]:
    """Return the two numbers given for an option."""
    return _real(option, texts[0]), _real(option, texts[1])


def _real(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"must be a number, got '{text}'", param_hint=option) from None


def whole_option(help_text: str, default: str | bool, shown_as: str = "N") -> Any:
    """Declare an option that takes a whole number; `default` is what is shown where none is given."""
    return typer.Option(parser=whole, metavar=shown_as, help=help_text, show_default=default)


def panel_option(
    panel: str, shown_as: str, help_text: str, *names: str, default: str | bool = False, **how: Any
) -> Any:
    """Declare an option that the help shows in a panel; `default` is what is shown where none is given."""
    return typer.Option(*names, metavar=shown_as, help=help_text, show_default=default, rich_help_panel=panel, **how)


def draws_option(what: str, default: str) -> Any:
    """Declare --draws: what is drawn, and how many where no number is given."""
    return whole_option(f"{what} whose order or length is not recorded.", default)


def example_option(default: str) -> Any:
    """Declare --example, which takes bundled tasks instead of a log."""
    text = "Bundled tasks instead of a log: lcdb, or headlines."
    return typer.Option(metavar="NAME", help=text, show_default=default)


def out_option(written: str) -> Any:
    """Declare --out: what is written to a folder."""
    return typer.Option(metavar="DIR", help=f"Write {written} to this folder.")


# Optional is what Typer reads best.
Seed = Annotated[int, whole_option("Random seed.", True)]
Workers = Annotated[
    Optional[int],  # noqa: UP045
    whole_option("Number of threads.", "one per core"),
]
Bound = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        metavar="H",
        help="Largest possible loss of a run.",
        show_default="follows from --reward-range; 0/1 rewards for totals",
    ),
]
Unit = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        metavar="NAME",
        help="What rewards are counted in, such as clicks.",
        show_default="the name of the column of the rewards or successes",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
