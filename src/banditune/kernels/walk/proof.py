"""Whether all runs of an interval of theta end with the same counts, proved without playing them: the block lemma.

Say that at time t0 all runs have counts of at least `low`, none beyond `counts`, and that sum(counts) = t. A line of
arm i that is still to be pulled, after k < counts[i] pulls, misses q = counts[i] - k of them. If each of these lines
is above every line j at counts[j] in all rounds in which it can be the next, then no arm is pulled beyond its counts,
and all runs have the counts at time t: see docs/theory/maths.md. Lines cross once, so the two ends of an interval are
enough. Far from the end, where there is room to spare, blocks of lines are tested together by the least of them.

Where the growth falls, theta stands for -sqrt(alpha) and roots for their negatives, here and in all of the walk: lines
are the same, x = theta g(t) rises with theta and with t as ever, and the walk goes from large alpha to small.
"""

import numpy as np

from banditune.kernels.jit import inline, integer, jit, lean
from banditune.kernels.lines.envelope import SLACK
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add_term, round_sum
from banditune.kernels.walk.line_blocks import NEAR, Ground, ahead, value_of

Counts = Integers  # (n,) the pulls of every arm

FAILURE = 4  # numbers that say which line failed: its arm, the arm it does not beat, its pulls, the pulls it misses
ARM, BLOCKED, PULLS, MISSING = 0, 1, 2, 3
NOWHERE = -np.inf


@inline
def count_low(ground: Ground, arm: int, first: int, end: int, x: float, needed: float) -> int:
    """Return how many lines of an arm's blocks in a row are not above a value at x: several are compared at once."""
    n_low, blocks, roots = 0, ground.blocks[arm], ground.roots
    for place in range(first, end):
        n_low += 0 if blocks[np.uintp(place)] + x * roots[np.uintp(place)] > needed else 1
    return n_low


@inline
def highest_other(blocked: Floats, arm: int, x: float) -> float:
    """Return the highest of the blocked lines at x, that of the arm itself apart."""
    highest = -np.inf
    for j in range(blocked.shape[0]):
        value = blocked[j, 0] + x * blocked[j, 1]
        highest = value if j != arm and value > highest else highest
    return highest


@inline
def doubt(size: float, largest_root: float, x: float) -> float:
    """Return the largest difference of two lines at x that leaves their order in doubt."""
    return 2.0 * SLACK * (size + abs(x) * largest_root)


@jit
def compare_after(ground: Ground, arm: int, other: int, pulls: int) -> float:
    """Positive where an arm's line is above that of another after as many pulls, 0 where they are equal."""
    terms, used = np.empty(8), integer(0)
    for part in range(2):
        used = add_term(terms, used, ground.sums[arm, pulls, part])
        used = add_term(terms, used, ground.expected[arm, part])
        used = add_term(terms, used, -ground.sums[other, pulls, part])
        used = add_term(terms, used, -ground.expected[other, part])
    difference, _ = round_sum(terms, used)
    return difference


@inline
def limit_of(
    ground: Ground, counts: Counts, arm: int, pulls: int, growth: float, theta: float, rightmost: bool, failure: Counts
) -> float:
    """Return the largest theta' <= theta at which a line is surely above all blocked ones; NOWHERE if there is none.

    Where it is not the right end that is asked for, the line must be above them at theta itself.
    """
    blocked, x = ground.blocked, theta * growth
    mean, root = ground.blocks[arm, pulls], ground.roots[pulls]
    slack, limit = doubt(ground.size, ground.largest_root, x), theta
    for j in range(counts.size):
        other, steeper = blocked[j, 0], blocked[j, 1]
        if j == arm or (mean - other) + x * (root - steeper) > slack:
            continue
        if pulls == counts[j]:
            above = compare_after(ground, arm, j, pulls)
            if above > 0.0 or (above == 0.0 and arm < j):
                continue
        level = NOWHERE
        if rightmost and steeper > root:
            gap = steeper - root
            level = ((mean - other) - 1.5 * slack) / gap / growth
            level = ahead(level, -(2.0**-50))
            x_there = level * growth
            if not (mean - other) + x_there * (root - steeper) > doubt(ground.size, ground.largest_root, x_there):
                level = NOWHERE
        if level < limit:
            limit = level
            failure[ARM], failure[BLOCKED], failure[PULLS], failure[MISSING] = arm, j, pulls, counts[arm] - pulls
    return limit


