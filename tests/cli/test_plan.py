"""banditune plan, and banditune tune --certify."""

import json
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.report.wording import format_roughly
from tests.cli.command import banditune


@pytest.fixture(autouse=True)
def few_repetitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splits and resamples by which a plan says how sure it is: many take long, and would show no more here."""
    monkeypatch.setattr("banditune.evaluation.plan.SPLITS", 5)
    monkeypatch.setattr("banditune.evaluation.plan.RESAMPLES", 20)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Thirty tasks of two arms with totals."""
    rng = np.random.default_rng(0)
    lines = ["task,arm,pulls,successes"]
    for task in range(30):
        lines += [f"{task},{arm},60,{rng.binomial(60, rng.random())}" for arm in ("a", "b")]
    path = tmp_path / "totals.csv"
    path.write_text("\n".join(lines))
    return path


def test_a_plan_says_how_many_tasks_by_theory_and_by_the_learning_curve(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ["plan", str(log), "--horizon", "40", "--alpha", "0", "1", "--epsilon", "0.3", "--out", str(out), "--json"]
    done = banditune(*asked)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    tuned = bt.tune(bt.UCB, bt.read_log(log), horizon=40, alpha=(0.0, 1.0))
    assert tuned.curves is not None
    complexity = float(tuned.curves.n_pieces.mean())  # of what is learned from: means over draws
    assert answer["complexity"]["mean"] == complexity > tuned.complexity
    for method in ("paper", "massart", "compression"):
        wanted = {"epsilon": 0.3, "delta": 0.05, "complexity": complexity, "bound": 40.0}
        assert answer["theory"][method] == bt.sample_size(**wanted, method=method)
    assert answer["theory"]["certificate"] < answer["theory"]["compression"] < answer["theory"]["massart"]
    assert (answer["n_pilot"], answer["epsilon"], answer["loss_limits"]) == (30, 0.3, [0.0, 40.0])
    assert answer["needed_range"][0] <= answer["needed_range"][1]
    assert json.loads((out / "plan.json").read_text())["needed"] == answer["needed"]
    assert "pilot tasks" in (out / "plan.svg").read_text()
    assert "The learning curve" in (out / "plan.html").read_text()


def test_any_policy_and_loss_can_be_planned_for(log: Path) -> None:
    asked = [
        "plan",
        str(log),
        "--horizon",
        "20",
        "--epsilon",
        "0.3",
        "--draws",
        "2",
        "--policy",
        "moss",
        "--scale",
        "0",
        "1",
    ]
    answer = json.loads(banditune(*asked, "--rollout", "50", "--json").stdout)
    tuned = bt.tune(bt.MOSS, bt.read_log(log), horizon=20, scale=(0.0, 1.0), loss="rollout", rollout=50, draws=2)
    assert (answer["policy"], answer["params"], answer["loss"]) == ("moss", dict(tuned.params), tuned.loss)
    assert answer["needed"] == tuned.smooth().plan(0.3).needed
    told = banditune(*asked).stdout
    assert "the best scale on new tasks" in told
    late = json.loads(banditune(*asked, "--batch", "4", "--json").stdout)
    assert late["params"]["updates"] == bt.Batches(4).to_json()


def test_what_is_learned_from_all_tasks_together_cannot_be_planned(log: Path) -> None:
    for asked in (["--prior-means", "0", "1"], ["--policy", "gaussianucb"]):
        done = banditune("plan", "missing.csv", *asked)
        assert done.returncode == 2
        assert "a plan needs a single searched parameter" in done.stderr


def test_a_plan_in_words_and_without_limits_no_promise(log: Path, tmp_path: Path) -> None:
    asked = ["plan", str(log), "--horizon", "20", "--alpha", "0", "1"]
    told = " ".join(banditune(*asked).stdout.split())
    assert "the mean regret in successes)" in told
    assert "By the learning curve of what is recommended, from 30 pilot tasks" in told
    assert "Theorem 6.2 of the paper" not in told
    theory = banditune(*asked, "--unit", "sales", "--theory").stdout
    assert "Theorem 6.2 of the paper" in theory
    assert "regret in sales" in theory
    rewards = tmp_path / "rewards.csv"
    rng = np.random.default_rng(1)
    rows = [f"{task},{arm},{rng.normal():.3f}" for task in range(8) for arm in "ab" for _ in range(10)]
    rewards.write_text("\n".join(["task,arm,reward", *rows]))
    blind = " ".join(banditune("plan", str(rewards), "--horizon", "10", "--theory").stdout.split())
    assert "Bounds with a guarantee need the largest possible loss" in blind


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--epsilon", "0"], "--epsilon must be above 0"),
        (["--epsilon", "1e-300", "--horizon", "20"], "--epsilon must be larger: more than 1e+15 tasks"),
        (["--delta", "1"], "--delta must be above 0 and below 1"),
        (["--bound", "0.001", "--horizon", "20"], "--bound must hold for every loss: tasks[0] has the loss"),
        (["--horizon", "0"], "--horizon must be"),
        (["--policy", "epsilongreedy", "--epsilongreedy-epsilon", "1", "0"], "--epsilongreedy-epsilon must have low"),
    ],
)
def test_what_cannot_be_planned_is_told(log: Path, options: list[str], message: str) -> None:
    done = banditune("plan", str(log), *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_few_pilots_are_told(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("task,arm,pulls,successes\n1,a,9,3\n1,b,9,4\n2,a,9,9\n2,b,9,1\n")
    done = banditune("plan", str(path))
    assert done.returncode == 2
    assert "a plan needs at least 5 pilot tasks, got 2" in done.stderr


def test_tune_certifies_when_asked(log: Path, tmp_path: Path) -> None:
    asked = ["tune", str(log), "--horizon", "40", "--alpha", "0", "1", "--draws", "4", "--certify", "0.1"]
    done = banditune(*asked, "--json", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)["certificate"]
    tuned = bt.tune(bt.UCB, bt.read_log(log), horizon=40, alpha=(0.0, 1.0), draws=4)
    certificate = tuned.certificate(0.1)
    assert answer["loss_bound"] == certificate.loss_bound
    assert answer["excess_bound"] == certificate.excess_bound
    against = {each["value"]: each for each in answer["against"]}
    assert against[1.0]["saved"] == list(tuned.smooth().improvement(1.0, 0.1).saved)  # of what is recommended
    assert "Guarantees" in (tmp_path / "out" / "report.html").read_text()
    told = " ".join(banditune(*asked).stdout.split())
    assert "With probability at least 0.9, on new tasks from the same population" in told
    if answer["loss_bound"] < answer["largest_loss"]:
        assert "at most" in told
    else:
        assert f"would need about {format_roughly(answer['tasks_needed'])} tasks" in told


def test_a_certificate_without_limits_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "rewards.csv"
    rows = [f"{task},{arm},{task + k}" for task in range(5) for arm in "ab" for k in range(4)]
    path.write_text("\n".join(["task,arm,reward", *rows]))
    done = banditune("tune", str(path), "--certify", "0.05")
    assert done.returncode == 2
    assert "give --bound, the largest loss possible, or the limits of the rewards (--reward-range)" in done.stderr
    assert banditune("tune", str(path), "--certify", "0.05", "--reward-range", "0", "9").returncode == 0
    assert banditune("tune", str(path), "--bound", "3").returncode == 2


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["--prior-means", "0", "1"], "prior means would be learned from all tasks together"),
        (["--policy", "gpucb"], "would be learned from all tasks together"),
    ],
)
def test_what_cannot_be_certified_is_told_before_the_work(
    log: Path, tmp_path: Path, asked: list[str], words: str
) -> None:
    logs = [] if "gpucb" in asked else [str(log)]
    done = banditune("tune", *logs, *asked, "--certify", "0.05", "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "out").exists()


def test_replayed_logs_are_certified(tmp_path: Path) -> None:
    path = tmp_path / "choices.csv"
    rows = [f"{day},{k % 3},{(k * k + day) % 2},{k % 5}" for day in range(12) for k in range(60)]
    path.write_text("\n".join(["task,arm,reward,f_1", *rows]))
    asked = ["tune", str(path), "--policy", "linucb", "--features", "f_", "--certify", "0.1", "--json"]
    done = banditune(*asked, "--reward-range", "0", "1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["certificate"]["loss_limits"] == [-1.0, 0.0]
    done = banditune(*asked)
    assert done.returncode == 2
    assert "the limits of the rewards" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--epsilon", "0"],
        ["--delta", "1"],
        ["--bound", "-1"],
        ["--horizon", "0"],
        ["--alpha", "1", "0"],
        ["--seed", "-1"],
    ],
)
def test_options_are_checked_before_the_log_is_read(tmp_path: Path, options: list[str]) -> None:
    done = banditune("plan", "missing.csv", *options, "--out", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{options[0].removeprefix('--')} must" in done.stderr
    assert "missing.csv" not in done.stderr


def test_a_plan_that_fails_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("task,arm,pulls,successes\n1,a,9,3\n1,b,9,4\n2,a,9,9\n2,b,9,1\n")
    assert banditune("plan", "few.csv", "--out", "out", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "out").exists()
