"""The tables of an index that is made of parts (`bonus`): for a batch, and for one task of it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, lean
from banditune.kernels.lines import bonus as parts
from banditune.kernels.lines.batch import Batch
from banditune.kernels.lines.bonus import Bonus
from banditune.kernels.lines.envelope import PLAIN, Lines
from banditune.kernels.lines.feedback import Feedback, count_known_after, find_shown_round
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.numerics.arrays import Floats, Integers


class BonusRoom(NamedTuple):
    """The index of a batch's tasks, with room for the tables of the widest of them."""

    bonus: Bonus
    keys: NDArray[np.uint64]  # (tasks,) of their coins
    widths: Floats  # (1, T + 1); (most arms, T + 1) variances where each arm of a task has its own
    seconds: Floats  # (T + 1,)
    factors: Floats  # (most arms,)
    now: Floats  # (NOW_WIDTH,)
    deviations: Floats  # (most arms, T + 1) for POSTERIOR, else (0, 0)
    drawn: Integers  # as many: the round that they are of
    listed: Integers  # (most arms, T + 2) for POSTERIOR, else (0, 0)
    tosses: Floats  # (most arms, 4) for POSTERIOR, else (0, 4)


class BonusTables(NamedTuple):
    """The index of one task."""

    bonus: Bonus
    key: np.uint64
    widths: Floats  # (1, T + 1), or variances (n, T + 1)
    is_own: int  # 1 if each arm has widths of its own, by the variance of its rewards, else 0
    seconds: Floats  # (T + 1,) what else slopes go by
    factors: Floats  # (n,) growth * coin of the present round
    now: Floats  # (NOW_WIDTH,) where the present round explores, and which arm
    widest: float  # no width is larger
    deviations: Floats  # (n, T + 1) or (0, 0): what was drawn for an arm after p pulls, but for rounding
    drawn: Integers  # as many: in which round; or, below 0, in all rounds of the batch that ends with it
    listed: Integers  # (n, T + 2) or (0, 0): the pulls that are drawn for in a batch, behind their number
    tosses: Floats  # (n, 4) or (0, 4): what is drawn by in the present round


class LineBatch(NamedTuple):
    """Tasks, and the index that they are played by."""

    tasks: Batch
    bonus: Bonus
    keys: NDArray[np.uint64]  # (tasks,)
    feedback: Feedback | None = None  # when rewards become known; None: before the next round


def make_room(batch: LineBatch) -> BonusRoom:
    """Room for the tables of any task of the batch."""
    widest, columns = int(np.diff(batch.tasks.starts).max(initial=0)), batch.tasks.streams.shape[1] + 1
    widths = np.empty((widest if batch.bonus.has_variances else 1, columns))
    shape = (widest, columns) if batch.bonus.form == parts.POSTERIOR else (0, 0)
    tables = widths, np.empty(columns), np.empty(widest), np.zeros(parts.NOW_WIDTH)
    listed = np.empty((shape[0], shape[1] + 1), np.int64)
    drawn = np.empty(shape), np.empty(shape, np.int64), listed, np.empty((shape[0], 4))
    return BonusRoom(batch.bonus, batch.keys, *tables, *drawn)


@lean
def fill_bonus(room: BonusRoom, batch: Batch, tables: TaskTables, task: int) -> float:
    """Write the tables of one task's index into the room; return the largest width."""
    bonus, n_arms, first = room.bonus, tables.gaps.size, batch.starts[task]
    has_variances = bonus.form == parts.BERNSTEIN or bonus.form == parts.CAPPED
    widest = 0.0
    for arm in range(n_arms if has_variances else 1):
        squares, squares_low, variance = 0.0, 0.0, 0.0
        for p in range(room.seconds.size):
            if has_variances and p > 0:
                squares, squares_low = parts.add_square(squares, squares_low, batch.streams[first + arm, p - 1])
                total, total_low = tables.sums[arm, p, 0], tables.sums[arm, p, 1]
                variance = parts.variance_of(float(p), total, total_low, squares, squares_low)
            width = parts.width_at(bonus, n_arms, float(p), variance)
            if tables.weight > 0.0:
                width = tables.inverse_roots[p]
            room.widths[arm, p] = variance if has_variances else width
            widest = max(widest, width)
    for p in range(room.seconds.size):
        room.seconds[p] = parts.second_at(bonus, float(p))
    if bonus.form == parts.POSTERIOR or bonus.form == parts.DIVERGENCE:
        for arm in range(n_arms):
            for p in range(room.seconds.size):
                tables.means[arm, p] = parts.mean_of(bonus, float(p), tables.sums[arm, p, 0])
    if bonus.form == parts.POSTERIOR:
        room.drawn[:], room.now[parts.LISTED] = 0, 0.0
    return widest


def index_of(room: BonusRoom, task: int, n_arms: int, widest: float) -> BonusTables:
    """Return the index of one task, whose tables are in the room."""
    own = 1 if room.bonus.form == parts.BERNSTEIN or room.bonus.form == parts.CAPPED else 0
    factors = room.factors[:n_arms]
    tables = room.widths, own, room.seconds, factors, room.now, widest
    drawn = room.deviations, room.drawn, room.listed, room.tosses[:n_arms]
    return BonusTables(room.bonus, room.keys[task], *tables, *drawn)


index_within = lean(index_of)  # for kernels that leave it to their callers to hold the room


@lean
def tabulate_bonus(room: BonusRoom | tuple[()], batch: Batch, tables: TaskTables, task: int) -> BonusTables | None:
    """Return the index of one task, tabled in the room; none for UCB, whose own tables say it all.

    UCB has an empty room and not None, for how long it is the compiler knows: then nobody has to ask for an index.
    """
    if len(room) == 0:
        return None
    return index_within(room, task, tables.gaps.size, fill_bonus(room, batch, tables, task))


