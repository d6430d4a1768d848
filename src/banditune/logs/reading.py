"""read_log: from files and tables to tasks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from banditune.errors import FileError, ParameterError
from banditune.logs.account import FEW_REWARDS, Account
from banditune.logs.columns import Columns, Form
from banditune.logs.engine import Engine, first_line
from banditune.logs.formats.registry import check_format
from banditune.logs.grouping import Groups, count_summed_rows, duplicates, group, out_of_order
from banditune.logs.ingestion import Limits, ingest, list_rejected_rows, skip_rows
from banditune.logs.layouts import Settled, describe_columns, settle_columns
from banditune.logs.log import Log
from banditune.logs.parts import Opening, Part
from banditune.logs.sources import parts_of
from banditune.tasks.encoding import Encoding, parameter_kinds
from banditune.validation import finite_number, format_count, format_value, yes_or_no


def read_log(
    source: Any,
    task: str = "task",
    arm: str = "arm",
    reward: str = "reward",
    time: str | None = None,
    *,
    pulls: str | None = None,
    successes: str | None = None,
    mean: str | None = None,
    sd: str | None = None,
    features: str | Sequence[str] | None = None,
    propensity: str | None = None,
    parameters: Sequence[str] | Mapping[str, str | None] | None = None,
    encoding: Encoding | None = None,
    format: str | None = None,
    query: str | None = None,
    only: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    reward_range: tuple[float, float] | None = None,
    strict: bool = False,
    memory: str | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Log:
    """Read past tasks from a log with one row per pull, or with totals or moments per arm.

    Parameters
    ----------
    source : path, glob pattern, folder, list of them, open file, table, or database
        CSV, Parquet or JSON lines files and other formats (see `format`), an open CSV file such as sys.stdin.buffer, a
        table with the Arrow stream interface (pandas, polars, DuckDB, pyarrow), or a database (see `query`).
    task, arm, reward : str
        The names of these columns. Tasks and arms may be named by several columns ("site+position"), tasks also by the
        hour, day, week or month of a time ("timestamp:day") and by file or folder (":file", ":folder"); a reward that
        is to be small is a cost ("seconds:cost"), of which minus is taken.
    time : str, optional
        The column that orders the rows; by default they are in order.
    pulls, successes : str, optional
        The columns of totals, instead of `reward`.
    mean, sd : str, optional
        The columns of the mean and the standard deviation of an arm's rewards, with `pulls`, instead of `reward`; also
        "revenue:total" for a total instead of a mean, "x:variance" or "x:se" (standard error of the mean) for an sd.
    features : str or sequence of str, optional
        The feature columns of a contextual bandit's log, or what their names begin with; the tasks are
        `bt.LoggedTask`s. Text is one-hot encoded: each category becomes a feature of 0 and 1, as do numbers that are
        called categories, as in "weekday:category".
    propensity : str, optional
        The column of the logging policy's probabilities; by default choices are taken as uniform.
    parameters : sequence or mapping, optional
        The columns of a configuration, which is then the arm, instead of `arm`; with the kind of those whose values
        would be guessed wrong, as in ["depth", "rate:log", "layers:category"].
    encoding : Encoding, optional
        How features with categories are encoded: that of an earlier log or result (`tuned.encoding`), so that the same
        columns become the same features. A category that it does not know is 0 in all of them.
    format : str, optional
        The format or layout of the files, where it is not recognised: csv, parquet, json, dsjson, vw, optuna, aslib,
        sqlite, openbandit, growthbook, statsig, optimizely.
    query : str, optional
        What is read of a database: source is a SQLite file, the address of any database that SQLAlchemy reaches
        (postgresql://...), or an open connection. It is not recorded, and neither are users and passwords.
    only : mapping, optional
        Take only rows with these values in some columns, as in {"metric": "revenue"}.
    delimiter : str, optional
        The field separator of text files; detected by default.
    reward_range : (low, high), optional
        Rows with rewards outside it are rejected.
    strict : bool, default False
        Whether rejected rows and warnings are errors.
    memory : str, optional
        The memory limit for sorting, such as "2GB".
    progress : callable, optional
        Called with a text and the share done.

    Returns
    -------
    Log
        A sequence of tasks; its `account` says how many rows were used or rejected, and why.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"task": ["mon", "mon", "mon"], "arm": ["red", "blue", "red"], "reward": [0, 1, 1]})
    >>> log = read_log(table)
    >>> log[0]
    Task(name='mon', n_arms=2, rewards=3)
    >>> log.account.rows_used
    3
    """
    kinds = {} if parameters is None else parameter_kinds(parameters)
    configured = tuple(name if kind is None else f"{name}:{kind}" for name, kind in kinds.items()) or None
    named: Any = features
    if isinstance(features, Sequence) and not isinstance(features, str):
        named = features[0] if len(features) == 1 else tuple(features)
    columns = Columns(task, arm, reward, time, pulls, successes, named, propensity, configured, mean, sd)
    how = How.parse(columns, delimiter, reward_range, strict, format, only, query)
    return replace(how, encoding=encoding).read(source, Engine(memory, progress))


@dataclass(frozen=True, slots=True)
class How:
    """How a log is read."""

    columns: Columns
    delimiter: str | None
    limits: Limits | None  # rewards outside them are rejected
    strict: bool
    text_order: bool = False  # sort arms as text even if all are numbers
    may_be_empty: bool = False  # no row that can be used is no error
    encoding: Encoding | None = None  # of features: that of an earlier log
    format: str | None = None  # of all files; None: found out
    only: Mapping[str, str] = field(default_factory=dict)  # rows that are taken: a column and its value
    query: str | None = None  # of a database

    @classmethod
    def parse(
        cls,
        columns: Columns,
        delimiter: str | None,
        reward_range: Any = None,
        strict: bool = False,
        chosen: str | None = None,
        only: Any = None,
        query: str | None = None,
    ) -> "How":
        """Return what a person says about it; what cannot be meant is rejected."""
        limits = None if reward_range is None else _check_limits(reward_range)
        if delimiter is not None and not _can_separate(delimiter):
            raise ParameterError(
                f"delimiter must be a single ASCII character and no quotation mark, got {format_value(delimiter)}"
            )
        taken = _check_only(only)
        known = yes_or_no("strict", strict)
        return cls(columns, delimiter, limits, known, format=check_format(chosen), only=taken, query=query)

    def read(self, source: Any, engine: Engine) -> Log:
        """Read a log into an engine, which is closed if that fails."""
        try:
            return _read(engine, source, self)
        except BaseException as error:
            engine.close()
            if isinstance(error, engine.Error):
                raise FileError(f"the log cannot be sorted: {first_line(error)}") from None
            raise


def _read(engine: Engine, source: Any, how: How) -> Log:
    """Fill the engine with a log, group its rows and give account of them."""
    opened, left_out = parts_of(source, Opening(how.columns, how.delimiter, engine, how.query), how.format)
    settled = settle_columns(how.columns, opened, how.format)
    columns, only = settled.columns, settled.only | dict(how.only)
    parts, form, order, encoding = ingest(engine, opened, columns, how.limits, how.encoding, only)
    n_skipped = skip_rows(engine) if only else 0
    if not how.may_be_empty and not engine.value("SELECT count(*) FROM rows WHERE reason IS NULL"):
        n_rows = engine.value("SELECT count(*) FROM rows")
        raise FileError(*explain_nothing(parts[0].path, n_rows, list_rejected_rows(engine, parts)))
    groups = group(engine, form, None if order is None else order.expression, text_order=how.text_order)
    account = _account(
        engine,
        parts,
        groups,
        form,
        timed=order is not None,
        left_out=left_out,
        encoded=() if encoding is None else tuple(encoding.describe_categories()),
        reading=tuple(_describe_reading(settled, opened, only, n_skipped)),
    )
    if how.strict and (oddities := list(account.oddities())):
        reason = f"the log has rejected rows or warnings, which strict forbids: {'; '.join(oddities)}."
        raise FileError(reason, *account.lines())
    engine.run("Tidying up", "DROP TABLE rows")
    kind = None if order is None else order.kind
    return Log(engine, groups, account, columns, form, how.limits, kind, encoding)


def _describe_reading(
    settled: Settled, parts: Sequence[Part], only: Mapping[str, str], n_skipped: int
) -> Iterator[str]:
    """Say what a format or layout has decided, and what was left out because it was asked to."""
    if settled.title:
        yield describe_columns(settled.columns, settled.title)
    if settled.advice and len(only) == len(settled.only):
        yield settled.advice
    yield from dict.fromkeys(note for part in parts for note in part.notes)
    if only:
        taken = ", ".join(f"{column} = {value}" for column, value in only.items())
        yield f"only {taken}: {format_count(n_skipped, 'other row')} left out"


def _check_only(only: Any) -> dict[str, str]:
    """Return the rows that are taken, checked."""
    if only is None:
        return {}
    if not isinstance(only, Mapping) or not all(isinstance(each, str) for pair in only.items() for each in pair):
        raise ParameterError(
            f'only must map columns to values, as in {{"metric": "revenue"}}; got {format_value(only)}'
        )
    return dict(only)


def _can_separate(delimiter: object) -> bool:
    """Tell whether fields can be separated by it."""
    return isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n\0'


def _check_limits(limits: Any) -> Limits:
    try:
        one, other = limits
    except (TypeError, ValueError):
        raise ParameterError(f"reward_range must be (low, high), got {format_value(limits)}") from None
    low, high = finite_number("reward_range's low", one), finite_number("reward_range's high", other)
    if low > high:
        raise ParameterError(f"reward_range must be (low, high) with low at most high, got ({low:g}, {high:g})")
    return low, high


def _account(
    engine: Engine, parts: list[Part], groups: Groups, form: Form, *, timed: bool, **further: tuple[str, ...]
) -> Account:
    """Count what became of the rows; what else is to be said comes by the names of its fields."""
    reasons = engine.rows(
        "SELECT reason, count(*) AS n FROM rows WHERE reason IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1"
    )
    read = int(engine.value("SELECT count(*) FROM rows"))
    arms_of_task = np.bincount(groups.cell_task, minlength=len(groups.tasks))
    return Account(
        parts=tuple(part.path for part in parts),
        rows_read=read,
        rows_used=read - sum(count for _, count in reasons),
        rejected=tuple(reasons),
        examples=list_rejected_rows(engine, parts),
        n_tasks=len(groups.tasks),
        one_arm_tasks=int((arms_of_task == 1).sum()),
        arms_with_few_rewards=0 if form == "configurations" else int((groups.cell_size < FEW_REWARDS).sum()),
        added_up=count_summed_rows(engine) if form == "totals" else 0,
        duplicates=duplicates(engine) if timed else 0,
        out_of_order=out_of_order(engine) if timed else 0,
        single_rows=form == "rewards"
        and len(groups.arms) > 1
        and bool((groups.cell_size == 1).all())
        and bool(engine.value("SELECT count(*) FROM events WHERE reward NOT IN (0.0, 1.0)")),
        **further,
    )


def explain_nothing(first: str, n_rows: int, rejected: Sequence[object]) -> list[str]:
    """Return why no row of a log can be used, in lines: of its first part, all rows and the first rejected ones."""
    if not rejected:
        return [f"{first} has no rows below the names of its columns"]
    return [f"none of the {n_rows:,} rows can be used:", *(f"  {row}" for row in rejected)]
