"""Losses on held-out tasks against learning each fold afresh."""

from dataclasses import replace

import numpy as np
import pytest

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.evaluation.cross_validation import HeldOutLosses, cross_validate, losses_with
from banditune.evaluation.recommended_value import recommend
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.search import Draws, Search
from tests.strategies import drawn_task


def searched(n_tasks: int, loss: str = "regret") -> tuple[Search, list[bt.Task]]:
    rng = np.random.default_rng(1)
    tasks = [drawn_task(rng, 3, 30, "bernoulli") for _ in range(n_tasks)]
    return Search.of(bt.UCB, [30], {"alpha": (0.0, 1.5)}, loss=loss, seed=0, extend=True), tasks


def swept_curves(search: Search, tasks: list[bt.Task]) -> CurveSet:
    (swept,) = sweep_tasks([search], tasks)
    return swept.losses[0]


def test_every_fold_is_measured_with_what_was_learned_without_it() -> None:
    search, tasks = searched(23)
    curves = swept_curves(search, tasks)
    held_out = cross_validate([search], [curves], {}, n_folds=5)
    assert held_out is not None
    assert sorted(np.bincount(held_out.fold)) == [4, 4, 5, 5, 5]
    for k in range(5):
        others = [task for task, fold in zip(tasks, held_out.fold, strict=True) if fold != k]
        tuned = bt.tune(bt.UCB, others, horizon=30, alpha=(0.0, 1.5))
        value = recommend(search.free_parameter, tuned.curve, tuned.n_tasks, draws=tuned.draws)
        assert value == held_out.values[k]
        for number in np.flatnonzero(held_out.fold == k):
            assert held_out.learned[number] == bt.play(bt.UCB, tasks[number], horizon=30, alpha=value).regret[-1]


def test_few_tasks_are_left_out_one_by_one_and_a_single_one_cannot_be() -> None:
    search, tasks = searched(3)
    curves = swept_curves(search, tasks)
    held_out = cross_validate([search], [curves], {})
    assert held_out is not None
    assert held_out.n_folds == 3
    assert cross_validate([search], [swept_curves(search, tasks[:1])], {}) is None


def test_what_goes_with_a_fixed_value_is_chosen_without_the_fold() -> None:
    search, tasks = searched(20)
    curves = swept_curves(search, tasks)
    one, other = np.arange(20.0), np.arange(20.0)[::-1] + 0.5
    held_out = cross_validate([search, search], [curves, curves], {7.0: [one, other]}, n_folds=4)
    assert held_out is not None
    for k in range(4):
        here = held_out.fold == k
        chosen = one if one[~here].mean() <= other[~here].mean() else other
        assert (held_out.usual[7.0][here] == chosen[here]).all()


@pytest.mark.parametrize("loss", ["regret", "reward"])
def test_loss_of_a_fixed_value_is_that_of_its_games_inside_and_outside_the_range(loss: str) -> None:
    search, tasks = searched(6, loss)
    curves = swept_curves(search, tasks)
    for alpha in (0.7, 2.0):
        games = [bt.play(bt.UCB, task, horizon=30, alpha=alpha) for task in tasks]
        expected = [game.regret[-1] if loss == "regret" else -game.rewards.sum() for game in games]
        assert losses_with(search, curves, tasks, alpha).tolist() == expected


def test_loss_of_a_value_beyond_the_range_is_the_mean_of_its_draws() -> None:
    tasks = [bt.Task.from_counts([20, 20, 20], [k, 7, 12]) for k in (3, 3, 11)]  # the first two are twins
    search = replace(searched(0)[0], draws=Draws(4))
    beyond = losses_with(search, swept_curves(search, tasks), tasks, 2.0)
    assert beyond == pytest.approx(search.losses_at(tasks, 2.0), rel=1e-13)
    assert beyond[0] != beyond[1]


def test_equal_split_that_differs_by_rounding_alone_is_no_different() -> None:
    learned = np.array([0.3, 0.1, 0.2])
    others = {"equal split": learned * (1.0 + 1e-15)}
    held_out = HeldOutLosses(3, np.arange(3), np.zeros(3), learned, {}, "alpha", others)
    _, split = held_out.rows
    assert (split.extra.mean, split.extra.low, split.extra.high, split.n_equal) == (0.0, 0.0, 0.0, 3)
