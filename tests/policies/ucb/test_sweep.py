"""Sweep or walk: what is estimated to be faster, once it is worth compiling."""

import numpy as np
import pytest

from banditune.kernels.lines.batch import Batch
from banditune.kernels.lines.index import CONSTANT, REMAINING
from banditune.kernels.walk.walk import MOST_ARMS
from banditune.policies.ucb import sweep
from banditune.policies.ucb.sweep import PATIENCE, Waiting, estimate_gain
from tests.kernels.lines.test_sweep import batch_of


def clicks(n_arms: int, rate: float = 0.02) -> Batch:
    return batch_of((np.random.default_rng(n_arms).random((n_arms, 256)) < rate).astype(float))


def gain(batch: Batch, *horizons: int, high: float = 2.0) -> float:
    return estimate_gain(batch, np.array(horizons), high)


def test_walks_gain_on_long_tasks_with_few_arms() -> None:
    assert gain(clicks(2), 1000) > 0.0 > gain(clicks(2), 150)
    assert gain(clicks(5), 1000) > gain(clicks(5), 800) > 0.0
    assert gain(clicks(MOST_ARMS + 1), 10**6) == 0.0
    assert gain(clicks(20, 0.5), 1000) < 0.0 < gain(clicks(20, 0.5)._replace(weight=1.0), 1000)
    assert gain(clicks(2), *range(1, 1001)) < 0.0


def test_walks_gain_where_the_range_is_wide_beside_the_rewards() -> None:
    assert gain(clicks(5, 0.5), 500) < 0.0 < gain(clicks(5, 0.01), 500)
    assert gain(clicks(5, 0.01), 500, high=0.1) < 0.0
    assert gain(clicks(5, 0.0), 500) > 0.0


def test_other_schedules_are_walked_late_and_priors_that_change_never() -> None:
    assert gain(clicks(2)._replace(schedule=CONSTANT), 5000) < 0.0
    assert gain(clicks(2)._replace(schedule=REMAINING), 10**6) > 0.0
    assert gain(clicks(2)._replace(slopes=np.ones(2)), 10**6) == 0.0


def test_walk_is_compiled_when_sweeps_have_lost_some_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """At once where it has been compiled before; never for what is faster swept."""
    compiled = False
    monkeypatch.setattr(sweep, "is_compiled", lambda kernel: compiled)
    waiting, horizons = Waiting(), np.array([5000])
    a_time = gain(clicks(5), 5000)
    n_swept = 0
    while not waiting.chooses_walk(clicks(5), horizons, 2.0):
        n_swept += 1
    assert PATIENCE < n_swept * a_time <= PATIENCE + a_time
    assert not waiting.chooses_walk(clicks(5), np.array([100]), 2.0)
    assert not Waiting().chooses_walk(clicks(5), horizons, 2.0)
    compiled = True
    assert Waiting().chooses_walk(clicks(5), horizons, 2.0)