@inline
def round_of(missing: int, stretch: float, t0: int, t: int) -> int:
    """Return the first round in which the line that misses so many pulls can be the next."""
    return max(t0 + 1, t - int(missing * stretch) + 1)


@inline
def search_block(
    ground: Ground,
    least_count: int,
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
    places, blocked, growths = ground.places, ground.blocked, ground.growth
    all_size, largest_root, stretch, count = ground.size, ground.largest_root, blocked[arm, 2], counts[arm]
    largest, first, end = level, max(block << (2 * level), least_count), (block + 1) << (2 * level)
    while end > first:
        start = end - (integer(1) << (2 * level))
        missing = count - (end - 1 if rightmost else max(start, least_count))
        growth = growths[round_of(missing, stretch, t0, t)]
        x = theta * growth
        needed = highest_other(blocked, arm, x) + doubt(all_size, largest_root, x)
        if value_of(ground, arm, places[level] + (start >> (2 * level)), x) > needed:
            end = start
        elif level > 0:
            level -= 1
            continue
        else:
            theta = limit_of(ground, counts, arm, start, growth, theta, rightmost, failure)
            if theta <= least:
                return theta
            end = start
        while level < largest and end >> (2 * level + 2) << (2 * level + 2) == end:
            level += 1
    return theta


@inline
def set_stretch(blocked: Floats, low: Counts, counts: Counts, rightmost: bool) -> None:
    """Write how many rounds each missing pull of an arm may stand for: 1 / w, where w sum to 1 without any one arm."""
    n_active, total = 0, 0
    for arm in range(counts.size):
        blocked[arm, 2] = 1.0
        if counts[arm] > low[arm]:
            n_active += 1
            total += counts[arm] - low[arm]
    if rightmost or n_active == 1 or counts.size == 2:
        return
    whole, lightest = 0.0, 1.0
    for arm in range(counts.size):
        if counts[arm] > low[arm]:
            weight = 0.5 / n_active + 0.5 * (counts[arm] - low[arm]) / total
            blocked[arm, 2] = weight
            whole += weight
            lightest = min(lightest, weight)
    if n_active == counts.size:
        whole -= lightest
    for arm in range(counts.size):
        if counts[arm] > low[arm]:
            blocked[arm, 2] = max(1.0, whole / blocked[arm, 2] * (1.0 + 1e-12))


@lean
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
    """Tell whether the lines to be pulled are above the blocked ones at an end of an interval of theta.

    At its right end: the largest theta' <= theta at which they are, at most `least` if it is not beyond that. At its
    left end (not `rightmost`): theta, or NOWHERE. If it is less than theta, `failure` says which line failed.
    """
    places, blocked, growths = ground.places, ground.blocked, ground.growth
    all_size, largest_root = ground.size, ground.largest_root
    for arm in range(counts.size):
        blocked[arm, 0], blocked[arm, 1] = ground.blocks[arm, counts[arm]], ground.roots[counts[arm]]
    set_stretch(blocked, low, counts, rightmost)
    last_level = places.size - 2
    for arm in range(counts.size):
        count, least_count = counts[arm], low[arm]
        end = count
        for level in range(last_level + 1):
            if end <= least_count:
                break
            bits = 2 * level
            start = least_count >> bits << bits
            if level < last_level:
                start = max(start, (count - (NEAR << bits)) >> (bits + 2) << (bits + 2))
            missing = count - (end - 1 if rightmost else max(start, least_count))
            x = theta * growths[round_of(missing, blocked[arm, 2], t0, t)]
            needed = highest_other(blocked, arm, x) + doubt(all_size, largest_root, x)
            first, last = start >> bits, end >> bits
            if count_low(ground, arm, places[level] + first, places[level] + last, x, needed) > 0:
                for block in range(last - 1, first - 1, -1):
                    if not value_of(ground, arm, places[level] + block, x) > needed:
                        theta = search_block(
                            ground, least_count, t0, counts, t, arm, level, block, theta, least, rightmost, failure
                        )
                        if theta <= least:
                            return theta
            end = start
    return theta
