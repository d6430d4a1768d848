"""The walk along theta has the bits of the sweep of all rounds."""

import threading

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.lines.batch import without_priors
from banditune.kernels.lines.index import SCHEDULES, After
from banditune.kernels.lines.sweep import sweep_batch
from banditune.kernels.walk import walk
from banditune.kernels.walk.walk import MOST_ARMS, walk_batch
from banditune.kernels.watch import DONE, STOP, WHOLE, new_watch
from benchmarks.walk_agreement import KINDS, draw_rewards, draw_task, is_same
from tests.kernels.lines.test_sweep import batch_of
from tests.strategies import share

COMPILED = not numba.config.DISABLE_JIT
if not COMPILED:
    walk.SWEPT = 50  # rounds before the walk: in plain Python, sweeping more takes long


def longest(n_arms: int) -> int:
    """A horizon beyond the rounds that are swept, that does not take long."""
    return (3000 // n_arms if COMPILED else 30) + max(walk.SWEPT, 4 * n_arms)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_arms", [2, 5, 20] if COMPILED else [3])
def test_walk_and_sweep_have_the_same_bits(kind: str, n_arms: int) -> None:
    random = np.random.default_rng(n_arms)
    horizon = longest(n_arms)
    streams = draw_rewards(kind, n_arms, horizon, random)
    high = 2.0 * max(float(np.abs(streams).max()), 1e-150)
    for schedule in range(len(SCHEDULES) if COMPILED else 1):
        batch = batch_of(streams)._replace(schedule=schedule)
        same, _ = is_same(batch, np.array([horizon]), 0.0, high)
        assert same, SCHEDULES[schedule]
        with_priors = batch._replace(priors=np.linspace(0.0, high, n_arms), weight=0.7)
        same, _ = is_same(with_priors, np.array([horizon]), 0.0, high)
        assert same, f"{SCHEDULES[schedule]}, with priors"


@share(60 if COMPILED else 15)
@given(seed=st.integers(0, 10**6))
def test_random_tasks_have_the_bits_of_the_sweep(seed: int) -> None:
    longest, work = (2000, 1e6) if COMPILED else (300, 2e5)
    _, batch, low, high = draw_task(seed, longest, work)
    same, _ = is_same(batch, np.array([batch.streams.shape[1]]), low, high)
    assert same


def test_several_horizons_are_walked_one_after_the_other() -> None:
    """Short ones that are swept, some that are near to each other, and one that is far from the others."""
    streams = draw_rewards("Bernoulli", 3, longest(3), np.random.default_rng(1))
    batch = batch_of(streams)
    horizons = np.array([1, 2, 40, walk.SWEPT + 2, walk.SWEPT + 3, streams.shape[1]])
    same, _ = is_same(batch, horizons, 0.0, 1.0)
    assert same
    earned, _ = is_same(batch_of(streams, earned=1.0), horizons, 0.3, 1.0)
    assert earned
    for by_pulls in (False, True):
        after = After(1e4, np.array([0.5, 0.0, 0.25]), by_pulls)
        later, n_pieces = is_same(batch._replace(after=after), horizons, 0.0, 1.0)
        assert later
        assert n_pieces > 1


def test_tasks_of_a_batch_do_not_disturb_each_other() -> None:
    random = np.random.default_rng(3)
    horizon = longest(5)
    blocks = [draw_rewards("tenths", n_arms, horizon, random) for n_arms in (3, 1, 5)]
    gaps = [block.mean(axis=1).max() - block.mean(axis=1) for block in blocks]
    together = without_priors(np.concatenate(blocks), np.concatenate(gaps), np.array([0, 3, 4, 9]), 0.0)
    same, n_pieces = is_same(together, np.array([horizon]), 0.0, 1.0)
    assert same
    assert n_pieces == sum(is_same(batch_of(block), np.array([horizon]), 0.0, 1.0)[1] for block in blocks)


@pytest.mark.parametrize(
    "range_of_theta", [(0.0, 0.0), (0.5, 0.5), (0.3, np.nextafter(0.3, 1.0)), (0.0, 1e-12), (1.0, 50.0)]
)
def test_narrow_and_wide_ranges_are_walked(range_of_theta: tuple[float, float]) -> None:
    streams = draw_rewards("Bernoulli", 3, longest(3), np.random.default_rng(5))
    for schedule in range(len(SCHEDULES)):
        batch = batch_of(streams)._replace(schedule=schedule)
        same, _ = is_same(batch, np.array([streams.shape[1]]), *range_of_theta)
        assert same, SCHEDULES[schedule]


def test_a_walk_tells_how_much_is_done_and_stops_when_told() -> None:
    streams = draw_rewards("Bernoulli", 3, longest(3), np.random.default_rng(2))
    batch, horizons = batch_of(streams), np.array([streams.shape[1]])
    watch = new_watch()
    walk_batch(watch, batch, horizons, 0.0, 1.0)
    assert watch[DONE] == watch[WHOLE] == streams.shape[1]
    stopped = new_watch()
    stopped[STOP] = 1.0
    left, _, _ = walk_batch(stopped, batch, horizons, 0.0, 1.0)
    assert left.size == 0


@pytest.mark.skipif(not COMPILED, reason="plain Python holds the lock while it walks")
def test_a_walk_under_way_stops() -> None:
    streams = draw_rewards("clicks", 20, 100_000, np.random.default_rng(2))  # takes half a minute
    batch, watch = batch_of(streams), new_watch()
    walk_batch(new_watch(), batch_of(streams[:, :2].copy()), np.array([2]), 0.0, 1.0)  # compiles it
    thread = threading.Thread(target=walk_batch, args=(watch, batch, np.array([100_000]), 0.0, 1.0), daemon=True)
    thread.start()
    thread.join(0.2)
    watch[STOP] = 1.0
    thread.join(30.0)
    assert not thread.is_alive()
    assert watch[DONE] < watch[WHOLE]


def test_with_very_many_arms_all_rounds_are_swept() -> None:
    random = np.random.default_rng(3)
    streams = draw_rewards("clicks", MOST_ARMS + 1, 4 * MOST_ARMS + 60 if COMPILED else 90, random)
    same, _ = is_same(batch_of(streams), np.array([80, streams.shape[1]]), 0.0, 0.1)
    assert same


def test_sweep_is_the_oracle() -> None:
    """Should the two be compared with themselves, all the tests above would be void."""
    streams = draw_rewards("Bernoulli", 3, longest(3), np.random.default_rng(7))
    horizons = np.array([streams.shape[1]])
    left, _, _, histories = sweep_batch(new_watch(), batch_of(streams), horizons, 0.0, 1.0)
    assert histories[0] > left.size > (20 if COMPILED else 10)
