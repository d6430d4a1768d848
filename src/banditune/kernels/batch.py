"""Many tasks in a few arrays: what a worker is handed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.count_state import TaskTables, root_tables
from banditune.kernels.jit import jit
from banditune.kernels.prefix import prefix_sums


class Batch(NamedTuple):
    """Tasks end to end; the arms of task k are the rows starts[k]:starts[k + 1]."""

    streams: NDArray[np.float64]  # (all arms, T) the rewards each arm would give
    gaps: NDArray[np.float64]  # (all arms,) what one pull costs
    starts: NDArray[np.int64]  # (tasks + 1,)
    earned: float  # 1.0 if the rewards received count against the loss, else 0.0


class Workspace(NamedTuple):
    """Room for the tables of the widest task of a batch, used again for each."""

    sums: NDArray[np.float64]
    means: NDArray[np.float64]
    inverse_roots: NDArray[np.float64]
    roots: NDArray[np.float64]
    growth: NDArray[np.float64]


@jit
def workspace(batch: Batch) -> Workspace:
    """Room for the tables of any task of the batch."""
    width = 0
    for task in range(batch.starts.size - 1):
        width = max(width, batch.starts[task + 1] - batch.starts[task])
    columns = batch.streams.shape[1] + 1
    inverse_roots, roots, growth = root_tables(columns - 1)
    return Workspace(np.empty((width, columns, 2)), np.empty((width, columns)), inverse_roots, roots, growth)


@jit
def task_tables(batch: Batch, task: int, room: Workspace) -> TaskTables:
    """The tables of one task of the batch, in the room given."""
    first, last = batch.starts[task], batch.starts[task + 1]
    streams = batch.streams[first:last]
    sums, means = room.sums[: last - first], room.means[: last - first]
    prefix_sums(streams, sums, means)
    size = 0.0
    for arm in range(streams.shape[0]):
        for position in range(streams.shape[1]):
            size = max(size, abs(streams[arm, position]))
    return TaskTables(
        sums, means, room.inverse_roots, room.roots, room.growth, batch.gaps[first:last], batch.earned, size
    )
