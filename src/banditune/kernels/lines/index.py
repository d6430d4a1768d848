"""What UCB knows after some pulls: the tables of a task, the index of every arm as a line, and the loss so far.

Rewards come from one stream per arm, so everything about a run follows from the counts of pulls alone. All there is to
know about p pulls of an arm is tabled once per task.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, integer, jit, lean
from banditune.kernels.lines.envelope import PLAIN, SLACK, WITH_PRIORS, Lines
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add, root_of, scale, two_product, two_sum

SCHEDULES = ("log", "constant", "remaining")
LOG, CONSTANT, REMAINING = range(3)


class After(NamedTuple):
    """What comes after a run: so many rounds of the arm that is recommended at its end."""

    rounds: float  # 0.0: nothing comes
    gaps: Floats  # (n,) what one of them costs with each arm
    by_pulls: bool  # whether the arm pulled most often is recommended, not the one with the highest mean


NOTHING = After(0.0, np.zeros(0), False)


class TaskTables(NamedTuple):
    """One task, tabled by the number of pulls p = 0..T."""

    sums: Floats  # (n, T + 1, 2) sum of an arm's first p rewards, high and low part
    means: Floats  # (n, T + 1) the mean of them and of what was expected
    weight: float  # how many pulls count for what was expected
    expected: Floats  # (n, 2) what was expected of an arm, times its weight, high and low part
    weights: Floats  # (T + 1,) p and the weight of what was expected, rounded
    inverse_roots: Floats  # (T + 1,) 1 / sqrt(weight)
    roots: Floats  # (T + 1, 2) sqrt(weight), high and low part
    growth: Floats  # (T + 1,) how the bonus of every arm grows with the round
    gaps: Floats  # (n,) what one pull of the arm costs
    earned: float  # 1.0 if the rewards received count against the loss, else 0.0
    size: float  # the largest absolute reward, or expectation
    largest_root: float  # the largest 1 / sqrt(weight)
    n_first: int  # the first so many rounds pull one arm after the other
    tilted: bool  # whether priors change with x, or theta is not x itself
    tilts: Floats  # (n, 2) how what is expected of an arm, times its weight, changes with x
    steepest: float  # the largest change of a prior with x
    start: float  # theta at x = 0
    rise: float  # how it changes with x
    after: After  # what comes after the run


@inline
def bonus_growth(schedule: int, horizon: float, t: float) -> float:
    """Return how the bonus of every arm grows with the round t >= 1: sqrt(log t), 1, or sqrt(log((T + 1) / t)).

    The last of these falls: the fewer rounds remain, the less is explored. After round T it stays what it was then.
    """
    if schedule == CONSTANT:
        return 1.0
    return math.sqrt(math.log((horizon + 1.0) / min(t, horizon) if schedule == REMAINING else t))


@lean
def fill_bonus_growth(schedule: int, horizon: float, growth: Floats) -> None:
    """Write the growth in rounds t = 0, 1, ...: 0 in round 0."""
    growth[0] = 0.0
    for t in range(1, growth.size):
        growth[t] = bonus_growth(schedule, horizon, float(t))


@jit
def growth_of_rounds(schedule: int, horizon: float, rounds: int) -> Floats:
    """Return the growth in rounds t = 0..rounds, 0 in round 0: (rounds + 1,)."""
    growth = np.empty(rounds + 1)
    fill_bonus_growth(schedule, horizon, growth)
    return growth


@lean
def fill_roots(weight: float, weights: Floats, inverse_roots: Floats, roots: Floats) -> None:
    """Write for p = 0, 1, ...: w = p + weight, 1 / sqrt(w), sqrt(w) as high and low part. 0 for w = 0."""
    for p in range(weights.size):
        weights[p], rest = two_sum(float(p), weight)
        roots[p, 0], roots[p, 1] = root_of(weights[p], rest)
        inverse_roots[p] = 1.0 / roots[p, 0] if weights[p] > 0.0 else 0.0


@inline
def root_width(pulls: float, weight: float) -> float:
    """1 / sqrt(pulls + weight), as it is tabled."""
    whole, rest = two_sum(pulls, weight)
    root, _ = root_of(whole, rest)
    return 1.0 / root if whole > 0.0 else 0.0


@inline
def set_line(
    lines: Lines,
    arm: int,
    pulls: float,
    sum_high: float,
    sum_low: float,
    mean: float,
    inverse_root: float,
    root_high: float,
    root_low: float,
) -> None:
    """Write an arm's index, mean + x / sqrt(weight), as a line in x over its denominator, the pulls."""
    lines[arm, 0] = sum_high
    lines[arm, 1] = sum_low
    lines[arm, 2] = root_high
    lines[arm, 3] = root_low
    lines[arm, 4] = pulls
    lines[arm, 5] = mean
    lines[arm, 6] = inverse_root


@inline
def set_prior(lines: Lines, arm: int, weight: float, expected: float, expected_low: float) -> None:
    """Write what is expected of an arm, times its weight, into its line; the weight joins the denominator."""
    lines[arm, PLAIN] = weight
    lines[arm, PLAIN + 1] = expected
    lines[arm, PLAIN + 2] = expected_low
    lines[arm, PLAIN + 3 :] = 0.0


@jit
def room_for_lines(n_arms: int, with_priors: bool) -> Lines:
    """Room for the lines of so many arms."""
    return np.empty((n_arms, WITH_PRIORS if with_priors else PLAIN))


