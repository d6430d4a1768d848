"""Pieces that are cut at the end of a batch, against what every point of the range has pulled."""

from itertools import pairwise

import numpy as np
import pytest

from banditune.kernels.lines.batch import task_tables, without_priors, workspace
from banditune.kernels.lines.bonus import NORMAL, PRODUCT, ROOT, Bonus
from banditune.kernels.lines.bonus_tables import BonusTables, LineBatch, fill_bonus, index_of, make_room
from banditune.kernels.lines.coin_tosses import Events, cut_at_events, sort_events
from banditune.kernels.lines.index import CONSTANT, TaskTables
from banditune.kernels.lines.pieces import Pieces, Slots

pytestmark = [pytest.mark.usefixtures("uncompiled"), pytest.mark.filterwarnings("ignore::RuntimeWarning")]

N_ARMS, CAPACITY = 3, 64


def make_tables() -> tuple[TaskTables, BonusTables]:
    """One task of three arms, played by an index with coins."""
    streams = np.random.default_rng(1).random((N_ARMS, 99))
    tasks = without_priors(streams, np.zeros(N_ARMS), np.array([0, N_ARMS]), 0.0)
    room = make_room(LineBatch(tasks, Bonus(PRODUCT, ROOT, CONSTANT, NORMAL), np.zeros(1, np.uint64)))
    tables = task_tables(tasks, 0, workspace(tasks))
    return tables, index_of(room, 0, N_ARMS, fill_bonus(room, tasks, tables, 0))


def make_state(random: np.random.Generator) -> tuple[Pieces, Slots]:
    """Two pieces, [0, 1) and [1, 2), with 40 pulls known each, and 12 that are not."""
    known, counts = np.zeros((2, CAPACITY, N_ARMS), np.int64)
    known[:2], counts[:2] = [[10, 10, 20], [11, 9, 20]], [[14, 14, 24], [15, 13, 24]]
    pieces = Pieces(np.zeros(CAPACITY + 1), *np.zeros((3, CAPACITY), np.int64))
    pieces.left[:3], pieces.owner[:2] = [0.0, 1.0, 2.0], [0, 1]
    free = np.zeros(CAPACITY, np.int64)
    free[: CAPACITY - 2] = random.permutation(np.arange(2, CAPACITY))
    means, roots = np.zeros((2, CAPACITY, N_ARMS))
    recent, parted = np.zeros((CAPACITY, 0), np.int64), np.zeros(CAPACITY, np.int64)
    return pieces, Slots(counts, means, roots, free, known, known, recent, parted)


def draw_events(random: np.random.Generator) -> Events:
    """Changes from one arm to another, at few places, so that some fall together; and the way back."""
    edges = random.choice(np.arange(1, 16) / 8, size=random.integers(0, 5))
    edges = edges[edges != 1.0]
    one = random.integers(0, N_ARMS, edges.size)
    other = (one + 1) % N_ARMS
    back = np.floor(edges) + 0.9
    swaps = np.concatenate([one * N_ARMS + other, other * N_ARMS + one])
    order = random.permutation(2 * edges.size)
    return Events(np.concatenate([edges, back])[order], swaps[order])


@pytest.mark.parametrize("is_over", [False, True])
def test_parts_have_what_their_points_have_pulled(is_over: bool) -> None:
    tables, index = make_tables()
    for seed in range(50):
        random = np.random.default_rng(seed)
        pieces, slots = make_state(random)
        events, before, known = draw_events(random), slots.counts[:2].copy(), slots.known[:2].copy()
        edges, swaps = events.edge.copy(), events.swap.copy()
        taken = np.zeros(N_ARMS, np.int64)
        kept, n_cuts = cut_at_events(
            pieces, 2, Pieces(*map(np.copy, pieces)), slots, events, edges.size, taken, is_over, tables, index
        )
        assert n_cuts == np.unique(edges).size
        assert pieces.left[kept] == 2.0
        parts = np.searchsorted(pieces.left[:kept], np.arange(32) / 16, side="right") - 1
        for x, part in zip(np.arange(32) / 16, parts, strict=True):
            piece = int(x >= 1.0)
            counts = before[piece].copy()
            for edge, swap in zip(edges, swaps, strict=True):
                if piece <= edge <= x:
                    counts[swap // N_ARMS] -= 1
                    counts[swap % N_ARMS] += 1
            owner = pieces.owner[part]
            assert np.array_equal(slots.counts[owner], counts)
            assert np.array_equal(slots.known[owner], counts if is_over else known[piece])
            assert np.array_equal(slots.means[owner], tables.means[np.arange(N_ARMS), slots.known[owner]])
        states = [(*slots.counts[owner], *slots.known[owner]) for owner in pieces.owner[:kept]]
        assert all(one != other for one, other in pairwise(states))
        slots_held = np.concatenate([pieces.owner[:kept], slots.free[: CAPACITY - kept]])
        assert np.array_equal(np.sort(slots_held), np.arange(CAPACITY))


def test_events_are_put_in_order() -> None:
    random = np.random.default_rng(2)
    for size in range(40):
        edges = random.integers(0, 20, size).astype(float)
        events = Events(edges.copy(), edges.astype(np.int64))
        sort_events(events, size)
        assert np.array_equal(events.edge, np.sort(edges))
        assert np.array_equal(events.swap, np.sort(edges).astype(np.int64))
