"""A run for one value of the parameter, and one choice of an online policy, by an index that is made of parts."""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import integer, jit
from banditune.kernels.lines import bonus as parts
from banditune.kernels.lines.batch import task_tables, workspace
from banditune.kernels.lines.bonus import Bonus
from banditune.kernels.lines.bonus_tables import (
    BonusTables,
    LineBatch,
    begin_round_at,
    fill_bonus,
    first_rounds,
    index_of,
    make_room,
    set_bonus_lines,
)
from banditune.kernels.lines.feedback import Feedback, find_owed_arm, find_shown_round
from banditune.kernels.lines.index import TaskTables, loss_of_counts, room_for_lines, root_width
from banditune.kernels.lines.pending import add_pending, settle
from banditune.kernels.lines.pieces import empty_slots
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add, two_product
from banditune.kernels.watch import Watch, is_stopped

LOOK_AFTER = 2**10  # rounds


@jit
def next_arm_by_bonus(
    known: Integers,
    pending: Integers,
    sums: Floats,
    squares: Floats,
    x: float,
    bonus: Bonus,
    feedback: Feedback,
    key: np.uint64,
    priors: Floats,
    weight: float,
) -> int:
    """Return the choice after known (n,) pulls, with sums (n, 2) of rewards and squares (n, 2) of theirs.

    The rewards of pending (n,) further pulls are still to come. Without a prior an arm without known rewards goes
    first, the lowest numbered of those with the fewest pulls; then the highest index, ties to the lowest arm. Where
    priors (n,) are expected, they count for `weight` pulls.
    """
    n_arms, t, n_known = known.size, 1, 0
    counts = np.empty((1, n_arms), np.int64)
    for arm in range(n_arms):
        counts[0, arm] = known[arm] + pending[arm]
        t += counts[0, arm]
        n_known += known[arm]
    needs_each = bonus.form != parts.POSTERIOR and weight == 0.0
    owed = find_owed_arm(feedback, counts, known.reshape((1, n_arms)), 0, needs_each, t)
    if owed >= 0:
        return owed
    lines, factors, now = room_for_lines(n_arms, weight > 0.0), np.empty(n_arms), np.zeros(parts.NOW_WIDTH)
    shown, turn = find_shown_round(feedback, t), t - 1
    if feedback.is_whole != 0:
        turn //= feedback.batch
    parts.begin_round(bonus, key, shown, n_known, turn, factors, now)
    for arm in range(n_arms):
        pulls, total, low, variance = float(known[arm]), sums[arm, 0], sums[arm, 1], 0.0
        counted = float(counts[0, arm]) if feedback.counts_pending != 0 else pulls
        if bonus.form == parts.BERNSTEIN or bonus.form == parts.CAPPED:
            variance = parts.variance_of(pulls, total, low, squares[arm, 0], squares[arm, 1])
        width, second = parts.width_at(bonus, n_arms, counted, variance), parts.second_at(bonus, counted)
        mean, expected, expected_low = parts.mean_of(bonus, pulls, total), 0.0, 0.0
        if weight > 0.0:
            expected, expected_low = two_product(weight, priors[arm])
            whole, _ = add(total, low, expected, expected_low)
            mean, width = whole / (pulls + weight), root_width(counted, weight)
        slope = parts.slope_of(bonus, width, second, factors[arm])
        if bonus.form == parts.POSTERIOR:
            slope = parts.deviation_of(bonus, key, shown, arm, pulls, total)
            pulls, total, low = 1.0, mean, 0.0
        elif bonus.form == parts.DIVERGENCE:
            slope = counted
        parts.set_bonus_line(lines, arm, pulls, total, low, mean, slope)
        if weight > 0.0:
            parts.add_prior(lines, arm, weight, expected, expected_low)
    return parts.choose_at(lines, counts, 0, bonus, now, x, feedback.batch > 1 or feedback.delay > 0)


@jit
def count_choices(
    arm: int,
    keys: NDArray[np.uint64],
    known: Integers,
    pending: Integers,
    sums: Floats,
    squares: Floats,
    x: float,
    bonus: Bonus,
    feedback: Feedback,
) -> int:
    """Count with how many of the keys an arm is the choice of `next_arm_by_bonus`, without priors."""
    same, nothing = 0, np.zeros(known.size)
    for key in keys:
        if next_arm_by_bonus(known, pending, sums, squares, x, bonus, feedback, key, nothing, 0.0) == arm:
            same += 1
    return same


def play_lines(watch: Watch, batch: LineBatch, x: float) -> tuple[Integers, Floats, Floats]:
    """Return the arms pulled, the rewards received and the loss so far, each (T,), in the first task of a batch."""
    tables = task_tables(batch.tasks, 0, workspace(batch.tasks))
    room = make_room(batch)
    index = index_of(room, 0, tables.gaps.size, fill_bonus(room, batch.tasks, tables, 0))
    return play_by_bonus(watch, tables, index, batch.feedback, batch.tasks.streams[: batch.tasks.starts[1]], x)


@jit
def play_by_bonus(
    watch: Watch, tables: TaskTables, index: BonusTables, feedback: Feedback | None, streams: Floats, x: float
) -> tuple[Integers, Floats, Floats]:
    """Return the same in a task with these tables and streams (n, T)."""
    n_arms, horizon = streams.shape
    lines, slots = room_for_lines(n_arms, tables.weight > 0.0), empty_slots(integer(1), n_arms)
    is_late = False
    if feedback is not None:
        is_late, known = feedback.batch > 1 or feedback.delay > 0, np.zeros((1, n_arms), np.int64)
        slots = add_pending(slots, known, feedback)
    counts = slots.counts
    arms, rewards, losses = np.empty(horizon, np.int64), np.empty(horizon), np.empty(horizon)
    for t in range(1, horizon + 1):
        if t % LOOK_AFTER == 0 and is_stopped(watch):
            break
        arm = integer(t - 1 if t <= first_rounds(tables, index) else -1)
        if feedback is not None:
            arm = find_owed_arm(feedback, counts, slots.known, 0, first_rounds(tables, index) > 0, t)
        if arm < 0:
            begin_round_at(index, feedback, t)
            set_bonus_lines(lines, slots.known, slots.counted, 0, tables, index)
            arm = parts.choose_at(lines, counts, 0, index.bonus, index.now, x, is_late)
        arms[t - 1], rewards[t - 1] = arm, streams[arm, counts[0, arm]]
        counts[0, arm] += 1
        if feedback is not None:
            settle(slots, np.uintp(0), np.uintp(arm), False, tables, index, feedback, t)
        losses[t - 1] = loss_of_counts(counts[0], tables)
    return arms, rewards, losses
