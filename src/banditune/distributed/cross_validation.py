"""Cross-validation on a cluster: the folds are those of the whole log, the curves stay with the workers."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from operator import getitem
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.exact_sum import CurveSum, Floats
from banditune.distributed.partition import list_names, measure_learned_values, sum_folds
from banditune.distributed.partition_sums import Sample
from banditune.distributed.sweep import Sweep
from banditune.errors import FileError
from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.folds import assign_folds
from banditune.evaluation.recommended_value import recommend
from banditune.logs.engine import Engine
from banditune.logs.grouping import order_names
from banditune.tuning.search import Search


@dataclass(frozen=True, slots=True, eq=False)
class TaskOrder:
    """The tasks of all partitions in the order that they have in the whole log: that of their names."""

    names: Any  # an Arrow array, in this order
    places: Mapping[str, NDArray[np.int64]]  # path of a partition -> (tasks,) the places of its tasks

    @classmethod
    def of(cls, sweep: Sweep) -> "TaskOrder":
        """Order tasks that were swept; one with rows in two partitions is rejected: it would count as two."""
        import pyarrow as pa
        import pyarrow.compute as pc

        parts = sweep.collect(lambda path: sweep.submit(path, list_names))
        ends = np.cumsum([len(part) for part in parts.values()])
        names = pa.concat_arrays(list(parts.values()))
        order = _sort(pa.table({"task": names, "place": np.arange(len(names))}))
        ordered = names.take(pa.array(order))
        repeated = np.flatnonzero(pc.equal(ordered[1:], ordered[:-1]))
        if repeated.size:
            first = int(repeated[0])
            here, there = (list(parts)[k] for k in np.searchsorted(ends, np.sort(order[first : first + 2]), "right"))
            raise FileError(
                f"all rows of a task must be in one partition, but those of task {ordered[first].as_py()!r} are in "
                f"{here} and in {there}"
            )
        places = np.empty(len(names), np.int64)
        places[order] = np.arange(len(names))
        return cls(ordered, dict(zip(parts, np.split(places, ends[:-1]), strict=True)))

    def arrange(self, parts: Mapping[str, Floats]) -> Floats:
        """Return what is known of each partition's tasks (..., tasks), as one array in this order."""
        whole = np.empty((*next(iter(parts.values())).shape[:-1], len(self.names)))
        for path, part in parts.items():
            whole[..., self.places[path]] = part
        return whole

    def arrange_sample(self, sample: Sample) -> tuple[Sample, NDArray[np.int64]]:
        """Return a sample in this order, and the places of its tasks."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.index_in(self.names, value_set=pa.array([task.name for task in sample.tasks], self.names.type))
        chosen = found.drop_null().to_numpy()
        return sample.take(chosen), np.flatnonzero(found.is_valid())


def _sort(tasks: Any) -> NDArray[np.int64]:
    """Return the places of tasks in an Arrow table, in the order in which reading a log puts their names."""
    with closing(Engine()) as engine:
        engine.connection.register("names", tasks)
        order, _ = order_names(engine, "names", "task")
        engine.run("Sorting tasks", f"SELECT place FROM names ORDER BY {order}")
        return np.asarray(engine.connection.fetchnumpy()["place"], np.int64)


def cross_validate_partitions(
    sweep: Sweep,
    order: TaskOrder,
    total: CurveSum,
    baselines: Mapping[float | str, Floats],
    current: str | None,
    search: Search,
    n_folds: int,
    progress: Callable[[int, int], None],
) -> HeldOutLosses | None:
    """Learn without each fold, and measure on it: what `cross_validate` finds on the whole log; None for one task.

    `total` is the sum of all curves. `baselines` are the losses (tasks,) with values to compare with and with others
    by their names, NaN where nobody knows; `current` names the one that is used today.
    `progress` is called with the number of folds done, and of how many.
    """
    n_folds = min(n_folds, total.count)
    if n_folds < 2:
        return None
    fold = assign_folds(total.count, n_folds, search.seed)
    folds = {path: fold[places].astype(np.uint8) for path, places in order.places.items()}
    values = np.empty(n_folds)

    by_fold: dict[str, Any] = {}  # path -> the future of a partition's sums

    def begin_part(k: int, path: str) -> Any:
        """Return the future of a partition's sum of fold k: its curves are read once for all folds."""
        if path not in by_fold or by_fold[path].status == "error":
            by_fold[path] = sweep.submit(path, sum_folds, folds[path], n_folds, total.level)
        return sweep.client.submit(getitem, by_fold[path], k, pure=False)

    def begin(k: int) -> Any:
        """Return the future of the sum of fold k."""
        return sweep.begin_sum(CurveSum.merge, partial(begin_part, k))

    for k, held_out in enumerate(sweep.each(range(n_folds), begin)):  # workers go on with the next while one is here
        rest = replace(total - held_out, count=total.count - held_out.count)
        values[k] = recommend(search.free_parameter, rest.mean(), rest.count, draws=search.draws.number)
        progress(k + 1, n_folds)
    learned = order.arrange(sweep.collect(lambda path: sweep.submit(path, measure_learned_values, folds[path], values)))
    known = {each: losses for each, losses in baselines.items() if not np.isnan(losses).any()}
    usual = {value: losses for value, losses in known.items() if not isinstance(value, str)}
    others = {name: losses for name, losses in known.items() if isinstance(name, str)}
    return HeldOutLosses(n_folds, fold, values, learned, usual, search.parameter, others, current)
