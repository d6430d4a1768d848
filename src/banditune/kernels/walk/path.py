"""Runs at one theta, and the path of the last of them: which arm it pulled in which round.

Paths are guesses of where to look, in plain floats; whatever is said of runs is proved.
"""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.walk.proof import Counts, Ground, value_of

Path = NDArray[np.uint8]  # (T + 1,) the arm pulled in round t

IN_A_ROW = 4  # pulls of one arm after which it may go on for long
FIRST_LEVEL = 2  # of blocks to jump over
JUMP = 4  # blocks


@inline
def best_arm(blocks: NDArray[np.float64], counts: Counts, x: float) -> int:
    """The arm of the highest line."""
    best, highest = integer(0), value_of(blocks, 0, counts[0], x)
    for arm in range(1, counts.size):
        value = value_of(blocks, arm, counts[arm], x)
        if value > highest:
            best, highest = arm, value
    return best


@jit
def rounds_ahead(ground: Ground, counts: Counts, arm: int, t: int, until: int, theta: float) -> int:
    """A number of rounds from t on in which an arm surely leads; 0 if that takes a closer look."""
    ahead, level = integer(0), integer(FIRST_LEVEL)
    growth, blocks, places = ground.growth, ground.blocks, ground.places
    while level < places.size - 1 and t + ahead + (JUMP << (2 * level)) <= until:
        first = (counts[arm] + ahead) >> (2 * level)
        end = (first + JUMP) << (2 * level)
        n_rounds = end - counts[arm]
        highest, later = -np.inf, theta * growth[t + n_rounds - 1]
        for j in range(counts.size):
            value = value_of(blocks, j, counts[j], later)
            highest = value if j != arm and value > highest else highest
        x, place, leads = theta * growth[t + ahead], places[level], True
        for block in range(first, first + JUMP):
            leads = leads and value_of(blocks, arm, place + block, x) > highest
        if not leads:
            break
        ahead = n_rounds
        level += 1
    return ahead


@jit
def play(ground: Ground, path: Path, counts: Counts, t0: int, until: int, theta: float) -> None:
    """Play rounds t0 + 1..until from the counts on, and write the path."""
    blocks, growth = ground.blocks, ground.growth
    t, row, previous = t0 + 1, 0, integer(-1)
    while t <= until:
        arm = best_arm(blocks, counts, theta * growth[t])
        path[t] = arm
        counts[arm] += 1
        t += 1
        row = row + 1 if arm == previous else 0
        previous = arm
        if row >= IN_A_ROW:
            ahead = rounds_ahead(ground, counts, arm, t, until, theta)
            for k in range(t, t + ahead):
                path[k] = arm
            counts[arm] += ahead
            t += ahead
            row = 0


@jit
def play_to_meeting(
    ground: Ground, path: Path, counts: Counts, apart: Counts, t0: int, until: int, theta: float
) -> int:
    """Play rounds t0 + 1, ... until the run meets the path, and write it over the path; return the last round played.

    The counts are those of the path at t0 and `apart`, which is kept up.
    """
    blocks, growth = ground.blocks, ground.growth
    n_apart = 0
    for arm in range(counts.size):
        n_apart += max(apart[arm], 0)
    for t in range(t0 + 1, until + 1):
        arm, old = best_arm(blocks, counts, theta * growth[t]), integer(path[t])
        path[t] = arm
        counts[arm] += 1
        if arm != old:
            n_apart += (1 if apart[arm] >= 0 else 0) - (1 if apart[old] > 0 else 0)
            apart[arm] += 1
            apart[old] -= 1
        if n_apart == 0:
            return t
    return until


@jit
def count_back(path: Path, counts: Counts, t: int, before: int, found: Counts) -> None:
    """Write the counts at an earlier time of the path that has led to the counts at time t."""
    left, part = t - before, path[before + 1 : t + 1]
    for arm in range(counts.size - 1):
        pulls = 0
        for k in range(part.size):
            pulls += part[k] == arm
        found[arm] = counts[arm] - pulls
        left -= pulls
    found[counts.size - 1] = counts[counts.size - 1] - left


@jit
def round_of_pull(path: Path, arm: int, missing: int, t: int, t0: int) -> int:
    """The round of an arm's last pull but missing - 1 until t; t0 if that is not after t0."""
    for k in range(t, t0, -1):
        if path[np.uintp(k)] == arm:
            missing -= 1
            if missing == 0:
                return k
    return t0
