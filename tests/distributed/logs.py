"""Logs in partitions, made for the tests."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import banditune as bt
from banditune.distributed.files import list_partitions
from banditune.distributed.partition import Job
from banditune.logs.columns import Columns
from banditune.logs.reading import How
from banditune.tuning.search import Search

Rows = dict[str, list[object]]


def rows_of(n_tasks: int, *, seed: int = 0, first: int = 0, levels: int = 2) -> Rows:
    """Rows of some tasks with 2 to 4 arms of 3 to 12 rewards, out of order, with times."""
    rng = np.random.default_rng(seed)
    rows: Rows = {"task": [], "arm": [], "reward": [], "when": []}
    for task in range(first, first + n_tasks):
        for arm in range(int(rng.integers(2, 5))):
            for _ in range(int(rng.integers(3, 13))):
                rows["task"].append(f"task {task}")
                rows["arm"].append(str(arm * 7 + 2))
                rows["reward"].append(float(rng.integers(levels)) / (levels - 1))
                rows["when"].append(int(rng.integers(10**6)))
    return rows


def write(path: Path, rows: Rows) -> Path:
    pq.write_table(pa.table(rows), path)
    return path


def write_parts(folder: Path, n_parts: int = 5, n_tasks: int = 12, **options: int) -> list[Path]:
    """Parquet files, each with tasks of its own."""
    folder.mkdir(exist_ok=True)
    return [
        write(folder / f"part{k}.parquet", rows_of(n_tasks, seed=k, first=k * n_tasks, **options))
        for k in range(n_parts)
    ]


def divided(rows: Rows, n_parts: int) -> Iterator[Rows]:
    """The same tasks in another number of parts."""
    tasks = list(dict.fromkeys(rows["task"]))
    part_of = {task: k % n_parts for k, task in enumerate(tasks)}
    for part in range(n_parts):
        chosen = [k for k, task in enumerate(rows["task"]) if part_of[task] == part]
        yield {name: [values[k] for k in chosen] for name, values in rows.items()}


def joined(parts: Sequence[Rows]) -> Rows:
    return {name: [value for part in parts for value in part[name]] for name in parts[0]}


def jobs_of(folder: Path, kept: Path | None = None, *, skip: bool = False) -> list[Job]:
    """What is to be done with the files of a folder."""
    search = Search.of(bt.UCB, [10], {"alpha": (0.0, 2.0)}, loss="regret", seed=0, extend=True)
    partitions, _ = list_partitions(folder)
    return [Job(each, How.parse(Columns(), None), search, None, kept, skip) for each in partitions]
