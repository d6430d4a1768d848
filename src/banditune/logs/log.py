"""A log that has been read: its tasks, made as they are asked for, and the account of its rows."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval
from banditune.kernels.lines.prefix_sums import widest_spread_of_tasks
from banditune.logs.account import Account
from banditune.logs.columns import Columns, Form
from banditune.logs.engine import Engine, RowStream
from banditune.logs.grouping import Groups
from banditune.tasks.archive import Archive
from banditune.tasks.arrays import even_starts
from banditune.tasks.encoding import Encoding
from banditune.tasks.logged import LoggedTask
from banditune.tasks.summary import Counts, SummaryTask
from banditune.tasks.task import ZERO_ONE, Task

TAKEN = 2**16  # rewards of tasks that are made together
TASKS_TAKEN = 2**12  # the same of tasks of totals
COLUMNS: dict[Form, str] = {"totals": "pulls, successes", "moments": "pulls, mean, sd", "contexts": "*"}  # else reward


class Log(Archive):
    """The tasks of a log as a sequence, in the order of their names; what `bt.read_log` returns.

    Tasks are read from a database on disk as needed, so a log may be larger than memory.

    Attributes
    ----------
    account : Account
        How many rows were read, used and rejected, and why.
    columns : Columns
        The columns that were read.
    names : tuple of str
        The names of the tasks.
    encoding : Encoding or None
        How configurations became points, or features with categories contexts.

    Examples
    --------
    >>> import banditune as bt
    >>> import pyarrow as pa
    >>> rows = {"task": ["monday", "monday", "tuesday"], "arm": ["red", "blue", "red"], "reward": [0.0, 1.0, 1.0]}
    >>> log = bt.read_log(pa.table(rows))
    >>> log
    Log(tasks=2, rows=3, form='rewards')
    >>> log[0]
    Task(name='monday', n_arms=2, rewards=2)
    """

    names: tuple[str, ...]
    rounds: NDArray[np.int64]

    def __init__(
        self,
        engine: Engine,
        groups: Groups,
        account: Account,
        columns: Columns,
        form: Form,
        reward_limits: tuple[float, float] | None = None,
        order: str | None = None,
        encoding: Encoding | None = None,
    ) -> None:
        self.order = order  # what sorts the rows of an arm, if anything does
        self.account = account
        self.columns = columns
        self.form = form
        self._engine = engine
        self._groups = groups
        self._limits = None if reward_limits is None else Interval(*reward_limits)
        self.encoding = encoding
        if form == "configurations":
            self._configurations = [json.loads(arm) for arm in groups.arms]
            self.encoding = Encoding.learn(columns.kinds, self._configurations)
            self._points = self.encoding.points(self._configurations)
        self._first_cell = np.searchsorted(groups.cell_task, np.arange(len(groups.tasks) + 1))
        self._first_reward = np.concatenate(([0], np.cumsum(groups.cell_size)))  # of each cell
        self.names = groups.tasks
        self.arm_sizes = groups.cell_size  # how many rewards each arm of each task has, one task after the other
        self.reward_limits = ZERO_ONE if form == "totals" else self._limits  # that no reward can be beyond, if known
        self.rounds = np.diff(self._first_reward[self._first_cell])

    @property
    def origin(self) -> dict[str, object]:
        """How the log was read, as plain data: what `bt.tune` notes in its result."""
        known = {} if self.encoding is None else {"encoding": self.encoding.to_json()}
        return {
            "form": self.form,
            "columns": self.columns.name_used_columns(self.form),
            **known,
            **self.account.to_json(),
        }

    @property
    def numbers_for_arms(self) -> bool:
        """Whether all arms are called by whole numbers."""
        return self._groups.numbers

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the log by its content: another process has all rows in a database of its own."""
        held = (self._groups, self.account, self.columns, self.form, self._limits, self.order, self.encoding)
        return _restore, (self._engine.export_table("events"), *held)

    def name_source(self, name: str) -> None:
        """Say that all rows are of a file of this name: it was read from a copy."""
        rows = tuple(replace(row, where=name) for row in self.account.examples)
        self.account = replace(self.account, parts=(name,), examples=rows)

    def close(self) -> None:
        """Give up the database; no further task can be made."""
        self._engine.close()

    @property
    def spread(self) -> float | None:
        """The largest `spread` of a task, which need not be made for that; None of contexts and moments."""
        if self.form in ("contexts", "moments"):
            return None
        if self.form == "totals":  # 1 if a task has successes and failures
            both = "SELECT 1 FROM events GROUP BY task_id HAVING max(successes) > 0 AND max(pulls - successes) > 0"
            return float(self._engine.value(f"SELECT count(*) FROM ({both} LIMIT 1)"))
        every, widest = range(len(self)), 0.0
        for first, last, rewards in self._blocks(every, RowStream(self._engine, "reward", every)):
            cells = self._first_cell[first : last + 1]
            begins = self._first_reward[cells[0] : cells[-1] + 1]
            widest = max(widest, widest_spread_of_tasks(rewards, begins - begins[0], cells - cells[0]))
        return widest

    @property
    def n_arms(self) -> NDArray[np.int64]:
        """How many arms each task has: (tasks,)."""
        return np.bincount(self._groups.cell_task, minlength=len(self))

    def __len__(self) -> int:
        return len(self._groups.tasks)

    @overload
    def __getitem__(self, which: int) -> Any: ...
    @overload
    def __getitem__(self, which: slice) -> list[Any]: ...
    def __getitem__(self, which: int | slice) -> Any:
        if isinstance(which, slice):
            numbers = range(len(self))[which]
            return list(self._tasks(numbers)) if numbers.step == 1 else [self[k] for k in numbers]
        number = range(len(self))[which]
        (task,) = self._tasks(range(number, number + 1))
        return task

    def __iter__(self) -> Iterator[Any]:
        return self._tasks(range(len(self)))

    def needs_draws(self, horizon: int) -> bool:
        """Tell whether any task needs something drawn for a run of so many rounds: as an order is, or more rewards."""
        if self.form in ("totals", "moments"):
            return True
        return self.form != "contexts" and bool(self.arm_sizes.min(initial=horizon) < horizon)

    def select(self, numbers: NDArray[np.int64]) -> Iterator[Any]:
        """Yield the tasks with some increasing numbers, from one pass over the rows."""
        chosen = np.zeros(len(self), bool)
        chosen[numbers] = True
        return self._tasks(range(len(self)), chosen)

    def __repr__(self) -> str:
        return f"Log(tasks={len(self):,}, rows={self.account.rows_used:,}, form={self.form!r})"

    def _tasks(self, numbers: range, chosen: NDArray[np.bool_] | None = None) -> Iterator[Any]:
        """Return tasks in order, or those of them that are chosen (tasks,), from one pass over their rows."""
        rows = RowStream(self._engine, COLUMNS.get(self.form, "reward"), numbers)
        if self.form in ("rewards", "totals"):
            together = self._of_rewards if self.form == "rewards" else self._of_totals
            yield from together(numbers, rows, chosen)
            return
        for number in numbers:
            cells = slice(self._first_cell[number], self._first_cell[number + 1])
            sizes = self._groups.cell_size[cells]
            taken = rows.take(sizes.size if self.form == "moments" else int(sizes.sum()))
            if chosen is None or chosen[number]:
                yield self._make_task(number, self._groups.cell_arm[cells], sizes, taken)

    def _of_rewards(self, numbers: range, rows: RowStream, chosen: NDArray[np.bool_] | None) -> Iterator[Task]:
        """Tasks of rewards, taken from the rows many at a time: the engine has judged every row and named the arms."""
        groups, begins = self._groups, self._first_reward[self._first_cell]
        for first, last, rewards in self._blocks(numbers, rows):
            bounds = (begins[first : last + 1] - begins[first]).tolist()
            cells = self._first_cell[first : last + 1].tolist()
            arm_ids = groups.cell_arm[cells[0] : cells[-1]].tolist()
            sizes = groups.cell_size[cells[0] : cells[-1]].tolist()
            known: dict[tuple[int, ...], tuple[str, ...]] = {}  # arms that several tasks have, made once
            for k, number in enumerate(range(first, last)):
                if chosen is not None and not chosen[number]:
                    continue
                here = slice(cells[k] - cells[0], cells[k + 1] - cells[0])
                ids, lengths = tuple(arm_ids[here]), sizes[here]
                if (arms := known.get(ids)) is None:
                    arms = known[ids] = tuple(groups.arms[arm] for arm in ids)
                if lengths.count(lengths[0]) == len(lengths):
                    starts = even_starts(len(lengths), lengths[0])
                else:
                    starts = self._first_reward[cells[k] : cells[k + 1] + 1] - self._first_reward[cells[k]]
                told = {"given_arms": arms, "name": groups.tasks[number], "limits": self._limits}
                yield Task.of_arrays(rewards[bounds[k] : bounds[k + 1]].copy(), starts, **told)

    def _of_totals(self, numbers: range, rows: RowStream, chosen: NDArray[np.bool_] | None) -> Iterator[Task]:
        """Return tasks of totals, in the same way."""
        groups, nothing = self._groups, np.empty(0)
        for first in range(numbers.start, numbers.stop, TASKS_TAKEN):
            last = min(first + TASKS_TAKEN, numbers.stop)
            cells = self._first_cell[first : last + 1] - self._first_cell[first]
            totals = rows.take(int(cells[-1]))
            pulls, successes = (totals[name].astype(np.int64) for name in ("pulls", "successes"))
            pulls.flags.writeable = successes.flags.writeable = False
            begins = np.append(0, np.cumsum(pulls))
            arms = [groups.arms[arm] for arm in groups.cell_arm[self._first_cell[first] : self._first_cell[last]]]
            bounds = cells.tolist()
            for k, number in enumerate(range(first, last)):
                if chosen is not None and not chosen[number]:
                    continue
                here = slice(bounds[k], bounds[k + 1])
                told = {"given_arms": tuple(arms[here]), "name": groups.tasks[number], "limits": ZERO_ONE}
                starts = begins[here.start : here.stop + 1] - begins[here.start]
                yield SummaryTask.of_arrays(nothing, starts, **told, summary=Counts(pulls[here], successes[here]))

    def _blocks(self, numbers: range, rows: RowStream) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
        """Yield many tasks at a time: the numbers of the first and after the last, and their rewards."""
        first, begins = numbers.start, self._first_reward[self._first_cell]
        while first < numbers.stop:
            last = int(np.searchsorted(begins, begins[first] + TAKEN, side="right")) - 1
            last = min(max(last, first + 1), numbers.stop)
            yield first, last, rows.take(int(begins[last] - begins[first]))["reward"]
            first = last

    def _make_task(
        self, number: int, which: NDArray[np.int64], sizes: NDArray[np.int64], taken: dict[str, NDArray[Any]]
    ) -> Any:
        """Return a task with these arms, of which it has so many rewards each, from its rows."""
        name, arms = self._groups.tasks[number], [self._groups.arms[k] for k in which]
        if self.form == "moments":
            return Task.from_summary(taken["pulls"].tolist(), taken["mean"], taken["sd"], arms=arms, name=name)
        if self.form == "configurations":
            assert self.encoding is not None
            labels = [self.encoding.label(self._configurations[k]) for k in which]
            rewards = np.split(taken["reward"], np.cumsum(sizes)[:-1])
            return Task(rewards, arms=labels, points=self._points[which], name=name, limits=self._limits)
        return LoggedTask(
            taken["features"],
            np.searchsorted(which, taken["arm_id"]),
            taken["reward"],
            propensities=taken.get("propensity"),
            arm_names=arms,
            name=name,
            limits=self._limits,
        )


def _restore(events: bytes, *held: Any) -> Log:
    """Make a log of what another one was pickled as."""
    engine = Engine()
    engine.import_table("events", events)
    return Log(engine, *held)
