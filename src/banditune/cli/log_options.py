"""The options of reading a log, which several commands have, as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from banditune.cli.options import pair, with_options
from banditune.logs.formats.registry import names

OF_A_LOG = "How to read a log"


def log_option(*names: str, shown_as: str, help_text: str, default: str | None = None) -> Any:
    """Return an option of reading a log."""
    return typer.Option(
        *names, metavar=shown_as, help=help_text, show_default=default or False, rich_help_panel=OF_A_LOG
    )


def column_option(wanted: str, *names: str, help_text: str) -> Any:
    """Return the option that names a column."""
    return log_option(*names, shown_as="COLUMN", help_text=help_text, default=wanted)


# Optional is what Typer reads best.
TaskColumn = Annotated[Optional[str], column_option("task", help_text="Column of the task.")]  # noqa: UP045
ArmColumn = Annotated[Optional[str], column_option("arm", help_text="Column of the arm.")]  # noqa: UP045
RewardColumn = Annotated[Optional[str], column_option("reward", help_text="Column of the reward.")]  # noqa: UP045
TimeColumn = Annotated[
    Optional[str],  # noqa: UP045
    column_option("row order", "--time", help_text="Column of the time, which orders the rewards."),
]
PullsColumn = Annotated[
    Optional[str],  # noqa: UP045
    column_option("pulls", help_text="For totals: column of the number of pulls."),
]
SuccessesColumn = Annotated[
    Optional[str],  # noqa: UP045
    column_option("successes", help_text="For totals: column of the number of successes."),
]
MeanColumn = Annotated[
    Optional[str],  # noqa: UP045
    column_option("mean", help_text="For moments, with --pulls: column of the mean reward."),
]
SdColumn = Annotated[
    Optional[str],  # noqa: UP045
    column_option("sd", help_text="For moments: column of the standard deviation of the rewards."),
]
Like = Annotated[
    Optional[Path],  # noqa: UP045
    log_option(shown_as="TUNED", help_text="Read the columns, and encode categories, as in an earlier tuned.json."),
]
Format = Annotated[
    Optional[str],  # noqa: UP045
    log_option(shown_as="NAME", help_text=f"Format or layout of the LOG: {', '.join(names())}.", default="recognised"),
]
Query = Annotated[
    Optional[str],  # noqa: UP045
    log_option(
        shown_as="SELECT",
        help_text="What to read of a database; LOG is a SQLite file or an address such as postgresql://HOST/NAME.",
    ),
]
Only = Annotated[
    Optional[list[str]],  # noqa: UP045
    log_option(
        shown_as="COLUMN=VALUE", help_text="Take only rows with this value, such as metric=revenue; may be repeated."
    ),
]
Delimiter = Annotated[
    Optional[str],  # noqa: UP045
    log_option(shown_as="C", help_text="Field separator of a text file.", default="detected"),
]
RewardRange = Annotated[
    Optional[tuple[str, str]],  # noqa: UP045
    log_option(shown_as="LOW HIGH", help_text="Reject rows with rewards outside this range."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Treat rejected rows and warnings as errors.", rich_help_panel=OF_A_LOG)
]
Memory = Annotated[
    Optional[str],  # noqa: UP045
    log_option(
        shown_as="SIZE", help_text="Memory limit for sorting, such as 2GB.", default="most of the machine's memory"
    ),
]

OPTIONS: dict[str, Any] = {
    "task": TaskColumn,
    "arm": ArmColumn,
    "reward": RewardColumn,
    "order": TimeColumn,
    "pulls": PullsColumn,
    "successes": SuccessesColumn,
    "mean": MeanColumn,
    "sd": SdColumn,
    "like": Like,
    "format": Format,
    "query": Query,
    "only": Only,
    "delimiter": Delimiter,
    "reward_range": RewardRange,
    "strict": Strict,
    "memory": Memory,
}
OF_CONTEXTS: dict[str, Any] = {  # and of configurations
    "features": Annotated[
        Optional[list[str]],  # noqa: UP045
        log_option(
            shown_as="NAME",
            help_text="Feature columns, by name or prefix, repeated for several: a log of contexts. Text is one-hot "
            "encoded, and so are numbers with NAME:category.",
        ),
    ],
    "propensity": Annotated[
        Optional[str],  # noqa: UP045
        column_option("uniform", help_text="Column of the propensity: the probability with which the arm was chosen."),
    ],
    "parameter": Annotated[
        Optional[list[str]],  # noqa: UP045
        log_option(
            shown_as="NAME[:KIND]",
            help_text="A column of a configuration's parameter, repeated for each, instead of --arm; add linear, "
            "log or category if the guess from its values is wrong.",
        ),
    ],
}


@dataclass(frozen=True, slots=True)
class LogOptions:
    """What a person said about how to read a log."""

    named: Mapping[str, Any]  # columns, None for those that were not named
    like: Path | None
    format: str | None
    query: str | None
    only: Mapping[str, str]
    delimiter: str | None
    reward_range: tuple[float, float] | None
    strict: bool
    memory: str | None

    @classmethod
    def of(
        cls, order: str | None, reward_range: tuple[str, str] | None, only: Sequence[str] | None, **given: Any
    ) -> "LogOptions":
        """From the options as they were given."""
        columns = {name: given.pop(name) for name in ("task", "arm", "reward", "pulls", "successes", "mean", "sd")}
        columns |= {"features": given.pop("features", None) or None, "propensity": given.pop("propensity", None)}
        columns["parameters"] = given.pop("parameter", None)
        limits = None if reward_range is None else pair("--reward-range", reward_range)
        return cls({**columns, "time": order}, reward_range=limits, only=_read_only(only or ()), **given)

    def columns(self) -> dict[str, Any]:
        """Return the columns that were named, and for the others those of an earlier result, if one was given."""
        from banditune.cli.past_tasks import columns_like

        return columns_like(self.like, self.named)

    @property
    def how(self) -> dict[str, Any]:
        """The rest, as a log is read with."""
        return {
            "format": self.format,
            "query": self.query,
            "only": self.only or None,
            "delimiter": self.delimiter,
            "reward_range": self.reward_range,
            "strict": self.strict,
        }


def _read_only(given: Sequence[str]) -> dict[str, str]:
    """Return the columns and values of --only."""
    pairs = [each.partition("=") for each in given]
    for (column, equals, _), each in zip(pairs, given, strict=True):
        if not column or not equals:
            raise typer.BadParameter(f"must be COLUMN=VALUE, got '{each}'", param_hint="--only")
    return {column: value for column, _, value in pairs}


# a command gets them together
reads_logs = with_options("reading", lambda taken: OPTIONS, LogOptions.of)
reads_any_log = with_options("reading", lambda taken: OPTIONS | OF_CONTEXTS, LogOptions.of)
