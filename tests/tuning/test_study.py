"""A study: what `bt.tune` finds, judged on tasks that were not learned from; the command line takes the same path."""

import json
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.evaluation.recommended_value import recommend
from tests.cli.command import banditune


def some_tasks(n_tasks: int = 30) -> list[bt.Task]:
    rng = np.random.default_rng(5)
    return [bt.Task((rng.random((3, 25)) < rng.random((3, 1))) * 1.0, name=f"week {k}") for k in range(n_tasks)]


def write_log(path: Path) -> str:
    rows = [f"{task.name},{arm},{x:g}" for task in some_tasks() for arm, row in enumerate(task.rewards) for x in row]
    path.write_text("\n".join(["task,arm,reward", *rows]), encoding="utf-8")
    return str(path)


def test_a_study_tunes_as_tune_does_and_holds_out_every_task_once() -> None:
    tasks = some_tasks()
    studied = bt.study(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0), folds=5)
    tuned = bt.tune(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0))
    advised = recommend(tuned.search.free_parameter, tuned.curve, tuned.n_tasks, draws=tuned.draws)
    assert studied.tuned.summary() == tuned.summary() | {"recommended": {"alpha": advised}}
    held_out = studied.held_out
    assert held_out is not None
    assert np.bincount(held_out.fold).tolist() == [6] * 5
    for k, task in enumerate(tasks):
        own = held_out.fold[k]
        others = [other for other, fold in zip(tasks, held_out.fold, strict=True) if fold != own]
        curve = bt.tune(bt.UCB, others, horizon=40, alpha=(0.0, 2.0), draws=tuned.draws).curve
        learned = recommend(tuned.search.free_parameter, curve, len(others), draws=tuned.draws)
        assert held_out.values[own] == learned
        assert held_out.learned[k] == bt.play(bt.UCB, task, horizon=40, alpha=learned).regret[-1]
        assert held_out.usual[2.0][k] == bt.play(bt.UCB, task, horizon=40, alpha=2.0).regret[-1]


@pytest.mark.parametrize("folds", [0, -1, "ten", 2.0])
def test_folds_are_a_whole_number(folds: object) -> None:
    with pytest.raises(bt.ParameterError, match="folds must be a whole number of at least 1"):
        bt.study(bt.UCB, some_tasks(4), folds=folds)  # type: ignore[arg-type]


def test_horizon_and_range_may_be_left_out_everywhere(tmp_path: Path) -> None:
    tasks, log = some_tasks(), write_log(tmp_path / "log.csv")
    tuned = bt.tune(bt.UCB, tasks)
    assert (tuned.horizon, tuned.curve.low, tuned.curve.high) == (75, 0.0, 4.0)
    assert bt.study(bt.UCB, tasks).tuned.curve == tuned.curve
    printed = json.loads(banditune("tune", log, "--json").stdout)
    assert printed["params"] == {"alpha": tuned.alpha}
    assert printed["horizon"] == 75


def test_a_study_bounds_the_loss_of_new_tasks() -> None:
    tasks = [bt.Task.from_counts([30, 30], [k, 15]) for k in range(30)]
    studied = bt.study(bt.UCB, tasks, horizon=20, draws=2, certify=0.1)
    found = studied.guarantees
    assert found is not None
    assert found.certificate == studied.tuned.certificate(0.1)
    assert {each.over for each in found.improvements} == {1.0, 2.0}
    assert bt.study(bt.UCB, tasks, horizon=20, draws=2).guarantees is None
    for wrong, words in (
        ({"certify": 1.0}, "certify must be above 0 and below 1"),
        ({"bound": 3.0}, "bound= needs certify="),
        ({"certify": 0.1, "racing": True}, "leave out racing="),
        ({"certify": 0.1, "tail": 0.1}, "leave out tail="),
        ({"certify": 0.1, "prior_means": (0.0, 1.0)}, "prior means would be learned from all tasks together"),
    ):
        with pytest.raises(bt.ParameterError, match=words):
            bt.study(bt.UCB, tasks, horizon=20, **wrong)  # type: ignore[arg-type]
    with pytest.raises(bt.ParameterError, match="takes no certify"):
        bt.study("all", tasks, certify=0.1)
    with pytest.raises(bt.ParameterError, match="needs the largest possible loss"):
        bt.study(bt.UCB, some_tasks(), horizon=20, certify=0.1)


def test_folders_to_resume_from_are_interchangeable(tmp_path: Path) -> None:
    """What one of them has finished, the others take, and do not ask for other settings."""
    log, folder = write_log(tmp_path / "log.csv"), tmp_path / "kept"
    tasks = bt.read_log(log)
    given: dict[str, object] = {"horizon": 40, "alpha": (0.0, 2.0), "resume": folder}
    first = bt.tune(bt.UCB, tasks, **given)
    kept = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    options = ("--horizon", "40", "--alpha", "0", "2", "--resume", str(folder))
    assert json.loads(banditune("tune", log, *options, "--json").stdout)["params"] == first.params
    assert bt.study(bt.UCB, tasks, **given).tuned.params == first.params
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == kept
    with pytest.raises(bt.FileError, match="horizon was 40 and is 41"):
        bt.study(bt.UCB, tasks, **(given | {"horizon": 41}))


def test_a_report_that_is_interrupted_leaves_no_folder(tmp_path: Path) -> None:
    found = bt.study(bt.UCB, bt.datasets.lcdb()[:20], horizon=20)

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        found.report(tmp_path / "out", progress=interrupt)
    assert not (tmp_path / "out").exists()
    assert all(path.exists() for path in found.report(tmp_path / "out"))


def test_ranges_are_said_to_fit_the_rewards_only_where_they_do() -> None:
    tasks = some_tasks(6)
    assert bt.study(bt.UCB, tasks, horizon=20).chose_range
    assert not bt.study(bt.UCB, tasks, horizon=20, alpha=(0.0, 1.0)).chose_range
    assert not bt.study(bt.EpsilonGreedy, tasks, horizon=20).chose_range  # from 0 to 1, whatever the rewards
