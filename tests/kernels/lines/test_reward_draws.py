"""Streams of rewards that are drawn: what is recorded first, then draws, by key, arm and position alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from banditune.kernels.lines.reward_draws import draw_counts, draw_normals, resample_rewards
from banditune.kernels.numerics.counter_random import normal_quantile, random_bits, uniform

ROWS = st.lists(st.lists(st.floats(-1, 1), max_size=4), min_size=1, max_size=3).filter(any)
KEYS = st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 1, 2**32 - 1, 2**64 - 1]))


def numbers_of(key: int, arm: int, horizon: int) -> list[float]:
    """The uniform numbers that the stream of an arm is made of."""
    own = np.uint64(random_bits(np.uint64(key), arm))
    return [uniform(own, position) for position in range(horizon)]


def counts(pulls: int, successes: int, key: int, horizon: int, arm: int = 0) -> NDArray[np.float64]:
    """The stream of one arm that is known by totals."""
    streams, where = np.empty((1, horizon)), np.array([arm])
    draw_counts(
        np.array([pulls]), np.array([successes]), np.array([key], np.uint64), where, np.zeros(1, np.int64), streams
    )
    return streams[0]


@given(ROWS, st.integers(1, 12), KEYS)
def test_recorded_rewards_come_first_and_the_rest_is_drawn_from_them(
    rows: list[list[float]], horizon: int, key: int
) -> None:
    flat = np.array([reward for row in rows for reward in row])
    begins = np.cumsum([0, *map(len, rows)])
    own = np.column_stack([begins[:-1], begins[1:]])
    pools = np.array([[a, b] if b > a else [0, flat.size] for a, b in own.tolist()])
    arms, keys = np.arange(len(rows)), np.full(len(rows), key, np.uint64)
    streams = np.empty((len(rows), horizon))
    resample_rewards(flat, own, pools, keys, arms, arms[::-1].copy(), streams)
    for arm, row in enumerate(rows):
        pool = row or flat.tolist()
        expected = [
            row[t] if t < len(row) else pool[int(number * len(pool))]
            for t, number in enumerate(numbers_of(key, arm, horizon))
        ]
        assert streams[len(rows) - 1 - arm].tolist() == expected


@given(st.integers(1, 60), KEYS, st.data())
def test_totals_give_each_recorded_reward_once_and_then_draw_with_their_rate(
    pulls: int, key: int, data: st.DataObject
) -> None:
    successes, further = data.draw(st.integers(0, pulls)), data.draw(st.integers(0, 20))
    stream = counts(pulls, successes, key, pulls + further)
    assert stream[:pulls].sum() == successes
    later = numbers_of(key, 0, pulls + further)[pulls:]
    assert stream[pulls:].tolist() == [float(number * pulls < successes) for number in later]
    assert counts(pulls, successes, key, max(1, pulls // 2)).tolist() == stream[: max(1, pulls // 2)].tolist()


def test_every_order_of_totals_is_as_likely() -> None:
    orders = [counts(4, 2, key, 4).tobytes() for key in range(6000)]
    sizes = [orders.count(order) for order in set(orders)]
    assert len(sizes) == 6
    assert max(abs(size - 1000) for size in sizes) < 5 * np.sqrt(1000)


def test_a_billion_pulls_are_drawn_as_far_as_a_run_goes() -> None:
    stream = counts(10**9, 10**7, 3, 50_000)
    assert abs(stream.mean() - 0.01) < 5 * np.sqrt(0.01 / 50_000)


@pytest.mark.parametrize("arm", [0, 5])
def test_normal_rewards_have_their_moments(arm: int) -> None:
    streams = np.empty((1, 20_000))
    one = np.array([arm])
    draw_normals(np.array([2.0]), np.array([3.0]), np.array([9], np.uint64), one, np.zeros(1, np.int64), streams)
    assert streams[0, :50].tolist() == [2.0 + 3.0 * normal_quantile(u) for u in numbers_of(9, arm, 50)]
    assert abs(streams.mean() - 2.0) < 5 * 3.0 / np.sqrt(20_000)
    assert abs(streams.std() - 3.0) < 0.1
