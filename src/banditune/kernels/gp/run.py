"""GP-UCB's run for one value of every parameter, by the same rule as the search."""

from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.exact_posterior import Known, make_prior, observe
from banditune.kernels.gp.index import NOISE, Asked, Values, base_indices, leader_of, move_index, tie_width
from banditune.kernels.gp.posterior import Observed, Prior
from banditune.kernels.jit import jit
from banditune.kernels.lines.feedback import Feedback, count_known_after, find_owed_arm
from banditune.kernels.lines.index import TaskTables, loss_with, recommend_arm
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add, divide
from banditune.kernels.watch import Watch, is_stopped


@jit
def observe_pulls(counts: Integers, sums: Floats) -> Observed:
    """Return what pulls (n,) with rewards that add up to sums (n, 2) tell."""
    places = np.flatnonzero(counts)
    averages, averages_low = np.empty(places.size), np.empty(places.size)
    for j in range(places.size):
        k = places[j]
        averages[j], averages_low[j] = divide(sums[k, 0], sums[k, 1], float(counts[k]), 0.0)
    return Observed(places, counts[places].astype(np.float64), averages, averages_low)


@jit
def observe_again(observed: Observed, place: int, sums: Floats) -> Observed:
    """Observe one more pull; after some of them a place's rewards add up to sums (n, T + 1, 2)."""
    j, m = np.searchsorted(observed.places, place), observed.places.size
    is_new = j == m or observed.places[j] != place
    count = 1 if is_new else int(observed.counts[j]) + 1
    high, low = divide(sums[place, count, 0], sums[place, count, 1], float(count), 0.0)
    size = m + 1 if is_new else m
    found = Observed(np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty(size))
    for k in range(size):
        if k == j:
            found.places[k], found.counts[k], found.averages[k], found.averages_low[k] = place, count, high, low
        else:
            u = k - 1 if is_new and k > j else k
            found.places[k], found.counts[k] = observed.places[u], observed.counts[u]
            found.averages[k], found.averages_low[k] = observed.averages[u], observed.averages_low[u]
    return found


@jit
def reward_of(sums: Floats, place: int, count: int) -> float:
    """Return the reward of that pull of a place, from 1."""
    high, _ = add(sums[place, count, 0], sums[place, count, 1], -sums[place, count - 1, 0], -sums[place, count - 1, 1])
    return high


@jit
def make_posterior(covariances: Floats, observed: Observed, noise: float, n_rows: int) -> Known:
    """Return what is known of all points after what was observed, with room for that many observations."""
    columns = np.arange(covariances.shape[0])
    known = make_prior(columns.size, n_rows)
    for j in range(observed.places.size):
        part, part_low = divide(noise, 0.0, observed.counts[j], 0.0)
        seen, seen_low = observed.averages[j], observed.averages_low[j]
        observe(known, j, observed.places[j], covariances, columns, part, part_low, seen, seen_low)
    return known


@jit
def next_point(prior: Prior, known: Known, counted: Known, width: float, squared: bool, tie: float) -> int:
    """GP-UCB's choice: the highest mean, by what is known, + width * spread, by what is counted; ties to the first."""
    n_points = prior.means.size
    base, base_low, _ = base_indices(prior, Asked(NOISE, 0.0, width, squared), 0.0, np.arange(n_points))
    moved, moved_low = np.empty(n_points), np.empty(n_points)
    for k in range(n_points):
        moved[k], moved_low[k], _ = move_index(
            prior.covariances[k, k],
            known.mean[k],
            known.mean_low[k],
            counted.lost[k],
            counted.lost_low[k],
            width,
            squared,
        )
    return leader_of(Values(base, base_low, moved, moved_low), tie)


class Learned(NamedTuple):
    """What a run has learned from some of its pulls."""

    posterior: Known
    counts: Integers  # (1, n)
    sums: Floats  # (n, 2) high and low part


@jit
def start_run(n_points: int, horizon: int) -> Learned:
    """Return the state before any pull, with room for so many."""
    return Learned(make_prior(n_points, horizon), np.zeros((1, n_points), np.int64), np.zeros((n_points, 2)))


@jit
def learn_pull(
    learned: Learned, j: int, arm: int, seen: Floats, covariances: Floats, columns: Integers, noise: float
) -> None:
    """Take in what pull number j, of this arm, showed."""
    counts, sums = learned.counts[0], learned.sums
    reward = seen[arm, counts[arm]]
    observe(learned.posterior, j, arm, covariances, columns, noise, 0.0, reward, 0.0)
    counts[arm] += 1
    sums[arm, 0], sums[arm, 1] = add(sums[arm, 0], sums[arm, 1], reward, 0.0)


@jit
def play_points(
    watch: Watch,
    prior: Prior,
    seen: Floats,
    tables: TaskTables,
    noise: float,
    widths: Floats,
    squared: bool,
    feedback: Feedback,
) -> tuple[Integers, Floats, int]:
    """Return points chosen and the loss so far in rounds (T,) with these widths, and the point recommended.

    seen (n, T) is what a pull shows, relative to the prior's mean. Recommended is the highest posterior mean, by all
    rewards. While some are pending, two runs go side by side: with all of them, and with those that are known.
    """
    n_points, horizon = seen.shape
    covariances, columns = prior.covariances, np.arange(n_points)
    is_late = feedback.batch > 1 or feedback.delay > 0
    pulled = start_run(n_points, horizon)
    known = start_run(n_points, horizon) if is_late else pulled
    counted = pulled if feedback.counts_pending != 0 else known
    arms, losses, recommended = np.empty(horizon, np.int64), np.empty(horizon), 0
    for t in range(horizon):
        if is_stopped(watch):
            break
        arm = find_owed_arm(feedback, pulled.counts, known.counts, 0, False, t + 1)
        if arm < 0:
            tie = tie_width(prior, observe_pulls(known.counts[0], known.sums))
            arm = next_point(prior, known.posterior, counted.posterior, widths[t], squared, tie)
        arms[t] = arm
        learn_pull(pulled, t, arm, seen, covariances, columns, noise)
        if is_late:
            for settled in range(count_known_after(feedback, t), count_known_after(feedback, t + 1)):
                learn_pull(known, settled, arms[settled], seen, covariances, columns, noise)
        recommended = 0
        if tables.after.rounds > 0.0 or t == horizon - 1:
            tie = tie_width(prior, observe_pulls(pulled.counts[0], pulled.sums))
            recommended = next_point(prior, pulled.posterior, pulled.posterior, 0.0, squared, tie)
            if tables.after.by_pulls:
                recommended = recommend_arm(pulled.counts[0], tables.sums, True)
        losses[t] = loss_with(pulled.counts[0], tables, recommended)
    return arms, losses, recommended
