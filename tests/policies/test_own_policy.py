"""The policy of docs/how-to/own-policy.md, in a package of its own: it is tuned, compared and run like any other."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.policies.registry import find_policies
from tests.cli.command import COMMAND, banditune

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "own-policy.md"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an installed package: the module of the page, and what it declares."""
    folder = tmp_path_factory.mktemp("site-packages")
    text = PAGE.read_text(encoding="utf-8")
    (module, *_) = re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
    (declared,) = re.findall(r'^etc = "(.*)"$', text, flags=re.M)
    (folder / "etc_policy.py").write_text(module, encoding="utf-8")
    (folder / "etc_policy-1.0.dist-info").mkdir()
    (folder / "etc_policy-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: etc-policy\nVersion: 1.0\n"
    )
    (folder / "etc_policy-1.0.dist-info" / "entry_points.txt").write_text(f"[banditune.policies]\netc = {declared}\n")
    return folder


@pytest.fixture
def policy(package: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[bt.policies.Policy]]:
    """The policy, as the registry finds it."""
    monkeypatch.syspath_prepend(str(package))
    find_policies.cache_clear()
    yield find_policies()["etc"]
    find_policies.cache_clear()
    sys.modules.pop("etc_policy", None)


def some_tasks(n_tasks: int = 12) -> list[bt.Task]:
    rng = np.random.default_rng(3)
    return [bt.Task((rng.random((3, 40)) < rng.random((3, 1))).astype(float), name=f"task {k}") for k in range(n_tasks)]


def lose(task: bt.Task, pulls: int, horizon: int) -> float:
    """The regret by hand."""
    explored = pulls * task.n_arms
    best = int(np.argmax([row[:pulls].mean() for row in task.rewards]))
    arms = [*list(range(task.n_arms)) * pulls, *[best] * max(0, horizon - explored)][:horizon]
    return float((task.means.max() - task.means[arms]).sum())


def test_curve_is_the_loss_by_hand(policy: type[bt.policies.Policy]) -> None:
    for task in some_tasks():
        short, long = bt.loss_curve(policy, task, horizon=[20, 40], pulls=(1.5, 14.0))
        for pulls in range(2, 14):
            assert short(pulls + 0.5) == pytest.approx(lose(task, pulls, 20))
            assert long(pulls) == pytest.approx(lose(task, pulls, 40))
        assert long(9.7) == bt.play(policy, task, horizon=40, pulls=9.7).regret[-1]


def test_everything_that_takes_a_policy_takes_it(policy: type[bt.policies.Policy], tmp_path: Path) -> None:
    tasks = some_tasks()
    tuned = bt.tune(policy, tasks, horizon=40)
    curves = [bt.loss_curve(policy, task, horizon=40, pulls=(1.0, 50.0)) for task in tasks]
    assert tuned.curve == bt.mean_curve(curves)
    tuned.save(tmp_path / "tuned.json")
    assert bt.load(tmp_path / "tuned.json").params == tuned.params
    assert tuned.certificate(delta=0.1, bound=40.0).loss_bound > tuned.loss
    running = tuned.policy(n_arms=3)
    for reward in (1.0, 0.0, 1.0, 1.0):
        running.update(running.select(), reward)
    assert bt.policy_from_json(running.to_json()).select() == running.select()
    studied = bt.study(policy, tasks, horizon=40, pulls=(1.0, 12.0))
    assert studied.held_out is not None
    assert sorted(studied.usual_losses) == [10.0, 100.0]
    assert {path.name for path in studied.save(tmp_path)} == {
        "tuned.json",
        "tuned.curve.npz",
        "report.html",
        "curve.svg",
    }
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "ExploreThenCommit" in page
    compared = bt.compare(tasks, [bt.UCB, policy], horizon=40, baselines=[], folds=4)
    assert {row["name"] for row in compared.table} == {"UCB, alpha learned", "ExploreThenCommit, pulls learned"}
    assert compared.best in compared.losses
    for task, fold, loss in zip(tasks, compared.fold, compared.losses["ExploreThenCommit, pulls learned"], strict=True):
        learned = compared.learned["ExploreThenCommit, pulls learned"][fold]
        assert loss == pytest.approx(bt.play(policy, task, horizon=40, **learned).regret[-1])


def write_log(folder: Path) -> Path:
    log = folder / "log.csv"
    rows = [f"{task.name},{arm},{x:g}" for task in some_tasks() for arm, row in enumerate(task.rewards) for x in row]
    log.write_text("\n".join(["task,arm,reward", *rows]), encoding="utf-8")
    return log


def test_command_line_finds_it_by_its_name(package: Path, tmp_path: Path) -> None:
    log = write_log(tmp_path)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])}

    def run(*arguments: str) -> str:
        ran = subprocess.run([*COMMAND, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    found = json.loads(run("tune", str(log), "--policy", "etc", "--etc-pulls", "1", "13", "--json", "--out", "results"))
    assert found["policy"] == "etc"
    assert found["horizon"] == 120  # the pulls of a task
    assert 1.0 <= found["params"]["pulls"] <= 13.0
    assert (tmp_path / "results" / "report.html").exists()
    assert "range of the pulls of each arm" in " ".join(run("tune", "--help").replace("│", " ").split())


def test_it_is_compared_by_its_name(policy: type[bt.policies.Policy], tmp_path: Path) -> None:
    log = write_log(tmp_path)
    ran = banditune("compare", log, "--policy", "ucb", "--policy", policy.name, "--repetitions", "1", "--json")
    assert "ExploreThenCommit, pulls learned" in [each["name"] for each in json.loads(ran.stdout)["standings"]]
