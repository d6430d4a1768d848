"""How long it takes to read and group a large log, and in how much memory."""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from benchmarks.scale import peak_gigabytes, verdict

TASKS, ARMS = 20_000, 5
SECONDS, GIGABYTES = 30.0, 4.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.logs", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, metavar="N", help="rows of the log")
    parser.add_argument("--memory", metavar="SIZE", help="what sorting may hold, such as 1GB")
    parser.add_argument("--write", type=Path, metavar="PATH", help="only write such a log, as .parquet or .csv")
    parser.add_argument("--read", type=Path, metavar="PATH", help="only read such a log")
    parser.add_argument("--short", type=int, metavar="N", help="only read and tune on N tasks of two rows each")
    options = parser.parse_args()
    if options.write:
        write(options.write, options.rows)
    elif options.short:
        Console(width=100, highlight=False).print(short_tasks(options.short))
    elif options.read:
        for time_column in (None, "time"):
            Console(width=100, highlight=False).print(read(options.read, time_column, options.memory))
    else:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("log.parquet", "log.csv"):  # each in processes of its own, for the memory of reading alone
                path, sort_in = str(Path(folder) / name), ["--memory", options.memory] if options.memory else []
                for work in (["--write", path, "--rows", str(options.rows)], ["--read", path, *sort_in]):
                    subprocess.run([sys.executable, "-m", "benchmarks.logs", *work], check=True)


def write(path: Path, n_rows: int) -> None:
    """A log of many tasks, its rows in random order."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    tasks, arms = (pa.array([f"{what}-{k}" for k in range(n)]) for what, n in (("task", TASKS), ("arm", ARMS)))
    table = pa.table(
        {
            "task": tasks.take(pa.array(rng.integers(0, TASKS, n_rows))),
            "arm": arms.take(pa.array(rng.integers(0, ARMS, n_rows))),
            "reward": (rng.random(n_rows) < 0.1).astype(float),
            "time": rng.permutation(n_rows),
        }
    )
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
    else:
        pa.csv.write_csv(table, path)


def read(path: Path, time_column: str | None, memory: str | None) -> str:
    """The seconds to read and group the log, and to make each of its tasks."""
    import banditune as bt

    started = time.perf_counter()
    log = bt.read_log(path, time=time_column, memory=memory)
    grouped = time.perf_counter() - started
    n_rewards = sum(task.flat.size for task in log)
    made = time.perf_counter() - started - grouped
    assert n_rewards == log.account.rows_used
    order = f"by {time_column}" if time_column else "as the rows stand"
    reached = verdict(grouped <= SECONDS and peak_gigabytes() <= GIGABYTES)
    return (
        f"{path.name}, {log.account.rows_read:,} rows of {len(log):,} tasks, ordered {order}: read and grouped in "
        f"{grouped:.1f} s, all tasks made in {made:.1f} s more, {peak_gigabytes():.2f} GB at most "
        f"({reached}: {SECONDS:g} s and {GIGABYTES:g} GB)"
    )


def short_tasks(n_tasks: int) -> str:
    """The seconds for very many tasks of two rewards each: what a task costs, whatever is in it."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    import banditune as bt

    rewards = np.random.default_rng(0).random(2 * n_tasks)
    names = pa.array([f"task-{k}" for k in range(n_tasks)]).take(pa.array(np.repeat(np.arange(n_tasks), 2)))
    bt.tune(bt.UCB, [bt.Task([[0.5], [1.0]])], horizon=2, alpha=(0.0, 4.0))  # loads kernels
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        pa.parquet.write_table(pa.table({"task": names, "arm": ["a", "b"] * n_tasks, "reward": rewards}), path)
        moments = [time.perf_counter()]
        log = bt.read_log(path)
        moments.append(time.perf_counter())
        for horizon in (2, 10):
            bt.tune(bt.UCB, log, horizon=horizon, alpha=(0.0, 4.0))
            moments.append(time.perf_counter())
    read, two, ten = np.diff(moments)
    return (
        f"{n_tasks:,} tasks of two rows: read and grouped in {read:.1f} s, tuned over every alpha in [0, 4] in "
        f"{two:.1f} s with a horizon of 2, in {ten:.1f} s with one of 10; {peak_gigabytes():.2f} GB at most"
    )


if __name__ == "__main__":
    main()
