"""Tasks whose order or length is not recorded: what is drawn for one says nothing about what is drawn for another."""

import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import banditune as bt
from banditune.baselines import entry
from banditune.policies.losses import LOSSES
from banditune.simulation.simulate import simulate
from banditune.tasks.archive import facts_of
from banditune.tasks.costs import subtract_costs
from banditune.tasks.draws import list_draws, number_twins
from banditune.tuning.parallel_sweep import chunks_of
from banditune.tuning.priors.line_search import Tasks
from banditune.tuning.search import Search

ROUNDS = 40
KINDS = {
    "totals": lambda: bt.Task.from_counts([ROUNDS, ROUNDS], [12, 28]),
    "short totals": lambda: bt.Task.from_counts([2, 1], [1, 1]),
    "short": lambda: bt.Task([[0.0, 1.0, 0.3], [0.0, 1.0]]),
    "of one name": lambda: bt.Task([[0.0, 1.0, 0.3], [0.0, 1.0]], name="same"),
    "totals of one name": lambda: bt.Task.from_counts([ROUNDS, ROUNDS], [12, 28], name="same"),
    "contextual": lambda: bt.ContextualTask(
        [[[1.0], [0.2]], [[0.3], [2.0]], [[3.0], [1.0]]], [[0.0, 1.0], [1.0, 0.0], [0.5, 0.2]]
    ),
}


def full(task: bt.Task | bt.ContextualTask) -> bytes:
    """All rewards a game can ask for."""
    return np.asarray(task.extend(ROUNDS).rewards).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_equal_tasks_have_draws_of_their_own(kind: str) -> None:
    tasks = [KINDS[kind]() for _ in range(20)]
    numbered = list(number_twins(tasks, ROUNDS))
    assert len({full(task) for task in numbered}) == 20
    assert full(numbered[0]) == full(tasks[0])  # what is drawn for one alone is what is drawn for the first of its kind
    assert [full(task) for task in number_twins(tasks, ROUNDS)] == [full(task) for task in numbered]
    assert all(task.means.tolist() == tasks[0].means.tolist() for task in numbered)


@pytest.mark.parametrize("kind", KINDS)
def test_draws_of_a_task_differ_and_the_first_is_the_task(kind: str) -> None:
    task = KINDS[kind]()
    draws = list_draws(task, ROUNDS, 10)
    assert full(draws[0]) == full(task)
    assert len({full(each) for each in draws}) == 10
    twin = next(iter(number_twins([task], ROUNDS, start=1)))
    assert not {full(each) for each in draws} & {full(each) for each in list_draws(twin, ROUNDS, 10)}


def test_numbers_are_kept_in_a_part_of_the_tasks() -> None:
    numbered = list(number_twins([KINDS["totals"]() for _ in range(9)], ROUNDS))
    part = numbered[2::3]
    assert all(one is other for one, other in zip(number_twins(part, ROUNDS), part, strict=True))


def test_tasks_with_names_of_their_own_are_the_same_in_every_partition() -> None:
    tasks = [bt.Task([[0.0, 1.0], [1.0]], name=f"task {k}") for k in range(6)]
    tasks += [bt.Task.from_counts([9, 9], [4, 5], name=f"test {k}") for k in range(6)]
    assert [full(task) for task in number_twins(tasks, ROUNDS)] == [full(task) for task in tasks]
    assert len({full(task) for task in tasks[:6]}) == len({full(task) for task in tasks[6:]}) == 6


def test_recorded_tasks_pass_as_they_are() -> None:
    tasks = [bt.Task(np.ones((2, ROUNDS))), bt.Task(np.ones((2, ROUNDS + 1))), bt.Task([[1.0] * 41, [1.0] * 50])] * 2
    assert all(one is other for one, other in zip(number_twins(tasks, ROUNDS), tasks, strict=True))
    assert all(list_draws(task, ROUNDS, 3) == [task] for task in tasks)


def test_tasks_of_different_totals_do_not_share_an_order() -> None:
    """Were the places shuffled alike, the successes of one would be among those of the other."""
    fewer, more = (np.array(bt.Task.from_counts([100], [k]).extend(100).rewards[0]) for k in (50, 51))
    assert (fewer > more).any()


