"""The tables of an index that is made of parts (`bonus`): for a batch, and for one task of it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, lean
from banditune.kernels.lines.batch import Batch
from banditune.kernels.lines.bonus import (
    BERNSTEIN,
    CAPPED,
    DIVERGENCE,
    NOW_WIDTH,
    POSTERIOR,
    ROUND,
    STEEPEST,
    Bonus,
    add_square,
    begin_round,
    deviation_of,
    mean_of,
    second_at,
    set_bonus_line,
    slope_of,
    variance_of,
    width_at,
)
from banditune.kernels.lines.envelope import Lines
from banditune.kernels.lines.index import TaskTables


class BonusRoom(NamedTuple):
    """The index of a batch's tasks, with room for the tables of the widest of them."""

    bonus: Bonus
    keys: NDArray[np.uint64]  # (tasks,) of their coins
    widths: NDArray[np.float64]  # (most arms, T + 1); (1, T + 1) where all arms of a task have the same
    seconds: NDArray[np.float64]  # (T + 1,)
    factors: NDArray[np.float64]  # (most arms,)
    now: NDArray[np.float64]  # (NOW_WIDTH,)
    deviations: NDArray[np.float64]  # (most arms, T + 1) for POSTERIOR, else (0, 0)
    drawn: NDArray[np.int64]  # as many: the round that they are of


class BonusTables(NamedTuple):
    """The index of one task."""

    bonus: Bonus
    key: np.uint64
    widths: NDArray[np.float64]  # (n, T + 1) or (1, T + 1)
    is_own: int  # 1 if each arm has widths of its own, else 0
    seconds: NDArray[np.float64]  # (T + 1,) what else slopes go by
    factors: NDArray[np.float64]  # (n,) growth * coin of the present round
    now: NDArray[np.float64]  # (NOW_WIDTH,) where the present round explores, and which arm
    widest: float  # no width is larger
    deviations: NDArray[np.float64]  # (n, T + 1) or (0, 0): what was drawn for an arm after p pulls
    drawn: NDArray[np.int64]  # as many: in which round


class LineBatch(NamedTuple):
    """Tasks, and the index that they are played by."""

    tasks: Batch
    bonus: Bonus
    keys: NDArray[np.uint64]  # (tasks,)


def make_room(batch: LineBatch) -> BonusRoom:
    """Room for the tables of any task of the batch."""
    widest, columns = int(np.diff(batch.tasks.starts).max(initial=0)), batch.tasks.streams.shape[1] + 1
    widths = np.empty((widest if batch.bonus.has_variances else 1, columns))
    shape = (widest, columns) if batch.bonus.form == POSTERIOR else (0, 0)
    tables = widths, np.empty(columns), np.empty(widest), np.zeros(NOW_WIDTH)
    return BonusRoom(batch.bonus, batch.keys, *tables, np.empty(shape), np.empty(shape, np.int64))


@lean
def fill_bonus(room: BonusRoom, batch: Batch, tables: TaskTables, task: int) -> float:
    """Write the tables of one task's index into the room; return the largest width."""
    bonus, n_arms, first = room.bonus, tables.gaps.size, batch.starts[task]
    has_variances = bonus.form == BERNSTEIN or bonus.form == CAPPED
    widest = 0.0
    for arm in range(n_arms if has_variances else 1):
        squares, squares_low, variance = 0.0, 0.0, 0.0
        for p in range(room.seconds.size):
            if has_variances and p > 0:
                squares, squares_low = add_square(squares, squares_low, batch.streams[first + arm, p - 1])
                total, total_low = tables.sums[arm, p, 0], tables.sums[arm, p, 1]
                variance = variance_of(float(p), total, total_low, squares, squares_low)
            width = width_at(bonus, n_arms, float(p), variance)
            room.widths[arm, p] = width
            widest = max(widest, width)
    for p in range(room.seconds.size):
        room.seconds[p] = second_at(bonus, float(p))
    if bonus.form == POSTERIOR or bonus.form == DIVERGENCE:
        for arm in range(n_arms):
            for p in range(room.seconds.size):
                tables.means[arm, p] = mean_of(bonus, float(p), tables.sums[arm, p, 0])
    if bonus.form == POSTERIOR:
        room.drawn[:] = 0
    return widest


