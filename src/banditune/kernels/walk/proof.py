"""Whether all runs of an interval of theta end with the same counts, proved without playing them: the block lemma.

Say that at time t0 all runs have counts of at least `low`, none beyond `counts`, and that sum(counts) = t. A line of
arm i that is still to be pulled, after k < counts[i] pulls, misses q = counts[i] - k of them. If each of these lines
is above every line j at counts[j] in all rounds in which it can be the next, then no arm is pulled beyond its counts,
and all runs have the counts at time t: see docs/theory/maths.md. Lines cross once, so the two ends of an interval are
enough. Far from the end, where there is room to spare, blocks of lines are tested together by the least of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.lines.envelope import SLACK, Lines, part_difference
from banditune.kernels.lines.tables import TaskTables, room_for_lines, set_lines

Counts = NDArray[np.int64]  # (n,) the pulls of every arm

NEAR = 16  # so many blocks of a size are tested before they grow
GROWTH_OF_BLOCKS = 4
FAILURE = 4  # numbers that say which line failed: its arm, the arm it does not beat, its pulls, the pulls it misses
ARM, BLOCKED, PULLS, MISSING = 0, 1, 2, 3
NOWHERE = -1.0


class Ground(NamedTuple):
    """What is known of a task: its tables, and the least mean and root of blocks of 1, 4, 16, ... counts of pulls."""

    tables: TaskTables
    growth: NDArray[np.float64]  # (T + 1,) of the tables
    size: float
    largest_root: float
    means: NDArray[np.float64]  # (n, blocks of all sizes)
    roots: NDArray[np.float64]  # (blocks of all sizes,)
    places: NDArray[np.int64]  # (sizes + 1,) where the blocks of each size begin
    blocked: NDArray[np.float64]  # (n, 2) room for the lines that must not be pulled
    stretch: NDArray[np.float64]  # (n,) room for the rounds by which a missing pull may lie back
    lines: Lines  # room for exact lines
    pair: NDArray[np.int64]  # (1, n) room for their counts


@jit
def survey(tables: TaskTables) -> Ground:
    """The ground of a task."""
    n_arms, columns = tables.means.shape
    n_sizes, size, total = integer(1), integer(GROWTH_OF_BLOCKS), columns
    while columns // size >= NEAR:
        total += columns // size
        n_sizes += 1
        size *= GROWTH_OF_BLOCKS
    places, means, roots = np.zeros(n_sizes + 1, np.int64), np.empty((n_arms, total)), np.empty(total)
    size = integer(1)
    for level in range(n_sizes):
        first, n_blocks = places[level], columns // size
        for block in range(n_blocks):
            roots[first + block] = tables.inverse_roots[(block + 1) * size - 1]
        for arm in range(n_arms):
            for block in range(n_blocks):
                if level == 0:
                    means[arm, block] = tables.means[arm, block]
                else:
                    start = places[level - 1] + GROWTH_OF_BLOCKS * block
                    least = means[arm, start]
                    for k in range(start + 1, start + GROWTH_OF_BLOCKS):
                        least = min(least, means[arm, k])
                    means[arm, first + block] = least
        places[level + 1] = first + n_blocks
        size *= GROWTH_OF_BLOCKS
    lines = room_for_lines(n_arms, tables.weight > 0.0)
    blocked, stretch = np.empty((n_arms, 2)), np.empty(n_arms)
    pair = np.empty((1, n_arms), np.int64)
    return Ground(
        tables,
        tables.growth,
        tables.size,
        tables.largest_root,
        means,
        roots,
        places,
        blocked,
        stretch,
        lines,
        pair,
    )


@inline
def highest_other(blocked: NDArray[np.float64], arm: int, x: float) -> float:
    """The highest of the blocked lines at x, that of the arm itself apart."""
    highest = -np.inf
    for j in range(blocked.shape[0]):
        value = blocked[j, 0] + x * blocked[j, 1]
        highest = value if j != arm and value > highest else highest
    return highest


@inline
def doubt(size: float, largest_root: float, x: float) -> float:
    """By how much two lines may differ at x and yet be in doubt."""
    return 2.0 * SLACK * (size + x * largest_root)


@jit
def compare_after(ground: Ground, arm: int, other: int, pulls: int) -> float:
    """Positive where an arm's line after so many pulls is above that of another after as many, 0 where they are equal."""
    ground.pair[0, :] = pulls
    set_lines(ground.lines, ground.pair, 0, ground.tables)
    difference, _ = part_difference(ground.lines, arm, other, 0)
    return difference


@jit
def limit_of(
    ground: Ground, counts: Counts, arm: int, pulls: int, growth: float, theta: float, rightmost: bool, failure: Counts
) -> float:
    """The largest theta' <= theta at which a line is surely above all blocked ones; NOWHERE if there is none.

    Where it is not that of the right end that is asked for, the line must be above them at theta itself.
    """
    blocked, mean, root, x = ground.blocked, ground.means[arm, pulls], ground.roots[pulls], theta * growth
    slack, limit = doubt(ground.size, ground.largest_root, x), theta
    for j in range(counts.size):
        own = blocked[j, 1]
        if j == arm or (mean - blocked[j, 0]) + x * (root - own) > slack:
            continue
        if pulls == counts[j]:
            above = compare_after(ground, arm, j, pulls)
            if above > 0.0 or (above == 0.0 and arm < j):
                continue
        level = NOWHERE
        if rightmost and own > root:
            gap = own - root
            level = ((mean - blocked[j, 0]) / gap * (1.0 - 2.0**-50) - 1.5 * slack / gap) / growth
            level = level * (1.0 - 2.0**-51) if level > 0.0 else NOWHERE
        if level < limit:
            limit = level
            failure[ARM], failure[BLOCKED], failure[PULLS], failure[MISSING] = arm, j, pulls, counts[arm] - pulls
    return limit


