"""The bundled tasks, and tables of the same form."""

from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.datasets import ARMS_OF_A_TEST, BETWEEN_TESTS, CLICK_RATE, VIEWS_OF_AN_ARM, WITHIN_A_TEST
from banditune.tasks.summary import Counts, SummaryTask
from scripts.cifar.settings import RATES, TASKS
from scripts.cifar.table import as_text
from scripts.headline_parameters import estimate_parameters, read_tests

CIFAR = Path(__file__).parents[2] / "docs" / "theory" / "cifar.md"


def test_model_selection_tasks_leave_out_what_did_not_run() -> None:
    tasks = bt.datasets.lcdb()
    assert len(tasks) == len({task.name for task in tasks}) == 160
    assert {task.n_arms for task in tasks} <= set(range(1, 21))
    assert sum(task.n_arms for task in tasks) == 160 * 20 - 410
    assert all(
        np.isfinite(row).all() and (row >= 0).all() and (row <= 1).all() for task in tasks for row in task.rewards
    )
    assert len({name for task in tasks for name in task.arms}) == 20


def totals(task: bt.Task) -> tuple[list[int], list[int]]:
    assert isinstance(task, SummaryTask)
    assert isinstance(task.summary, Counts)
    return task.summary.pulls.tolist(), task.summary.successes.tolist()


def test_headline_tests_are_the_same_in_every_call_and_of_no_recurring_arms() -> None:
    tasks, again = bt.datasets.headlines(), bt.datasets.headlines()
    assert [totals(task) for task in tasks] == [totals(task) for task in again]
    assert [task.name for task in tasks] == [f"test {k}" for k in range(1, 301)]
    assert {task.n_arms for task in tasks} == set(ARMS_OF_A_TEST)
    assert all(task.given_arms is None for task in tasks)


def test_headline_tests_have_the_stated_parameters() -> None:
    """What the script estimates from them, as from a real archive, is what they were drawn with."""
    tests = [tuple(np.array(part) for part in totals(task)) for task in bt.datasets.headlines()]
    found = estimate_parameters(tests)  # type: ignore[arg-type]
    assert found["arms"] == pytest.approx(ARMS_OF_A_TEST, abs=0.06)
    assert found["views of an arm: mean and sd of the logarithm"] == pytest.approx(list(VIEWS_OF_AN_ARM), abs=0.05)
    assert found["rate of a test: exp(mean logarithm)"] == pytest.approx(CLICK_RATE, rel=0.1)
    assert found["sd of its logarithm between tests"] == pytest.approx(BETWEEN_TESTS, abs=0.08)
    assert found["sd of the logarithm of the arms' rates within a test"] == pytest.approx(WITHIN_A_TEST, abs=0.04)


def test_suspect_rows_and_tests_of_one_arm_are_left_out_of_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "archive.csv"
    rows = ["a,0,100,3,201301,False", "a,1,90,2,201301,False", "b,0,50,1,201302,True", "b,1,50,0,201302,False"]
    path.write_text("\n".join(["task,arm,impressions,clicks,test_week,suspect_randomisation", *rows]), encoding="utf-8")
    ((name, (week, (views, clicks))),) = read_tests(path).items()
    assert (name, week, views.tolist(), clicks.tolist()) == ("a", 201301, [100, 90], [3, 2])


def test_cifar10_has_the_tasks_and_arms_of_the_paper() -> None:
    tasks = bt.datasets.cifar10()
    assert [task.name for task in tasks] == [task.name for task in TASKS]
    for task in tasks:
        assert task.arms == tuple(f"{rate:g}" for rate in RATES)
        assert np.allclose(task.points, np.log10([[rate] for rate in RATES]))  # type: ignore[arg-type]
        assert task.lengths.tolist() == [20] * 11
        assert (task.flat == np.round(task.flat * 10_000) / 10_000).all()  # of 10,000 test images
        assert task.means.max() > 3 * 0.1
        assert task.flat.min() > 0.05
        assert task.flat.max() < 0.6


def test_the_document_tells_what_the_accuracies_show() -> None:
    accuracy = np.stack([task.rewards for task in bt.datasets.cifar10()]).reshape(5, 4, 11, 20)
    means = accuracy.mean(axis=3)
    ordered = np.sort(means, axis=2)
    lead = ordered[..., -1] - ordered[..., -2]
    assert round(100 * lead.max(), 1) == 1.2
    assert (lead < 0.002).sum() == 5
    assert round(100 * np.median(accuracy.std(axis=3)), 1) == 0.7
    assert set(means[:2].argmax(axis=2).ravel()) == {RATES.index(0.05), RATES.index(0.1)}
    assert set(means[2:].argmax(axis=2).ravel()) == {RATES.index(0.2), RATES.index(0.4)}
    at_chance = (accuracy <= 0.12).sum(axis=(1, 3))  # (depths, rates), of 80
    assert at_chance[:, -1].tolist() == [73, 18, 42, 57, 69]
    assert at_chance[:, -2].tolist() == [0, 0, 0, 5, 5]
    assert at_chance[:, :-2].sum() == 0
    best = means.max(axis=2)
    assert (np.diff(best, axis=1) < 0).all()
    assert [round(100 * cost, 1) for cost in np.sort(best[:, 0] - best[:, 3])[[0, -1]]] == [4.7, 6.0]


def test_the_table_shown_is_the_one_bundled() -> None:
    assert as_text(bt.datasets.cifar10()) in CIFAR.read_text(encoding="utf-8")


def test_table_of_another_form_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    np.savez(path, accuracy=np.zeros((2, 3)), depth=[1, 2], noise=[0, 0], rates=[1, 2, 3])
    with pytest.raises(bt.FileError, match=r"accuracy must have shape \(tasks, rates, networks\), got \(2, 3\)"):
        bt.datasets.read_learning_rates(path)
    np.savez(path, accuracy=np.zeros((2, 3, 1)))
    with pytest.raises(bt.FileError, match="must hold an array 'depth'"):
        bt.datasets.read_learning_rates(path)
