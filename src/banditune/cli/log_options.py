"""The options of reading a log, which several commands have, as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.option_groups import Group
from banditune.cli.options import pair, panel_option
from banditune.errors import FileError, ParameterError
from banditune.logs.formats.registry import names

if TYPE_CHECKING:
    from banditune.policies.base import Policy

PANEL = "Reading a log"
_option = partial(panel_option, PANEL)


def _column(default: str, help_text: str, *names: str) -> Any:
    return _option("COLUMN", help_text, *names, default=default)


# Optional is what Typer reads best.
@dataclass(frozen=True, slots=True)
class Reading:
    """What a person said about the log to read, and how."""

    logs: Sequence[str]
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
    def read(
        cls,
        logs: Annotated[
            Optional[list[str]],  # noqa: UP045
            typer.Argument(
                metavar="LOG",
                help="Files, glob patterns or folders of past tasks, or - for CSV from standard input; bundled tasks "
                "if none.",
            ),
        ] = None,
        task: Annotated[Optional[str], _column("task", "Column of the task.")] = None,  # noqa: UP045
        arm: Annotated[Optional[str], _column("arm", "Column of the arm.")] = None,  # noqa: UP045
        reward: Annotated[Optional[str], _column("reward", "Column of the reward.")] = None,  # noqa: UP045
        order: Annotated[
            Optional[str],  # noqa: UP045
            _column("row order", "Column of the time, which orders the rewards.", "--time"),
        ] = None,
        pulls: Annotated[
            Optional[str],  # noqa: UP045
            _column("pulls", "For totals: column of the number of pulls."),
        ] = None,
        successes: Annotated[
            Optional[str],  # noqa: UP045
            _column("successes", "For totals: column of the number of successes."),
        ] = None,
        mean: Annotated[
            Optional[str],  # noqa: UP045
            _column("mean", "For moments, with --pulls: column of the mean reward."),
        ] = None,
        sd: Annotated[
            Optional[str],  # noqa: UP045
            _column("sd", "For moments: column of the standard deviation of the rewards."),
        ] = None,
        like: Annotated[
            Optional[Path],  # noqa: UP045
            _option("TUNED", "Read the columns, and encode categories, as in an earlier tuned.json."),
        ] = None,
        format: Annotated[
            Optional[str],  # noqa: UP045
            _option("NAME", f"Format or layout of the LOG: {', '.join(names())}.", default="recognised"),
        ] = None,
        query: Annotated[
            Optional[str],  # noqa: UP045
            _option(
                "SELECT",
                "What to read of a database; LOG is a SQLite file or an address such as postgresql://HOST/NAME.",
            ),
        ] = None,
        only: Annotated[
            Optional[list[str]],  # noqa: UP045
            _option("COLUMN=VALUE", "Take only rows with this value, such as metric=revenue; may be repeated."),
        ] = None,
        delimiter: Annotated[
            Optional[str],  # noqa: UP045
            _option("C", "Field separator of a text file.", default="detected"),
        ] = None,
        reward_range: Annotated[
            Optional[tuple[str, str]],  # noqa: UP045
            _option("LOW HIGH", "Reject rows with rewards outside this range."),
        ] = None,
        strict: Annotated[
            bool, typer.Option("--strict", help="Treat rejected rows and warnings as errors.", rich_help_panel=PANEL)
        ] = False,
        memory: Annotated[
            Optional[str],  # noqa: UP045
            _option("SIZE", "Memory limit for sorting, such as 2GB.", default="most of the machine's memory"),
        ] = None,
        features: Annotated[
            Optional[list[str]],  # noqa: UP045
            _option(
                "NAME",
                "Feature columns, by name or prefix, repeated for several: a log of contexts. Text is one-hot encoded, "
                "and so are numbers with NAME:category.",
            ),
        ] = None,
        propensity: Annotated[
            Optional[str],  # noqa: UP045
            _column("uniform", "Column of the propensity: the probability with which the arm was chosen."),
        ] = None,
        parameter: Annotated[
            Optional[list[str]],  # noqa: UP045
            _option(
                "NAME[:KIND]",
                "A column of a configuration's parameter, repeated for each, instead of --arm; add linear, log or "
                "category if the guess from its values is wrong.",
            ),
        ] = None,
    ) -> "Reading":
        """Read the options."""
        columns: dict[str, Any] = {"task": task, "arm": arm, "reward": reward, "time": order, "pulls": pulls}
        columns |= {"successes": successes, "mean": mean, "sd": sd, "propensity": propensity}
        columns |= {"features": features or None, "parameters": parameter or None}
        limits = None if reward_range is None else pair("--reward-range", reward_range)
        how: dict[str, Any] = {"format": format, "query": query, "only": _read_only(only or ()), "delimiter": delimiter}
        return cls(logs or [], columns, like, reward_range=limits, strict=strict, memory=memory, **how)

    def columns_for(self, policy: "type[Policy[Any]]") -> dict[str, Any]:
        """Return the columns that were named, for the others those that an earlier result was read with.

        Columns that do not hold what the policy runs on are rejected.
        """
        named = {wanted: name for wanted, name in self.named.items() if name is not None}
        columns = _columns_like(self.like) | named
        if self.logs or columns or not policy.bundled:
            check_columns(policy, columns)
        return columns

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


def check_columns(policy: "type[Policy[Any]]", columns: Mapping[str, Any]) -> None:
    """Reject columns of a log, by what they are for, that do not hold what the policy runs on."""
    if policy.contextual and columns.get("features") is None:
        needed = "a LOG, and --features with the prefix of its feature columns"
        raise ParameterError(f"{policy.name} is a contextual bandit: it needs {needed}")
    if not policy.contextual and columns.get("features") is not None:
        raise ParameterError(f"{policy.name} uses no contexts; --features is for --policy linucb")
    if "points" in policy.needs and columns.get("parameters") is None:
        raise ParameterError(
            f"{policy.name} chooses among points: name the parameters of a configuration with --parameter"
        )


def _columns_like(like: Path | None) -> dict[str, Any]:
    """Return the columns that an earlier result was read with, and how categories were encoded."""
    if like is None:
        return {}
    from banditune.logs.columns import Columns
    from banditune.tasks.encoding import Encoding
    from banditune.tuning.results.saved_result import load

    origin = load(like).origin or {}
    columns = origin.get("columns")
    if not isinstance(columns, dict) or not all(isinstance(name, str | list) for name in columns.values()):
        raise FileError(
            f"{like} must be a result tuned on a log, to read another log in the same way; it records no columns"
        )
    known = {field.name for field in fields(Columns)}
    encoding = (
        {"encoding": Encoding.from_json(origin["encoding"])} if "features" in columns and "encoding" in origin else {}
    )
    return {wanted: name for wanted, name in columns.items() if wanted in known} | encoding


LogOptions = Annotated[Reading, Group(Reading.read)]
RewardLogOptions = Annotated[Reading, Group(Reading.read, without=("features", "propensity", "parameter"))]
