"""Optuna's studies as tasks: as Optuna itself tells them, and what is not used is counted."""

import json
from pathlib import Path
from typing import Any

import pytest

import banditune as bt

optuna = pytest.importorskip("optuna")


def make_studies(storage: Any) -> dict[str, dict[str, list[float]]]:
    """Some studies of every kind; returns the rewards of those of one objective by the choice of the model."""
    expected: dict[str, dict[str, list[float]]] = {}
    for name, direction in (("one", "minimize"), ("two", "maximize")):
        sampler = optuna.samplers.RandomSampler(seed=len(name))
        study = optuna.create_study(storage=storage, study_name=name, direction=direction, sampler=sampler)
        study.enqueue_trial({"model": "svm"})
        study.optimize(run_trial, n_trials=12, catch=ValueError)
        study.ask()
        study.add_trial(
            optuna.create_trial(
                params={"model": "tree"},
                distributions={"model": optuna.distributions.CategoricalDistribution(["svm", "tree", 3, None])},
                value=0.25,
            )
        )
        sign = -1.0 if direction == "minimize" else 1.0
        for trial in study.get_trials(states=[optuna.trial.TrialState.COMPLETE]):
            choice = trial.params["model"]
            if trial.value == float("inf"):
                continue
            arm = choice if isinstance(choice, str) else json.dumps(choice)
            expected.setdefault(name, {}).setdefault(arm, []).append(sign * trial.value)
    deleted = optuna.create_study(storage=storage, study_name="gone")
    deleted.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    optuna.delete_study(study_name="gone", storage=storage)
    several = optuna.create_study(storage=storage, study_name="several", directions=["minimize", "maximize"])
    several.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 1.0), n_trials=2)
    return expected


def run_trial(trial: Any) -> float:
    model = trial.suggest_categorical("model", ["svm", "tree", 3, None])
    rate, depth = trial.suggest_float("rate", 1e-4, 1.0, log=True), trial.suggest_int("depth", 1, 5)
    if trial.number == 5:
        raise optuna.TrialPruned
    if trial.number == 6:
        raise ValueError
    return float("inf") if trial.number == 7 else (model == "svm") + rate + 0.1 * depth


@pytest.fixture(params=["journal", "database"])
def storage(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Any]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if request.param == "database":
        return tmp_path / "studies.db", f"sqlite:///{tmp_path}/studies.db"
    journal = optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal.log"))
    return tmp_path / "journal.log", optuna.storages.JournalStorage(journal)


@pytest.mark.filterwarnings("ignore")
def test_studies_are_read_as_optuna_tells_them(storage: tuple[Path, Any]) -> None:
    path, address = storage
    expected = make_studies(address)
    log = bt.read_log(path)
    assert {t.name: {a: sorted(r.tolist()) for a, r in zip(t.arms, t.rewards, strict=True)} for t in log} == {
        study: {arm: sorted(values) for arm, values in arms.items()} for study, arms in expected.items()
    }
    rejected = dict(log.account.rejected)
    assert rejected.pop("the study was deleted", 2) == 2
    assert rejected == {
        "the reward is not finite": 2,
        "the study has 2 objectives, not one": 2,
        "the trial failed": 2,
        "the trial has not ended": 2,
        "the trial was pruned": 2,
    }
    assert "studies that are minimised: rewards are minus the values" in list(log.account.notes())
    configurations = bt.read_log(path, parameters=["rate:log", "depth", "model"])
    assert configurations.form == "configurations"
    assert configurations[0].points.shape[1] == 6
    if path.suffix == ".db":
        by_address = bt.read_log(address, format="optuna")
        assert by_address.names == log.names


def test_a_journal_ends_at_a_line_that_cannot_be_read(tmp_path: Path) -> None:
    lines = [
        {"op_code": 0, "study_name": "s", "directions": [1]},
        {"op_code": 4, "study_id": 0, "datetime_start": None, "state": 1, "values": [2.0]},
    ]
    distribution = {"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}
    lines[1] |= {"params": {"m": 1}, "distributions": {"m": json.dumps(distribution)}}
    text = "".join(json.dumps({"worker_id": "w", **line}) + "\n" for line in lines)
    (tmp_path / "j.log").write_text(text + '{"op_code": 4, "stu')
    log = bt.read_log(tmp_path / "j.log")
    assert log[0].arms == ("b",)
    assert log[0].rewards[0].tolist() == [-2.0]
    assert [(row.number, row.reason) for row in log.account.examples] == [(3, "the line cannot be read")]
    (tmp_path / "j.log").write_text(text + '{"op_code": 4, "stu\n' + text)
    with pytest.raises(bt.FileError, match="line 3 cannot be read: in a journal of Optuna trials are counted"):
        bt.read_log(tmp_path / "j.log")
