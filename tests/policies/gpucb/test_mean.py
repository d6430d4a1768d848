"""The mean function that GP-UCB learns from past tasks."""

import numpy as np
import pytest

import banditune as bt
from banditune.policies.gpucb.mean import MeanFunction

POINTS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def drawn_tasks(number: int) -> list[bt.Task]:
    """Tasks on shared points whose means go together."""
    rng = np.random.default_rng(number)
    common = np.array([0.1, 0.4, 0.2, 0.8])
    return [
        bt.Task((common + 0.1 * rng.normal(size=4))[:, None].repeat(6, axis=1), points=POINTS) for _ in range(number)
    ]


def test_a_point_is_expected_to_give_its_average_drawn_towards_that_of_all() -> None:
    tasks = drawn_tasks(5)
    means = np.array([task.means for task in tasks])
    expected = (means.sum(axis=0) + means.mean()) / 6.0
    assert MeanFunction.of_tasks(tasks).at(POINTS, 0.5) == pytest.approx(expected)


def test_a_past_task_is_run_with_what_the_others_gave() -> None:
    tasks = drawn_tasks(5)
    left_out = MeanFunction.of_tasks(tasks).at(POINTS, 0.5, tasks[2].means)
    assert left_out == pytest.approx(MeanFunction.of_tasks(tasks[:2] + tasks[3:]).at(POINTS, 0.5))
    alone = MeanFunction.of_tasks(tasks[:1])
    assert alone.at(POINTS, 0.5, tasks[0].means) == pytest.approx(np.zeros(4))
    assert alone.at(POINTS, 0.5, tasks[1].means) == pytest.approx(alone.at(POINTS, 0.5))


def test_a_new_point_is_expected_to_give_what_those_around_it_gave() -> None:
    found = MeanFunction.of_tasks(drawn_tasks(40))
    near, between, far = found.at(np.array([[0.99, 0.99], [0.5, 0.5], [30.0, 30.0]]), 0.2)
    assert near == pytest.approx(found.at(POINTS, 0.2)[3], abs=0.01)
    assert found.at(POINTS, 0.2).min() < between < found.at(POINTS, 0.2).max()
    assert far == pytest.approx(found.center)


def test_tuning_compares_means_and_the_policy_starts_from_what_was_learned(tmp_path: object) -> None:
    tasks = drawn_tasks(6)
    tuned = bt.tune(bt.GPUCB, tasks, horizon=6, noise=(1e-3, 10.0), mean_function=["zero", "learned"], length_scale=0.5)
    zero = bt.tune(bt.GPUCB, tasks, horizon=6, noise=(1e-3, 10.0), length_scale=0.5)
    assert isinstance(tuned.mean_function, MeanFunction)
    assert tuned.loss < zero.loss
    assert "mean of 6 tasks" in bt.GPUCB.parameters["mean_function"].describe(tuned.mean_function)
    policy = tuned.policy(points=POINTS)
    assert policy.means == pytest.approx(MeanFunction.of_tasks(tasks).at(POINTS, 0.5))
    assert policy.select() == 3
    policy.update(3, 0.9)
    again = bt.policy_from_json(policy.to_json())
    assert again.means == pytest.approx(policy.means)
    path = f"{tmp_path}/tuned.json"
    tuned.save(path)
    assert bt.load(path).mean_function == tuned.mean_function
    curve = bt.loss_curve(
        bt.GPUCB, tasks[1], horizon=6, noise=(1e-3, 10.0), length_scale=0.5, mean_function=tuned.mean_function
    )
    assert (
        curve(0.3)
        == bt.play(
            bt.GPUCB, tasks[1], horizon=6, noise=0.3, length_scale=0.5, mean_function=tuned.mean_function
        ).regret[-1]
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("average", 'mean_function must be "zero" or "learned"'),
        ({"points": POINTS.tolist()}, "mean_function cannot be used"),
        ({"points": POINTS.tolist(), "totals": [1.0], "counts": [1.0], "center": 0.0, "tasks": []}, "for each"),
        ("learned", "learned from past tasks"),
        (MeanFunction.of_tasks([bt.Task([[0.0]], points=[[0.0]])]), "1 coordinates"),
    ],
)
def test_what_is_no_mean_is_rejected(given: object, message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        bt.GPUCB(POINTS, mean_function=given)
