"""UCB's run for one value of the parameter, by the same rule as the sweep; and which arm a run recommends."""

import numpy as np

from banditune.kernels.jit import integer, jit, lean
from banditune.kernels.lines.batch import Batch, task_tables, workspace
from banditune.kernels.lines.envelope import leader
from banditune.kernels.lines.index import (
    TaskTables,
    bonus_growth,
    certain_leaders,
    loss_of_counts,
    room_for_lines,
    set_line,
    set_lines,
    set_prior,
)
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add, root_of, two_product, two_sum
from banditune.kernels.watch import Watch, is_stopped

LOOK_AFTER = 2**10  # rounds


@jit
def next_arm(
    counts: Integers, sums: Floats, theta: float, priors: Floats, weight: float, schedule: int, horizon: float
) -> int:
    """UCB's choice after `counts` (n,) pulls with rewards that add up to `sums` (n, 2), high and low part.

    Where nothing is expected (weight 0), an arm not yet pulled goes first, the lowest numbered of several; then the
    highest index, ties to the lowest arm. Else priors (n,) are what was expected.
    """
    if weight == 0.0:
        for arm in range(counts.size):
            if counts[arm] == 0:
                return arm
    growth = bonus_growth(schedule, horizon, float(counts.sum() + 1))
    lines = room_for_lines(counts.size, weight > 0.0)
    for arm in range(counts.size):
        expected, expected_low = two_product(weight, priors[arm])
        total, _ = add(sums[arm, 0], sums[arm, 1], expected, expected_low)
        pulls = float(counts[arm])
        whole, rest = two_sum(pulls, weight)
        high, low = root_of(whole, rest)
        set_line(lines, arm, pulls, sums[arm, 0], sums[arm, 1], total / whole, 1.0 / high, high, low)
        if weight > 0.0:
            set_prior(lines, arm, weight, expected, expected_low)
    return leader(lines, theta, growth)


@jit
def record(counts: Integers, sums: Floats, arm: int, reward: float) -> None:
    """Count a pull of the arm and add its reward to sums (n, 2)."""
    counts[arm] += 1
    sums[arm, 0], sums[arm, 1] = add(sums[arm, 0], sums[arm, 1], reward, 0.0)


def play_first_task(watch: Watch, batch: Batch, theta: float) -> tuple[Integers, Floats, Floats]:
    """Return the arms pulled, the rewards received and the loss so far, each (T,), in the first task of a batch."""
    return play_task(watch, task_tables(batch, 0, workspace(batch)), batch.streams[: batch.starts[1]], theta)


@jit
def play_task(watch: Watch, tables: TaskTables, streams: Floats, theta: float) -> tuple[Integers, Floats, Floats]:
    """Return the same in a task with these tables and streams (n, T)."""
    n_arms, horizon = streams.shape
    counts = np.zeros((1, n_arms), np.int64)
    means, inverse_roots = np.empty((1, n_arms)), np.full((1, n_arms), tables.inverse_roots[0])
    means[0] = tables.means[:, 0]
    lines = room_for_lines(n_arms, tables.weight > 0.0)
    arms, rewards, losses = np.empty(horizon, np.int64), np.empty(horizon), np.empty(horizon)
    for t in range(1, horizon + 1):
        if t % LOOK_AFTER == 0 and is_stopped(watch):
            break
        growth = tables.growth[t]
        arm = t - 1
        if t > tables.n_first:
            arm, _ = certain_leaders(
                means, inverse_roots, 0, theta * growth, theta * growth, tables.size, tables.largest_root
            )
        if arm < 0:
            set_lines(lines, counts, 0, tables)
            arm = leader(lines, theta, growth)
        arms[t - 1], rewards[t - 1] = arm, streams[arm, counts[0, arm]]
        counts[0, arm] += 1
        means[0, arm], inverse_roots[0, arm] = tables.means[arm, counts[0, arm]], tables.inverse_roots[counts[0, arm]]
        losses[t - 1] = loss_of_counts(counts[0], tables)
    return arms, rewards, losses


@lean
def recommend(counts: Integers, sums: Floats, by_pulls: bool) -> int:
    """Return the arm with the highest mean of what counts (n,) pulls gave, or the most of them; ties to the lowest.

    Rewards add up to sums (n, 2), high and low part, as in the sweep: see `kernels.lines.index.recommend_arm`.
    """
    best, most = integer(0), -np.inf
    for arm in range(counts.size):
        if counts[arm] > 0:
            value = float(counts[arm]) if by_pulls else sums[arm, 0] / float(counts[arm])
            if value > most:
                best, most = integer(arm), value
    return best


@jit
def recommend_after(arms: Integers, rewards: Floats, n_arms: int, by_pulls: bool) -> int:
    """Return the arm that is recommended after pulls (T,) that gave these rewards."""
    counts, sums = np.zeros(n_arms, np.int64), np.zeros((n_arms, 2))
    for t in range(arms.size):
        record(counts, sums, arms[t], rewards[t])
    return recommend(counts, sums, by_pulls)


@jit
def recommend_so_far(arms: Integers, rewards: Floats, n_arms: int, by_pulls: bool) -> Integers:
    """Return the arm that is recommended after each of the pulls: (T,)."""
    counts, sums, recommended = np.zeros(n_arms, np.int64), np.zeros((n_arms, 2)), np.empty(arms.size, np.int64)
    for t in range(arms.size):
        record(counts, sums, arms[t], rewards[t])
        recommended[t] = recommend(counts, sums, by_pulls)
    return recommended
