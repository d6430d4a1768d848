"""Fitting a Gaussian prior: what tasks were drawn from is found again, with missing arms and errors of their means."""

import numpy as np
import pytest

import banditune as bt
from banditune.policies.gaussian.expectation_maximisation import fit_prior
from banditune.policies.gaussian.observations import observe

MEAN = np.array([0.2, 0.5, 0.8, 0.4])
LOADING, OWN, NOISE = np.array([0.3, 0.2, 0.3, 0.1]), np.array([0.01, 0.02, 0.005, 0.04]), 0.25
COV = np.outer(LOADING, LOADING) + np.diag(OWN)


def drawn_tasks(n_tasks: int, cov: np.ndarray = COV, *, pulls: int = 10, seed: int = 0) -> list[bt.Task]:
    rng = np.random.default_rng(seed)
    tasks = []
    for _ in range(n_tasks):
        there = np.flatnonzero(rng.random(4) < 0.8)
        there = there if there.size else np.array([0])
        means = rng.multivariate_normal(MEAN, cov)[there]
        rewards = means[:, None] + np.sqrt(NOISE) * rng.normal(size=(there.size, pulls))
        tasks.append(bt.Task(rewards, arms=[f"arm {k}" for k in there]))
    return tasks


def in_order(prior: object, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    return prior.for_arms(names)  # type: ignore[attr-defined, no-any-return]


NAMES = [f"arm {k}" for k in range(4)]


@pytest.mark.parametrize("structure", ["common", "full"])
def test_covariances_are_found_again(structure: str) -> None:
    mean, cov = in_order(fit_prior(drawn_tasks(3_000), structure), NAMES)
    assert np.allclose(mean, MEAN, atol=0.03)
    assert np.allclose(cov, COV, atol=0.012)


def test_own_variances_are_found_again_without_the_error_of_means() -> None:
    prior = fit_prior(drawn_tasks(3_000, np.diag([0.04, 0.02, 0.01, 0.09])), "independent")
    mean, cov = in_order(prior, NAMES)
    assert np.allclose(np.diag(cov), [0.04, 0.02, 0.01, 0.09], atol=0.008)
    assert np.allclose(cov, np.diag(np.diag(cov)))
    assert np.allclose(mean, MEAN, atol=0.03)
    assert prior.noise == pytest.approx(NOISE, rel=0.05)


def test_levels_of_tasks_and_arms_around_them_are_found_again() -> None:
    rng = np.random.default_rng(0)
    tasks = []
    for k in range(2_000):
        means = 0.3 + 0.2 * rng.normal() + 0.1 * rng.normal(size=5)
        tasks.append(bt.Task(means[:, None] + 0.3 * rng.normal(size=(5, 8)), arms=[f"{k} {i}" for i in range(5)]))
    prior = fit_prior(tasks, "exchangeable")
    assert prior.arms == ()
    assert prior.population.mean == pytest.approx(0.3, abs=0.02)
    assert prior.population.covariance == pytest.approx(0.04, abs=0.004)
    assert prior.population.variance - prior.population.covariance == pytest.approx(0.01, abs=0.002)


def test_few_tasks_are_drawn_towards_a_common_factor() -> None:
    rng = np.random.default_rng(1)
    free = rng.normal(size=(4, 4)) / 4.0
    tasks = drawn_tasks(6, free @ free.T, seed=2)
    common, full = (in_order(fit_prior(tasks, name), NAMES)[1] for name in ("common", "full"))
    many_common, many_full = (
        in_order(fit_prior(drawn_tasks(2_000, free @ free.T, seed=2), name), NAMES)[1] for name in ("common", "full")
    )
    assert np.allclose(many_full, free @ free.T, atol=0.02)
    assert (
        np.abs(full - common).max() / np.abs(common).max()
        < np.abs(many_full - many_common).max() / np.abs(many_common).max()
    )


@pytest.mark.parametrize("structure", ["independent", "common", "full", "exchangeable"])
@pytest.mark.parametrize(
    "tasks",
    [
        [bt.Task([[0.5], [0.5]])],
        [bt.Task([[1.0, 1.0], [1.0, 1.0]])] * 3,
        [bt.Task([[0.0]], arms=["a"]), bt.Task([[1.0]], arms=["b"])],
        [bt.Task.from_counts([100, 50], [3, 4], arms=["a", "b"])] * 2,
    ],
    ids=["one task", "all the same", "no arm twice", "totals"],
)
def test_whatever_the_tasks_there_is_a_prior(structure: str, tasks: list[bt.Task]) -> None:
    prior = fit_prior(tasks, structure)
    mean, cov = prior.for_arms(["a", "b", 0])
    assert np.isfinite(mean).all()
    assert (np.linalg.eigvalsh(cov) >= -1e-12).all()
    assert prior.noise > 0.0
    bt.GaussianUCB(["a", "c"], prior=prior).select()


def test_what_is_seen_of_some_tasks() -> None:
    tasks = [bt.Task([[1.0, 0.0], [0.5, 0.5]], arms=["a", "b"]), bt.Task([[0.2]], arms=["c"])]
    seen = observe(tasks)
    assert seen.arms == ("a", "b", "c")
    part = seen.take(np.array([False, True])).drop_unseen()
    assert (part.arms, part.n_tasks, part.mean.tolist(), part.task.tolist()) == (("c",), 1, [0.2], [0])
