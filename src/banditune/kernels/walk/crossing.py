"""Over an edge: where a link of a chain ends because two runs part, what the one that is new leads to."""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, integer, jit, lean
from banditune.kernels.lines.envelope import Lines, find_overtaking, leader_right_of
from banditune.kernels.lines.index import TaskTables, room_for_lines, set_lines
from banditune.kernels.numerics.arrays import Integers, borrow
from banditune.kernels.walk.chain import (
    TIME,
    Chain,
    Start,
    after,
    borrow_chain,
    connect,
    connect_again,
    empty_chain,
    hold_until,
    is_within,
    link,
    splice,
)
from banditune.kernels.walk.known_pieces import are_equal, copy
from banditune.kernels.walk.line_blocks import Ground, ahead, direction_of
from banditune.kernels.walk.path import Path, count_back, play, play_to_meeting
from banditune.kernels.walk.proof import ARM, BLOCKED, MISSING, PULLS, Counts, compare_after

NARROW = 1e-11  # how wide a zone around an edge is, relative to it
WIDE = 1e-9  # the same where the edge is not known


@lean
def zone_end(ground: Ground, counts: Counts, failure: Counts, t: int, theta: float, high: float) -> float:
    """Return an end of the zone right of theta in which the runs with these counts at time t part."""
    arm, blocked = failure[ARM], failure[BLOCKED]
    mean, root = ground.blocks[arm, failure[PULLS]], ground.roots[failure[PULLS]]
    other, steeper = ground.blocks[blocked, counts[blocked]], ground.roots[counts[blocked]]
    end = ahead(theta, WIDE)
    level = (mean - other) / (steeper - root) / ground.growth[t + 1]
    if ahead(level, NARROW) > theta:
        end = ahead(level + (level - theta), NARROW)
    return min(high, max(end, float(np.nextafter(theta, np.inf))))


@lean
def part(
    tables: TaskTables, lines: Lines, states: Integers, row: int, t: int, low: float, high: float
) -> tuple[float, int, int]:
    """Find the edge in (low, high) where runs with counts states[row] at time t part, and the arms beside it.

    The edge is `high` if they do not part, or more than once; then the second arm is -1.
    """
    set_lines(lines, states, row, tables)
    unit, turned = tables.growth[t + 1], direction_of(tables) < 0.0
    left, right = (-high, -low) if turned else (low, high)
    one = leader_right_of(lines, left, unit)
    edge, _ = find_overtaking(lines, one, left, right, unit)
    if edge >= right:
        return high, one, one
    other = leader_right_of(lines, edge, unit)
    again, _ = find_overtaking(lines, other, edge, right, unit)
    if again < right:
        return high, one, integer(-1)
    return (-edge, other, one) if turned else (edge, one, other)


STUCK, RENEWED, CROSSED = 0, 1, 2

A_LITTLE = 1e-13  # further, relative to theta: no progress worth the name
NEAR = 2  # pulls by which a run may be apart from the path and yet be expected to follow it
SOON = 48  # rounds within which it is expected to meet the path


# Counts before two runs part; after the round in which they do, left and right of the edge; what the run on the right
# leads to; by how much it differs from the path; some more; the least and the most counts at the start of a window.
BEFORE, LEFT, RIGHT, REACHED, APART, SPARE, LEAST, MOST, STATES = 0, 1, 2, 3, 4, 5, 6, 7, 8


class Room(NamedTuple):
    """What a walk works in."""

    chain: Chain  # the chain at the present theta
    links: Chain  # links that are to take the place of some of it
    path: Path  # of a run near the present theta, as far as is known
    lines: Lines  # room for exact lines
    states: Integers  # (STATES, n) counts


@jit
def make_room(n_arms: int, horizon: int, with_priors: bool) -> Room:
    """Room for walks up to a horizon."""
    lines, states = room_for_lines(n_arms, with_priors), np.zeros((STATES, n_arms), np.int64)
    return Room(empty_chain(n_arms), empty_chain(n_arms), np.zeros(horizon + 1, np.uint8), lines, states)


