"""banditune compare."""

import inspect
import json
import re
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.cli import compare as command
from tests.cli.command import banditune


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Twelve tasks with the same three arms, the first of them mostly the best."""
    rng = np.random.default_rng(0)
    lines = ["task,arm,reward"]
    for task in range(12):
        for arm, rate in (("red", 0.8), ("green", 0.5), ("<b>blue</b>", 0.2)):
            lines += [f"{task},{arm},{int(rng.random() < rate)}" for _ in range(15)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines))
    return path


def test_defaults_are_those_of_python() -> None:
    here, there = (inspect.signature(each).parameters for each in (command.compare, bt.compare))
    for name in ("folds", "repetitions", "seed"):
        assert here[name].default == there[name].default
    assert here["folds"].default == 10


def test_learned_beside_its_baselines_with_priors_where_arms_come_back(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ["--horizon", "20", "--repetitions", "2", "--folds", "3", "--out", str(out), "--json"]
    done = banditune("compare", str(log), *asked)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    names = [each["name"] for each in answer["standings"]]
    assert {"UCB, alpha learned", "GaussianUCB, theta and priors learned", "UCB, alpha=1", "Thompson (Beta)"} <= set(
        names
    )
    assert {"CORRAL, own feedback", "stochastic corral, importance feedback", "CDT", "Syndicated"} <= set(names)
    regrets = [each["regret"] for each in answer["standings"]]
    assert regrets == sorted(regrets)
    assert all(each["knowledge"] for each in answer["standings"])
    assert (answer["n_tasks"], answer["horizon"], answer["folds"]) == (12, 20, 3)
    assert json.loads((out / "compared.json").read_text())["standings"] == answer["standings"]
    page, figure = (out / "compared.html").read_text(), (out / "compared.svg").read_text()
    assert "Thompson (Beta)" in page
    assert "Thompson (Beta)" in figure
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!data:)', page)


def test_same_seed_same_answer_on_any_number_of_workers(log: Path) -> None:
    options = ["compare", str(log), "--horizon", "10", "--repetitions", "1", "--folds", "3", "--no-priors", "--json"]
    one, two = (json.loads(banditune(*options, "--workers", n).stdout) for n in ("1", "2"))
    for answer in (one, two):
        for each in answer["standings"]:
            del each["seconds_per_run"]
    assert one["standings"] == two["standings"]
    assert "GaussianUCB, theta and priors learned" not in [each["name"] for each in one["standings"]]


def test_table_says_who_lost_least_and_what_each_knows(log: Path) -> None:
    done = banditune("compare", str(log), "--horizon", "10", "--repetitions", "1", "--folds", "3", "--no-priors")
    told = " ".join(done.stdout.split())
    assert "Mean regret over 10 rounds on held-out tasks" in told
    assert "Prior knowledge: " in told
    assert "past tasks: " in told
    assert "MOSS, scale learned" in told
    assert "alpha: UCB, alpha=1; UCB, alpha=2" in told  # names that have commas stay apart


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--folds", "1"], "--folds must be a whole number of at least 2"),
        (["--repetitions", "0"], "--repetitions must be"),
        (["--horizon", "0"], "--horizon must be"),
        (["--alpha", "1", "0"], "--alpha must have low < high"),
        (["--no-priors", "--prior-means", "0", "1"], "contradict each other"),
        (["--no-priors", "--policy", "gaussianucb"], "--policy gaussianucb and --no-priors contradict each other"),
        (["--workers", "0"], "--workers must be"),
    ],
)
def test_mistakes_are_told(log: Path, options: list[str], message: str) -> None:
    done = banditune("compare", str(log), *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--folds", "1"], "--folds must be a whole number of at least 2"),
        (["--repetitions", "0"], "--repetitions must be"),
        (["--horizon", "0"], "--horizon must be"),
        (["--prior-means", "1", "0"], "--prior-means must have low < high"),
        (["--prior-means", "nan", "0"], "the low end of --prior-means must be a finite number"),
        (["--prior-weight", "1", "2", "--no-priors"], "--prior-weight and --no-priors contradict each other"),
        (["--seed", "-1"], "seed must be"),
        (["--policy", "ucb", "--policy", "linucb"], "a comparison runs policies that choose by rewards alone"),
    ],
)
def test_options_are_checked_before_the_log_is_read(tmp_path: Path, options: list[str], message: str) -> None:
    done = banditune("compare", "missing.csv", *options, "--out", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "missing.csv" not in done.stderr


def test_a_comparison_that_fails_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("task,arm,reward\n1,a,1\n1,b,0\n")
    done = banditune("compare", "one.csv", "--out", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert not (tmp_path / "out").exists()


def test_every_policy_takes_those_of_the_settings_that_it_has(log: Path) -> None:
    asked = ["compare", str(log), "--policy", "ucb", "--policy", "moss", "--horizon", "10", "--folds", "2", "--json"]
    answer = json.loads(banditune(*asked, "--alpha", "0", "1", "--scale", "0", "0.5", "--prior-means", "0", "1").stdout)
    learned = answer["learned"]
    assert set(learned) == {"UCB, alpha learned", "MOSS, scale learned", "UCB, alpha and priors learned"}
    assert all(each["scale"] <= 0.5 for each in learned["MOSS, scale learned"])
    constant = json.loads(banditune(*asked, "--schedule", "constant").stdout)["learned"]
    assert {each["schedule"] for each in constant["UCB, alpha learned"]} == {"constant"}
    done = banditune(*asked, "--c", "0", "1")
    assert done.returncode == 2
    assert "--c is no option of ucb, moss" in done.stderr


def test_roll_outs_are_compared(log: Path) -> None:
    asked = ["compare", str(log), "--policy", "ucb", "--alpha", "0", "1"]
    asked += ["--horizon", "20", "--repetitions", "1", "--folds", "2"]
    answer = json.loads(banditune(*asked, "--rollout", "300", "--json").stdout)
    assert (answer["loss_name"], answer["rollout"], answer["recommend"]) == ("rollout", 300, "mean")
    assert "regret of test and roll-out" in banditune(*asked, "--rollout", "300").stdout
    done = banditune(*asked, "--loss", "reward")
    assert done.returncode == 2
    assert "--loss must be regret, simple or rollout" in done.stderr