@pytest.mark.parametrize("kind", ["totals", "short", "contextual"])
def test_every_sweep_tells_equal_tasks_apart_the_same_on_any_workers(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = bt.LinUCB if kind == "contextual" else bt.UCB
    tasks = [KINDS[kind]() for _ in range(30)]
    how = {"horizon": ROUNDS, "alpha": (0.0, 4.0)}
    tuned = bt.tune(policy, tasks, draws=1, **how)
    curves = [bt.loss_curve(policy, task, **how) for task in number_twins(tasks, ROUNDS)]
    assert len({curve.values.tobytes() for curve in curves}) > 5
    assert tuned.curve.values.tolist() == bt.mean_curve(curves).values.tolist()
    monkeypatch.setattr(policy, "chunk", 1)
    with ThreadPoolExecutor(3) as executor:
        again = bt.tune(policy, iter(tasks), draws=1, executor=executor, **how)
    assert again.curve.values.tolist() == tuned.curve.values.tolist()
    assert again.curve.edges.tolist() == tuned.curve.edges.tolist()


def test_searches_for_priors_and_simulations_tell_equal_tasks_apart() -> None:
    tasks = [KINDS["totals"]() for _ in range(3)]
    expected = [full(task) for task in number_twins(tasks, ROUNDS)]
    (batch,) = Tasks.of(tasks, ROUNDS, loss=LOSSES["regret"], seed=0, extend=True).batches
    assert [batch.streams[2 * k : 2 * k + 2].tobytes() for k in range(3)] == expected
    played = simulate([entry(bt.UCB, alpha=0.5)], tasks, horizon=ROUNDS).regret[0, :, 0]
    for lost, task in zip(played, number_twins(tasks, ROUNDS), strict=True):
        assert lost[-1] == bt.play(bt.UCB, task, horizon=ROUNDS, alpha=0.5).regret[-1]


def test_new_tasks_are_drawn_apart_from_those_learned_from() -> None:
    tasks = [KINDS["short"]() for _ in range(4)]
    tuned = bt.tune(bt.UCB, tasks, horizon=ROUNDS, alpha=(0.0, 4.0), draws=1)
    search = Search.of(bt.UCB, [ROUNDS], {"alpha": (0.0, 4.0)}, loss="regret", seed=0, extend=True)
    learned_from = search.losses_at(tasks, tuned.alpha)
    assert learned_from.tolist() == tuned.curves.at(tuned.alpha).tolist()
    assert tuned._losses(tasks, tuned.alpha).tolist() != learned_from.tolist()


def test_number_is_part_of_what_is_sent_and_kept() -> None:
    search = Search.of(bt.UCB, [ROUNDS], {"alpha": (0.0, 4.0)}, loss="regret", seed=0, extend=True)
    ((first, chunk),) = chunks_of(search, [KINDS["totals"]() for _ in range(3)])
    assert first == 0
    assert [task.address.twin for task in chunk] == [0, 1, 2]


@pytest.mark.parametrize(
    ("rows", "rounds", "needed"),
    [
        ("task,arm,reward\nt,a,1\nt,a,0\nt,b,1\n", 1, False),
        ("task,arm,reward\nt,a,1\nt,a,0\nt,b,1\n", 2, True),
        ("task,arm,pulls,successes\nt,a,50,1\nt,b,50,3\n", 1, True),
        ("task,arm,pulls,mean,sd\nt,a,50,1,2\nt,b,50,3,1\n", 1, True),
        ("task,arm,reward,x_1\nt,a,1,0.5\nt,b,0,0.2\n", 9, False),
    ],
)
def test_a_log_knows_without_its_tasks_whether_any_is_drawn(rows: str, rounds: int, needed: bool) -> None:
    log = bt.read_log(io.StringIO(rows), **({"features": "x_"} if "x_1" in rows else {}))
    assert log.needs_draws(rounds) is needed is any(task.needs_draws(rounds) for task in log)
    if "x_1" not in rows and "sd" not in rows:
        assert subtract_costs(log, {"a": 0.5}).needs_draws(rounds) is needed
    assert facts_of(list(log)).needs_draws(rounds) is None
