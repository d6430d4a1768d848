"""banditune tune --policy gpucb."""

import json
import re
from pathlib import Path

import pytest

import banditune as bt
from tests.cli.command import banditune

LINES = ["dataset,rate,optimizer,accuracy"]
LINES += [
    f"{dataset},{rate},{optimizer},{(k * 37 % 11) / 11}"
    for dataset in ("one", "two", "three")
    for k, (rate, optimizer) in enumerate((r, o) for r in ("0.001", "0.01", "0.1") for o in ("adam", "sgd"))
]
COLUMNS = ["--task", "dataset", "--reward", "accuracy", "--parameter", "rate:log", "--parameter", "optimizer"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(LINES))
    return path


def test_a_table_of_configurations_gives_a_result_that_can_be_used(table: Path, tmp_path: Path) -> None:
    done = banditune(
        "tune", str(table), *COLUMNS, "--policy", "gpucb", "--horizon", "5", "--json", "--out", str(tmp_path / "out")
    )
    answer = json.loads(done.stdout)
    assert answer["policy"] == "gpucb"
    assert set(answer["params"]) >= {"noise", "length_scale", "center", "scale"}
    assert len(answer["compared"]) == 4
    assert answer["proof"]["unproved"] <= answer["proof"]["tolerance"]
    tuned = bt.load(tmp_path / "out" / "tuned.json")
    policy = tuned.policy(configurations=[{"rate": 0.02, "optimizer": "adam"}, {"rate": 0.3, "optimizer": "sgd"}])
    assert policy.select() in (0, 1)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "policy(configurations=[...])" in page
    assert "parameters = rate:log, optimizer" in page
    like = banditune(
        "tune", table, "--policy", "gpucb", "--horizon", "5", "--json", "--like", tmp_path / "out" / "tuned.json"
    )
    assert json.loads(like.stdout)["params"] == answer["params"]


def test_noise_and_beta_together(table: Path) -> None:
    options = ["--noise", "0.01", "1", "--beta", "0", "1", "--length-scale", "0.5", "--kernel", "matern52"]
    done = banditune("tune", str(table), *COLUMNS, "--policy", "gpucb", "--horizon", "4", *options)
    told = " ".join(done.stdout.split())
    assert "of the schedule" in told
    assert "exact searches" in told
    alone = banditune("tune", str(table), *COLUMNS, "--policy", "gpucb", "--horizon", "4", "--beta", "0", "1", "--json")
    assert json.loads(alone.stdout)["parameter"] == "beta"


def test_means_and_covariances_of_past_data_sets_are_compared(table: Path) -> None:
    learned = ["--covariance", "kernel", "--covariance", "0.9", "--mean-function", "zero", "--mean-function", "learned"]
    options = ["tune", str(table), *COLUMNS, "--policy", "gpucb", "--horizon", "5", "--length-scale", "0.5", *learned]
    answer = json.loads(banditune(*options, "--json").stdout)
    assert len(answer["compared"]) == 4
    assert sum(isinstance(each["params"]["covariance"], dict) for each in answer["compared"]) == 2
    only = banditune(*options[:-8], "--covariance", "0.9", "--mean-function", "learned")
    assert "covariances of 3 tasks (share 0.9)" in " ".join(only.stdout.split())


def test_bundled_tasks_need_no_table() -> None:
    answer = json.loads(
        banditune("tune", "--policy", "gpucb", "--horizon", "3", "--length-scale", "0.2", "--json").stdout
    )
    assert answer["n_tasks"] == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alpha", "0", "1"], "GPUCB has no --alpha, which is an option of ucb, linucb"),
        (["--noise", "0", "1"], "the low end of --noise must be .* at least 1e-10"),
        (["--kernel", "gauss"], "kernel must be one of rbf"),
        (["--bonus", "sd"], "bonus must be one of std, variance"),
        (["--parameter", "depth"], "need a LOG"),
        (["LOG"], "name the parameters of a configuration with --parameter"),
    ],
)
def test_mistakes_are_told(table: Path, options: list[str], message: str) -> None:
    given = [str(table) if option == "LOG" else option for option in options]
    done = banditune("tune", *given, "--policy", "gpucb")
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.search(message, done.stderr)
