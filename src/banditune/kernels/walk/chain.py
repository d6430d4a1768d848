"""Chains of proved links: from the counts at one time to those at a later one, by states in between.

A link says that the runs of an interval of theta that have the counts of the link before it have its own counts at its
own time. What cannot be proved in one link is split where a path says that the line which failed was pulled.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import integer, jit, lean
from banditune.kernels.numerics.arrays import Floats, Integers, borrow
from banditune.kernels.walk.known_pieces import are_equal, copy
from banditune.kernels.walk.line_blocks import Ground, value_of
from banditune.kernels.walk.path import Path, count_back, play, round_of_pull
from banditune.kernels.walk.proof import ARM, BLOCKED, FAILURE, MISSING, NOWHERE, PULLS, Counts, doubt, holds

MOST_LINKS = 200
TIME, ENDS, MARKS = FAILURE, FAILURE + 1, FAILURE + 2
DEEPEST = 15  # splits within splits
NEARBY, FARTHER = 64, 8  # rounds that are played again at first, and how many times as many then


class Chain(NamedTuple):
    """Links in order; each holds from where the walk stands to `until`."""

    counts: Integers  # (MOST_LINKS, n)
    until: Floats  # (MOST_LINKS,)
    marks: Integers  # (MOST_LINKS, MARKS) which line fails there, the time, and whether it is known to fail
    aims: Integers  # (DEEPEST + 1, n + 1) room for states that are yet to be linked, and their times


class Start(NamedTuple):
    """What a chain starts from: at its time every run has counts between `low` and `high`."""

    low: Counts
    high: Counts
    time: int


@jit
def empty_chain(n_arms: int) -> Chain:
    """Room for a chain."""
    return Chain(
        np.zeros((MOST_LINKS, n_arms), np.int64),
        np.zeros(MOST_LINKS),
        np.zeros((MOST_LINKS, MARKS), np.int64),
        np.zeros((DEEPEST + 1, n_arms + 1), np.int64),
    )


@jit
def borrow_chain(chain: Chain) -> Chain:
    """Return the same room, held by another."""
    return Chain(borrow(chain.counts), borrow(chain.until), borrow(chain.marks), borrow(chain.aims))


@lean
def after(chain: Chain, link: int) -> Start:
    """Return a link as a start: its counts are exact."""
    return Start(chain.counts[link], chain.counts[link], chain.marks[link, TIME])


@lean
def is_within(counts: Counts, bound: Counts) -> bool:
    """Tell whether no count is beyond its bound."""
    within = True
    for arm in range(counts.size):
        within = within and counts[arm] <= bound[arm]
    return within


@lean
def copy_links(source: Chain, first: int, target: Chain, place: int, number: int) -> None:
    """Copy links to a place in a chain, perhaps the same chain."""
    step = -1 if place > first else 1
    for k in range(number):
        at = k if step == 1 else number - 1 - k
        copy(source.counts[first + at], target.counts[place + at])
        target.until[place + at] = source.until[first + at]
        copy(source.marks[first + at], target.marks[place + at])


@lean
def splice(chain: Chain, n_links: int, first: int, last: int, links: Chain, number: int) -> int:
    """Put links in the place of those from first to last; return the new number, -1 if there is not room for them."""
    total = first + number + n_links - last - 1
    if total > MOST_LINKS:
        return integer(-1)
    copy_links(chain, last + 1, chain, first + number, n_links - last - 1)
    copy_links(links, integer(0), chain, first, number)
    return total


@lean
def link(
    ground: Ground, start: Start, counts: Counts, time: int, low: float, high: float, chain: Chain, place: int
) -> bool:
    """Tell whether the counts at a time follow from the start for theta from low on, up to high; write that link."""
    failure = chain.marks[place]
    if holds(ground, start.low, start.time, counts, time, low, NOWHERE, False, failure) < low:
        return False
    until = holds(ground, start.low, start.time, counts, time, high, low, True, failure)
    if not until > low:
        return False
    copy(counts, chain.counts[place])
    chain.until[place], chain.marks[place, TIME], chain.marks[place, ENDS] = until, time, until < high
    return True


@lean
def split_time(
    ground: Ground, path: Path, failure: Counts, start: Start, counts: Counts, time: int, theta: float
) -> int:
    """Return the time at which to split a link of which a line has failed."""
    arm, blocked, pulls = failure[ARM], failure[BLOCKED], failure[PULLS]
    found = round_of_pull(path, arm, failure[MISSING], time, start.time)
    x = theta * ground.growth[time - failure[MISSING] + 1]
    own, other = value_of(ground, arm, pulls, x), value_of(ground, blocked, counts[blocked], x)
    if own > other + doubt(ground.size, ground.largest_root, x):
        found -= 1
    return min(found, time - 1)


@lean
def connect(
    ground: Ground,
    path: Path,
    since: int,
    start: Start,
    counts: Counts,
    time: int,
    low: float,
    high: float,
    chain: Chain,
    n_links: int,
) -> int:
    """Prove links from a start to the counts at a time, for theta from low on, and append them; -1 if that fails.

    The path is a guess of how runs get there; it is not looked at before the time `since`.
    """
    aims, n_arms = chain.aims, counts.size
    copy(counts, aims[0])
    aims[0, n_arms] = time
    depth = 0
    while depth >= 0:
        aim, at = aims[depth][:n_arms], aims[depth, n_arms]
        if n_links == MOST_LINKS or not is_within(start.high, aim):
            return integer(-1)
        if link(ground, start, aim, at, low, high, chain, n_links):
            start = after(chain, n_links)
            n_links += 1
            depth -= 1
            continue
        if depth == DEEPEST or at - start.time <= 1:
            return integer(-1)
        middle = split_time(ground, path, chain.marks[n_links], start, aim, at, low)
        if middle <= start.time and are_equal(start.low, start.high):
            middle = start.time + 1
        if middle >= at or middle < since or middle <= start.time:
            return integer(-1)
        count_back(path, aim, at, middle, aims[depth + 1][:n_arms])
        aims[depth + 1, n_arms] = middle
        depth += 1
    return n_links


@lean
def hold_until(chain: Chain, n_links: int, theta: float) -> bool:
    """Tell whether all links of a chain hold until theta."""
    least = theta
    for k in range(n_links):
        least = min(least, chain.until[k])
    return least == theta


@lean
def connect_again(
    ground: Ground,
    path: Path,
    exact: Counts,
    start: Start,
    counts: Counts,
    time: int,
    low: float,
    high: float,
    needed: float,
    chain: Chain,
    room: Counts,
) -> int:
    """As `connect`, by a path that is played anew, at first only its end; all links must hold until `needed`.

    At low, the start has the counts `exact`.
    """
    begin, span = time, NEARBY
    while begin > start.time:
        begin = max(start.time, time - span)
        span *= FARTHER
        if begin == start.time:
            copy(exact, room)
        else:
            count_back(path, counts, time, begin, room)
            if not is_within(start.low, room):
                continue
        play(ground, path, room, begin, time, low)
        if are_equal(room, counts):
            n_links = connect(ground, path, begin, start, counts, time, low, high, chain, integer(0))
            if n_links >= 0 and hold_until(chain, n_links, needed):
                return n_links
    return integer(-1)
