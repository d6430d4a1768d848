"""Results in a notebook: a short repr, an escaped table, a plot of the very numbers, names that complete."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import banditune as bt

HOSTILE = "<img src=x onerror=alert(1)>"


def some_tasks(n: int = 12, arms: tuple[str, ...] = ("a", "b")) -> list[bt.Task]:
    rng = np.random.default_rng(8)
    rates = rng.random((n, len(arms), 1))
    return [bt.Task((rng.random((len(arms), 30)) < rate) * 1.0, arms=arms, limits=(0, 1)) for rate in rates]


@pytest.fixture(scope="module")
def tuned() -> bt.Tuned:
    return bt.tune(bt.UCB, some_tasks(), horizon=30, alpha=(0.0, 4.0))


@pytest.fixture(scope="module")
def results(tuned: bt.Tuned) -> list[Any]:
    compared = bt.compare(some_tasks(), [bt.UCB], horizon=10, repetitions=1, folds=3)
    studied = bt.study(bt.UCB, some_tasks(), horizon=30, alpha=(0.0, 4.0))
    return [tuned, tuned.curve, tuned.certificate(bound=30.0), tuned.plan(bound=30.0), compared, studied]


def test_every_repr_is_a_short_line(results: list[Any]) -> None:
    studied = results[-1]
    parts = [studied.held_out, *studied.held_out.rows, studied.verdict, studied.curves, studied.held_out.rows[1].extra]
    several = bt.study("all", some_tasks(6), horizon=5, folds=2).families
    fitted = bt.tune(bt.GaussianUCB, some_tasks(), horizon=10, theta=(0.0, 1.0)).details
    joint = bt.tune(bt.UCB, some_tasks(), horizon=10, alpha=(0.0, 1.0), prior_means=(0.0, 1.0)).details
    others = [some_tasks()[0], bt.play(bt.UCB, some_tasks()[0], horizon=9), bt.UCB(3), bt.problems.bernoulli(2)]
    assert fitted
    assert joint
    for result in (*results, *parts, several, *fitted, *joint, *others):
        assert repr(result).startswith(type(result).__name__ + "(")
        assert "\n" not in repr(result)
        assert " at 0x" not in repr(result)
        assert len(repr(result)) < 200


def test_every_result_has_a_table_of_its_own_numbers(results: list[Any]) -> None:
    for result in results:
        assert result._repr_html_().startswith(("<table>", "<p><strong>"))
        assert len(result._repr_html_()) < 10_000
    tuned, curve, certificate, plan, compared, studied = (result._repr_html_() for result in results)
    assert f"{results[0].alpha:.4g}" in tuned
    assert f"{results[1].minimum():.4g}" in curve
    assert f"{results[2].loss_bound:.4g}" in certificate
    assert f"{results[3].needed:,.0f}" in plan
    assert f"{results[4].standings[0].regret:.4g}" in compared
    assert f"{results[5].held_out.learned.mean():.4g}" in studied
    assert results[5].verdict.text in studied
    assert f"<th>recommended</th><td>alpha = {results[5].tuned.recommended['alpha']:.4g}</td>" in studied
    assert "recommended" not in tuned
    for row in results[5].held_out.rows[1:]:
        assert f"<th>{row.name}</th><td>{row.loss.mean:.4g}, {row.extra.mean:+.3g} ({row.extra.low:+.3g} to " in studied


def test_names_from_the_data_are_escaped() -> None:
    tasks = some_tasks(6, (HOSTILE, "b"))
    tuned = bt.tune(bt.UCB, tasks, horizon=8, alpha=(0.0, 1.0), prior_means=(0.0, 1.0))
    assert HOSTILE not in tuned._repr_html_()
    assert len(repr(tuned)) < 300


def test_plots_draw_the_numbers_of_the_result(results: list[Any]) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    for result in results:
        _, axes = plt.subplots()
        assert result.plot(axes) is axes
        assert result.plot() is not axes
    drawn = results[1].plot().patches[0].get_data()
    assert np.array_equal(drawn.values, results[1].values)
    assert np.array_equal(drawn.edges, results[1].edges)
    best = results[0].plot().lines[0]
    assert list(best.get_ydata()) == [results[0].loss]
    least = replace(results[0], interval=bt.Interval(5e-324, 1e-323), within_one_se=bt.Interval(0.0, 0.1))
    assert least.plot().get_xscale() == "symlog"
    plt.close("all")


def test_learned_parameters_complete_and_private_names_do_not(tuned: bt.Tuned) -> None:
    shown = dir(tuned)
    assert {"alpha", "params", "within_one_se", "policy", "plot"} <= set(shown)
    assert not [name for name in shown if name.startswith("_") and not name.startswith("__")]
    assert not {"find", "details", "search", "smoothing_draws"} & set(shown)


def test_tasks_show_what_was_recorded_only() -> None:
    rows = bt.LoggedTask([[1.0], [2.0]], [0, 1], [1.0, 0.0]), bt.ContextualTask(np.ones((3, 2, 1)), np.ones((3, 2)))
    for task in (some_tasks()[0], bt.Task.from_counts([3, 4], [1, 2]), *rows):
        assert {"n_arms", "rewards", "name", "rounds"} <= set(dir(task))
        assert not {"address", "content", "split_loss", "needs_draws", "draw"} & set(dir(task))
