"""The policy of docs/how-to/own-policy.md, in a package of its own: it is tuned, compared and run like any other."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.policies.losses import LOSSES
from banditune.policies.registry import find_policies
from banditune.tasks.base import PastTask
from banditune.tuning.families import list_families
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


@pytest.mark.parametrize("recommend", ["mean", "pulls"])
def test_the_recommended_arm_is_counted(policy: type[bt.policies.Policy], recommend: str) -> None:
    for task in some_tasks(4):
        curve = bt.loss_curve(
            policy, task, horizon=20, loss="rollout", rollout=50, recommend=recommend, pulls=(1.0, 9.0)
        )
        for pulls in range(1, 9):
            run = bt.play(policy, task, horizon=20, loss="simple", recommend=recommend, pulls=pulls)
            assert run.loss == pytest.approx(task.means.max() - task.means[run.recommended])
            assert curve(pulls + 0.5) == pytest.approx(lose(task, pulls, 20) + 50 * run.loss)


def test_a_policy_that_recommends_no_arm_is_not_tuned_for_it(
    policy: type[bt.policies.Policy], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "recommends", False)
    with pytest.raises(bt.ParameterError, match=r'"simple" needs one arm .* say that it `recommends`'):
        bt.tune(policy, some_tasks(), loss="simple")
    regret, simple = (list_families(some_tasks(), 9, loss=LOSSES[loss])[0] for loss in ("regret", "simple"))
    assert {family.policy for family in regret} - {family.policy for family in simple} == {policy}


def test_it_runs_on_named_arms_and_in_production(policy: type[bt.policies.Policy]) -> None:
    tuned = bt.tune(policy, some_tasks(), horizon=40)
    named, deployed = tuned.policy(arms=["a", "b", "c"]), tuned.deploy(arms=["a", "b", "c"])
    for reward in (1.0, 0.0, 1.0, 1.0):
        decision = deployed.choose()
        assert decision.arm == named.select()
        assert decision.propensity == 1.0
        named.update(decision.arm, reward)
        deployed.reward(decision.id, reward)
    assert bt.policy_from_json(named.to_json()).select() == named.select()


class Prices(PastTask):
    """What each buyer would have paid; an arm is a price."""

    def __init__(self, prices: list[float], paid: np.ndarray) -> None:
        self.prices, self.paid = np.array(prices), paid

    @property
    def n_arms(self) -> int:
        return self.prices.size

    @property
    def rounds(self) -> int:
        return self.paid.size

    @property
    def n_rewards(self) -> int:
        return self.paid.size

    def __repr__(self) -> str:
        return "Prices()"

    def sell(self) -> bt.Task:
        return bt.Task(np.where(self.paid >= self.prices[:, None], self.prices[:, None], 0.0))


@pytest.fixture
def pricer(policy: type[bt.policies.Policy]) -> type[bt.policies.Policy]:
    """The same policy on another kind of tasks."""

    class Pricer(policy):  # type: ignore[misc, valid-type]
        task_types = (Prices,)

        @classmethod
        def make_batch(cls, tasks: list[Prices], terms: bt.policies.Terms) -> Any:
            return policy.make_batch([task.sell() for task in tasks], terms)

    return Pricer


def some_prices(seed: int) -> list[Prices]:
    rng = np.random.default_rng(seed)
    return [Prices([1.0, 2.0, 3.0], 4.0 * rng.random(30)) for _ in range(8)]


def test_checkpoints_belong_to_what_tasks_hold_whatever_they_are_called(
    pricer: type[bt.policies.Policy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = bt.tune(pricer, some_prices(5), pulls=(1.0, 9.0), resume=tmp_path)
    with pytest.raises(bt.FileError, match="has checkpoints of other tasks"):
        bt.tune(pricer, some_prices(6), pulls=(1.0, 9.0), resume=tmp_path)
    monkeypatch.delattr(pricer, "make_batch")  # so that nothing is swept
    assert bt.tune(pricer, some_prices(5), pulls=(1.0, 9.0), resume=tmp_path) == found


def test_a_kind_of_task_of_ones_own_needs_no_more_than_the_contract(
    policy: type[bt.policies.Policy], pricer: type[bt.policies.Policy], tmp_path: Path
) -> None:
    tasks = some_prices(5)
    found = bt.study(pricer, tasks, pulls=(1.0, 9.0), resume=tmp_path / "kept")
    assert found.tuned.params == bt.tune(policy, [task.sell() for task in tasks], horizon=30, pulls=(1.0, 9.0)).params
    assert bt.tune(pricer, tasks, pulls=(1.0, 9.0), resume=tmp_path / "kept") == replace(found.tuned, smoothed=None)
    assert bt.tune(pricer, iter(tasks), horizon=30, pulls=(1.0, 9.0)).params == found.tuned.params
    found.report(tmp_path)
    with pytest.raises(bt.TaskError, match=r"tasks\[0\] must be a Prices, got Task"):
        bt.tune(pricer, some_tasks(), horizon=30, pulls=(1.0, 9.0))
    with pytest.raises(bt.TaskError, match="task must be a Prices, got Task"):
        bt.play(pricer, some_tasks(1)[0], horizon=30)
    with pytest.raises(bt.ParameterError, match="Pricer runs on Prices"):
        bt.compare(some_tasks(), [pricer])


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
