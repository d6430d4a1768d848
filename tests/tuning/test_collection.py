"""Collecting asks for the rewards that some value needs, for no others, and then the whole curve is known."""

import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.tasks.collected import CollectedTask
from tests.naive.collecting import naive_games, naive_needs
from tests.strategies import share, tasks
from tests.worlds import World, rows_of

LOW, HIGH = 0.05, 0.6  # of the range in units of `range_for`


def range_for(task: bt.Task) -> tuple[float, float]:
    """A range of alpha for rewards of this size."""
    return 0.0, 4.0 * max(max(abs(row).max() for row in task.rewards), 1e-149) ** 2


def collected(task: bt.Task, horizon: int, alpha: tuple[float, float], **more: object) -> tuple[CollectedTask, World]:
    world = World(rows_of(task.extend(horizon)))
    return bt.collect(bt.UCB, world.pull, n_arms=task.n_arms, horizon=horizon, alpha=alpha, **more), world


@share(60)
@given(tasks(most_arms=3, most_rewards=9), st.integers(1, 9), st.floats(0.0, 0.3))
def test_pulls_are_what_some_value_needs_and_no_more(task: bt.Task, horizon: int, start: float) -> None:
    _, top = range_for(task)
    low = start * top
    full = task.extend(horizon)
    found, world = collected(task, horizon, (low, top))
    games = naive_games(rows_of(full), horizon, low, top)
    assert found.lengths.tolist() == naive_needs(rows_of(full), horizon, low, top)
    assert found.total_pulls == len(world.asked) <= min(task.n_arms, len(games)) * horizon
    assert rows_of(found) == [row[:n].tolist() for row, n in zip(full.rewards, found.lengths, strict=True)]