@jit
def borrow_room(room: Room) -> Room:
    """Return the same room, held by another."""
    return Room(
        borrow_chain(room.chain), borrow_chain(room.links), borrow(room.path), borrow(room.lines), borrow(room.states)
    )


class Window(NamedTuple):
    """The counts of all runs at the time a walk starts from, between where it stands and `end`."""

    start: Start
    end: float
    piece: int


@inline
def start_of(window: Window, chain: Chain, k: int) -> Start:
    """Return what link k starts from."""
    return window.start if k == 0 else after(chain, k - 1)


@inline
def last_of_equals(ground: Ground, counts: Counts, start: Start, failure: Counts) -> None:
    """Return the arm that parts: of those that tie with the one that failed, the last, which is pulled last."""
    pulls = failure[PULLS]
    if failure[MISSING] != 1:
        return
    for arm in range(counts.size - 1, failure[ARM], -1):
        ready = arm != failure[BLOCKED] and counts[arm] - 1 == pulls and counts[arm] > start.low[arm]
        if ready and compare_after(ground, failure[ARM], arm, pulls) == 0.0:
            failure[ARM] = arm
            return


@inline
def guess_link(ground: Ground, room: Room, n_links: int, k: int, t: int, theta: float) -> int:
    """Guess what the run that has RIGHT at time t leads to, and write it; return the link it meets there.

    n_links if it does not come back to the chain, and -1 for no guess.
    """
    chain, reached, apart = room.chain, room.states[REACHED], room.states[APART]
    count_back(room.path, chain.counts[k], chain.marks[k, TIME], t, room.states[SPARE])
    furthest = 0
    for arm in range(reached.size):
        reached[arm], apart[arm] = room.states[RIGHT][arm], room.states[RIGHT][arm] - room.states[SPARE][arm]
        furthest = max(furthest, abs(apart[arm]))
    if furthest > NEAR:
        return integer(-1)
    end, now = chain.marks[n_links - 1, TIME], t
    if furthest > 0:
        now = play_to_meeting(ground, room.path, reached, apart, t, min(t + SOON, end), theta)
    furthest = 0
    for arm in range(reached.size):
        furthest = max(furthest, abs(apart[arm]))
    if furthest > 0:
        if now < end:  # from there on as before, the same pulls apart
            for arm in range(reached.size):
                reached[arm] = chain.counts[n_links - 1, arm] + apart[arm]
        return n_links if is_within(room.states[RIGHT], reached) else integer(-1)
    while chain.marks[k, TIME] < now:
        k += 1
    copy(chain.counts[k], reached)
    return k


@inline
def find_link(ground: Ground, room: Room, n_links: int, k: int, t: int, theta: float) -> int:
    """As `guess_link`, by playing on."""
    copy(room.states[RIGHT], room.states[REACHED])
    while k < n_links:
        play(ground, room.path, room.states[REACHED], t, room.chain.marks[k, TIME], theta)
        if are_equal(room.states[REACHED], room.chain.counts[k]):
            break
        t = room.chain.marks[k, TIME]
        k += 1
    return k


@lean
def leads_there(ground: Ground, room: Room, t: int, time: int, low: float, high: float) -> bool:
    """Tell whether the runs of an interval with the counts RIGHT at time t have the counts REACHED at a later time."""
    if time == t:
        return True
    start, reached = Start(room.states[RIGHT], room.states[RIGHT], t), room.states[REACHED]
    links = connect(ground, room.path, t, start, reached, time, low, high, room.links, integer(0))
    return links >= 0 and hold_until(room.links, links, high)