def index_of(room: BonusRoom, task: int, n_arms: int, widest: float) -> BonusTables:
    """The index of one task, whose tables are in the room."""
    own = 1 if room.bonus.form == BERNSTEIN or room.bonus.form == CAPPED else 0
    factors = room.factors[:n_arms]
    tables = room.widths, own, room.seconds, factors, room.now, widest
    return BonusTables(room.bonus, room.keys[task], *tables, room.deviations, room.drawn)


index_within = lean(index_of)  # for kernels that leave it to their callers to hold the room


@lean
def tabulate_bonus(room: BonusRoom | None, batch: Batch, tables: TaskTables, task: int) -> BonusTables | None:
    """The index of one task, tabled in the room; none for UCB, whose own tables say it all."""
    if room is None:
        return None
    return index_within(room, task, tables.gaps.size, fill_bonus(room, batch, tables, task))


@inline
def width_of(tables: TaskTables, index: BonusTables | None, arm: int | np.uintp, pulls: int | np.uintp) -> float:
    """How wide the bonus of an arm is after so many pulls."""
    if index is None:
        return float(tables.inverse_roots[pulls])
    return float(index.widths[np.uintp(arm) * np.uintp(index.is_own), pulls])


@inline
def first_rounds(tables: TaskTables, index: BonusTables | None) -> int:
    """How many rounds pull one arm after the other; none where there is a prior."""
    if index is None:
        return tables.n_first
    return 0 if index.bonus.form == POSTERIOR else tables.n_first


@inline
def index_slope(tables: TaskTables, index: BonusTables, arm: int, pulls: np.uintp, width: float) -> float:
    """The slope of an arm's index after some pulls, in the present round."""
    if index.bonus.form == POSTERIOR:
        return drawn_deviation(tables, index, arm, pulls)
    second = index.seconds[pulls] if index.is_own != 0 else 0.0
    return slope_of(index.bonus, width, second, index.factors[arm])


@lean
def drawn_deviation(tables: TaskTables, index: BonusTables, arm: int, pulls: np.uintp) -> float:
    """What is drawn for an arm after some pulls in the present round; once, whatever pieces ask for it."""
    t = int(index.now[ROUND])
    if index.drawn[arm, pulls] != t:
        total = tables.sums[arm, pulls, 0]
        index.deviations[arm, pulls] = deviation_of(index.bonus, index.key, t, arm, float(pulls), total)
        index.drawn[arm, pulls] = t
    return float(index.deviations[arm, pulls])


@lean
def set_bonus_lines(lines: Lines, counts: NDArray[np.int64], row: int, tables: TaskTables, index: BonusTables) -> None:
    """Write the lines of all arms after counts[row] pulls, for the present round."""
    for arm in range(counts.shape[1]):
        p = np.uintp(counts[row, arm])
        slope = index_slope(tables, index, arm, p, width_of(tables, index, arm, p))
        pulls, total, low, mean = float(p), tables.sums[arm, p, 0], tables.sums[arm, p, 1], tables.means[arm, p]
        if index.bonus.form == POSTERIOR:  # its mean is a float by definition
            pulls, total, low = 1.0, mean, 0.0
        set_bonus_line(lines, arm, pulls, total, low, mean, slope)


@lean
def begin_indices(index: BonusTables, t: int) -> None:
    """Write what round t brings, and how steep no line of it is."""
    begin_round(index.bonus, index.key, t, index.factors, index.now)
    largest = 0.0
    for arm in range(index.factors.size):
        largest = max(largest, abs(index.factors[arm]))
    index.now[STEEPEST] = slope_of(index.bonus, index.widest, index.seconds[1], largest)
    if index.bonus.form == POSTERIOR:
        index.now[STEEPEST] = 1.0
