"""A run for one value of the parameter, and one choice of an online policy, by an index that is made of parts."""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import jit
from banditune.kernels.lines.batch import task_tables, workspace
from banditune.kernels.lines.bonus import (
    BERNSTEIN,
    CAPPED,
    NOW_WIDTH,
    POSTERIOR,
    Bonus,
    begin_round,
    choose_at,
    deviation_of,
    mean_of,
    second_at,
    set_bonus_line,
    slope_of,
    variance_of,
    width_at,
)
from banditune.kernels.lines.bonus_tables import (
    BonusTables,
    LineBatch,
    fill_bonus,
    first_rounds,
    index_of,
    make_room,
    set_bonus_lines,
)
from banditune.kernels.lines.envelope import PLAIN
from banditune.kernels.lines.index import TaskTables, loss_of_counts
from banditune.kernels.watch import Watch, is_stopped

LOOK_AFTER = 2**10  # rounds


@jit
def next_arm_by_bonus(
    counts: NDArray[np.int64],
    sums: NDArray[np.float64],
    squares: NDArray[np.float64],
    x: float,
    bonus: Bonus,
    key: np.uint64,
) -> int:
    """The choice after counts (n,) pulls with rewards that add up to sums (n, 2), and their squares to squares (n, 2).

    Without a prior an arm not yet pulled goes first, the lowest numbered of several; then the highest index, ties to
    the lowest arm.
    """
    n_arms, t = counts.size, 1
    for arm in range(n_arms):
        if counts[arm] == 0 and bonus.form != POSTERIOR:
            return arm
        t += counts[arm]
    lines, factors, now = np.empty((n_arms, PLAIN)), np.empty(n_arms), np.zeros(NOW_WIDTH)
    begin_round(bonus, key, t, factors, now)
    for arm in range(n_arms):
        pulls, total, low, variance = float(counts[arm]), sums[arm, 0], sums[arm, 1], 0.0
        if bonus.form == BERNSTEIN or bonus.form == CAPPED:
            variance = variance_of(pulls, total, low, squares[arm, 0], squares[arm, 1])
        width, second = width_at(bonus, n_arms, pulls, variance), second_at(bonus, pulls)
        slope, mean = slope_of(bonus, width, second, factors[arm]), mean_of(bonus, pulls, total)
        if bonus.form == POSTERIOR:
            slope = deviation_of(bonus, key, t, arm, pulls, total)
            pulls, total, low = 1.0, mean, 0.0
        set_bonus_line(lines, arm, pulls, total, low, mean, slope)
    return choose_at(lines, counts.reshape((1, n_arms)), 0, bonus, now, x)


def play_lines(
    watch: Watch, batch: LineBatch, x: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """The arms pulled, the rewards received and the loss so far, each (T,), in the first task of a batch."""
    tables = task_tables(batch.tasks, 0, workspace(batch.tasks))
    room = make_room(batch)
    index = index_of(room, 0, tables.gaps.size, fill_bonus(room, batch.tasks, tables, 0))
    return play_by_bonus(watch, tables, index, batch.tasks.streams[: batch.tasks.starts[1]], x)


@jit
def play_by_bonus(
    watch: Watch, tables: TaskTables, index: BonusTables, streams: NDArray[np.float64], x: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """The same in a task with these tables and streams (n, T)."""
    n_arms, horizon = streams.shape
    counts, lines = np.zeros((1, n_arms), np.int64), np.empty((n_arms, PLAIN))
    arms, rewards, losses = np.empty(horizon, np.int64), np.empty(horizon), np.empty(horizon)
    for t in range(1, horizon + 1):
        if t % LOOK_AFTER == 0 and is_stopped(watch):
            break
        arm = t - 1
        if t > first_rounds(tables, index):
            begin_round(index.bonus, index.key, t, index.factors, index.now)
            set_bonus_lines(lines, counts, 0, tables, index)
            arm = choose_at(lines, counts, 0, index.bonus, index.now, x)
        arms[t - 1], rewards[t - 1] = arm, streams[arm, counts[0, arm]]
        counts[0, arm] += 1
        losses[t - 1] = loss_of_counts(counts[0], tables)
    return arms, rewards, losses
