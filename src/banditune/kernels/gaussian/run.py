"""One run, and one choice of an online policy: by the same rule as the sweep's."""

import numpy as np

from banditune.kernels.gaussian.batch import GaussianBatch, Tables, tabulate
from banditune.kernels.gaussian.posterior import Room, draw_coins, make_prior, make_room, set_lines
from banditune.kernels.jit import integer, jit
from banditune.kernels.lines.envelope import leader
from banditune.kernels.lines.feedback import Feedback, count_known_after, find_owed_arm, find_shown_round
from banditune.kernels.lines.index import bonus_growth, loss_with, recommend_arm
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.watch import Watch, is_stopped


@jit
def read_totals(counts: Integers, tables: Tables, totals: Floats) -> None:
    """Write the sum of the first counts (n,) rewards of each arm."""
    for arm in range(counts.size):
        totals[arm] = tables.sums[arm, counts[arm], 0]


@jit
def recommend(counts: Integers, tables: Tables, totals: Floats, room: Room) -> int:
    """Return the arm with the highest mean after counts (n,) pulls, of the posterior if there is a prior.

    Or that with the most pulls; ties go to the lowest arm. What is in totals (n,) and the room is overwritten.
    """
    if tables.after.by_pulls or tables.prior.is_flat:
        return recommend_arm(counts, tables.sums, tables.after.by_pulls)
    read_totals(counts, tables, totals)
    set_lines(counts, counts, totals, tables.prior, np.zeros((2, counts.size)), False, room)
    best = integer(0)
    for arm in range(1, counts.size):
        if room.lines[arm, 0] > room.lines[best, 0]:
            best = integer(arm)
    return best


@jit
def loss_of(counts: Integers, tables: Tables, totals: Floats, room: Room) -> float:
    """Return the loss of a run that ended with counts (n,) pulls, and of what comes after it."""
    arm = recommend(counts, tables, totals, room) if tables.after.rounds > 0.0 else integer(0)
    return loss_with(counts, tables, arm)  # type: ignore[arg-type]  # of which it reads four


@jit
def next_arm(
    known: Integers,
    pending: Integers,
    totals: Floats,
    means: Floats,
    covariance: Floats,
    noise: float,
    is_flat: bool,
    theta: float,
    schedule: int,
    horizon: float,
    key: np.uint64,
    samples: bool,
    feedback: Feedback,
) -> int:
    """Return the arm to pull after known (n,) pulls with these totals (n,), and pending (n,) ones.

    Ties go to the lowest arm.
    """
    n_arms, t = known.size, 1
    counts = np.empty((1, n_arms), np.int64)
    for arm in range(n_arms):
        counts[0, arm] = known[arm] + pending[arm]
        t += counts[0, arm]
    owed = find_owed_arm(feedback, counts, known.reshape((1, n_arms)), 0, is_flat, t)
    if owed >= 0:
        return owed
    prior = make_prior(means, covariance, noise, is_flat, samples)
    room, drawn, shown = make_room(n_arms), np.zeros((2, n_arms)), find_shown_round(feedback, t)
    if samples:
        draw_coins(key, shown, prior, drawn)
    set_lines(known, counts[0] if feedback.counts_pending != 0 else known, totals, prior, drawn, samples, room)
    return leader(room.lines, theta, bonus_growth(schedule, horizon, float(shown)))


@jit
def find_posterior(
    counts: Integers, totals: Floats, means: Floats, covariance: Floats, noise: float, is_flat: bool
) -> tuple[Floats, Floats]:
    """Return means and spreads (n,) of the arms after counts (n,) pulls with these totals (n,), as choices see them."""
    room, drawn = make_room(counts.size), np.zeros((2, counts.size))
    set_lines(counts, counts, totals, make_prior(means, covariance, noise, is_flat, False), drawn, False, room)
    return room.lines[:, 0].copy(), room.lines[:, 2].copy()


@jit
def recommend_after_run(batch: GaussianBatch, arms: Integers) -> int:
    """Return the arm that a run on the first task of a batch recommends after pulling these arms (T,)."""
    tables = tabulate(batch, 0)
    counts = np.zeros(tables.gaps.size, np.int64)
    for arm in arms:
        counts[arm] += 1
    return recommend(counts, tables, np.zeros(counts.size), make_room(counts.size))


@jit
def play_first_task(watch: Watch, batch: GaussianBatch, theta: float) -> tuple[Integers, Floats, Floats]:
    """Return the arms pulled, the rewards received and the loss so far, each (T,), in the first task of a batch."""
    tables = tabulate(batch, 0)
    n_arms, horizon = tables.gaps.size, batch.streams.shape[1]
    counts, known, totals = np.zeros((1, n_arms), np.int64), np.zeros((1, n_arms), np.int64), np.zeros(n_arms)
    room, drawn, feedback = make_room(n_arms), np.zeros((2, n_arms)), batch.feedback
    counted = counts[0] if feedback.counts_pending != 0 else known[0]
    arms, rewards, losses = np.empty(horizon, np.int64), np.empty(horizon), np.empty(horizon)
    for t in range(1, horizon + 1):
        if is_stopped(watch):
            break
        arm = find_owed_arm(feedback, counts, known, 0, tables.prior.is_flat, t)
        if arm < 0:
            shown = find_shown_round(feedback, t)
            if tables.samples:
                draw_coins(tables.key, shown, tables.prior, drawn)
            read_totals(known[0], tables, totals)
            set_lines(known[0], counted, totals, tables.prior, drawn, tables.samples, room)
            arm = leader(room.lines, theta, tables.growth[shown])
        arms[t - 1], rewards[t - 1] = arm, batch.streams[batch.starts[0] + arm, counts[0, arm]]
        counts[0, arm] += 1
        for settled in range(count_known_after(feedback, t - 1), count_known_after(feedback, t)):
            known[0, arms[settled]] += 1
        losses[t - 1] = loss_of(counts[0], tables, totals, room)
    return arms, rewards, losses
