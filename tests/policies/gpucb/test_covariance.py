"""The covariances between configurations that GP-UCB learns from past tasks."""

import numpy as np
import pytest

import banditune as bt
from banditune.policies.gpucb.covariance import covariances
from banditune.policies.gpucb.learned_covariance import LearnedCovariance

POINTS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
KERNEL = covariances("rbf", POINTS, 0.5)


def drawn_tasks(number: int, rounds: int = 6) -> list[bt.Task]:
    """Tasks on shared points: the first and the last are good together, far apart as they are; the others never."""
    rng = np.random.default_rng(number)
    levels = rng.normal(size=number)
    means = [np.array([level, -0.3, -0.2, level + 0.1]) + 0.02 * rng.normal(size=4) for level in levels]
    return [bt.Task(each[:, None].repeat(rounds, axis=1), points=POINTS) for each in means]


def naive_covariances(past: list[np.ndarray], expected: np.ndarray, share: float) -> np.ndarray:
    """The definition, entry by entry."""
    above = [gave - expected for gave in past]
    square = np.mean([each**2 for each in above])
    found = np.empty((4, 4))
    for i in range(4):
        for j in range(4):
            together = np.mean([each[i] * each[j] for each in above])
            found[i, j] = (1.0 - share) * KERNEL[i, j] + share * together / square
    return found


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_covariances_are_those_of_past_tasks_shrunk_towards_the_kernel(share: float) -> None:
    tasks, expected = drawn_tasks(7), np.array([0.1, 0.0, 0.0, 0.2])
    found = LearnedCovariance.of_tasks(share, tasks).at(POINTS, KERNEL, expected, 0.5)
    assert found == pytest.approx(naive_covariances([task.means for task in tasks], expected, share), rel=1e-12)
    assert (found == found.T).all()
    assert np.linalg.eigvalsh(found).min() > -1e-12
    assert found[0, 3] > 0.2 * share > KERNEL[0, 3]


def test_a_past_task_is_run_with_what_the_others_say() -> None:
    tasks, expected = drawn_tasks(7), np.zeros(4)
    learned = LearnedCovariance.of_tasks(0.6, tasks)
    others = [task.means for k, task in enumerate(tasks) if k != 2]
    assert learned.at(POINTS, KERNEL, expected, 0.5, tasks[2].means) == pytest.approx(
        naive_covariances(others, expected, 0.6), rel=1e-12
    )
    alone = LearnedCovariance.of_tasks(0.6, tasks[:1])
    assert (alone.at(POINTS, KERNEL, expected, 0.5, tasks[0].means) == KERNEL).all()


def test_a_point_that_a_task_lacks_goes_with_those_around_it() -> None:
    tasks = drawn_tasks(20)
    partial = [bt.Task(task.rewards[1:], points=POINTS[1:]) for task in tasks[:3]]
    learned = LearnedCovariance.of_tasks(1.0, tasks + partial)
    more = np.concatenate([POINTS, [[1.0, 1.02], [40.0, 40.0]]])
    found = learned.at(more, covariances("rbf", more, 0.2), np.zeros(6), 0.2)
    assert np.linalg.eigvalsh(found).min() > -1e-12
    assert found[4, 0] > 0.4 * found[3, 0] > 0.0  # beside the last point
    assert found[5, 5] == 0.0  # far from all: what is learned says nothing of it


def test_tuning_compares_covariances_by_curves_and_the_policy_starts_from_what_was_learned(tmp_path) -> None:  # type: ignore[no-untyped-def]
    tasks, fixed = drawn_tasks(12), {"horizon": 6, "length_scale": 0.5, "beta": {"of_schedule": 0.05}}
    tuned = bt.tune(bt.GPUCB, tasks, noise=(1e-3, 10.0), covariance=["kernel", "learned", 0.9], **fixed)
    kernel = bt.tune(bt.GPUCB, tasks, noise=(1e-3, 10.0), **fixed)
    assert len(tuned.compared) == 3
    assert tuned.compared[0].loss == kernel.loss
    assert isinstance(tuned.covariance, LearnedCovariance)
    assert tuned.loss < kernel.loss
    assert "covariances of 12 tasks" in bt.GPUCB.parameters["covariance"].describe(tuned.covariance)
    played = [bt.play(bt.GPUCB, task, horizon=6, **tuned.params).regret[-1] for task in tasks]
    assert np.mean(played) == pytest.approx(tuned.loss, rel=1e-12)
    policy = tuned.policy(points=POINTS)
    policy.update(0, 1.0)
    means = policy.means
    assert means[3] > max(means[1], means[2])  # it goes with the first, which was good
    again = bt.policy_from_json(policy.to_json())
    assert again.means == pytest.approx(means)
    assert again.select() == policy.select()
    tuned.save(tmp_path / "tuned.json")
    assert bt.load(tmp_path / "tuned.json").covariance == tuned.covariance


def test_a_kernel_that_is_a_function_is_saved_with_what_was_learned() -> None:
    learned = LearnedCovariance.of_tasks(0.5, drawn_tasks(5))
    policy = bt.GPUCB(
        POINTS, kernel=lambda x, y: np.exp(-((x[:, None] - y[None]) ** 2).sum(axis=2)), covariance=learned
    )
    policy.update(1, 0.4)
    again = bt.policy_from_json(policy.to_json())
    assert again.means == pytest.approx(policy.means)
    assert again.spreads == pytest.approx(policy.spreads)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("full", 'covariance must be "kernel", "learned" or the share'),
        (0.0, "kernel"),
        (1.5, "share"),
        (True, "share"),
        ({"points": POINTS.tolist()}, "covariance cannot be used"),
        ({"share": 0.5, "points": POINTS.tolist(), "table": [[1.0]], "tasks": ["a"]}, "for each of its tasks"),
        ("learned", "learned from past tasks"),
        (LearnedCovariance.of_tasks(0.5, [bt.Task([[0.0]], points=[[0.0]])]), "1 coordinates"),
    ],
)
def test_what_is_no_covariance_is_rejected(given: object, message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        bt.GPUCB(POINTS, covariance=given)


def test_tasks_must_have_points_of_one_dimension() -> None:
    with pytest.raises(bt.TaskError, match="at least one task with points"):
        LearnedCovariance.of_tasks(0.5, [bt.Task([[0.0]])])
    with pytest.raises(bt.TaskError, match="same number of coordinates"):
        LearnedCovariance.of_tasks(0.5, [bt.Task([[0.0]], points=[[0.0]]), bt.Task([[0.0]], points=[[0.0, 1.0]])])