@lean
def set_lines(lines: Lines, counts: Integers, row: int, tables: TaskTables) -> None:
    """Write the lines of all arms after counts[row] pulls."""
    sums, means, inverse, roots = tables.sums, tables.means, tables.inverse_roots, tables.roots
    for arm in range(counts.shape[1]):
        p = np.uintp(counts[row, arm])
        total, low, mean = sums[arm, p, 0], sums[arm, p, 1], means[arm, p]
        set_line(lines, arm, float(counts[row, arm]), total, low, mean, inverse[p], roots[p, 0], roots[p, 1])
        if lines.shape[1] > PLAIN:
            set_prior(lines, arm, tables.weight, tables.expected[arm, 0], tables.expected[arm, 1])


@lean
def set_tilted_lines(lines: Lines, counts: Integers, row: int, tables: TaskTables, growth: float) -> None:
    """Write the lines of all arms in x, where priors change with it; all are lifted alike, so that none falls."""
    set_lines(lines, counts, row, tables)
    for arm in range(counts.shape[1]):
        p = counts[row, arm]
        root_high, root_low = tables.roots[p, 0], tables.roots[p, 1]
        at_start, at_start_low = scale(root_high, root_low, tables.start * growth)
        rise, rise_low = scale(root_high, root_low, tables.rise * growth)
        tilt, tilt_low = tables.tilts[arm, 0], tables.tilts[arm, 1]
        weight, weight_low = two_sum(float(p), tables.weight)
        total, low = add(
            tables.sums[arm, p, 0], tables.sums[arm, p, 1], tables.expected[arm, 0], tables.expected[arm, 1]
        )
        total, _ = add(total, low, at_start, at_start_low)
        slope, slope_low = add(rise, rise_low, tilt, tilt_low)
        lift, lift_low = scale(weight, weight_low, tables.steepest)
        slope, _ = add(slope, slope_low, lift, lift_low)
        lines[arm, 2], lines[arm, 3] = rise, rise_low
        lines[arm, 5], lines[arm, 6] = total / weight, slope / weight
        lines[arm, PLAIN + 3], lines[arm, PLAIN + 4] = at_start, at_start_low
        lines[arm, PLAIN + 5], lines[arm, PLAIN + 6] = tilt, tilt_low


@inline
def certain_tilted_leader(means: Floats, roots: Floats, row: int, tables: TaskTables, growth: float, x: float) -> int:
    """Return the arm whose index is highest at x beyond any rounding, where priors change with x; -1 if in doubt."""
    theta = (tables.start + x * tables.rise) * growth
    best = next_best = -np.inf
    leads = integer(-1)
    for arm in range(tables.gaps.size):
        root = roots[row, arm]
        value = means[row, arm] + root * (theta + x * tables.tilts[arm, 0] * root)
        if value > best:
            best, next_best, leads = value, best, arm
        elif value > next_best:
            next_best = value
    size = tables.size + theta * tables.largest_root + x * tables.steepest
    return leads if best - next_best > SLACK * size else integer(-1)


@inline
def certain_leaders(
    means: Floats, roots: Floats, row: int | np.uintp, low: float, high: float, size: float, largest_root: float
) -> tuple[int, int]:
    """Return the arms with the highest mean + x root at x = low and high beyond any rounding; -1 if in doubt.

    The state is means[row], roots[row]; no mean is larger than `size`, no root than `largest_root`. What leads at both
    ends leads between them.
    """
    best_low = best_high = next_low = next_high = -np.inf
    first = last = 0
    for arm in range(means.shape[1]):
        value = means[row, arm] + low * roots[row, arm]
        lesser = value if value < best_low else best_low
        next_low = lesser if lesser > next_low else next_low
        first = arm if value > best_low else first
        best_low = value if value > best_low else best_low
        value = means[row, arm] + high * roots[row, arm]
        lesser = value if value < best_high else best_high
        next_high = lesser if lesser > next_high else next_high
        last = arm if value > best_high else last
        best_high = value if value > best_high else best_high
    first = first if best_low - next_low > SLACK * (size + low * largest_root) else -1
    last = last if best_high - next_high > SLACK * (size + high * largest_root) else -1
    return first, last


@lean
def recommend_arm(counts: Integers, sums: Floats, by_pulls: bool) -> int:
    """Return the arm with the highest mean of what pulls gave, or the most pulls; ties go to the lowest arm."""
    best, most = integer(0), -np.inf
    for arm in range(counts.size):
        pulls = counts[arm]
        if pulls > 0:
            value = float(pulls) if by_pulls else sums[arm, pulls, 0] / float(pulls)
            if value > most:
                best, most = integer(arm), value
    return best


@lean
def loss_of_counts(counts: Integers, tables: TaskTables) -> float:
    """Return the loss of a run that ended with these pulls, and of what comes after it."""
    arm = integer(0)
    if tables.after.rounds > 0.0:
        arm = recommend_arm(counts, tables.sums, tables.after.by_pulls)
    return loss_with(counts, tables, arm)


@lean
def loss_with(counts: Integers, tables: TaskTables, recommended: int) -> float:
    """Sum pulls * gap, less the rewards received if they count, and what the arm recommended costs after it."""
    high, low = 0.0, 0.0
    if tables.after.rounds > 0.0:
        high, low = two_product(tables.after.rounds, tables.after.gaps[recommended])
    for arm in range(counts.size):
        pulls = counts[arm]
        cost, cost_low = two_product(float(pulls), tables.gaps[arm])
        high, low = add(high, low, cost, cost_low)
        if tables.earned != 0.0:
            high, low = add(high, low, -tables.sums[arm, pulls, 0], -tables.sums[arm, pulls, 1])
    return high + 0.0
