"""Distributions over tasks: reproducible in any order, with the means and spreads they state."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune import problems
from tests.strategies import share

GENERAL: dict[str, Callable[[], problems.Problem]] = {
    "bernoulli": lambda: problems.bernoulli(3, rates=problems.Beta(2.0, 20.0)),
    "gaussian": lambda: problems.gaussian(3, means=problems.Uniform(0.0, 1.0), sd=0.3),
    "beta": lambda: problems.beta(3),
    "smooth functions": lambda: problems.smooth_functions(side=3),
    "recorded": lambda: problems.recorded([bt.Task([[0.1, 0.4], [0.5]]), bt.Task([[1.0], [2.0, 3.0, 7.0]])]),
    "recorded, then normal": lambda: problems.recorded([bt.Task([[0.1, 0.4], [0.5, 0.2]])], beyond="gaussian"),
}
ALL = {**GENERAL, **{name: make for name, make in problems.NAMES.items() if not name.startswith("gp-")}}


@pytest.mark.parametrize("name", ALL)
@given(st.integers(1, 6), st.integers(1, 40), st.integers(0, 2**40))
@share(10)
def test_tasks_are_the_same_whatever_is_drawn_beside_them(name: str, number: int, horizon: int, seed: int) -> None:
    problem = ALL[name]()
    few, many = problem.sample(number, horizon, seed), problem.sample(number + 2, horizon + 5, seed)
    for short, long in zip(few, many, strict=False):
        assert short.name == long.name
        assert (short.means == long.means).all()
        for row, longer in zip(short.rewards, long.rewards, strict=True):
            assert (row == longer[:horizon]).all()
    alone = problem.bandit(number - 1, seed).task(horizon)
    assert (alone.flat == few[-1].flat).all()


@pytest.mark.parametrize("name", ALL)
def test_rewards_average_to_the_true_means(name: str) -> None:
    for task in ALL[name]().sample(3, 4000, seed=1):
        for row, mean in zip(task.rewards, task.means, strict=True):
            assert abs(row.mean() - mean) < 5.0 * row.std() / math.sqrt(row.size) + 1e-3


def test_another_seed_or_repetition_gives_other_rewards() -> None:
    problem = problems.gaussian(2)
    bandit = problem.bandit(0, 0)
    assert (bandit.task(20).flat != problem.bandit(0, 1).task(20).flat).all()
    assert (bandit.task(20).flat != bandit.task(20, repetition=1).flat).all()
    assert (bandit.means == problem.bandit(0, 0).means).all()


def means_of(problem: problems.Problem, n: int = 3000) -> np.ndarray:
    return np.array([bandit.means for bandit in problem.bandits(n, seed=2)])


def test_paper_s_distributions_have_the_spreads_it_states() -> None:
    assert means_of(problems.bernoulli_pair(0.1))[:, 1].std() == pytest.approx(0.1, rel=0.1)
    assert means_of(problems.bernoulli_pair(0.01, "variance"))[:, 1].std() == pytest.approx(0.1, rel=0.1)
    assert means_of(problems.small_gap("variance"))[:, 1].std() == pytest.approx(0.1, rel=0.1)
    assert means_of(problems.small_gap("sd"))[:, 1].std() == pytest.approx(0.01, rel=0.1)
    assert means_of(problems.small_gap("sd"))[:, 1].mean() == pytest.approx(0.51, abs=0.001)
    assert means_of(problems.large_gap("sd"))[:, 1].mean() == pytest.approx(0.7, abs=0.001)
    assert means_of(problems.uniform_pair(0.3)) == pytest.approx(np.tile([4.0, 4.1], (3000, 1)))
    swapped = means_of(problems.swapped_gaussians(0.4))
    assert (np.abs(swapped) == 0.4).all()
    assert abs(swapped[:, 0].mean()) < 0.05
    assert (swapped.sum(axis=1) == 0.0).all()
    (first, second), *_ = [bandit.arms for bandit in problems.corral_gaussian("variance").bandits(1)]
    assert first.numbers == pytest.approx((0.5, math.sqrt(0.1)))
    assert second.mean == 0.65
    (first, _), *_ = [bandit.arms for bandit in problems.corral_gaussian("sd").bandits(1)]
    assert first.numbers == (0.5, 0.1)
    variances = [bandit.arms[1].numbers[1] ** 2 for bandit in problems.gaussian_variances().bandits(500)]
    assert 0.5 <= min(variances) < 0.55 < 1.45 < max(variances) <= 1.5


def test_recorded_rewards_come_first_and_others_after_them() -> None:
    task = bt.Task([[0.1, 0.4, 0.3], [0.5, 0.9]])
    resampled = problems.recorded([task]).bandit(0).task(200)
    normal = problems.recorded([task], beyond="gaussian").bandit(0).task(200)
    for row, known, drawn in zip(task.rewards, resampled.rewards, normal.rewards, strict=True):
        assert (known[: row.size] == row).all()
        assert (drawn[: row.size] == row).all()
        assert set(known) == set(row)
        assert len(set(drawn)) == 200
    assert (resampled.means == task.means).all()


def test_functions_on_a_grid_have_points_and_the_function_s_values() -> None:
    (task,) = problems.named("gp-waves").sample(1, 20)
    assert task.points is not None
    assert task.points.shape == (576, 2)
    assert task.means == pytest.approx(np.sin(task.points[:, 0]) + np.cos(task.points[:, 1]))
    (quiet,) = problems.on_grid(lambda x, y: x * y, side=5, noise=0.0).sample(1, 3)
    assert np.array(quiet.rewards) == pytest.approx(np.tile(quiet.means[:, None], 3))


def test_smooth_functions_have_the_covariance_of_their_kernel() -> None:
    problem = problems.smooth_functions(length_scale=0.8, side=2, low=0.0, high=1.0)
    values = means_of(problem, 4000)
    distance = np.linalg.norm(problem.points[:, None] - problem.points[None], axis=-1)
    assert np.cov(values.T) == pytest.approx(np.exp(-(distance**2) / (2 * 0.8**2)), abs=0.08)


@pytest.mark.parametrize("shared", [False, True])
def test_linear_contextual_tasks_are_linear_and_reproducible(shared: bool) -> None:
    problem = problems.LinearContextual(n_arms=4, dim=3, shared=shared)
    short, long = problem.sample(2, 30, seed=5)[1], problem.sample(3, 50, seed=5)[1]
    assert (short.contexts == long.contexts[:30]).all()
    assert (short.rewards == long.rewards[:30]).all()
    assert np.linalg.norm(long.contexts, axis=-1) == pytest.approx(1.0)
    assert (long.rewards - long.means).std() == pytest.approx(0.1, rel=0.3)
    flat = long.contexts.reshape(-1, 3)
    means = long.means.reshape(-1) if not shared else long.means[:, 0]
    residual = np.linalg.lstsq(flat, means, rcond=None)[1]
    assert residual == pytest.approx(0.0, abs=1e-20)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: problems.named("B(7)"), r"name must be one of B\(0.1\)"),
        (lambda: problems.Bernoulli(1.5), "p must be a probability from 0 to 1, got 1.5"),
        (lambda: problems.Uniform(2.0, 1.0), "low must not be above high"),
        (lambda: problems.Beta(0.0, 1.0), "a must be a finite number of at least 0.001"),
        (lambda: problems.fixed([]), "arms must hold at least one arm"),
        (lambda: problems.bernoulli(0), "n_arms must be a whole number from 1"),
        (lambda: problems.small_gap("spread"), "second must be one of variance, sd"),
        (lambda: problems.recorded([bt.Task([[1.0]])], beyond="x"), "beyond must be one of recorded, gaussian"),
        (lambda: problems.bernoulli(2).sample(0, 10), "n_tasks must be a whole number of at least 1"),
        (lambda: problems.bernoulli(2).sample(1, 0), "horizon must be a whole number from 1"),
        (lambda: problems.on_grid("hill"), "function must be one of waves, bowl, slope"),
        (lambda: problems.on_grid("waves", low=1.0, high=0.0), "low must be below high"),
    ],
)  # fmt: skip
def test_mistakes_are_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        make()
