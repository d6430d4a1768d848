"""The options that several commands have, and how their numbers are read."""

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Annotated, Any, Optional, get_args

import typer

KEYWORD = inspect.Parameter.KEYWORD_ONLY
COLUMNS = ("task", "arm", "reward", "time", "pulls", "successes", "mean", "sd", "features", "propensity")
ARGUMENTS = {name: name for name in (*COLUMNS, "bound", "format", "query", "rollout", "tail")} | {
    "parameters": "parameter",
    "reward_range": "reward-range",
}

VALUES = (
    "draws",
    "format",
    "horizon",
    "loss",
    "policy",
    "recommend",
    "rollout",
    "seed",
    "tail",
)  # as Python calls them


def name_options(message: str) -> str:
    """Name the options where an error of Python's speaks of arguments: `task=` and `horizon must be` are options here.

    >>> name_options("give bound=, or the limits of the rewards (limits= of bt.Task, reward_range= of bt.read_log)")
    'give --bound, or the limits of the rewards (--reward-range)'
    >>> name_options("horizon must be a whole number from 1, got 0")
    '--horizon must be a whole number from 1, got 0'
    """
    message = re.sub(r'only=\{"(\w+)": \.\.\.\}', r"--only \1=NAME", message)
    message = re.sub(r'\b(successes)="(\w+)"', r"--\1 \2", message)
    message = re.sub(rf"^(?=({'|'.join(VALUES)}) must be )", "--", message)
    without_places = re.sub(r"(\w=) of bt\.\w+", r"\1", re.sub(r"\w+= of bt\.Task, ", "", message))
    argument = rf"(?<![\w=-])({'|'.join(ARGUMENTS)})=(?=[\s,.;)]|$)"
    return re.sub(argument, lambda found: "--" + ARGUMENTS[found[1]], without_places)


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


def with_options(
    together: str, make_options: Callable[[Collection[str]], Mapping[str, Any]], build: Callable[..., Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator of commands that adds options, and hands them over as one argument that `build` makes.

    `make_options` is called with the names that the command has taken.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [each for name, each in inspect.signature(command).parameters.items() if name != together]
        options = make_options([each.name for each in own])

        @wraps(command)
        def run(**given: Any) -> None:
            built = build(**{name: given.pop(name) for name in options})
            command(**given, **{together: built})

        added = [
            inspect.Parameter(name, KEYWORD, annotation=kind, default=False if get_args(kind)[0] is bool else None)
            for name, kind in options.items()
        ]
        signature = [each.replace(kind=KEYWORD) for each in (*own, *added)]
        vars(run)["__signature__"] = inspect.Signature(signature)  # what Typer makes the options from
        run.__annotations__ = {each.name: each.annotation for each in signature}
        return run

    return decorate


def whole_option(help_text: str, default: str | bool, shown_as: str = "N") -> Any:
    """Declare an option that takes a whole number; `default` is what is shown where none is given."""
    return typer.Option(parser=whole, metavar=shown_as, help=help_text, show_default=default)


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
Logs = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Argument(
        metavar="LOG",
        help="Files, glob patterns or folders of past tasks, or - for CSV from standard input; bundled tasks if none.",
    ),
]
Horizon = Annotated[
    Optional[int],  # noqa: UP045
    whole_option("Rounds of a run.", "the median length of the tasks", "T"),
]
AlphaRange = Annotated[
    Optional[tuple[str, str]],  # noqa: UP045
    typer.Option(
        metavar="LOW HIGH",
        help="Range in which UCB's alpha is searched.",
        show_default="fits the scale of the rewards",
    ),
]
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
