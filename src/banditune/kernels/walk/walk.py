"""The exact loss of UCB for every theta of a range at a late time, by a walk along theta: the bits of the sweep.

A sweep plays all rounds with all pieces, and most edges live for a round or so. The walk plays few: it holds a chain of
proofs that all runs from theta on end with the same counts, goes to where the first of them fails, finds the runs that
part there, and proves the chain anew. It starts from the pieces of an earlier time. Where a proof fails, it sweeps.
"""

import numpy as np

from banditune.kernels.jit import integer, jit, lean
from banditune.kernels.lines.batch import Batch, Workspace, tables_held, workspace
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.pieces import Pieces
from banditune.kernels.lines.sweep import Steps, write_curve
from banditune.kernels.numerics.arrays import Floats, Integers, enlarge
from banditune.kernels.walk.chain import ENDS, TIME, Start, connect, is_within, link
from banditune.kernels.walk.crossing import (
    CROSSED,
    LEAST,
    MOST,
    REACHED,
    SPARE,
    STUCK,
    Room,
    Window,
    borrow_room,
    cross,
    make_room,
    start_of,
)
from banditune.kernels.walk.known_pieces import (
    Level,
    append_piece,
    borrow_level,
    copy,
    empty_level,
    find_piece,
    order_pieces,
    sweep_zone,
)
from banditune.kernels.walk.line_blocks import Ground, ahead, borrow_ground, survey
from banditune.kernels.walk.path import play
from banditune.kernels.walk.proof import Counts, holds
from banditune.kernels.watch import DONE, WHOLE, Watch, is_stopped

MOST_ARMS = 64  # with more, all rounds are swept
SWEPT = 250  # rounds, about, that a sweep plays as fast
RATIO = 8  # of the times between which a walk goes
FIRST_REACH, LEAST_REACH, LARGEST_REACH = 0.02, 1e-6, 0.3  # how far ahead links are proved, relative to theta
WIDEST = 8  # pieces in a window
TINY = 1e-6  # of the range: near theta = 0 there is no relative step
LOST = 1e-9  # how much is swept where no chain can be proved, relative to theta, at first


@lean
def open_window(
    known: Level,
    n_known: int,
    time: int,
    low: float,
    reach: float,
    high: float,
    near: int,
    bound: Counts,
    states: Integers,
) -> Window:
    """Return the counts at the start of a walk from low on, as far as `reach` if none is beyond the bound on the way.

    They are written to the rows LEAST and MOST of states.
    """
    piece = find_piece(known, n_known, low, near)
    least, most = states[LEAST], states[MOST]
    copy(known.counts[piece], least)
    copy(known.counts[piece], most)
    last = piece
    end = known.left[last + 1] if last + 1 < n_known else high
    while end < reach and last + 1 < min(n_known, piece + WIDEST) and is_within(known.counts[last + 1], bound):
        last += 1
        for arm in range(least.size):
            least[arm], most[arm] = min(least[arm], known.counts[last, arm]), max(most[arm], known.counts[last, arm])
        end = known.left[last + 1] if last + 1 < n_known else high
    return Window(Start(least, most, time), end, piece)


@lean
def begin_chain(
    ground: Ground,
    room: Room,
    known: Level,
    n_known: int,
    time: int,
    until: int,
    low: float,
    high: float,
    near: int,
    reach: float,
) -> tuple[Window, int]:
    """Prove the chain of the run at low from the pieces known at a time; the number of links, -1 if it fails."""
    counts = room.states[REACHED]
    piece = find_piece(known, n_known, low, near)
    copy(known.counts[piece], counts)
    play(ground, room.path, counts, time, until, low)
    window = open_window(known, n_known, time, low, ahead(low, 4.0 * reach), high, piece, counts, room.states)
    far = ahead(low, reach)
    n_links = connect(ground, room.path, time, window.start, counts, until, low, far, room.chain, integer(0))
    if n_links < 0:
        window = open_window(known, n_known, time, low, low, high, piece, counts, room.states)
        n_links = connect(ground, room.path, time, window.start, counts, until, low, far, room.chain, integer(0))
    return window, n_links


