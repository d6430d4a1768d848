"""GP-UCB's run for one value of every parameter, by the same rule as the search."""

import numpy as np

from banditune.kernels.gp.exact_posterior import Known, make_prior, observe
from banditune.kernels.gp.index import NOISE, Asked, Values, base_indices, leader_of, move_index, tie_width
from banditune.kernels.gp.posterior import Floats, Integers, Observed, Prior
from banditune.kernels.jit import jit
from banditune.kernels.lines.index import TaskTables, loss_with, recommend_arm
from banditune.kernels.numerics.double_double import add, divide
from banditune.kernels.watch import Watch, is_stopped


@jit
def observe_pulls(counts: Integers, sums: Floats) -> Observed:
    """What pulls (n,) with rewards that add up to sums (n, 2) tell."""
    places = np.flatnonzero(counts)
    averages, averages_low = np.empty(places.size), np.empty(places.size)
    for j in range(places.size):
        k = places[j]
        averages[j], averages_low[j] = divide(sums[k, 0], sums[k, 1], float(counts[k]), 0.0)
    return Observed(places, counts[places].astype(np.float64), averages, averages_low)


@jit
def observe_again(observed: Observed, place: int, sums: Floats) -> Observed:
    """What is observed after one more pull; after some of them a place's rewards add up to sums (n, T + 1, 2)."""
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
    """The reward of that pull of a place, from 1."""
    high, _ = add(sums[place, count, 0], sums[place, count, 1], -sums[place, count - 1, 0], -sums[place, count - 1, 1])
    return high


@jit
def make_posterior(covariances: Floats, observed: Observed, noise: float, n_rows: int) -> Known:
    """What is known of all points after what was observed, with room for that many observations."""
    columns = np.arange(covariances.shape[0])
    known = make_prior(columns.size, n_rows)
    for j in range(observed.places.size):
        part, part_low = divide(noise, 0.0, observed.counts[j], 0.0)
        seen, seen_low = observed.averages[j], observed.averages_low[j]
        observe(known, j, observed.places[j], covariances, columns, part, part_low, seen, seen_low)
    return known


@jit
def next_point(prior: Prior, known: Known, width: float, squared: bool, tie: float) -> int:
    """GP-UCB's choice: the highest mean + width * spread, ties to the first."""
    n_points = prior.means.size
    base, base_low, _ = base_indices(prior, Asked(NOISE, 0.0, width, squared), 0.0, np.arange(n_points))
    moved, moved_low = np.empty(n_points), np.empty(n_points)
    for k in range(n_points):
        moved[k], moved_low[k], _ = move_index(
            prior.covariances[k, k],
            known.mean[k],
            known.mean_low[k],
            known.lost[k],
            known.lost_low[k],
            width,
            squared,
        )
    return leader_of(Values(base, base_low, moved, moved_low), tie)


@jit
def play_points(
    watch: Watch,
    prior: Prior,
    seen: Floats,
    tables: TaskTables,
    noise: float,
    widths: Floats,
    squared: bool,
) -> tuple[Integers, Floats, int]:
    """The points chosen and the loss so far in the rounds (T,) with these widths, and the point recommended at the end.

    seen (n, T) is what a pull shows, relative to the prior's mean. Recommended is the highest posterior mean.
    """
    n_points, horizon = seen.shape
    covariances = prior.covariances
    known, columns = make_prior(n_points, horizon), np.arange(n_points)
    counts, sums = np.zeros(n_points, np.int64), np.zeros((n_points, 2))
    arms, losses, recommended = np.empty(horizon, np.int64), np.empty(horizon), 0
    for t in range(horizon):
        if is_stopped(watch):
            break
        tie = tie_width(prior, observe_pulls(counts, sums))
        arm = next_point(prior, known, widths[t], squared, tie)
        reward = seen[arm, counts[arm]]
        observe(known, t, arm, covariances, columns, noise, 0.0, reward, 0.0)
        counts[arm] += 1
        sums[arm, 0], sums[arm, 1] = add(sums[arm, 0], sums[arm, 1], reward, 0.0)
        recommended = 0
        if tables.after.rounds > 0.0 or t == horizon - 1:
            tie = tie_width(prior, observe_pulls(counts, sums))
            recommended = next_point(prior, known, 0.0, squared, tie)
            if tables.after.by_pulls:
                recommended = recommend_arm(counts, tables.sums, True)
        arms[t], losses[t] = arm, loss_with(counts, tables, recommended)
    return arms, losses, recommended