@inline
def cross(
    tables: TaskTables,
    ground: Ground,
    room: Room,
    window: Window,
    exact: Counts,
    n_links: int,
    k: int,
    reach: float,
    high: float,
) -> tuple[int, int, float, float]:
    """Go over the vertex at which link k ends.

    `exact` are the counts at the start of the link there; new links are to hold further by the share `reach`. Returns

    - STUCK: the zone up to an end has to be swept;
    - RENEWED: no runs part here, the chain was proved anew;
    - CROSSED: the chain was proved anew at the end of the zone;

    the number of links, -1 if the chain is not proved; the end of the zone; and the edge in it from which on runs end
    with the counts REACHED, or `high` if there is none.
    """
    chain, links, path, spare = room.chain, room.links, room.path, room.states[SPARE]
    theta, time, start = chain.until[k], chain.marks[k, TIME], start_of(window, chain, k)
    failure, before = chain.marks[k], room.states[BEFORE]
    last_of_equals(ground, chain.counts[k], start, failure)
    copy(chain.counts[k], before)
    before[failure[ARM]] = failure[PULLS]
    t = time - failure[MISSING]
    end = zone_end(ground, before, failure, t, theta, high)
    stuck = integer(STUCK), integer(-1), end, high
    for other in range(n_links):
        if other != k and chain.until[other] < end:
            return stuck
    if t < start.time or window.end < end or not is_within(start.high, before):
        return stuck
    known = t == start.time and are_equal(start.low, start.high)
    if not known and not (link(ground, start, before, t, theta, end, links, integer(0)) and links.until[0] >= end):
        number = connect_again(
            ground,
            path,
            exact,
            start,
            chain.counts[k],
            time,
            theta,
            ahead(theta, reach),
            ahead(theta, A_LITTLE),
            links,
            spare,
        )
        if number >= 0:
            n_links = splice(chain, n_links, k, k, links, number)
            return integer(RENEWED), n_links, theta, high
        if connect_again(ground, path, exact, start, before, t, theta, end, end, links, spare) < 0:
            return stuck

    edge, one, other = part(tables, room.lines, room.states, BEFORE, t, theta, end)
    if one != failure[ARM] or edge >= end or other < 0:
        return stuck
    copy(before, room.states[LEFT])
    room.states[LEFT][one] += 1
    aside = Start(room.states[LEFT], room.states[LEFT], t + 1)
    if t + 1 == time:
        same = are_equal(room.states[LEFT], chain.counts[k])
    else:
        same = link(ground, aside, chain.counts[k], time, theta, edge, links, integer(0)) and links.until[0] >= edge
        if not same:
            number = connect_again(
                ground,
                path,
                room.states[LEFT],
                aside,
                chain.counts[k],
                time,
                theta,
                edge,
                edge,
                links,
                room.states[SPARE],
            )
            same = number >= 0
    if not same:
        return stuck

    copy(before, room.states[RIGHT])
    room.states[RIGHT][other] += 1
    path[t + 1] = other
    last = chain.marks[n_links - 1, TIME]
    met = guess_link(ground, room, n_links, k, t + 1, edge)
    if met < 0 or not leads_there(ground, room, t + 1, chain.marks[met, TIME] if met < n_links else last, edge, end):
        met = find_link(ground, room, n_links, k, t + 1, edge)
        if not leads_there(ground, room, t + 1, chain.marks[met, TIME] if met < n_links else last, edge, end):
            return stuck
    new_edge = edge if met == n_links else high
    met_time = chain.marks[met, TIME] if met < n_links else last
    far = ahead(end, reach)
    number = connect(ground, path, t + 1, start, room.states[REACHED], met_time, end, far, links, integer(0))
    if number < 0 and (known or link(ground, start, before, t, end, far, links, integer(0))):
        middle = Start(before, before, t)
        number = connect(
            ground, path, t + 1, middle, room.states[REACHED], met_time, end, far, links, integer(0 if known else 1)
        )
    n_links = splice(chain, n_links, k, min(met, n_links - 1), links, number) if number >= 0 else integer(-1)
    return integer(CROSSED), n_links, end, new_edge
