"""The tasks that a command works on: those of a log, or the bundled ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from banditune.cli.output import say, share_bar
from banditune.errors import FileError, ParameterError
from banditune.logs.columns import Columns
from banditune.logs.log import Log

BUNDLED_HORIZON = 200
LONGEST_DEFAULT = 1_000  # rounds; longer games are played when asked for


@dataclass(frozen=True, slots=True)
class PastTasks:
    """The tasks, how long their games are, and where they come from."""

    tasks: Sequence[Any]
    horizon: int  # what fits them, if the user does not say
    log: Log | None

    @property
    def are_logs(self) -> bool:
        """Whether they tell only what the chosen arms gave, to be replayed."""
        return self.log is not None and self.log.form == "contexts"

    @property
    def origin(self) -> dict[str, object] | None:
        """How the log was read, for the result to note."""
        return None if self.log is None else self.log.origin

    @property
    def reading(self) -> list[tuple[str, str]]:
        """How the tasks were read: what, and a text."""
        if self.log is None:
            what = "160 bundled model-selection tasks: which of 20 learners is the most accurate on a data set?"
            return [("Source", f"{what} From the Learning Curve Database.")]
        account, used = self.log.account, self.log.columns.used(self.log.form)
        return [
            (
                "Source",
                ", ".join(account.parts[:10]) + (f" and {len(account.parts) - 10} more" * (len(account.parts) > 10)),
            ),
            ("Columns", ", ".join(name if name == column else f"{name} = {column}" for name, column in used.items())),
            ("Rows", f"{account.rows_read:,} read, {account.rows_used:,} used, {account.rows_refused:,} refused"),
            *(("Refused", f"{count:,} x {reason}") for reason, count in account.refused),
            *(("Note", note) for note in account.notes()),
            *(("Note", oddity) for oddity in account.oddities() if not oddity.endswith("refused")),
        ]

    @property
    def n_refused(self) -> int:
        """How many rows were refused."""
        return 0 if self.log is None else self.log.account.rows_refused

    @property
    def refused(self) -> list[tuple[str, str, str, str]]:
        """The first rows that were refused: file, place, reason, value."""
        rows = () if self.log is None else self.log.account.examples
        return [(row.where, f"{row.unit} {row.number:,}", row.reason, row.value or "") for row in rows]


def past_tasks(
    logs: Sequence[str],
    columns: Mapping[str, str],
    *,
    delimiter: str | None,
    reward_range: tuple[float, float] | None,
    strict: bool,
    memory: str | None,
    seed: int,
) -> PastTasks:
    """Read the logs if there are any, and say on the terminal what became of their rows."""
    if not logs:
        from banditune.datasets import lcdb

        if columns or strict or any(option is not None for option in (delimiter, reward_range, memory)):
            raise ParameterError("options that say how to read a log need a LOG; none was given")
        return PastTasks(lcdb(), BUNDLED_HORIZON, None)
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
    return PastTasks(log, min(int(np.median(log.rounds)), LONGEST_DEFAULT), log)


def columns_like(like: Path | None, named: Mapping[str, str | None]) -> dict[str, str]:
    """The columns that were named, and for the others those that an earlier result was read with."""
    return _columns_of(like) | {wanted: name for wanted, name in named.items() if name is not None}


def _columns_of(like: Path | None) -> dict[str, str]:
    """The columns that an earlier result was read with."""
    if like is None:
        return {}
    from banditune.tuned import load

    origin = load(like).origin or {}
    columns = origin.get("columns")
    if not isinstance(columns, dict) or not all(isinstance(name, str) for name in columns.values()):
        raise FileError(f"{like} must be a result learned from a log, to read another log like it; it notes no columns")
    known = {field.name for field in fields(Columns)}
    return {wanted: name for wanted, name in columns.items() if wanted in known}