@jit
def walk(
    watch: Watch,
    tables: TaskTables,
    ground: Ground,
    room: Room,
    known: Level,
    n_known: int,
    time: int,
    until: int,
    low: float,
    high: float,
) -> tuple[Level, int]:
    """Return the pieces of [low, high] at a later time, from those known at a time; and their number."""
    ground, room, known = borrow_ground(ground), borrow_room(room), borrow_level(known)  # the caller holds them
    chain = room.chain
    found, n_found, done, last = empty_level(tables.gaps.size), integer(0), watch[DONE], high
    theta = ahead(low, LOST)
    if low == 0.0:
        theta = min((known.left[1] if n_known > 1 else high) * 0.5, high * TINY)
    if high == 0.0:
        high = max((known.left[n_known - 1] if n_known > 1 else low) * 0.5, low * TINY)
    theta = min(high, max(theta, np.nextafter(low, np.inf)))
    found, n_found = sweep_zone(watch, tables, known, n_known, time, until, low, theta, integer(0), found, n_found)
    last_edge, reach, lost = theta, FIRST_REACH, LOST
    states, n_links = room.states, integer(-1)
    window = open_window(known, n_known, time, theta, theta, high, integer(0), states[SPARE], states)
    while theta < high and not is_stopped(watch):
        watch[DONE] = done + (until - time) * (theta - low) / (high - low)
        if n_links < 0:
            window, n_links = begin_chain(ground, room, known, n_known, time, until, theta, high, window.piece, reach)
            if n_links < 0:
                end = min(high, max(ahead(theta, lost), np.nextafter(theta, np.inf)))
                found, n_found = sweep_zone(
                    watch, tables, known, n_known, time, until, theta, end, window.piece, found, n_found
                )
                theta, lost = end, min(4.0 * lost, 1e-3)
                continue
            lost = LOST
        found, n_found = append_piece(found, n_found, theta, chain.counts[n_links - 1])
        weakest, end = integer(-1), window.end
        for k in range(n_links):
            if chain.until[k] < end:
                weakest, end = k, chain.until[k]
        if end >= high:
            break
        if weakest < 0:
            window = open_window(
                known, n_known, time, end, ahead(end, 4.0 * reach), high, window.piece, chain.counts[0], states
            )
            theta, far = end, ahead(end, reach)
            within = is_within(window.start.high, chain.counts[0])
            if not within or not link(
                ground, window.start, chain.counts[0], chain.marks[0, TIME], theta, far, chain, integer(0)
            ):
                n_links = integer(-1)
        elif chain.marks[weakest, ENDS] == 0:
            start, far = start_of(window, chain, weakest), ahead(end, reach)
            counts, at, failure = chain.counts[weakest], chain.marks[weakest, TIME], chain.marks[weakest]
            theta = end
            end = holds(ground, start.low, start.time, counts, at, far, theta, True, failure)
            chain.until[weakest], chain.marks[weakest, ENDS] = end, end < far
            if not end > theta:
                n_links = integer(-1)
        else:
            exact = known.counts[find_piece(known, n_known, end, window.piece)]
            if weakest > 0:
                exact = chain.counts[weakest - 1]
            outcome, n_links, theta, edge = cross(tables, ground, room, window, exact, n_links, weakest, reach, high)
            if outcome == STUCK:
                found, n_found = sweep_zone(
                    watch, tables, known, n_known, time, until, end, theta, window.piece, found, n_found
                )
            elif outcome == CROSSED and edge < high:
                found, n_found = append_piece(found, n_found, edge, room.states[REACHED])
                width = (edge - last_edge) / abs(theta)
                last_edge, reach = edge, min(LARGEST_REACH, max(LEAST_REACH, 0.9 * reach + 0.4 * width))
    if high < last:
        found, n_found = sweep_zone(
            watch, tables, known, n_known, time, until, high, last, window.piece, found, n_found
        )
    watch[DONE] = done + until - time
    return found, n_found


@jit
def append_curve(
    steps: Steps, used: int, pieces: Pieces, n_pieces: int, counts: Integers, tables: TaskTables
) -> tuple[Steps, int]:
    """As `write_curve`, in more room if it needs it."""
    if used + n_pieces > steps.left.size:
        room = 2 * (used + n_pieces)
        steps = Steps(enlarge(steps.left, room), enlarge(steps.value, room))
    return steps, write_curve(steps, used, pieces, n_pieces, counts, tables)


@jit
def walk_task(
    watch: Watch,
    tables: TaskTables,
    horizons: Integers,
    low: float,
    high: float,
    steps: Steps,
    used: int,
    ends: Integers,
) -> tuple[Steps, int]:
    """Append one task's curve for each of the increasing horizons to steps[:used], and write where each ends."""
    n_arms, ground = tables.gaps.size, survey(tables)
    room = make_room(n_arms, horizons[-1], tables.weight > 0.0)
    known, n_known, t, done = empty_level(n_arms), integer(1), integer(0), watch[DONE]
    least, turned = low, ground.direction < 0.0
    if turned:
        low, high = -high, -low
    known.left[0] = low
    swept = max(SWEPT, 4 * n_arms) if n_arms <= MOST_ARMS else horizons[-1]
    for k in range(horizons.size):
        while t < horizons[k]:
            stop = horizons[k]
            while stop > RATIO * max(t, 1) and stop > swept:
                stop = (stop + RATIO - 1) // RATIO
            stop = max(stop, min(n_arms, horizons[k]))
            if is_stopped(watch):
                return steps, used
            if stop <= swept:
                found, n_found = empty_level(n_arms), integer(0)
                known, n_known = sweep_zone(
                    watch, tables, known, n_known, t, stop, low, high, integer(0), found, n_found
                )
            else:
                known, n_known = walk(watch, tables, ground, room, known, n_known, t, stop, low, high)
            t = stop
            watch[DONE] = done + t
        pieces = order_pieces(known, n_known, least, turned)
        steps, used = append_curve(steps, used, pieces, n_known, known.counts, tables)
        ends[k] = used
    return steps, used


@jit
def walk_tasks(
    watch: Watch, batch: Batch, space: Workspace, horizons: Integers, low: float, high: float
) -> tuple[Floats, Floats, Integers]:
    """Walk the tasks of a batch one after the other."""
    n_tasks = batch.starts.size - 1
    steps, used = Steps(np.empty(16 * n_tasks), np.empty(16 * n_tasks)), integer(0)
    ends = np.empty((n_tasks, horizons.size), np.int64)
    watch[DONE], watch[WHOLE] = 0.0, n_tasks * horizons[-1]
    for task in range(n_tasks):
        if is_stopped(watch):
            break
        tables = tables_held(batch, task, space)
        steps, used = walk_task(watch, tables, horizons, low, high, steps, used, ends[task])
    return steps.left[:used].copy(), steps.value[:used].copy(), ends


def walk_batch(
    watch: Watch, batch: Batch, horizons: Integers, low: float, high: float
) -> tuple[Floats, Floats, Integers]:
    """Return what `sweep_batch` returns, the same bits, but not how many histories there are."""
    return walk_tasks(watch, batch, workspace(batch), horizons, low, high)
