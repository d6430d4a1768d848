"""Which point GP-UCB chooses for every value of a range, with proof.

The range is cut into cells. In a cell, points are left out that cannot matter (`cells`, `polynomials`); if one point is
the choice everywhere, the cell is proved. If not, and the differences of the few pairs that decide it all rise or all
fall, each passes a tie once at most, at a float that is found (`edges`); else the cell is halved. Points whose
covariances with all that was observed are the same have the same index, and the first stands for all. A cell too narrow
to be halved is in doubt; so is what lies around an edge where the rounding of numbers of 32 digits decides which float
it is.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.cells import Verdict, bound_moves, does_rounding_matter, find_contenders, judge, look_alike
from banditune.kernels.gp.edges import Edges, distance, find_edges, middle
from banditune.kernels.gp.incremental_posterior import Reference, reference_indices
from banditune.kernels.gp.index import NOISE, Asked, Indices, Values, leader_of, plain_indices, sure_indices, tie_width
from banditune.kernels.gp.polynomials import REACH, judge_by_polynomials
from banditune.kernels.gp.posterior import Evidence, Observed, Prior
from banditune.kernels.jit import integer, jit
from banditune.kernels.numerics.arrays import Floats, Integers, enlarge, enlarge_rows
from banditune.kernels.watch import Watch, is_stopped

MANY = 64  # so many points are compared by polynomials
BLUR = 1e-13  # edges are found where they are at most this far off
MOST_HALVINGS = 120
MOST_CELLS = 200_000  # of one range; what is left then is left unproved


class Found(NamedTuple):
    """The choices on a range in order: arm[k] from left[k] on; and how much of it is proved."""

    left: Floats
    arm: Integers
    n_proved: int  # intervals with one winner
    doubts: Floats  # (k, 2) intervals in which another point may win


@jit
def choose_indices(points: Integers, seen: Indices, chosen: Integers) -> tuple[Integers, Indices]:
    """Return some of the points, and their indices."""
    values = seen.values
    some = Values(values.base[chosen], values.base_low[chosen], values.moved[chosen], values.moved_low[chosen])
    return points[chosen], Indices(some, seen.slope[chosen], seen.bends[chosen], seen.rounding[chosen])


@jit
def find_distinct(prior: Prior, observed: Observed, points: Integers) -> Integers:
    """Return the points (k,) without those that are the same to the process as one before them."""
    kept = np.empty(points.size, np.int64)
    size = 0
    for point in points:
        fresh = True
        for k in range(size):
            before = kept[k]
            same = prior.means[point] == prior.means[before]
            same = same and prior.covariances[point, point] == prior.covariances[before, before]
            for place in observed.places:
                if not same:
                    break
                same = prior.covariances[place, point] == prior.covariances[place, before]
            if same:
                fresh = False
                break
        if fresh:
            kept[size] = point
            size += 1
    return kept[:size].copy()


@jit
def find_choices(
    watch: Watch, prior: Prior, evidence: Evidence, asked: Asked, points: Integers, low: float, high: float
) -> Found:
    """Return which of the points (k,), in order, is chosen for every value in [low, high], after what was observed."""
    m, free, tie = evidence.counted.places.size, asked.free, tie_width(prior, evidence.known)
    points = find_distinct(prior, evidence.counted, points)
    room = np.empty(2 * m * (m + points.size))
    lows, highs, sizes = np.empty(MOST_HALVINGS), np.empty(MOST_HALVINGS), np.empty(MOST_HALVINGS, np.int64)
    pool = np.empty(points.size * MOST_HALVINGS, np.int64)
    lows[0], highs[0], sizes[0] = low, high, points.size
    pool[: points.size] = points
    depth, top = 1, points.size
    left, arm = np.empty(16), np.empty(16, np.int64)
    used = n_proved = n_cells = n_doubts = integer(0)
    doubts = np.empty((0, 2))
    while depth > 0 and not is_stopped(watch):
        depth -= 1
        n_cells += 1
        start, end, size = lows[depth], highs[depth], sizes[depth]
        top -= size
        points = pool[top : top + size].copy()
        value = middle(start, end, free)
        narrow = not start < value < end or depth + 2 > MOST_HALVINGS or n_cells > MOST_CELLS
        reach = max(distance(start, value, free), distance(value, end, free)) * (1.0 + 1e-12)
        seen = plain_indices(prior, evidence, asked, value, points, room)
        points, seen, verdict, in_doubt = _look(points, seen, reach, tie)
        if verdict.pairs.size > 0 and (narrow or in_doubt):
            seen = sure_indices(prior, evidence, asked, value, points)
            points, seen, verdict, in_doubt = _look(points, seen, reach, tie)
        close = free == NOISE and reach <= REACH and points.size <= MANY
        edges, proved = _find_proof(prior, evidence, asked, points, verdict, tie, start, end)
        if not verdict.parted and not narrow and close and look_alike(seen, reach):
            alike, above = points, 0.25 * tie
            while not proved and above >= 0.0:
                verdict = judge_by_polynomials(prior, evidence, asked, value, reach, alike, tie, above)
                points = alike[verdict.kept]
                edges, proved = _find_proof(prior, evidence, asked, points, verdict, tie, start, end)
                above = 0.0 if verdict.apart > 0.0 else -1.0  # whoever was left out and may be above comes back
            seen = sure_indices(prior, evidence, asked, value, points)  # plain floats may not tell who is within a tie
        if proved or narrow:
            if used + edges.values.size > left.size:
                left, arm = enlarge(left, 2 * used + edges.values.size), enlarge(arm, 2 * used + edges.values.size)
            for edge in edges.values:
                there = seen
                if verdict.pairs.size > 0:
                    there = sure_indices(prior, evidence, asked, edge, points)
                left[used], arm[used] = edge, points[leader_of(there.values, tie)]
                used += 1
            n_proved += edges.values.size if proved else 0
            in_question = edges.doubts if proved else np.array([[start, end]])
            if n_doubts + in_question.shape[0] > doubts.shape[0]:
                doubts = enlarge_rows(doubts, 2 * n_doubts + in_question.shape[0])
            for doubt in in_question:
                doubts[n_doubts] = doubt
                n_doubts += 1
        else:
            for cell_low, cell_high in ((value, end), (start, value)):
                lows[depth], highs[depth], sizes[depth] = cell_low, cell_high, points.size
                pool[top : top + points.size] = points
                top += points.size
                depth += 1
    return _join(left, arm, used, n_proved, doubts[:n_doubts].copy())


@jit
def _find_proof(
    prior: Prior,
    evidence: Evidence,
    asked: Asked,
    points: Integers,
    verdict: Verdict,
    tie: float,
    low: float,
    high: float,
) -> tuple[Edges, bool]:
    """Return where the choice may change in [low, high) by a verdict, and whether that is proved."""
    if not verdict.parted or verdict.pairs.size == 0:
        return Edges(np.array([low]), 0.0, np.empty((0, 2))), verdict.parted
    edges = find_edges(prior, evidence, asked, points, verdict, tie, low, high)
    return edges, edges.blur <= BLUR or verdict.apart == 0.0


@jit
def choose(
    watch: Watch,
    prior: Prior,
    evidence: Evidence,
    asked: Asked,
    known: Reference,
    counted: Reference,
    low: float,
    high: float,
) -> Found:
    """Return which point is chosen for every value in [low, high], by what is known at a reference within it.

    Means go by what is known there, spreads by what is counted.
    """
    value = known.value if asked.free == NOISE else middle(low, high, asked.free)
    reach = max(distance(low, value, asked.free), distance(value, high, asked.free)) * (1.0 + 1e-12)
    tie, points = tie_width(prior, evidence.known), np.arange(prior.means.size)
    points, seen, verdict, _ = _look(points, reference_indices(prior, asked, known, counted, value), reach, tie)
    if verdict.parted and verdict.pairs.size == 0:
        return Found(np.array([low]), points[leader_of(seen.values, tie) :][:1].copy(), 1, np.empty((0, 2)))
    return find_choices(watch, prior, evidence, asked, points, low, high)


@jit
def _look(points: Integers, seen: Indices, reach: float, tie: float) -> tuple[Integers, Indices, Verdict, bool]:
    """Leave out the points that do not matter within reach; also whether rounding is why more are not left out."""
    points, seen = choose_indices(points, seen, find_contenders(seen, bound_moves(seen, reach), reach, tie))
    verdict = judge(seen, bound_moves(seen, reach), reach, tie)
    points, seen = choose_indices(points, seen, verdict.kept)
    return points, seen, verdict, does_rounding_matter(seen, bound_moves(seen, reach), reach, tie)


@jit
def _join(left: Floats, arm: Integers, used: int, n_proved: int, doubts: Floats) -> Found:
    """Return the choices, neighbours with the same point as one."""
    size = integer(0)
    for k in range(used):
        if size == 0 or arm[k] != arm[size - 1]:
            left[size], arm[size] = left[k], arm[k]
            size += 1
    return Found(left[:size].copy(), arm[:size].copy(), n_proved, doubts)
