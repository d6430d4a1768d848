"""The posterior as a function of counts, and the sweep against single runs; also uncompiled."""

from typing import Any

import numpy as np
import pytest

from banditune.kernels.gaussian.batch import GaussianBatch
from banditune.kernels.gaussian.posterior import factor
from banditune.kernels.gaussian.run import find_posterior, next_arm, play_first_task
from banditune.kernels.gaussian.sweep import sweep_batch
from banditune.kernels.lines.feedback import IMMEDIATE
from banditune.kernels.watch import DONE, STOP, new_watch


def drawn_batch(seed: int, *, samples: bool, is_flat: bool = False, schedule: int = 0) -> GaussianBatch:
    rng = np.random.default_rng(seed)
    n, horizon = 4, 12
    roots = rng.normal(size=(n, n)) / 4.0
    streams = rng.random((n, horizon))
    return GaussianBatch(
        streams,
        rng.random(n),
        np.array([0, n]),
        0.0,
        rng.random(n),
        (roots @ roots.T).reshape(-1),
        0.05,
        is_flat,
        schedule,
        np.array([seed + 1] if samples else [], np.uint64),
    )


@pytest.mark.parametrize("samples", [False, True])
@pytest.mark.parametrize("is_flat", [False, True])
@pytest.mark.parametrize("schedule", [0, 1, 2])
def test_sweep_is_what_runs_lose(schedule: int, is_flat: bool, samples: bool) -> None:
    for seed in range(4):
        batch = drawn_batch(seed, samples=samples, is_flat=is_flat, schedule=schedule)
        left, values, ends, _ = sweep_batch(new_watch(), batch, np.array([6, 12]), 0.0, 2.0)
        rng = np.random.default_rng(seed)
        for k, (begin, end) in enumerate([(0, ends[0, 0]), (ends[0, 0], ends[0, 1])]):
            edges = left[begin:end]
            beside = [np.nextafter(edge, side) for edge in edges[1:4] for side in (0.0, 9.0)]
            for theta in [*beside, *(2.0 * rng.random(3))]:
                _, _, losses = play_first_task(new_watch(), batch, theta)
                if schedule != 2:  # which counts the rounds that remain
                    assert values[begin + np.searchsorted(edges, theta, side="right") - 1] == losses[(6, 12)[k] - 1]
                elif k == 1:
                    assert values[begin + np.searchsorted(edges, theta, side="right") - 1] == losses[-1]


def test_pieces_find_more_room() -> None:
    rng = np.random.default_rng(0)
    n, horizon = 12, 60
    batch = GaussianBatch(
        rng.random((n, horizon)),
        rng.random(n),
        np.array([0, n]),
        1.0,
        rng.random(n),
        np.diag(rng.random(n)).reshape(-1),
        0.3,
        False,
        0,
        np.empty(0, np.uint64),
    )
    left, values, _, histories = sweep_batch(new_watch(), batch, np.array([horizon]), 0.0, 3.0)
    assert left.size > 32
    assert histories[0] >= left.size
    _, rewards, losses = play_first_task(new_watch(), batch, 1.2345)
    found = values[np.searchsorted(left, 1.2345, side="right") - 1]
    assert found == losses[-1]
    assert rewards.sum() > 0.0


def test_alike_arms_tie_exactly_whatever_their_place() -> None:
    n = 5
    cov, mean = np.full((n, n), 0.03) + 0.01 * np.eye(n), np.full(n, 0.3)
    counts, totals = np.array([3, 1, 3, 0, 3]), np.array([0.7, 0.1, 0.7, 0.0, 0.7])
    means, sds = find_posterior(counts, totals, mean, cov, 0.1, False)
    assert means[0] == means[2] == means[4]
    assert sds[0] == sds[2] == sds[4]


def test_root_of_a_covariance_that_is_not_of_full_rank() -> None:
    cov = np.outer([1.0, 2.0, 0.0], [1.0, 2.0, 0.0])
    root = factor(cov)
    assert np.allclose(root @ root.T, cov)


def test_stopped_sweep_returns() -> None:
    watch = new_watch()
    watch[STOP] = 1.0
    sweep_batch(watch, drawn_batch(0, samples=False), np.array([12]), 0.0, 2.0)
    assert watch[DONE] == 0.0


def test_choice_of_an_online_policy_is_that_of_the_run() -> None:
    batch = drawn_batch(3, samples=True)
    arms, rewards, _ = play_first_task(new_watch(), batch, 0.8)
    counts, totals = np.zeros(4, np.int64), np.zeros(4)
    cov = batch.covariances.reshape(4, 4)
    for arm, reward in zip(arms, rewards, strict=True):
        known: Any = (counts, np.zeros(4, np.int64), totals, batch.means, cov, batch.noise, False)
        assert next_arm(*known, 0.8, 0, 12.0, batch.keys[0], True, IMMEDIATE) == arm
        counts[arm] += 1
        totals[arm] += reward
