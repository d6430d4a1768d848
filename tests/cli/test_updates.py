"""Options that say when rewards become known."""

import json
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from tests.cli.command import banditune

SMALL = ["--example", "headlines", "--horizon", "120", "--draws", "1"]


def test_batches_are_in_the_answer() -> None:
    done = banditune("tune", *SMALL, "--batch", "40", "--burn-in", "2", "--floor", "0.01", "--json")
    params = json.loads(done.stdout)["params"]
    assert params["updates"] == {"kind": "batches", "size": 40, "whole": False, "burn_in": 2, "floor": 0.01}
    shown = banditune("tune", *SMALL, "--delay", "20").stdout
    assert "rewards known 20 rounds late" in " ".join(shown.split())


def test_logs_with_features_are_replayed_in_batches(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [f"{k % 4},{rng.integers(2)},{rng.integers(2)},1,{rng.random():.3f}" for k in range(240)]
    (tmp_path / "mails.csv").write_text("\n".join(["task,arm,reward,x_one,x_age", *rows]))
    asked = ["tune", str(tmp_path / "mails.csv"), "--policy", "linucb", "--features", "x_", "--json"]
    answer = json.loads(banditune(*asked, "--delay", "3", "--burn-in", "2").stdout)
    assert answer["params"]["updates"] == {"kind": "delay", "rounds": 3, "burn_in": 2, "floor": 0.0}
    tasks = bt.read_log(tmp_path / "mails.csv", features="x_")
    settings = {"loss": "reward", "disjoint": True, "updates": bt.Delay(3, burn_in=2)}
    tuned = bt.tune(bt.LinUCB, tasks, horizon=answer["horizon"], alpha=tuple(answer["range"]), **settings)
    assert answer["loss"] == tuned.loss


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--batch", "10", "--delay", "5"], "--batch and --delay contradict each other"),
        (["--whole-batches"], "--whole-batches needs --batch"),
        (["--batch", "0"], "--batch must be a whole number"),
    ],
)
def test_options_that_cannot_be_meant_are_rejected(options: list[str], message: str) -> None:
    done = banditune("tune", *options)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
