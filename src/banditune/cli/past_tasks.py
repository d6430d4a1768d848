"""The tasks that a command works on: those of a log, or the bundled ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from banditune.cli.output import say, share_bar
from banditune.curves.step_function import Interval
from banditune.errors import FileError, ParameterError
from banditune.logs.account import Account
from banditune.logs.columns import Columns
from banditune.logs.log import Log
from banditune.policies.base import Policy
from banditune.tasks.scan import TaskScan


@dataclass(frozen=True, slots=True)
class PastTasks:
    """The tasks, how long their games are, and where they come from."""

    tasks: Sequence[Any]
    horizon: int  # what fits them, if the user does not say
    log: Log | None
    what: str = ""  # where they come from, if not from a log

    @property
    def are_logs(self) -> bool:
        """Whether they tell only what the chosen arms gave, to be replayed."""
        return self.log is not None and self.log.form == "contexts"

    @property
    def reward_limits(self) -> Interval | None:
        """Those that no reward can be beyond, if that is known."""
        return TaskScan.of(self.tasks).reward_limits if self.log is None else self.log.reward_limits

    def redrawn(self, horizon: int) -> str:
        """What is to be known of rewards that are drawn again, as the arms have fewer than a game has rounds."""
        if self.are_logs:
            return ""
        sizes = self.log.arm_sizes if self.log is not None else np.concatenate([task.lengths for task in self.tasks])
        if (short := float((sizes < horizon).mean())) == 0.0:
            return ""
        arms = "all arms" if short == 1.0 else f"{short:.0%} of the arms"
        return (
            f"{arms} have fewer rewards than the {horizon:,} rounds of a game (the median has "
            f"{np.median(sizes):,.0f}): what a game needs beyond them is drawn from them again, by --seed"
        )

    @property
    def origin(self) -> dict[str, object] | None:
        """How the log was read, for the result to note."""
        return None if self.log is None else self.log.origin

    @property
    def reading(self) -> list[tuple[str, str]]:
        """How the tasks were read: what, and a text."""
        if self.log is None:
            return [("Source", self.what)]
        return describe_reading(self.log.account, self.log.columns.used(self.log.form))

    @property
    def n_rejected(self) -> int:
        """How many rows were rejected."""
        return 0 if self.log is None else self.log.account.rows_rejected

    @property
    def rejected(self) -> list[tuple[str, str, str, str]]:
        """The first rows that were rejected: file, place, reason, value."""
        return [] if self.log is None else list_rejected_rows(self.log.account)


def describe_reading(account: Account, used: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How a log was read, by these columns: what, and a text."""
    more = f" and {len(account.parts) - 10} more" if len(account.parts) > 10 else ""
    return [
        ("Source", ", ".join(account.parts[:10]) + more),
        ("Columns", ", ".join(_name_column(name, column) for name, column in used.items())),
        ("Rows", f"{account.rows_read:,} read, {account.rows_used:,} used, {account.rows_rejected:,} rejected"),
        *(("Rejected", f"{count:,} x {reason}") for reason, count in account.rejected),
        *(("Note", note) for note in account.notes()),
        *(("Note", oddity) for oddity in account.oddities() if not oddity.endswith("rejected")),
    ]


def list_rejected_rows(account: Account) -> list[tuple[str, str, str, str]]:
    """The first rows that were rejected: file, place, reason, value."""
    return [(row.where, f"{row.unit} {row.number:,}", row.reason, row.value or "") for row in account.examples]


def _name_column(wanted: str, column: Any) -> str:
    """A column, and what it is called if that is something else."""
    called = column if isinstance(column, str) else ", ".join(column)
    return wanted if called == wanted else f"{wanted} = {called}"


def past_tasks(
    policy: type[Policy[Any]],
    logs: Sequence[str],
    columns: Mapping[str, Any],
    *,
    delimiter: str | None,
    reward_range: tuple[float, float] | None,
    strict: bool,
    memory: str | None,
    seed: int,
) -> PastTasks:
    """Read the logs if there are any, and say on the terminal what became of their rows."""
    if not logs:
        if columns or strict or any(option is not None for option in (delimiter, reward_range, memory)):
            raise ParameterError("options that say how to read a log need a LOG; none was given")
        if policy.bundled is None:
            raise ParameterError(f"{policy.name} has no bundled tasks: it needs a LOG")
        return PastTasks(policy.bundled.load(), policy.bundled.horizon, None, policy.bundled.description)
    from banditune.logs.reading import read_log

    with share_bar("Reading") as progress:
        log = read_log(
            list(logs),
            **columns,
            delimiter=delimiter,
            reward_range=reward_range,
            strict=strict,
            seed=seed,
            memory=memory,
            progress=progress,
        )
    for line in log.account.lines():
        say(line)
    if log.form == "contexts":
        return PastTasks(log, int(log.rounds.max()), log)
    return PastTasks(log, min(int(np.median(log.rounds)), policy.longest_default), log)


def columns_like(like: Path | None, named: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that were named, and for the others those that an earlier result was read with."""
    return _columns_of(like) | {wanted: name for wanted, name in named.items() if name is not None}


def _columns_of(like: Path | None) -> dict[str, Any]:
    """The columns that an earlier result was read with."""
    if like is None:
        return {}
    from banditune.tuning.loading import load

    origin = load(like).origin or {}
    columns = origin.get("columns")
    if not isinstance(columns, dict) or not all(isinstance(name, str | list) for name in columns.values()):
        raise FileError(f"{like} must be a result learned from a log, to read another log like it; it notes no columns")
    known = {field.name for field in fields(Columns)}
    return {wanted: name for wanted, name in columns.items() if wanted in known}
