"""Draws: the loss of a task whose order or length is not recorded is the mean over several streams."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.policies.sweep_results import Swept
from banditune.tasks.draws import list_draws, number_twins
from banditune.tuning.draw_count import (
    FEW_DRAWS,
    GENEROUS,
    LARGEST_PILOT,
    LOOKS,
    SHARE,
    _limit_draws,
    settle_draws,
)
from banditune.tuning.search import Draws, Search
from tests.strategies import share

ROUNDS = 60
HOW = {"horizon": ROUNDS, "alpha": (0.0, 4.0)}


def archive(n_tasks: int = 30, seed: int = 0) -> list[bt.Task]:
    """Small A/B tests, some of them equal."""
    random = np.random.default_rng(seed)
    return [
        bt.Task.from_counts([40, 50], random.binomial([40, 50], random.beta(4, 6, 2)).tolist()) for _ in range(n_tasks)
    ]


def curves_of(task: bt.Task, n_draws: int) -> list[bt.StepFunction]:
    """The curve of each draw of a task."""
    return [bt.loss_curve(bt.UCB, each, **HOW) for each in list_draws(task, ROUNDS, n_draws)]


def test_curve_of_a_task_is_the_mean_of_its_draws() -> None:
    tasks = [*archive(4), bt.Task(np.eye(2)[:, np.arange(ROUNDS) % 2]), bt.Task([[0.3, 0.1], [0.2]])]
    tuned = bt.tune(bt.UCB, tasks, draws=5, **HOW)
    assert tuned.draws == 5
    numbered = list(number_twins(tasks, ROUNDS))
    for k, task in enumerate(numbered):
        each = curves_of(task, 5)
        assert len(each) == (1 if k == 4 else 5)  # nothing is drawn for a task that is recorded in full
        for x in np.geomspace(1e-4, 4.0, 40):
            assert tuned.curves[k](x) == pytest.approx(np.mean([curve(x) for curve in each]), rel=1e-14)
    pieces = [np.mean([curve.n_pieces for curve in curves_of(task, 5)]) for task in numbered]
    assert tuned.complexity == pytest.approx(np.mean(pieces))


def test_share_of_the_draws_is_their_variance_in_that_of_the_mean() -> None:
    tasks = archive(12)
    tuned = bt.tune(bt.UCB, tasks, draws=6, **HOW)
    losses = np.array([[curve(tuned.alpha) for curve in curves_of(task, 6)] for task in number_twins(tasks, ROUNDS)])
    share = losses.var(axis=1, ddof=1).mean() / 6 / losses.mean(axis=1).var(ddof=1)
    assert tuned.draw_error == pytest.approx(share, rel=0.3)  # noted near the best value, not just there


def test_by_default_so_many_are_drawn_that_they_add_little() -> None:
    noisy = bt.tune(bt.UCB, archive(40), **HOW)  # tests so alike that their draws differ more than they do
    assert noisy.draws == GENEROUS * bt.UCB.most_draws == bt.UCB.cheap_draws  # there are few, and short
    random = np.random.default_rng(0)
    gaps = random.uniform(0.5, 5.0, 40)  # tests that differ much
    tasks = [bt.Task.from_summary([40, 40], [0.1, 0.1 + gap], [0.3, 0.3]) for gap in gaps]
    tuned = bt.tune(bt.UCB, tasks, **HOW)
    assert 1 <= tuned.draws < GENEROUS * bt.UCB.most_draws
    assert 0.0 <= tuned.draw_error < 2 * SHARE


@pytest.mark.parametrize(
    ("horizon", "n_tasks", "draws"),
    [(100, 30, 100), (200, 100, 50), (2_500, 50, 20), (5_000, 2_000, 20), (5_000, 10_000, 4), (100, None, 4)],
)
def test_draws_are_limited_by_what_they_take(horizon: int, n_tasks: int | None, draws: int) -> None:
    search = Search.of(bt.UCB, [horizon], {"alpha": (0.0, 4.0)}, loss="regret", seed=0, extend=True)
    assert _limit_draws(bt.UCB.most_draws, search, archive(3), n_tasks) == draws
    assert _limit_draws(1, search, archive(3), n_tasks) == 1


@pytest.mark.parametrize("policy", [bt.UCB, bt.LinUCB])
def test_nothing_is_drawn_for_tasks_that_are_recorded_in_full(policy: type) -> None:
    if policy is bt.UCB:
        tasks = bt.problems.bernoulli(2).sample(8, ROUNDS)
    else:
        random = np.random.default_rng(0)
        tasks = [bt.ContextualTask(random.random((ROUNDS, 2, 3)), random.random((ROUNDS, 2))) for _ in range(4)]
    tuned = bt.tune(policy, tasks, **HOW)
    assert (tuned.draws, tuned.draw_error) == (1, 0.0)


def test_the_bits_are_the_same_on_any_workers_and_after_a_restart(tmp_path: object) -> None:
    tasks = archive(12)
    tuned = bt.tune(bt.UCB, tasks, **HOW)
    with ThreadPoolExecutor(3) as executor:
        others = [bt.tune(bt.UCB, tasks, executor=executor, resume=tmp_path, **HOW) for _ in range(2)]
    for other in others:
        assert (other.draws, other.draw_error) == (tuned.draws, tuned.draw_error)
        assert other.curve.values.tolist() == tuned.curve.values.tolist()
        assert other.curve.edges.tolist() == tuned.curve.edges.tolist()


def test_pieces_are_counted_where_some_parts_of_the_tasks_are_recorded_in_full() -> None:
    search = Search.of(bt.UCB, [ROUNDS], {"alpha": (0.0, 4.0)}, loss="regret", seed=0, extend=True)
    search = replace(search, draws=Draws(3, 0.1))
    recorded, drawn = search.curves(bt.problems.bernoulli(2).sample(4, ROUNDS)), search.curves(archive(5))
    whole = Swept.concatenate([recorded, drawn])
    assert whole.pieces is not None
    assert whole.pieces.tolist() == [*recorded.losses[0].n_pieces, *drawn.count_pieces()]


def test_of_a_generator_few_are_drawn() -> None:
    assert bt.tune(bt.UCB, iter(archive()), **HOW).draws <= FEW_DRAWS


def test_learned_values_of_two_seeds_are_close_where_one_order_misleads() -> None:
    tests = bt.datasets.headlines()[:10]
    how = {"horizon": 300, "alpha": (0.0, 1.0)}
    spread = {
        draws: np.ptp([np.log(bt.tune(bt.UCB, tests, draws=draws, seed=seed, **how).alpha) for seed in range(3)])
        for draws in (1, 10)
    }
    assert spread[10] < spread[1]


@pytest.mark.parametrize("draws", [0, -1, 1.5, "2", True])
def test_wrong_numbers_of_draws_are_told(draws: object) -> None:
    with pytest.raises(bt.ParameterError, match="draws must be a whole number from 1"):
        bt.tune(bt.UCB, archive(2), draws=draws, **HOW)


STEPS = st.lists(st.tuples(st.sampled_from(np.linspace(0.1, 0.9, 9).tolist()), st.integers(-3, 3)), max_size=6)


@share(200)
@given(st.lists(st.lists(STEPS, min_size=2, max_size=2), min_size=1, max_size=4))
def test_average_of_sets_is_the_mean_of_their_curves(sets: list[list[list[tuple[float, int]]]]) -> None:
    made = []
    for curves in sets:
        functions = []
        for steps in curves:
            places = sorted({0.0: 1, **dict(steps)}.items())
            functions.append(bt.StepFunction([*(x for x, _ in places), 1.0], [float(y) for _, y in places]))
        made.append(CurveSet.of(functions))
    average = CurveSet.average(made)
    for k in range(2):
        assert (np.diff(average[k].values) != 0.0).all()
        for x in np.linspace(0.0, 0.99, 67):
            assert average[k](x) == sum(curves[k](x) for curves in made) / len(made)


def test_few_tasks_are_looked_at_where_none_is_drawn() -> None:
    class Made(list[bt.Task]):  # as a log makes its tasks
        n_made = 0

        def __getitem__(self, key: Any) -> Any:
            Made.n_made += 1
            return super().__getitem__(key)

    recorded = Made(bt.Task([[0.0, 1.0], [1.0, 0.0]], name=f"{k}") for k in range(3_000))
    search = Search.of(bt.UCB, [2], {"alpha": (0.0, 4.0)}, loss="regret", seed=0, extend=True)
    (settled,), _ = settle_draws([search], recorded, None)
    assert settled.draws.number == 1
    assert Made.n_made <= LOOKS * LARGEST_PILOT
