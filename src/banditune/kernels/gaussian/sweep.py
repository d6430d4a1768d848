"""The exact loss of a Gaussian policy for every scale of a range at once: the merging sweep.

As for UCB (`kernels.lines.sweep`), but the pull of one arm teaches about all: the posterior of a piece is computed from
its counts in every round.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.gaussian.batch import GaussianBatch, Tables, tabulate
from banditune.kernels.gaussian.posterior import Room, draw_coins, make_room, set_lines
from banditune.kernels.gaussian.run import loss_of, read_totals
from banditune.kernels.jit import integer, jit
from banditune.kernels.lines.envelope import find_overtaking, leader, leader_right_of
from banditune.kernels.lines.feedback import Feedback, find_owed_arm, find_shown_round
from banditune.kernels.numerics.arrays import Floats, Integers, enlarge, enlarge_rows
from banditune.kernels.watch import DONE, WHOLE, Watch, is_stopped

FIRST_ROOM = 32  # pieces


class Pieces(NamedTuple):
    """The range in order: piece k is [left[k], left[k + 1]), where arms were pulled counts[k] times."""

    left: Floats  # (capacity + 1,)
    counts: Integers  # (capacity, n)
    known: Integers  # (capacity, n) the pulls whose rewards are known
    recent: Integers  # (capacity, delay) the arms of the last rounds, round t in column t % delay
    parted: Integers  # (capacity,) the last round in which a piece pulled another arm than that left of it


@jit
def has_merged(pieces: Pieces, k: int, feedback: Feedback, t: int) -> bool:
    """Tell whether piece k has come to the same state after round t as the piece before it."""
    same = k > 0 and t - pieces.parted[k] >= feedback.delay
    for arm in range(pieces.counts.shape[1] if same else 0):
        same = same and pieces.counts[k, arm] == pieces.counts[k - 1, arm]
        same = same and pieces.known[k, arm] == pieces.known[k - 1, arm]
    return same


@jit
def pull(source: Pieces, piece: int, target: Pieces, k: int, arm: int, feedback: Feedback, t: int) -> None:
    """Write the piece that pulls an arm in round t as piece k of the target, with what is known after it."""
    for i in range(source.counts.shape[1]):
        target.counts[k, i], target.known[k, i] = source.counts[piece, i], source.known[piece, i]
    for i in range(feedback.delay):
        target.recent[k, i] = source.recent[piece, i]
    target.counts[k, arm] += 1
    if feedback.delay > 0:
        place = t % feedback.delay
        if t > feedback.delay:
            target.known[k, target.recent[k, place]] += 1
        target.recent[k, place] = arm
    elif t % feedback.batch == 0:
        for i in range(source.counts.shape[1]):
            target.known[k, i] = target.counts[k, i]


@jit
def play_round(
    pieces: Pieces,
    n_pieces: int,
    after: Pieces,
    tables: Tables,
    feedback: Feedback,
    t: int,
    drawn: Floats,
    totals: Floats,
    room: Room,
) -> tuple[int, int]:
    """Write what round t makes of the pieces: cut where the leader changes, neighbours with equal counts as one.

    Returns their number and that of the cuts; -1 if there is no room for so many.
    """
    capacity, unit = after.counts.shape[0], tables.growth[find_shown_round(feedback, t)]
    n_after, n_cuts, before = integer(0), integer(0), integer(-1)
    for piece in range(n_pieces):
        start, end, parted = pieces.left[piece], pieces.left[piece + 1], pieces.parted[piece]
        best = find_owed_arm(feedback, pieces.counts, pieces.known, piece, tables.prior.is_flat, t)
        is_owed = best >= 0
        if not is_owed:
            known = pieces.known[piece]
            read_totals(known, tables, totals)
            counted = pieces.counts[piece] if feedback.counts_pending != 0 else known
            set_lines(known, counted, totals, tables.prior, drawn, tables.samples, room)
        while start < end:
            edge = end
            if not is_owed:
                best = leader_right_of(room.lines, start, unit) if unit > 0.0 else leader(room.lines, start, unit)
                edge, _ = find_overtaking(room.lines, best, start, end, unit)
            if n_after == capacity:
                return integer(-1), n_cuts
            pull(pieces, piece, after, n_after, best, feedback, t)
            after.parted[n_after] = t if best != before else parted
            if not has_merged(after, n_after, feedback, t):
                after.left[n_after] = start
                n_after += 1
            n_cuts += edge < end
            start, before = edge, best
    after.left[n_after] = pieces.left[n_pieces]
    return n_after, n_cuts


@jit
def more_room(pieces: Pieces, capacity: int) -> Pieces:
    """Return the same pieces with room for more."""
    counts, known = enlarge_rows(pieces.counts, capacity), enlarge_rows(pieces.known, capacity)
    recent, parted = enlarge_rows(pieces.recent, capacity), enlarge(pieces.parted, capacity)
    return Pieces(enlarge(pieces.left, capacity + 1), counts, known, recent, parted)


@jit
def new_pieces(capacity: int, n_arms: int, delay: int) -> Pieces:
    """Return room for pieces that have pulled nothing."""
    counts, known = np.zeros((capacity, n_arms), np.int64), np.zeros((capacity, n_arms), np.int64)
    recent, parted = np.zeros((capacity, delay), np.int64), np.zeros(capacity, np.int64)
    return Pieces(np.empty(capacity + 1), counts, known, recent, parted)


@jit
def sweep_batch(
    watch: Watch, batch: GaussianBatch, horizons: Integers, low: float, high: float
) -> tuple[Floats, Floats, Integers, Integers]:
    """Return the curves of all tasks of a batch for scales in [low, high], after each of the increasing horizons.

    Left edges and values of the steps of all curves end to end; where each curve ends, (tasks, horizons); and the
    number of histories of each task, (tasks,).
    """
    n_tasks, used, feedback = batch.starts.size - 1, integer(0), batch.feedback
    left, value = np.empty(16 * n_tasks), np.empty(16 * n_tasks)
    ends, histories = np.empty((n_tasks, horizons.size), np.int64), np.ones(n_tasks, np.int64)
    watch[DONE], watch[WHOLE] = 0.0, n_tasks * horizons[-1]
    for task in range(n_tasks):
        tables = tabulate(batch, task)
        n_arms, n_pieces, capacity = tables.gaps.size, integer(1), integer(FIRST_ROOM)
        pieces, after = new_pieces(capacity, n_arms, feedback.delay), new_pieces(capacity, n_arms, feedback.delay)
        pieces.left[0], pieces.left[1] = low, high
        room, totals, drawn = make_room(n_arms), np.zeros(n_arms), np.zeros((2, n_arms))
        t = integer(1)
        for k in range(horizons.size):
            while t <= horizons[k]:
                if is_stopped(watch):
                    return left, value, ends, histories
                if tables.samples:
                    draw_coins(tables.key, find_shown_round(feedback, t), tables.prior, drawn)
                n_after, n_cuts = play_round(pieces, n_pieces, after, tables, feedback, t, drawn, totals, room)
                if n_after < 0:
                    capacity *= 2
                    pieces, after = more_room(pieces, capacity), more_room(after, capacity)
                    continue
                pieces, after, n_pieces = after, pieces, n_after
                histories[task] += n_cuts
                watch[DONE] += 1.0
                t += 1
            if used + n_pieces > left.size:
                left, value = enlarge(left, 2 * (used + n_pieces)), enlarge(value, 2 * (used + n_pieces))
            first = used
            for piece in range(n_pieces):
                loss = loss_of(pieces.counts[piece], tables, totals, room)
                if used == first or value[used - 1] != loss:
                    left[used], value[used] = pieces.left[piece], loss
                    used += 1
            ends[task, k] = used
    return left[:used].copy(), value[:used].copy(), ends, histories
