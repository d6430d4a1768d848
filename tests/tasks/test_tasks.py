"""Tasks: what goes in comes out, and what cannot be used is rejected with its place."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from tests.strategies import tasks


def test_rewards_are_kept_in_order_and_frozen() -> None:
    task = bt.Task([[1, 0, 1], [0.5]], arms=["a", "b"], name="x")
    assert [row.tolist() for row in task.rewards] == [[1.0, 0.0, 1.0], [0.5]]
    assert (task.arms, task.name, task.n_arms, task.lengths.tolist()) == (("a", "b"), "x", 2, [3, 1])
    with pytest.raises(ValueError, match="read-only"):
        task.rewards[0][0] = 2.0
    with pytest.raises(AttributeError):
        task.name = "y"


def test_caller_can_change_its_array_afterwards() -> None:
    array = np.ones((2, 3))
    task = bt.Task(array)
    array[:] = 7.0
    assert task.rewards[0].tolist() == [1.0, 1.0, 1.0]


def test_two_dimensional_array_is_the_same_as_a_list_of_arms() -> None:
    array = np.arange(6.0).reshape(2, 3)
    for same in (array, array.astype(int), array.T.copy().T, list(array), array.astype(object)):
        assert [row.tolist() for row in bt.Task(same).rewards] == array.tolist()


def test_means_do_not_depend_on_the_order_of_the_rewards() -> None:
    task = bt.Task([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert task.means[0] == task.means[1]


def test_given_means_and_points_are_kept() -> None:
    task = bt.Task([[1.0], [0.0]], means=[0.4, 0.6], points=[[0.0, 1.0], [2.0, 3.0]])
    assert task.means.tolist() == [0.4, 0.6]
    assert task.points is not None
    assert task.points.shape == (2, 2)


def test_tasks_travel_to_other_processes() -> None:
    task = pickle.loads(pickle.dumps(bt.Task([[1.0, 2.0], [3.0]], arms=["a", "b"], means=[1.0, 2.0], name="x")))
    assert (task.arms, task.name, task.means.tolist()) == (("a", "b"), "x", [1.0, 2.0])
    assert [row.tolist() for row in task.rewards] == [[1.0, 2.0], [3.0]]


@pytest.mark.parametrize(
    ("rewards", "options", "message"),
    [
        ([[1.0], [0.0, np.nan]], {"arms": ["a", "b"]}, 'arm "b": rewards must be finite, got nan at position 1'),
        ([[1.0], [np.inf]], {"name": "monday"}, "task 'monday', arm 1: rewards must be finite, got inf at position 0"),
        (np.array([[0.0, 1.0], [np.nan, 1.0]]), {}, "arm 1: rewards must be finite, got nan at position 0"),
        ([[1.0], []], {}, "arm 1: rewards must not be empty"),
        (np.empty((2, 0)), {}, "arm 0: rewards must not be empty"),
        ([], {}, "at least one arm, got none"),
        (np.empty((0, 3)), {}, "at least one arm, got none"),
        ([1.0, 2.0], {}, "arm 0: rewards must be a 1-D array, got shape"),
        (np.ones(3), {}, r"got an array of shape \(3,\)"),
        (np.ones((2, 2, 2)), {}, r"got an array of shape \(2, 2, 2\)"),
        ([[[1.0]]], {}, "must be a 1-D array"),
        ("abc", {}, "got 'abc'"),
        (5, {}, "got 5"),
        ({"a": [1.0]}, {}, "one 1-D array of rewards for each arm"),
        ([["1.5"]], {}, "arm 0: rewards must be numbers, got .*1.5"),
        ([[1.0, "x"]], {}, "arm 0: rewards must be numbers"),
        ([[1.0, None]], {}, "arm 0: rewards must be numbers, got None at position 1"),
        ([[1.0, [2.0]]], {}, "arm 0: rewards must be numbers"),
        ([[1j]], {}, "arm 0: rewards must be numbers"),
        ([np.array(["2020-01-01"], dtype="datetime64[D]")], {}, "arm 0: rewards must be numbers"),
        ([[1e200]], {}, r"0 or from 1e-150 to 1e\+150 in size, got 1e\+200 at position 0"),
        ([[0.0, -1e-310]], {}, r"0 or from 1e-150 to 1e\+150 in size, got -1e-310 at position 1"),
        ([[10**400]], {}, "numbers that a float can hold"),
        ([[1, "a"]], {}, "arm 0: rewards must be numbers, got 'a' at position 1"),
        ([np.ma.array([1.0, 99.0], mask=[0, 1])], {}, "arm 0: rewards must be known, got a masked value at position 1"),
        (np.ma.array([[1.0, 99.0]], mask=[[0, 1]]), {}, "arm 0: rewards must be known, got a masked value"),
        ([[1.0], [2.0]], {"arms": 3}, "arms must be a list of names"),
        ([[1.0], [2.0]], {"arms": [[], []]}, "arms must be a list of names"),
        ([[1.0], [2.0]], {"arms": {"a": 1, "b": 2}}, "arms must be a list of names"),
        ([[1.0], [2.0]], {"means": [1e300, 0.0]}, r"means must be at most 1e\+150 in size, got 1e\+300 at position 0"),
        ([[1.0]], {"name": 3}, "name of a task must be text, got 3"),
        ([[1.0], [2.0]], {"arms": ["a"]}, "arms must name the 2 arms"),
        ([[1.0], [2.0]], {"arms": ["a", "a"]}, "different names"),
        ([[1.0], [2.0]], {"arms": "ab"}, "arms must be a list of names"),
        ([[1.0], [2.0]], {"means": [1.0]}, r"means must have shape \(2,\)"),
        ([[1.0], [2.0]], {"means": [1.0, np.nan]}, "means must be finite, got nan at position 1"),
        ([[1.0], [2.0]], {"means": ["a", "b"]}, "means must be numbers"),
        ([[1.0], [2.0]], {"points": [1.0, 2.0]}, r"points must have shape \(2, d\)"),
    ],
)
def test_bad_task_is_rejected_with_its_place(rewards: object, options: dict[str, object], message: str) -> None:
    with pytest.raises(bt.TaskError, match=message):
        bt.Task(rewards, **options)


def test_totals_are_kept_and_their_order_is_drawn() -> None:
    task = bt.Task.from_counts([5, 100], [0, 30], arms=["a", "b"], name="x")
    assert isinstance(task, bt.Task)
    assert task.means.tolist() == [0.0, 0.3]
    assert task.lengths.tolist() == [5, 100]
    assert (task.rounds, task.n_rewards, task.arms) == (105, 105, ("a", "b"))
    assert repr(task) == "Task(name='x', n_arms=2, pulls=105)"
    with pytest.raises(bt.TaskError, match="task 'x', only totals are recorded"):
        _ = task.rewards
    full = task.extend(100)
    assert [row.sum() for row in full.rewards[1:]] == [30.0]
    assert full.means.tolist() == task.means.tolist()
    assert full.rewards[1].tolist() != task.extend(100, seed=1).rewards[1].tolist()
    assert pickle.loads(pickle.dumps(task)).extend(50).rewards[1].tolist() == full.rewards[1][:50].tolist()


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 30)), min_size=1, max_size=4))
def test_totals_say_of_rewards_what_the_rewards_themselves_would(arms: list[tuple[int, int]]) -> None:
    pulls = [n for n, _ in arms]
    successes = [min(n, k) for n, k in arms]
    totals = bt.Task.from_counts(pulls, successes)
    task = bt.Task([[1.0] * k + [0.0] * (n - k) for n, k in zip(pulls, successes, strict=True)])
    assert totals.means.tolist() == task.means.tolist()
    assert totals.variances == pytest.approx(task.variances)
    assert totals.reward_range == task.reward_range
    assert totals.spread == task.spread
    assert totals.rounds == task.rounds


def test_moments_are_kept_and_normal_rewards_drawn() -> None:
    task = bt.Task.from_summary([100, 50], means=[2.0, 1.0], sds=[0.5, 0.0], name="x")
    assert isinstance(task, bt.Task)
    assert task.variances.tolist() == [0.25, 0.0]
    assert task.reward_range == bt.Interval(0.0, 4.0)
    assert task.spread == 4.0
    rows = task.extend(2000).rewards
    assert set(rows[1].tolist()) == {1.0}
    assert abs(rows[0].mean() - 2.0) < 0.06
    assert bt.play(bt.UCB, task, horizon=300, alpha=0.1).regret[-1] < 150


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([3], [1.0, 2.0], [1.0]), "equally long lists"),
        (([3, 3], [1.0, 2.0], [1.0]), "one number for each of 2 arms"),
        (([3], [1.0], [-1.0]), "arm 0: sds must be at least 0, got -1.0"),
        (([3], [float("nan")], [1.0]), "means must be finite"),
        (([0], [1.0], [1.0]), "arm 0: pulls must be a whole number from 1"),
        (([], [], []), "at least one arm"),
        ((["3"], ["1"], [1.0]), "means must be numbers"),
    ],
)
def test_bad_moments_are_rejected(given: tuple[list[int], list[float], list[float]], message: str) -> None:
    with pytest.raises(bt.TaskError, match=message):
        bt.Task.from_summary(*given)


@pytest.mark.parametrize(
    ("pulls", "successes", "message"),
    [
        ([0], [0], "arm 0: pulls must be a whole number from 1 to 1000000000, got 0"),
        ([10**12], [0], "arm 0: pulls must be a whole number from 1"),
        (3, 1, "equally long lists"),
        ([3], [4], r"arm 0: successes must be a whole number from 0 to pulls \(3\), got 4"),
        ([3, 3], [1, -1], "arm 1: successes"),
        ([2.5], [1], "arm 0: pulls"),
        ([True], [1], "arm 0: pulls"),
        (["3"], [1], "arm 0: pulls"),
        ([3], [1, 2], r"equally long lists, got \[3\] and \[1, 2\]"),
        ([], [], "at least one arm"),
    ],
)
def test_bad_counts_are_rejected(pulls: list[int], successes: list[int], message: str) -> None:
    with pytest.raises(bt.TaskError, match=message):
        bt.Task.from_counts(pulls, successes)


@given(tasks(), st.integers(1, 30), st.integers(0, 5))
def test_extension_keeps_what_was_observed_and_draws_the_rest_from_it(task: bt.Task, horizon: int, seed: int) -> None:
    longer = task.extend(horizon, seed=seed)
    for before, after in zip(task.rewards, longer.rewards, strict=True):
        known = min(before.size, horizon)
        assert after.size == horizon
        assert after[:known].tolist() == before[:known].tolist()
        assert set(after.tolist()) <= set(before.tolist())
    assert longer.means.tolist() == task.means.tolist()
    assert longer.arms == task.arms


@given(tasks(), st.integers(1, 20), st.integers(1, 20))
def test_longer_extension_begins_with_the_shorter(task: bt.Task, horizon: int, more: int) -> None:
    shorter, longer = task.extend(horizon), task.extend(horizon + more)
    for one, other in zip(shorter.rewards, longer.rewards, strict=True):
        assert one.tolist() == other[:horizon].tolist()


def test_extension_differs_between_seeds_arms_and_tasks() -> None:
    row = list(np.arange(20.0))
    draws = [bt.Task([row, row]).extend(60, seed=seed).rewards for seed in (0, 1)]
    others = bt.Task([row, [*row[1:], 0.5]]).extend(60).rewards
    assert len({tuple(stream[20:].tolist()) for stream in (*draws[0], *draws[1], others[0])}) == 5


@pytest.mark.parametrize("horizon", [0, -1, 2.5, "10", None, 10**10])
def test_extension_needs_a_whole_positive_horizon(horizon: int) -> None:
    with pytest.raises(bt.ParameterError, match="horizon must be a whole number from 1 to"):
        bt.Task([[1.0]]).extend(horizon)


def test_arms_of_counts_are_checked() -> None:
    with pytest.raises(bt.TaskError, match="arms must name the 2 arms"):
        bt.Task.from_counts([3, 3], [1, 1], arms=["a"])
