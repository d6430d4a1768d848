"""The paper's recursion (Algorithm 3): every history of its own, nothing merged.

Corrected where the printed text errs: log t at round t, only steeper arms overtake, the run ends after T rounds. It
decides by the sweep's own tables and rule, compiled in the same way, so that a comparison with the sweep is one of
algorithms. The recursion is unrolled: what a call would leave to its second half waits in a row of a stack.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.lines.batch import Batch, task_tables, workspace
from banditune.kernels.lines.envelope import Lines, find_overtaking, leader_right_of
from banditune.kernels.lines.index import (
    TaskTables,
    certain_leaders,
    loss_of_counts,
    set_lines,
)
from banditune.kernels.lines.sweep import Steps
from banditune.kernels.numerics.arrays import enlarge
from banditune.policies.ucb.sweep import least_squares_of


class Stack(NamedTuple):
    """Intervals of theta still to be played, the next one on top; rows below it wait at ever earlier rounds."""

    low: NDArray[np.float64]  # (rows,)
    high: NDArray[np.float64]  # (rows,)
    t: NDArray[np.int64]  # (rows,) the next round
    counts: NDArray[np.int64]  # (rows, n)
    means: NDArray[np.float64]  # (rows, n)
    roots: NDArray[np.float64]  # (rows, n) 1 / sqrt(count)


@inline
def pull(stack: Stack, row: int | np.uintp, arm: int, tables: TaskTables) -> None:
    """Count a pull of the arm."""
    pulled = np.uintp(arm)  # unsigned: no test for counting from the end
    count = np.uintp(stack.counts[row, pulled] + 1)
    stack.counts[row, pulled] = count
    stack.means[row, pulled] = tables.means[pulled, count]
    stack.roots[row, pulled] = tables.inverse_roots[count]


@jit
def stack_after_first_pulls(tables: TaskTables, horizon: int, low: float, high: float) -> Stack:
    """The whole range in row 0, every arm pulled once."""
    n_arms = tables.gaps.size
    shape = (horizon + 1, n_arms)
    ends = np.empty(shape[0]), np.empty(shape[0]), np.empty(shape[0], np.int64)
    stack = Stack(ends[0], ends[1], ends[2], np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape))
    stack.low[0], stack.high[0], stack.t[0] = low, high, min(n_arms, horizon) + 1
    for arm in range(min(n_arms, horizon)):
        pull(stack, 0, arm, tables)
    return stack


@inline
def push_part(stack: Stack, top: int, t: int, edge: float) -> None:
    """Put [low, edge) of the top row on top of it; the row keeps [edge, high) and waits at round t."""
    new = top + 1
    stack.low[new], stack.high[new] = stack.low[top], edge
    for arm in range(stack.counts.shape[1]):
        stack.counts[new, arm] = stack.counts[top, arm]
        stack.means[new, arm] = stack.means[top, arm]
        stack.roots[new, arm] = stack.roots[top, arm]
    stack.low[top], stack.t[top] = edge, t


@jit
def play_to_the_end(stack: Stack, top: int, tables: TaskTables, lines: Lines) -> int:
    """Play the run of the left end of the top row, leaving the rest of the interval behind; return the top row."""
    low, high = stack.low[top], stack.high[top]
    for t in range(stack.t[top], tables.growth.size):
        growth = tables.growth[t]
        arm, last = certain_leaders(
            stack.means, stack.roots, np.uintp(top), low * growth, high * growth, tables.size, tables.largest_root
        )
        if arm < 0 or arm != last:
            set_lines(lines, stack.counts, top, tables)
            arm = leader_right_of(lines, low, growth)
            edge, _ = find_overtaking(lines, arm, low, high, growth)
            if edge < high:
                push_part(stack, top, t, edge)
                top, high = top + 1, edge
        pull(stack, np.uintp(top), arm, tables)
    return top


@jit
def recurse_task(tables: TaskTables, low: float, high: float, steps: Steps, used: int) -> tuple[Steps, int, int]:
    """Append one task's curve to steps[:used]; return the steps, their new use, and the number of histories."""
    stack = stack_after_first_pulls(tables, tables.growth.size - 1, low, high)
    lines = np.empty((tables.gaps.size, 7))
    first, top, histories = used, integer(0), integer(0)
    while top >= 0:
        top = play_to_the_end(stack, top, tables, lines)
        loss = loss_of_counts(stack.counts[top], tables)
        if used == first or steps.value[used - 1] != loss:
            if used == steps.left.size:
                steps = Steps(enlarge(steps.left, 2 * used), enlarge(steps.value, 2 * used))
            steps.left[used], steps.value[used] = stack.low[top], loss
            used += 1
        histories += 1
        top -= 1
    return steps, used, histories


def recurse_batch(
    batch: Batch, low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Left edges and values of the curves of all tasks end to end; where each ends, and its histories, (tasks,)."""
    n_tasks, room = batch.starts.size - 1, workspace(batch)
    steps, used = Steps(np.empty(16 * n_tasks), np.empty(16 * n_tasks)), 0
    ends, histories = np.empty(n_tasks, np.int64), np.empty(n_tasks, np.int64)
    for task in range(n_tasks):
        steps, used, histories[task] = recurse_task(task_tables(batch, task, room), low, high, steps, used)
        ends[task] = used
    return steps.left[:used].copy(), steps.value[:used].copy(), ends, histories


def recursion_curves(batch: Batch, low: float, high: float) -> tuple[CurveSet, NDArray[np.int64]]:
    """The exact losses of the tasks for every alpha in [low, high], and the histories of each."""
    roots, values, ends, histories = recurse_batch(batch, math.sqrt(low), math.sqrt(high))
    left = least_squares_of(roots)
    left[np.append(0, ends[:-1])] = low
    return CurveSet.from_pieces(low, high, left, values, ends), histories
