"""What a partition costs on a cluster, stage by stage, and what adding up sums costs: seconds of the processor."""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.curves.exact_sum import CurveSum
from banditune.distributed.files import list_partitions
from banditune.distributed.partition import (
    Job,
    finish_partition,
    measure_learned_values,
    open_engine,
    open_partition,
    sum_first,
    sum_folds,
    sum_second,
    sweep_chunk,
    write_done,
)
from banditune.distributed.partition_sums import Known
from banditune.distributed.tune import MOST_BREAKPOINTS
from banditune.evaluation.folds import N_FOLDS, assign_folds
from banditune.logs.columns import Columns
from banditune.logs.reading import How
from banditune.rng import generator
from banditune.tuning.parallel_sweep import chunks_of
from banditune.tuning.search import Search
from benchmarks.cluster import HORIZON, LIMITS, load_kernels, write_rewards
from benchmarks.timing import time_call

R = TypeVar("R")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_costs", description=__doc__)
    parser.add_argument("--tasks", type=int, default=10_000, metavar="N", help="tasks of the partition")
    options = parser.parse_args()
    load_kernels()
    with tempfile.TemporaryDirectory(prefix="banditune-benchmark-") as name:
        print(a_partition(Path(name) / "log", options.tasks))
    print(a_merge())


def time_work(call: Callable[[], R]) -> tuple[float, R]:
    """The processor's seconds for a call, and what it returned."""
    return time_call(call, time.process_time)


def a_partition(folder: Path, n_tasks: int) -> str:
    """One partition, stage by stage."""
    write_rewards(folder, n_tasks, n_tasks)
    search = Search.of(bt.UCB, [HORIZON], {"alpha": LIMITS}, loss="regret", seed=0, extend=True)
    (partition,), _ = list_partitions([str(folder)])
    job = Job(partition, How.parse(Columns(), None), search, None, None)
    file = folder / "done.npz"
    spent: dict[str, float] = {}
    spent["reading and sorting rows"], log = time_work(lambda: open_partition(job, partition.path, open_engine(job)))
    spent["making tasks"], tasks = time_work(lambda: list(log))
    spent["sweeping"], _ = time_work(lambda: [search.curves(some, first) for first, some in chunks_of(search, tasks)])
    both, chunks = time_work(lambda: [sweep_chunk(job, some, first) for first, some in chunks_of(search, tasks)])
    spent["usual values"] = both - spent["sweeping"]
    spent["keeping"], done = time_work(lambda: write_done(finish_partition(job, log, chunks), partition, file))
    spent["first sums"], first = time_work(lambda: sum_first(done, MOST_BREAKPOINTS))
    assert first is not None
    known = Known(first.losses.level, first.largest)
    spent["second sums"], _ = time_work(lambda: sum_second(done, 0.1, known))
    fold = assign_folds(n_tasks, N_FOLDS, 0).astype(np.uint8)
    spent["folds"], _ = time_work(
        lambda: (
            sum_folds(done, fold, N_FOLDS, first.losses.level),
            measure_learned_values(done, fold, np.full(N_FOLDS, 0.1)),
        )
    )
    stages = ", ".join(f"{stage} {1e6 * seconds / n_tasks:.0f}" for stage, seconds in spent.items())
    return (
        f"a partition of {n_tasks:,} tasks with {2 * HORIZON} rows each, microseconds a task: {stages}; together "
        f"{1e6 * sum(spent.values()) / n_tasks:.0f}. {file.stat().st_size / n_tasks:.0f} bytes a task are kept"
    )


def a_merge(n_sums: int = 4) -> str:
    """Sums of the largest size added up."""
    random = generator(0, "sums")
    sums = []
    for _ in range(n_sums):
        edges = np.unique(np.append(random.random(MOST_BREAKPOINTS), (0.0, 1.0)))
        sums.append(CurveSet.of([bt.StepFunction(edges, random.random(edges.size - 1))]).sum())
    CurveSum.merge([sums[0].within(10), sums[1].within(10)], 5)  # loads what was compiled
    seconds, merged = time_work(lambda: CurveSum.merge(sums, MOST_BREAKPOINTS))
    held = (merged.places.nbytes + merged.changes.nbytes) / merged.places.size
    return (
        f"adding up {n_sums} sums of {MOST_BREAKPOINTS:,} breakpoints: {seconds:.1f} s; {held:.0f} bytes a breakpoint"
    )


if __name__ == "__main__":
    main()
