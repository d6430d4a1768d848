"""Many tasks in a few arrays: what a worker is handed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit
from banditune.kernels.lines.prefix_sums import prefix_sums
from banditune.kernels.lines.tables import LOG, TaskTables, growth_of_rounds, root_tables
from banditune.kernels.numerics.double_double import two_product


class Batch(NamedTuple):
    """Tasks end to end; the arms of task k are the rows starts[k]:starts[k + 1]."""

    streams: NDArray[np.float64]  # (all arms, T) the rewards each arm would give
    gaps: NDArray[np.float64]  # (all arms,) what one pull costs
    starts: NDArray[np.int64]  # (tasks + 1,)
    earned: float  # 1.0 if the rewards received count against the loss, else 0.0
    priors: NDArray[np.float64]  # (all arms,) what an arm is expected to give before it is pulled
    weight: float  # how many pulls that counts for; 0.0: nothing is expected, and every arm is pulled once first
    slopes: NDArray[np.float64]  # (all arms,) how the priors change with x, along which a range is swept
    start: float  # theta at x = 0
    rise: float  # how it changes with x, at least 0
    schedule: int  # how the bonus grows with the round: LOG, CONSTANT or REMAINING, that is of T rounds


def without_priors(
    streams: NDArray[np.float64], gaps: NDArray[np.float64], starts: NDArray[np.int64], earned: float
) -> Batch:
    """Tasks of which nothing is expected; x is theta, and the bonus grows with the logarithm of the round."""
    nothing = np.zeros(gaps.size)
    return Batch(
        streams,
        gaps,
        starts,
        earned,
        priors=nothing,
        weight=0.0,
        slopes=nothing,
        start=0.0,
        rise=1.0,
        schedule=LOG,
    )


class Workspace(NamedTuple):
    """Room for the tables of the widest task of a batch, used again for each."""

    sums: NDArray[np.float64]
    means: NDArray[np.float64]
    expected: NDArray[np.float64]
    tilts: NDArray[np.float64]
    weights: NDArray[np.float64]
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
    weights, inverse_roots, roots = root_tables(columns - 1, batch.weight)
    growth = growth_of_rounds(batch.schedule, float(columns - 1), columns - 1)
    sums, means, expected = np.empty((width, columns, 2)), np.empty((width, columns)), np.empty((width, 2))
    return Workspace(sums, means, expected, np.empty((width, 2)), weights, inverse_roots, roots, growth)


@jit
def task_tables(batch: Batch, task: int, room: Workspace) -> TaskTables:
    """The tables of one task of the batch, in the room given."""
    first, last = batch.starts[task], batch.starts[task + 1]
    streams = batch.streams[first:last]
    sums, means, expected = room.sums[: last - first], room.means[: last - first], room.expected[: last - first]
    tilts = room.tilts[: last - first]
    size = steepest = 0.0
    for arm in range(streams.shape[0]):
        prior, slope = batch.priors[first + arm], batch.slopes[first + arm]
        expected[arm, 0], expected[arm, 1] = two_product(batch.weight, prior)
        tilts[arm, 0], tilts[arm, 1] = two_product(batch.weight, slope)
        size, steepest = max(size, abs(prior)), max(steepest, abs(slope))
        for position in range(streams.shape[1]):
            size = max(size, abs(streams[arm, position]))
    prefix_sums(streams, expected, room.weights, sums, means)
    return TaskTables(
        sums,
        means,
        batch.weight,
        expected,
        room.weights,
        room.inverse_roots,
        room.roots,
        room.growth,
        batch.gaps[first:last],
        batch.earned,
        size,
        room.inverse_roots[0 if batch.weight > 0.0 else 1],
        last - first if batch.weight == 0.0 else 0,
        batch.start != 0.0 or batch.rise != 1.0 or steepest > 0.0,
        tilts,
        steepest,
        batch.start,
        batch.rise,
    )
