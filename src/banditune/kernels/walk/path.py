"""Runs at one theta, and the path of the last of them: which arm it pulled in which round.

Paths are guesses of where to look, in plain floats; whatever is said of runs is proved.
"""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.walk.line_blocks import Ground, value_of
from banditune.kernels.walk.proof import Counts

Path = NDArray[np.uint8]  # (T + 1,) the arm pulled in round t

IN_A_ROW = 4  # pulls of one arm after which it may go on for long
FIRST_LEVEL = 2  # of blocks to jump over
JUMP = 4  # blocks
STRIDE = 256  # rounds that are counted at once


@inline
def set_current(ground: Ground, counts: Counts) -> None:
    """Write the lines of all arms where `best_arm` looks for them."""
    for arm in range(counts.size):
        ground.blocked[arm, 0], ground.blocked[arm, 1] = ground.blocks[arm, counts[arm]], ground.roots[counts[arm]]


@inline
def best_arm(lines: Floats, x: float) -> int:
    """Return the arm of the highest line."""
    best, highest = integer(0), -np.inf
    for arm in range(lines.shape[0]):
        value = lines[arm, 0] + x * lines[arm, 1]
        best = arm if value > highest else best
        highest = value if value > highest else highest
    return best


@inline
def pull(ground: Ground, counts: Counts, path: Path, t: int, arm: int, n_pulls: int) -> None:
    """Pull an arm in some rounds from t on."""
    for k in range(n_pulls):
        path[np.uintp(t + k)] = arm
    counts[arm] += n_pulls
    ground.blocked[arm, 0], ground.blocked[arm, 1] = ground.blocks[arm, counts[arm]], ground.roots[counts[arm]]


@lean
def rounds_ahead(ground: Ground, counts: Counts, arm: int, t: int, until: int, theta: float) -> int:
    """Return a number of rounds from t on in which an arm surely leads; 0 if that takes a closer look."""
    ahead, level = integer(0), integer(FIRST_LEVEL)
    growth, places = ground.growth, ground.places
    while level < places.size - 1 and t + ahead + (JUMP << (2 * level)) <= until:
        first = (counts[arm] + ahead) >> (2 * level)
        end = (first + JUMP) << (2 * level)
        n_rounds = end - counts[arm]
        highest, x, later = -np.inf, theta * growth[t + ahead], theta * growth[t + n_rounds - 1]
        if ground.direction < 0.0:  # lines fall: those of other arms are highest in the first round, its own in none
            x, later = later, x
        for j in range(counts.size):
            value = value_of(ground, j, counts[j], later)
            highest = value if j != arm and value > highest else highest
        place, leads = places[level], True
        for block in range(first, first + JUMP):
            leads = leads and value_of(ground, arm, place + block, x) > highest
        if not leads:
            break
        ahead = n_rounds
        level += 1
    return ahead


@lean
def play(ground: Ground, path: Path, counts: Counts, t0: int, until: int, theta: float) -> None:
    """Play rounds t0 + 1..until from the counts on, and write the path."""
    lines, growth = ground.blocked, ground.growth
    t, row, previous = t0 + 1, 0, integer(-1)
    set_current(ground, counts)
    while t <= until:
        arm = best_arm(lines, theta * growth[t])
        pull(ground, counts, path, t, arm, 1)
        t += 1
        row = row + 1 if arm == previous else 0
        previous = arm
        if row >= IN_A_ROW:
            ahead = rounds_ahead(ground, counts, arm, t, until, theta)
            pull(ground, counts, path, t, arm, ahead)
            t += ahead
            row = 0


@lean
def play_to_meeting(
    ground: Ground, path: Path, counts: Counts, apart: Counts, t0: int, until: int, theta: float
) -> int:
    """Play rounds t0 + 1, ... until the run meets the path, and write it over the path; return the last round played.

    The counts are those of the path at t0 and `apart`, which is kept up.
    """
    lines, growth = ground.blocked, ground.growth
    n_apart = 0
    set_current(ground, counts)
    for arm in range(counts.size):
        n_apart += max(apart[arm], 0)
    for t in range(t0 + 1, until + 1):
        arm, old = best_arm(lines, theta * growth[t]), integer(path[t])
        pull(ground, counts, path, t, arm, 1)
        if arm != old:
            n_apart += (1 if apart[arm] >= 0 else 0) - (1 if apart[old] > 0 else 0)
            apart[arm] += 1
            apart[old] -= 1
        if n_apart == 0:
            return t
    return until


@inline
def count_pulls(path: Path, arm: int) -> int:
    """Return how often an arm was pulled in a part of a path."""
    pulls = integer(0)
    for k in range(path.size):
        pulls += path[k] == arm
    return pulls


@lean
def count_back(path: Path, counts: Counts, t: int, before: int, found: Counts) -> None:
    """Write the counts at an earlier time of the path that has led to the counts at time t."""
    left, last = t - before, counts.size - 1
    for arm in range(last):
        pulls = count_pulls(path[before + 1 : t + 1], arm)
        found[arm] = counts[arm] - pulls
        left -= pulls
    found[last] = counts[last] - left


@lean
def round_of_pull(path: Path, arm: int, missing: int, t: int, t0: int) -> int:
    """Return the round of an arm's last pull but missing - 1 until t; t0 if that is not after t0."""
    while t - t0 > STRIDE:
        pulls = count_pulls(path[t - STRIDE + 1 : t + 1], arm)
        if pulls >= missing:
            break
        missing -= pulls
        t -= STRIDE
    for k in range(t, t0, -1):
        if path[np.uintp(k)] == arm:
            missing -= 1
            if missing == 0:
                return k
    return t0
