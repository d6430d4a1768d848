"""banditune tune --prior-means."""

import json
from pathlib import Path

import banditune as bt
from tests.cli.command import banditune
from tests.tuning.priors.test_joint import OPTIONS, recurring


def test_command_line_learns_priors(tmp_path: Path) -> None:
    lines = ["task,arm,reward"]
    for k, task in enumerate(recurring(10)):
        lines += [f"{k},{arm},{reward}" for arm, row in zip(task.arms, task.rewards, strict=True) for reward in row]
    (tmp_path / "log.csv").write_text("\n".join(lines))
    options = ("--prior-means", "0", "1", "--horizon", "12", "--alpha", "0", "1")
    done = banditune("tune", str(tmp_path / "log.csv"), *options, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    tuned = bt.tune(bt.UCB, bt.read_log(tmp_path / "log.csv"), **OPTIONS)
    assert bt.load(tmp_path / "out" / "tuned.json").summary() == tuned.summary()
    told = " ".join(done.stdout.split())
    assert tuned.priors is not None
    for way in tuned.priors.candidates:
        assert way.name in told
    if tuned.priors.arms:
        assert "Learned priors" in (tmp_path / "out" / "report.html").read_text()
    plain = banditune("tune", "log.csv", *options, "--json", cwd=tmp_path)
    assert json.loads(plain.stdout)["priors"]["chosen"] == tuned.priors.chosen


def test_priors_of_arms_that_come_back(tmp_path: Path) -> None:
    lines = ["task,arm,reward"]
    for k, task in enumerate(recurring(12)):
        lines += [f"{k},{arm},{reward}" for arm, row in zip(task.arms, task.rewards, strict=True) for reward in row]
    (tmp_path / "log.csv").write_text("\n".join(lines))
    done = banditune("tune", "log.csv", "--priors", "--horizon", "12", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["policy"] == "gaussianucb"
    assert answer["priors"]["chosen"] in [each["name"] for each in answer["priors"]["candidates"]]
    assert answer["params"]["prior"]["structure"] in (answer["priors"]["chosen"], "flat")
    told = " ".join(
        banditune("tune", "log.csv", "--policy", "gaussian-ucb", "--horizon", "12", cwd=tmp_path).stdout.split()
    )
    assert "Priors over arms" in told
    assert "alpha alone" in told
    rejected = banditune("tune", "log.csv", "--priors", "--policy", "linucb", cwd=tmp_path)
    assert rejected.returncode == 2
    assert "--priors needs a policy" in rejected.stderr
