"""What UCB knows after some pulls: the tables of a task, the index of every arm as a line, and the loss so far.

Rewards come from one stream per arm, so everything about a game follows from the counts of pulls alone. All there is to
know about p pulls of an arm is tabled once per task.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.double_double import add, root, two_product
from banditune.kernels.envelope import SLACK, Lines
from banditune.kernels.jit import inline, jit


class TaskTables(NamedTuple):
    """One task, tabled by the number of pulls p = 0..T."""

    sums: NDArray[np.float64]  # (n, T + 1, 2) sum of an arm's first p rewards, high and low part
    means: NDArray[np.float64]  # (n, T + 1) the mean of them
    inverse_roots: NDArray[np.float64]  # (T + 1,) 1 / sqrt(p)
    roots: NDArray[np.float64]  # (T + 1, 2) sqrt(p), high and low part
    growth: NDArray[np.float64]  # (T + 1,) sqrt(log p)
    gaps: NDArray[np.float64]  # (n,) what one pull of the arm costs
    earned: float  # 1.0 if the rewards received count against the loss, else 0.0
    size: float  # the largest absolute reward


@inline
def log_root(t: int) -> float:
    """sqrt(log t): how the bonus of every arm grows with the round."""
    return math.sqrt(math.log(t))


@jit
def root_tables(horizon: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """1 / sqrt(p), sqrt(p) as high and low part, and sqrt(log p) for p = 1..horizon; zeros for p = 0."""
    inverse_roots, roots, growth = np.zeros(horizon + 1), np.zeros((horizon + 1, 2)), np.zeros(horizon + 1)
    for p in range(1, horizon + 1):
        roots[p, 0], roots[p, 1] = root(float(p))
        inverse_roots[p] = 1.0 / roots[p, 0]
        growth[p] = log_root(p)
    return inverse_roots, roots, growth


@inline
def set_line(
    lines: Lines,
    arm: int,
    pulls: int,
    sum_high: float,
    sum_low: float,
    mean: float,
    inverse_root: float,
    root_high: float,
    root_low: float,
) -> None:
    """Write an arm's index, mean + x / sqrt(pulls), as a line in x over the denominator `pulls`."""
    lines[arm, 0] = sum_high
    lines[arm, 1] = sum_low
    lines[arm, 2] = root_high
    lines[arm, 3] = root_low
    lines[arm, 4] = pulls
    lines[arm, 5] = mean
    lines[arm, 6] = inverse_root


@jit
def set_lines(lines: Lines, counts: NDArray[np.int64], row: int, tables: TaskTables) -> None:
    """Write the lines of all arms after counts[row] pulls."""
    sums, means, inverse, roots = tables.sums, tables.means, tables.inverse_roots, tables.roots
    for arm in range(counts.shape[1]):
        p = np.uintp(counts[row, arm])
        total, total_low, mean = sums[arm, p, 0], sums[arm, p, 1], means[arm, p]
        set_line(lines, arm, counts[row, arm], total, total_low, mean, inverse[p], roots[p, 0], roots[p, 1])


@inline
def certain_leaders(
    means: NDArray[np.float64], roots: NDArray[np.float64], row: int | np.uintp, low: float, high: float, size: float
) -> tuple[int, int]:
    """The arms whose index mean + x root is highest at x = low and at x = high beyond any rounding; -1 if in doubt.

    The state is means[row], roots[row]; no mean is larger than `size`. What leads at both ends leads between them.
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
    first = first if best_low - next_low > SLACK * (size + low) else -1
    last = last if best_high - next_high > SLACK * (size + high) else -1
    return first, last


@jit
def loss_of_counts(counts: NDArray[np.int64], tables: TaskTables) -> float:
    """The loss of a game that ended with these pulls: sum of pulls * gap, less the rewards received if they count."""
    high, low = 0.0, 0.0
    for arm in range(counts.size):
        pulls = counts[arm]
        cost, cost_low = two_product(float(pulls), tables.gaps[arm])
        high, low = add(high, low, cost, cost_low)
        if tables.earned != 0.0:
            high, low = add(high, low, -tables.sums[arm, pulls, 0], -tables.sums[arm, pulls, 1])
    return high + 0.0