@inline
def round_of(missing: int, stretch: float, t0: int, t: int) -> int:
    """The first round in which the line that misses so many pulls can be the next."""
    return max(t0 + 1, t - int(missing * stretch) + 1)


@jit
def search_block(
    ground: Ground,
    low: Counts,
    t0: int,
    counts: Counts,
    t: int,
    arm: int,
    level: int,
    block: int,
    theta: float,
    least: float,
    rightmost: bool,
    failure: Counts,
) -> float:
    """As `holds`, for the lines of one block of an arm, by smaller and smaller blocks."""
    size = integer(GROWTH_OF_BLOCKS**level)
    largest, first, end = size, max(block * size, low[arm]), (block + 1) * size
    stretch, blocked, growth_of, means, roots = ground.stretch[arm], ground.blocked, ground.growth, ground.means, ground.roots
    while end > first:
        start = end - size
        missing = counts[arm] - (end - 1 if rightmost else max(start, low[arm]))
        growth = growth_of[round_of(missing, stretch, t0, t)]
        x, place = theta * growth, ground.places[level] + start // size
        needed = highest_other(blocked, arm, x) + doubt(ground.size, ground.largest_root, x)
        if means[arm, place] + x * roots[place] > needed:
            end = start
        elif size > 1:
            size //= GROWTH_OF_BLOCKS
            level -= 1
            continue
        else:
            theta = limit_of(ground, counts, arm, start, growth, theta, rightmost, failure)
            if theta <= least:
                return theta
            end = start
        while size < largest and end % (GROWTH_OF_BLOCKS * size) == 0:
            size *= GROWTH_OF_BLOCKS
            level += 1
    return theta


@jit
def set_stretch(ground: Ground, low: Counts, counts: Counts) -> None:
    """Write how many rounds each missing pull of an arm may stand for: 1 / w, where sum of w <= 1 without any one arm."""
    n_active, total, stretch = 0, 0, ground.stretch
    for arm in range(counts.size):
        if counts[arm] > low[arm]:
            n_active += 1
            total += counts[arm] - low[arm]
    if n_active == 1 or counts.size == 2:
        stretch[:] = 1.0
        return
    whole, lightest = 0.0, 1.0
    for arm in range(counts.size):
        if counts[arm] > low[arm]:
            weight = 0.5 / n_active + 0.5 * (counts[arm] - low[arm]) / total
            stretch[arm] = weight
            whole += weight
            lightest = min(lightest, weight)
    if n_active == counts.size:
        whole -= lightest
    for arm in range(counts.size):
        stretch[arm] = max(1.0, whole / stretch[arm] * (1.0 + 1e-12)) if counts[arm] > low[arm] else 1.0


@jit
def holds(
    ground: Ground,
    low: Counts,
    t0: int,
    counts: Counts,
    t: int,
    theta: float,
    least: float,
    rightmost: bool,
    failure: Counts,
) -> float:
    """Whether the lines to be pulled are above the blocked ones at an end of an interval of theta.

    At its right end: the largest theta' <= theta at which they are, at most `least` if it is not beyond that. At its
    left end (not `rightmost`): theta, or NOWHERE. If it is less than theta, `failure` says which line failed.
    """
    means, roots, blocked, growth, places = ground.means, ground.roots, ground.blocked, ground.growth, ground.places
    stretch, size_of_all, largest_root = ground.stretch, ground.size, ground.largest_root
    for arm in range(counts.size):
        blocked[arm, 0], blocked[arm, 1] = means[arm, counts[arm]], roots[counts[arm]]
    if rightmost:
        stretch[:] = 1.0
    else:
        set_stretch(ground, low, counts)
    last_level = places.size - 2
    for arm in range(counts.size):
        end, size = counts[arm], integer(1)
        for level in range(last_level + 1):
            if end <= low[arm]:
                break
            start = low[arm] // size * size
            if level < last_level:
                start = max(start, (counts[arm] - NEAR * size) // (GROWTH_OF_BLOCKS * size) * GROWTH_OF_BLOCKS * size)
            missing = counts[arm] - (end - 1 if rightmost else max(start, low[arm]))
            x = theta * growth[round_of(missing, stretch[arm], t0, t)]
            needed = highest_other(blocked, arm, x) + doubt(size_of_all, largest_root, x)
            first, place = start // size, places[level]
            for block in range(end // size - 1, first - 1, -1):
                if not means[arm, place + block] + x * roots[place + block] > needed:
                    theta = search_block(
                        ground, low, t0, counts, t, arm, level, block, theta, least, rightmost, failure
                    )
                    if theta <= least:
                        return theta
            end = start
            size *= GROWTH_OF_BLOCKS
    return theta
