"""Many tasks in a few arrays: what a worker is handed."""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import jit, lean
from banditune.kernels.lines.index import LOG, NOTHING, After, TaskTables, fill_bonus_growth, fill_roots
from banditune.kernels.lines.prefix_sums import prefix_sums
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import two_product


class Batch(NamedTuple):
    """Tasks end to end; the arms of task k are the rows starts[k]:starts[k + 1]."""

    streams: Floats  # (all arms, T) the rewards each arm would give
    gaps: Floats  # (all arms,) what one pull costs
    starts: Integers  # (tasks + 1,)
    earned: float  # 1.0 if the rewards received count against the loss, else 0.0
    priors: Floats  # (all arms,) what an arm is expected to give before it is pulled
    weight: float  # how many pulls that counts for; 0.0: nothing is expected, and every arm is pulled once first
    slopes: Floats  # (all arms,) how the priors change with x, along which a range is swept
    start: float  # theta at x = 0
    rise: float  # how it changes with x, at least 0
    schedule: int  # how the bonus grows with the round: LOG, CONSTANT or REMAINING, that is of T rounds
    after: After  # what comes after the runs, its gaps (all arms,)


def without_priors(streams: Floats, gaps: Floats, starts: Integers, earned: float, after: After = NOTHING) -> Batch:
    """Return tasks of which nothing is expected; x is theta, and the bonus grows with the logarithm of the round."""
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
        after=after,
    )


class Workspace(NamedTuple):
    """Room for the tables of the widest task of a batch, used again for each."""

    sums: Floats
    means: Floats
    expected: Floats
    tilts: Floats
    weights: Floats
    inverse_roots: Floats
    roots: Floats
    growth: Floats


def workspace(batch: Batch) -> Workspace:
    """Room for the tables of any task of the batch, with those that all of them share."""
    width, columns = int(np.diff(batch.starts).max(initial=0)), batch.streams.shape[1] + 1
    sums, means, expected = np.empty((width, columns, 2)), np.empty((width, columns)), np.empty((width, 2))
    tilts, weights, inverse_roots = np.empty((width, 2)), np.empty(columns), np.empty(columns)
    room = Workspace(sums, means, expected, tilts, weights, inverse_roots, np.empty((columns, 2)), np.empty(columns))
    fill_shared_tables(batch.weight, batch.schedule, room)
    return room


@lean
def fill_shared_tables(weight: float, schedule: int, room: Workspace) -> None:
    """Write what the tables of all tasks share."""
    fill_roots(weight, room.weights, room.inverse_roots, room.roots)
    fill_bonus_growth(schedule, float(room.growth.size - 1), room.growth)


def task_tables(batch: Batch, task: int, room: Workspace) -> TaskTables:
    """Return the tables of one task of the batch, in the room given."""
    first, last = batch.starts[task], batch.starts[task + 1]
    sums, means, expected = room.sums[: last - first], room.means[: last - first], room.expected[: last - first]
    tilts = room.tilts[: last - first]
    steepest = fill_expectations(batch, first, expected, tilts)
    size = prefix_sums(batch.streams[first:last], expected, room.weights, sums, means)
    for arm in range(first, last):
        size = max(size, abs(batch.priors[arm]))
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
        After(batch.after.rounds, batch.after.gaps[first:last], batch.after.by_pulls),
    )


@lean
def fill_expectations(batch: Batch, first: int, expected: Floats, tilts: Floats) -> float:
    """Write what is expected of the arms from `first` on and how that changes with x; return its largest change."""
    steepest = 0.0
    for arm in range(expected.shape[0]):
        slope = batch.slopes[first + arm]
        expected[arm, 0], expected[arm, 1] = two_product(batch.weight, batch.priors[first + arm])
        tilts[arm, 0], tilts[arm, 1] = two_product(batch.weight, slope)
        steepest = max(steepest, abs(slope))
    return steepest


tables_held = jit(task_tables)  # for kernels
tables_within = lean(task_tables)  # for kernels that leave it to their callers to hold batch and room
