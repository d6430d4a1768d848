"""What the page shows, against slow and obvious versions."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest

import banditune as bt
from banditune.curves.thinning import BUCKETS, MOST_POINTS, Line, thin_curve
from banditune.evaluation.horizons import MOST_TASKS
from banditune.evaluation.intervals import estimate, student
from banditune.evaluation.learning_curve import measure_learning_curve
from banditune.evaluation.recommended_value import recommend_about
from banditune.policies.parameters import Parameter
from banditune.report.findings import MOST_BARS, MOST_ROWS, count_pieces
from banditune.rng import generator
from tests.report.results import result, some_tasks

ALPHA = bt.UCB.parameters["alpha"]
assert isinstance(ALPHA, Parameter)


def zigzag(n_pieces: int) -> bt.StepFunction:
    rng = np.random.default_rng(1)
    edges = np.append(0.0, np.sort(rng.lognormal(-3.0, 3.0, n_pieces)))
    return bt.StepFunction(edges, np.cumsum(rng.normal(size=n_pieces)))


def value_of(line: Line, x: float) -> float:
    k = max(k for k in range(line.x.size) if line.x[k] <= x)
    return float(line.y[k])


@pytest.mark.parametrize("log", [False, True])
def test_short_curves_are_drawn_piece_by_piece(log: bool) -> None:
    curve = zigzag(50)
    start = 1e-4 if log else 0.0
    line = thin_curve(curve, start, log=log, keep=0.1)
    assert not line.thinned
    for x in np.geomspace(1e-4, curve.high, 300, endpoint=False):
        assert value_of(line, x) == curve(x)
    assert (line.x[0], line.x[-1]) == (start, curve.high)


@pytest.mark.parametrize("log", [False, True])
def test_long_curves_are_thinned_and_look_the_same(log: bool) -> None:
    curve = zigzag(200_000)
    start = 1e-6 if log else 0.0
    best = curve.argmin().low
    line = thin_curve(curve, start, log=log, keep=best)
    assert line.thinned
    assert line.x.size <= MOST_POINTS
    assert value_of(line, best) == curve.minimum() == line.y.min()
    assert np.isin(line.x[1:-1], curve.edges).all()
    bounds = np.geomspace(start, curve.high, BUCKETS + 1) if log else np.linspace(start, curve.high, BUCKETS + 1)
    for k in range(0, BUCKETS, 41):
        begun = np.flatnonzero((curve.edges[:-1] >= bounds[k]) & (curve.edges[:-1] < bounds[k + 1]))
        shown = line.y[:-1][(line.x[:-1] >= bounds[k]) & (line.x[:-1] < bounds[k + 1])]
        if begun.size:
            assert {curve.values[begun].min(), curve.values[begun].max(), curve.values[begun[-1]]} <= set(shown)


def test_estimates_are_students_intervals() -> None:
    for freedom, quantile in ((1, 12.706), (4, 2.776), (11, 2.201), (30, 2.042), (1000, 1.962)):
        assert student(freedom) == pytest.approx(quantile, abs=3e-3)
    sample = [3.0, 4.0, 8.0, 1.5]
    found = estimate(np.array(sample))
    assert found.mean == statistics.mean(sample)
    assert found.high - found.mean == pytest.approx(3.182446 * statistics.stdev(sample) / 2)
    assert found.flip(-1.0).high == -found.low
    assert math.isinf(estimate(np.array([2.0])).high)
    assert math.isfinite(estimate(np.array([1e200, -1e200])).high)


def test_comparison_pairs_tasks() -> None:
    some = result(some_tasks(30))
    learned, *baselines = some.findings().held_out
    assert some.held_out is not None
    assert learned.loss.mean == pytest.approx(statistics.mean(some.held_out.learned))
    for against in baselines:
        pairs = list(zip(some.held_out.losses[against.name], some.held_out.learned, strict=True))
        assert against.extra.mean == pytest.approx(statistics.mean(other - own for other, own in pairs))
        assert against.n_worse == sum(other > own for other, own in pairs)
        assert against.n_better == sum(other < own for other, own in pairs)
        assert against.n_worse + against.n_equal + against.n_better == 30


@pytest.mark.parametrize("draws", [None, 4])
def test_learning_curve_agrees_with_tuning_on_fewer_tasks(draws: int | None) -> None:
    some = result(some_tasks(11))
    found = measure_learning_curve(some.curves, ALPHA, 0, draws=draws, most_splits=6)
    assert found is not None
    assert (found.n_splits, found.n_set_aside, found.sizes[0], found.sizes[-1], found.n_tasks) == (6, 2, 1, 9, 11)

    def learn(numbers: Sequence[int]) -> float:
        tuned = bt.tune(bt.UCB, [some.tasks[j] for j in numbers], horizon=40, alpha=(0.0, 4.0))
        return tuned.alpha if draws is None else recommend_about(ALPHA, tuned.curve, len(numbers), draws)

    def lose(alpha: float, numbers: Iterable[int]) -> list[float]:
        return [bt.play(bt.UCB, some.tasks[j], horizon=40, alpha=alpha).regret[-1] for j in numbers]

    whole = learn(range(11))
    for k, size in enumerate(found.sizes):
        losses, hardness = [], []  # tasks set aside may be harder than all are
        for draw in range(found.n_splits):
            order = generator(0, "report", "learning curve", draw).permutation(11)
            losses += lose(learn(order[2 : 2 + size]), order[:2])
            hardness += lose(whole, order[:2])
        expected = statistics.mean(losses) - statistics.mean(hardness) + statistics.mean(lose(whole, range(11)))
        assert found.losses[k].mean == pytest.approx(expected)


def test_a_page_shows_the_learning_curve_of_what_is_recommended() -> None:
    some = result(some_tasks(11))
    assert some.tuned.smoothed is not None
    assert some.findings().learning == measure_learning_curve(some.curves, ALPHA, 0, draws=some.tuned.draws)


def test_learning_curve_samples_very_many_tasks_and_needs_a_few() -> None:
    some = result(some_tasks(2_100), horizon=5)
    found = measure_learning_curve(some.curves, ALPHA, 0, draws=1)
    assert found is not None
    assert found.n_tasks == 2_000
    assert found == measure_learning_curve(some.curves, ALPHA, 0, draws=1)
    assert measure_learning_curve(result(some_tasks(4)).curves, ALPHA, 0, draws=1) is None


def test_rows_say_what_each_task_loses() -> None:
    some = result(some_tasks(5))
    for task, row in zip(some.tasks, some.findings().rows, strict=True):
        curve = bt.loss_curve(bt.UCB, task, horizon=40, alpha=(0.0, 4.0))
        assert (row.n_arms, row.n_rewards, row.n_pieces) == (3, 120, curve.n_pieces)
        assert (row.learned, row.default, row.least) == (curve(some.tuned.alpha), curve(1.0), curve.minimum())
    assert [row.name for row in some.findings().rows][:2] == ["task 1", "task 2"]


class Watched(Sequence[bt.Task]):
    """Tasks that remember which of them were looked at."""

    def __init__(self, tasks: Sequence[bt.Task]) -> None:
        self.tasks, self.looked_at = tasks, list[int]()

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, k):  # type: ignore[no-untyped-def]
        self.looked_at.append(k)
        return self.tasks[k]


def test_of_very_many_tasks_an_evenly_spaced_thousand_is_looked_at() -> None:
    some = result(some_tasks(2_500), horizon=5)
    tasks = Watched(some.tasks)
    rows = replace(some, tasks=tasks).findings().rows
    shown, swept = tasks.looked_at[:MOST_ROWS], tasks.looked_at[MOST_ROWS:]
    assert len(rows) == MOST_ROWS == len(set(shown))
    assert (shown[0], shown[-1]) == (0, 2_499)
    assert set(np.diff(shown)) == {2, 3}
    assert len(swept) == MOST_TASKS  # for other horizons


@pytest.mark.parametrize("n_pieces", [[7], [1, 2, 2, 4], list(range(1, 500, 3)), [1, 10_000]])
def test_histogram_counts_every_task_once(n_pieces: list[int]) -> None:
    bars = count_pieces(np.array(n_pieces))
    assert len(bars.count) <= MOST_BARS
    for low, high, count in zip(bars.low, bars.high, bars.count, strict=True):
        assert count == sum(low <= k <= high for k in n_pieces)
    assert sum(bars.count) == len(n_pieces)


def test_losses_of_defaults_outside_of_the_range_are_there() -> None:
    found = result(some_tasks(6), limits=(0.01, 0.5)).findings()
    assert set(found.study.usual_losses) == {1.0, 2.0}
    assert found.curve.log is not None
    assert found.curve.log.x[0] == 0.01