@inline
def width_of(tables: TaskTables, index: BonusTables | None, arm: np.uintp, known: np.uintp, counted: np.uintp) -> float:
    """Return how wide the bonus of an arm is after so many pulls, of which so many have known rewards."""
    if index is None:
        return float(tables.inverse_roots[counted])
    if index.is_own != 0:
        return parts.width_at(index.bonus, tables.gaps.size, float(counted), index.widths[arm, known])
    return float(index.widths[0, counted])


@inline
def first_rounds(tables: TaskTables, index: BonusTables | None) -> int:
    """Return how many rounds pull one arm after the other; none where there is a prior."""
    if index is None:
        return tables.n_first
    return 0 if index.bonus.form == parts.POSTERIOR else tables.n_first


@inline
def index_slope(
    tables: TaskTables, index: BonusTables, arm: int, known: np.uintp, counted: np.uintp, width: float
) -> float:
    """Return the slope of an arm's index after some pulls, in the present round."""
    if index.bonus.form == parts.POSTERIOR:
        t, total = int(index.now[parts.ROUND]), tables.sums[arm, known, 0]
        return parts.deviation_by(index.bonus, index.key, t, arm, float(known), total, index.tosses, False)
    second = index.seconds[counted] if index.is_own != 0 else 0.0
    return parts.slope_of(index.bonus, width, second, index.factors[arm])


@inline
def draw_nearly(tables: TaskTables, index: BonusTables, arm: int, pulls: np.uintp, t: int) -> float:
    """Draw for an arm after some pulls in round t, the present one, but for rounding; once for all pieces."""
    if index.drawn[arm, pulls] != t:
        total = tables.sums[arm, pulls, 0]
        index.deviations[arm, pulls] = parts.deviation_by(
            index.bonus, index.key, t, arm, float(pulls), total, index.tosses, True
        )
        index.drawn[arm, pulls] = t
    return float(index.deviations[arm, pulls])


@lean
def list_draws(index: BonusTables, known: Integers, rows: Integers, last: int) -> None:
    """List the pulls after which arms are in the states known[rows] (n,), once for the batch that ends with a round."""
    if index.now[parts.LISTED] == last:
        return
    index.now[parts.LISTED] = last
    for arm in range(known.shape[1]):
        n_listed = 0
        for row in rows:
            pulls = np.uintp(known[row, arm])
            if index.drawn[arm, pulls] != -last:
                index.drawn[arm, pulls] = -last
                n_listed += 1
                index.listed[arm, n_listed] = pulls
        index.listed[arm, 0] = n_listed


@lean
def draw_listed_pulls(tables: TaskTables, index: BonusTables) -> None:
    """Draw for all arms after all pulls that are listed, in the present round, but for rounding."""
    t = int(index.now[parts.ROUND])
    for arm in range(index.factors.size):
        for k in range(1, index.listed[arm, 0] + 1):
            pulls = np.uintp(index.listed[arm, k])
            index.deviations[arm, pulls] = parts.deviation_by(
                index.bonus, index.key, t, arm, float(pulls), tables.sums[arm, pulls, 0], index.tosses, True
            )


@inline
def set_item_line(
    lines: Lines, row: int, arm: int, known: np.uintp, counted: np.uintp, tables: TaskTables, index: BonusTables
) -> None:
    """Write the line of an arm for the present round into a row: its mean by known pulls, its bonus by counted ones."""
    slope = index_slope(tables, index, arm, known, counted, width_of(tables, index, np.uintp(arm), known, counted))
    pulls, mean = float(known), tables.means[arm, known]
    total, low = tables.sums[arm, known, 0], tables.sums[arm, known, 1]
    if index.bonus.form == parts.POSTERIOR:  # its mean is a float by definition
        pulls, total, low = 1.0, mean, 0.0
    elif index.bonus.form == parts.DIVERGENCE:
        slope = float(counted)
    parts.set_bonus_line(lines, row, pulls, total, low, mean, slope)
    if lines.shape[1] > PLAIN:
        parts.add_prior(lines, row, tables.weight, tables.expected[arm, 0], tables.expected[arm, 1])


@inline
def set_bonus_lines(
    lines: Lines, known: Integers, counted: Integers, row: int, tables: TaskTables, index: BonusTables
) -> None:
    """Write the lines of all arms for the present round: means by known[row] pulls, bonuses by counted[row]."""
    for arm in range(known.shape[1]):
        set_item_line(lines, arm, arm, np.uintp(known[row, arm]), np.uintp(counted[row, arm]), tables, index)


@inline
def begin_round_at(index: BonusTables, feedback: Feedback | None, t: int) -> None:
    """Write what round t brings, by what is known of earlier rounds."""
    shown, known, turn = find_shown_round(feedback, t), count_known_after(feedback, t - 1), t - 1
    if feedback is not None and feedback.is_whole != 0:
        turn //= feedback.batch
    parts.begin_round(index.bonus, index.key, shown, known, turn, index.factors, index.now)
    parts.toss_arms(index.key, shown, index.tosses)


@lean
def begin_indices(index: BonusTables, feedback: Feedback | None, t: int) -> None:
    """Do the same, and note how steep no line of it is."""
    begin_round_at(index, feedback, t)
    largest = 0.0
    for arm in range(index.factors.size):
        largest = max(largest, abs(index.factors[arm]))
    index.now[parts.STEEPEST] = parts.slope_of(index.bonus, index.widest, index.seconds[1], largest)
    if index.bonus.form == parts.POSTERIOR:
        index.now[parts.STEEPEST] = 1.0