@given(tasks(most_arms=8), st.integers(1, 40), st.sampled_from(["regret", "reward"]))
def test_curve_of_the_collected_task_is_that_of_the_full_streams(task: bt.Task, horizon: int, loss: str) -> None:
    alpha = range_for(task)
    full = bt.Task(task.extend(horizon).rewards, means=task.means)
    found, _ = collected(task, horizon, alpha, means=task.means)
    for low, high, rounds in ((0.0, 1.0, horizon), (LOW, HIGH, horizon), (0.0, HIGH, (horizon + 1) // 2)):
        asked = {"horizon": rounds, "alpha": (low * alpha[1], high * alpha[1]), "loss": loss}
        expected = bt.loss_curve(bt.UCB, full, **asked)
        for seed in (0, 1):  # what is drawn beyond the collected rewards is never used
            assert bt.loss_curve(bt.UCB, found, seed=seed, **asked) == expected
        assert bt.loss_curve(bt.UCB, found, extend=False, **asked) == expected


@given(tasks(most_arms=5), st.integers(1, 30))
def test_a_game_inside_the_range_needs_no_other_reward(task: bt.Task, horizon: int) -> None:
    alpha = range_for(task)
    full = bt.Task(task.extend(horizon).rewards, means=task.means)
    found, _ = collected(task, horizon, alpha, means=task.means)
    if horizon >= task.n_arms:
        for value in np.random.default_rng(0).uniform(*alpha, 5):
            games = [bt.play(bt.UCB, each, horizon=horizon, alpha=float(value)) for each in (found, full)]
            assert games[0].arms.tolist() == games[1].arms.tolist()
            assert games[0].regret.tolist() == games[1].regret.tolist()


@given(tasks(most_arms=5), st.integers(1, 30), st.integers(1, 30))
def test_pulls_of_a_shorter_game_come_first(task: bt.Task, one: int, other: int) -> None:
    """Nothing is asked for before a round needs it."""
    full, alpha = task.extend(30), range_for(task)
    short, long = (collected(full, horizon, alpha)[1].asked for horizon in sorted((one, other)))
    assert long[: len(short)] == short


@given(st.data(), tasks(most_arms=5, most_rewards=8), st.integers(1, 25))
def test_with_priors_an_arm_that_no_value_pulls_has_no_rewards(
    data: st.DataObject, task: bt.Task, horizon: int
) -> None:
    scale = max(max(abs(row).max() for row in task.rewards), 1e-149)
    priors = [scale * share for share in data.draw(st.lists(st.floats(-1, 2), min_size=5, max_size=5))][: task.n_arms]
    asked = {"alpha": (0.0, scale**2), "prior_means": priors, "prior_weight": 2.0}
    full = bt.Task(task.extend(horizon).rewards, means=task.means)
    world = World(rows_of(full))
    found = bt.collect(bt.UCB, world.pull, n_arms=task.n_arms, horizon=horizon, means=task.means, **asked)
    for loss in ("regret", "reward"):
        expected = bt.loss_curve(bt.UCB, full, horizon=horizon, loss=loss, **asked)
        assert bt.loss_curve(bt.UCB, found, horizon=horizon, loss=loss, extend=False, **asked) == expected
    assert found.lengths.tolist() == [world.asked.count(arm) for arm in range(task.n_arms)]
    assert found.total_pulls <= task.n_arms * horizon


def test_a_task_with_arms_that_were_never_pulled() -> None:
    priors = {"prior_means": [0.5, 0.0, 0.4], "alpha": (0.0, 0.01)}
    found = bt.collect(bt.UCB, lambda arm: [0.5, 0.0, 0.6][arm], n_arms=3, horizon=20, **priors)
    assert found.lengths[1] == 0
    averages = [0.5, found.flat.mean(), 0.6]
    assert found.means == pytest.approx(averages)
    assert found.means.argmax() == 2
    wider = bt.loss_curve(bt.UCB, found, horizon=20, alpha=(0.0, 4.0))  # draws from all that was collected
    assert set(found.extend(20).rewards[1]) <= set(found.flat)
    assert wider.n_pieces > 1
    assert bt.UCB.default_range("alpha", [found]) == pytest.approx((0.0, 0.04))
    with pytest.raises(bt.TaskError, match=r"tasks\[0\], arm 1: at least one reward is needed"):
        bt.problems.recorded([found])


def test_outside_of_what_was_collected_extend_false_is_an_error() -> None:
    task = bt.problems.bernoulli(4).bandit(0).task(60)
    found, _ = collected(task, 60, (0.0, 0.5))
    inside = {"horizon": 60, "alpha": (0.0, 0.5), "loss": "reward", "extend": False}
    assert bt.loss_curve(bt.UCB, found, **inside) == bt.loss_curve(bt.UCB, task, **inside)
    for other in ({"alpha": (0.0, 0.6)}, {"horizon": 61}, {"prior_means": [0.5] * 4}):
        with pytest.raises(bt.TaskError, match=r"the horizon needs 6[01] rewards of each arm"):
            bt.loss_curve(bt.UCB, found, **inside | other)
        bt.loss_curve(bt.UCB, found, **inside | other | {"extend": True})


def test_tuning_on_collected_tasks_is_tuning_on_full_streams() -> None:
    bandits = bt.problems.bernoulli(6).bandits(20)
    full = [bandit.task(80) for bandit in bandits]
    found = [collected(task, 80, (0.0, 1.0), means=task.means, name=task.name)[0] for task in full]
    assert sum(task.total_pulls for task in found) < 0.6 * sum(task.n_rewards for task in full)
    tuned = [bt.tune(bt.UCB, each, horizon=80, alpha=(0.0, 1.0)) for each in (found, full)]
    assert tuned[0].curve == tuned[1].curve
    with ProcessPoolExecutor(1) as executor:
        again = bt.tune(bt.UCB, found, horizon=80, alpha=(0.0, 1.0), extend=False, executor=executor)
    assert again.curve == tuned[1].curve


def test_a_long_game_is_swept_in_parts_of_the_range() -> None:
    task = bt.problems.bernoulli_pair(0.2).bandit(3).task(5_000)
    found, _ = collected(task, 5_000, (0.0, 1.0))
    asked = {"horizon": 5_000, "alpha": (0.0, 1.0), "loss": "reward", "extend": False}
    assert bt.loss_curve(bt.UCB, found, **asked) == bt.loss_curve(bt.UCB, task, **asked)


def test_pieces_of_the_loss_may_be_fewer_than_the_games() -> None:
    """Where different pulls cost the same, a bound by the pieces of the loss would be wrong: it is one by the games."""
    rows, horizon = [[0.0] * 6, [0.5] * 6], 6
    found = bt.collect(bt.UCB, World(rows).pull, n_arms=2, horizon=horizon, alpha=(0.0, 4.0), means=[0.5, 0.5])
    curve = bt.loss_curve(bt.UCB, found, horizon=horizon, alpha=(0.0, 4.0))
    assert curve.n_pieces == 1
    assert curve.n_pieces * horizon < found.total_pulls <= len(naive_games(rows, horizon, 0.0, 4.0)) * horizon


def test_what_is_known_already_is_not_asked_for() -> None:
    task = bt.problems.bernoulli(4).bandit(1).task(100)
    short, _ = collected(task, 40, (0.0, 0.5))
    fresh, before = collected(task, 100, (0.0, 1.0))
    world = World(rows_of(task), given=short.lengths.tolist())
    more = bt.collect(bt.UCB, world.pull, n_arms=4, horizon=100, alpha=(0.0, 1.0), known=short)
    assert rows_of(more) == rows_of(fresh)
    assert len(world.asked) == len(before.asked) - short.total_pulls
    surplus = bt.collect(bt.UCB, World([]).pull, n_arms=4, horizon=40, alpha=(0.0, 0.5), known=rows_of(fresh))
    assert rows_of(surplus) == rows_of(fresh)  # nothing that was paid for is dropped


def test_collected_task_says_what_it_is_and_travels() -> None:
    found, world = collected(
        bt.problems.bernoulli(3).bandit(0).task(30), 30, (0.0, 1.0), arms=["a", "b", "c"], name="x"
    )
    assert isinstance(found, bt.Task)
    assert repr(found) == f"CollectedTask(name='x', n_arms=3, total_pulls={len(world.asked)})"
    again = pickle.loads(pickle.dumps(found))
    assert rows_of(again) == rows_of(found)
    assert (again.arms, again.total_pulls, again.search) == (("a", "b", "c"), found.total_pulls, found.search)


@pytest.mark.parametrize("bad", [np.nan, np.inf, "0.5", None, True, 1e200, 1j, [0.5]])
def test_bad_reward_is_rejected_by_arm_and_number_and_nothing_is_lost(bad: object) -> None:
    answers = [[0.5, 0.25, 0.5], [1.0, bad]]
    world = World(answers)  # type: ignore[arg-type]
    with pytest.raises(bt.ParameterError, match=r'what pull\(1\) returned \(reward 2 of arm "b"\) must be') as caught:
        bt.collect(bt.UCB, world.pull, arms=["a", "b"], horizon=10, alpha=(0.0, 1.0))
    assert caught.value.collected == [[0.5], [1.0]]
    assert "2 rewards collected before that; known=error.collected resumes with them" in caught.value.__notes__


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_arms": None}, "n_arms, arms or points must give the number of arms, and agree; got nothing"),
        ({"arms": ["a", "b", "c"]}, "got 2 by n_arms, 3 by arms"),
        ({"n_arms": 0}, "n_arms must be a whole number from 1"),
        ({"arms": 2}, "arms must be a list"),
        ({"means": [0.5]}, r"means must have shape \(2,\)"),
        ({"pull": 0.5}, "pull must be a function that takes an arm"),
        ({"alpha": 0.5}, "one parameter must be given as a range"),
        ({"horizon": 0}, "horizon must be a whole number"),
        ({"prior_means": [0.5]}, "prior_means must hold a mean for each of 2 arms"),
        ({"known": [[0.5]]}, "known must hold the rewards of 2 arms, got 1"),
        ({"known": [[0.5], [np.nan]]}, "known, arm 1: rewards must be finite"),
        ({"known": 3}, "known: rewards must be one 1-D array"),
        ({"save": 3.5}, "cannot open 3.5"),
        ({"save": "/"}, "cannot open /"),
        ({"exploration": 1}, 'UCB has no parameter "exploration"'),
    ],
)
def test_what_cannot_be_meant_is_rejected(change: dict[str, object], message: str) -> None:
    asked = {"pull": World([[0.5] * 9] * 2).pull, "n_arms": 2, "horizon": 9, "alpha": (0.0, 1.0)} | change
    with pytest.raises(bt.InputError, match=message):
        bt.collect(bt.UCB, **asked)


def test_policies_that_choose_by_contexts_are_rejected() -> None:
    with pytest.raises(bt.ParameterError, match="those of LinUCB also depend on contexts"):
        bt.collect(bt.LinUCB, lambda arm: 0.5, n_arms=2, horizon=9, alpha=(0.0, 1.0))


def test_stated_limits_are_those_of_the_task() -> None:
    task = bt.collect(bt.UCB, lambda arm: float(arm), n_arms=2, horizon=8, alpha=(0.0, 1.0), limits=(0.0, 1.0))
    assert task.limits == bt.Interval(0.0, 1.0)
    with pytest.raises(bt.TaskError, match=r"limits say 0 to 0\.5, got rewards from 0 to 1") as told:
        bt.collect(bt.UCB, lambda arm: float(arm), n_arms=2, horizon=8, alpha=(0.0, 1.0), limits=(0.0, 0.5))
    assert told.value.collected == [[0.0] * 1, [1.0] * 7]
