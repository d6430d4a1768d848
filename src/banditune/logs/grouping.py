"""The rows of a log as tasks: sorted and counted by the engine."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.logs.columns import Form
from banditune.logs.engine import Engine

PART_STRIDE = 2**40  # more rows than a part can have: part and row as one number


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Who is in a log. Cell c is an arm of a task: task cell_task[c], arm cell_arm[c], cell_size[c] rewards."""

    tasks: tuple[str, ...]
    arms: tuple[str, ...]
    cell_task: NDArray[np.int64]
    cell_arm: NDArray[np.int64]
    cell_size: NDArray[np.int64]
    numbers: bool  # whether all arms' names are whole numbers, and are in their order


def group(engine: Engine, form: Form, moment: str | None, *, text_order: bool = False) -> Groups:
    """Make the table `events`, sorted: by task, arm and time (or row); where there are contexts, by task and time.

    Its columns are task_id, arm_id and what the form of the log needs. Names are in their natural order, those of arms
    as text if asked to. `moment` is an expression for the time of a row, if there are times.
    """
    (tasks, _), (arms, numbers) = _number_names(engine, "task"), _number_names(engine, "arm", text_order=text_order)
    kept = {
        "rewards": "reward",
        "configurations": "reward",
        "totals": "CAST(sum(pulls) AS BIGINT) AS pulls, CAST(sum(successes) AS BIGINT) AS successes",
        "moments": "CAST(pulls AS BIGINT) AS pulls, mean, sd",
        "contexts": "reward, features" + (", propensity" if "propensity" in engine.describe("rows") else ""),
    }[form]
    order = ["task_id"] if form == "contexts" else ["task_id", "arm_id"]
    if form not in ("totals", "moments"):
        order += ["place"] if moment is None else ["moment_at", "place"]
        kept += f", part * {PART_STRIDE} + row AS place" + ("" if moment is None else f", {moment} AS moment_at")
    grouped = " GROUP BY task_id, arm_id" if form == "totals" else ""
    engine.run(
        "Sorting rows by task",
        f"CREATE TABLE events AS SELECT tasks.id AS task_id, arms.id AS arm_id, {kept} FROM rows "
        f"JOIN tasks ON rows.task = tasks.name JOIN arms ON rows.arm = arms.name "
        f"WHERE reason IS NULL{grouped} ORDER BY {', '.join(order)}",
    )
    size = "CAST(sum(pulls) AS BIGINT)" if form in ("totals", "moments") else "count(*)"
    cells = engine.connection.execute(
        f"SELECT task_id, arm_id, {size} AS size FROM events GROUP BY ALL ORDER BY ALL"
    ).fetchnumpy()
    of_task, of_arm, sizes = (np.asarray(cells[name], np.int64) for name in ("task_id", "arm_id", "size"))
    return Groups(tasks, arms, of_task, of_arm, sizes, numbers)


def count_summed_rows(engine: Engine) -> int:
    """Return rows of totals beyond the first of their task and arm."""
    return int(engine.value("SELECT count(*) - (SELECT count(*) FROM events) FROM rows WHERE reason IS NULL"))


def duplicates(engine: Engine) -> int:
    """Return rows that repeat the task, arm, time and reward of another."""
    different = "SELECT DISTINCT task_id, arm_id, moment_at, reward FROM events"
    return int(engine.value(f"SELECT (SELECT count(*) FROM events) - count(*) FROM ({different})"))


def out_of_order(engine: Engine) -> int:
    """Return rows that stand in the log before a row of the same task and arm with an earlier time."""
    above = {name: f"lag({name}) OVER ()" for name in ("task_id", "arm_id", "place")}  # events are sorted by time
    early = f"task_id = {above['task_id']} AND arm_id = {above['arm_id']} AND place < {above['place']}"
    return int(engine.value(f"SELECT count(*) FROM (SELECT {early} AS early FROM events) WHERE early"))


def _number_names(engine: Engine, name: str, *, text_order: bool = False) -> tuple[tuple[str, ...], bool]:
    """Make the table `tasks` or `arms` (name, id) and return the names: as numbers where all are, else as text.

    Also returns whether all are numbers; text_order sorts even those as text.
    """
    engine.run(f"Finding {name}s", f"CREATE TABLE named AS SELECT DISTINCT {name} FROM rows WHERE reason IS NULL")
    order, whole = order_names(engine, "named", name, text_order=text_order)
    engine.run(
        f"Sorting {name}s",
        f"CREATE TABLE {name}s AS SELECT {name} AS name, row_number() OVER (ORDER BY {order}) - 1 AS id FROM named; "
        "DROP TABLE named",
    )
    return tuple(row[0] for row in engine.rows(f"SELECT name FROM {name}s ORDER BY id")), whole


def order_names(engine: Engine, table: str, name: str, *, text_order: bool = False) -> tuple[str, bool]:
    """Return what a column of names is ordered by, and whether all are whole numbers: then by these, unless as text."""
    numeric = rf"regexp_full_match({name}, '-?\d{{1,18}}')"
    whole = bool(engine.value(f"SELECT coalesce(bool_and({numeric}), false) FROM {table}"))
    return f"CAST({name} AS BIGINT), {name}" if whole and not text_order else name, whole
