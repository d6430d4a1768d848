"""The options that several commands have: how logs are read, seeds, workers."""

from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from banditune.cli.numbers import whole

OF_A_LOG = "How to read a log"


def log_option(*names: str, shown_as: str, help_text: str, default: str | None = None) -> Any:
    """An option of reading a log."""
    return typer.Option(
        *names, metavar=shown_as, help=help_text, show_default=default or False, rich_help_panel=OF_A_LOG
    )


def column_option(wanted: str, *names: str, help_text: str) -> Any:
    """The option that names a column."""
    return log_option(*names, shown_as="COLUMN", help_text=help_text, default=wanted)


# Optional is what Typer reads best.
Logs = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Argument(metavar="LOG", help="Files, patterns or folders of past tasks. None: bundled ones."),
]
TaskColumn = Annotated[Optional[str], column_option("task", help_text="The task of a row.")]  # noqa: UP045
ArmColumn = Annotated[Optional[str], column_option("arm", help_text="The arm of a row.")]  # noqa: UP045
RewardColumn = Annotated[Optional[str], column_option("reward", help_text="What the pull gave.")]  # noqa: UP045
TimeColumn = Annotated[
    Optional[str],  # noqa: UP045
    column_option("as the rows stand", "--time", help_text="When it was: the order of the rewards."),
]
PullsColumn = Annotated[
    Optional[str],  # noqa: UP045
    column_option("pulls", help_text="Of totals: how often the arm was pulled."),
]
SuccessesColumn = Annotated[
    Optional[str],  # noqa: UP045
    column_option("successes", help_text="Of totals: how often that was a success."),
]
Like = Annotated[
    Optional[Path],  # noqa: UP045
    log_option(shown_as="TUNED", help_text="Take the columns from an earlier tuned.json."),
]
Delimiter = Annotated[
    Optional[str],  # noqa: UP045
    log_option(shown_as="C", help_text="What separates the fields of a text file.", default="found out"),
]
RewardRange = Annotated[
    Optional[tuple[str, str]],  # noqa: UP045
    log_option(shown_as="LOW HIGH", help_text="Refuse rewards outside this range."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Make anything odd in the log an error.", rich_help_panel=OF_A_LOG)
]
Memory = Annotated[
    Optional[str],  # noqa: UP045
    log_option(shown_as="SIZE", help_text="What sorting may hold, such as 2GB.", default="most of the machine's"),
]
Seed = Annotated[int, typer.Option(parser=whole, metavar="N", help="Where the random numbers start.")]
Workers = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(parser=whole, metavar="N", help="Threads to work with.", show_default="one for each core"),
]
Bound = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        metavar="H",
        help="The largest loss possible in a game.",
        show_default="follows from --reward-range; rewards of totals are 0 or 1",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
