"""banditune stop: the rule, what it is compared with, and what cannot be meant."""

import json
from pathlib import Path

import pytest

import banditune as bt
from tests.cli.command import banditune

ASKED = ["stop", "--horizon", "600", "--rollout", "3000", "--every", "50", "--least", "100", "--draws", "2"]


def test_rule_is_printed_beside_baselines_in_the_units_of_the_log() -> None:
    done = banditune(*ASKED)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "every 50 views, from 100 views on" in said
    assert "regret of test and roll-out in clicks" in said
    for rule in (
        "Stop when the leader is expected to be",
        "best fixed length",
        "Test & Roll",
        "stop at 95%",
        "full length",
    ):
        assert rule in said
    assert "does not control false positives" in said


def test_json_is_what_python_finds(tmp_path: Path) -> None:
    rows = ["test,headline,views,clicks"]
    rows += [f"t{k},{arm},1000,{30 + 7 * ((3 * k + j) % 5)}" for k in range(12) for j, arm in enumerate("abc")]
    (tmp_path / "tests.csv").write_text("\n".join(rows) + "\n")
    columns = ["--task", "test", "--arm", "headline", "--pulls", "views", "--successes", "clicks"]
    out = tmp_path / "out"
    asked = [*ASKED[1:], "--statistic", "gap", "--json", "--out", str(out)]
    done = banditune(ASKED[0], str(tmp_path / "tests.csv"), *columns, *asked)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert json.loads((out / "stop.json").read_text()) == answer
    assert "Comparison with other rules" in (out / "stop.html").read_text()
    assert "within one standard error" in (out / "stop.svg").read_text()
    assert answer.pop("seconds") > 0.0
    tests = bt.read_log(tmp_path / "tests.csv", task="test", arm="headline", pulls="views", successes="clicks")
    found = bt.stopping.learn_threshold(
        tests, horizon=600, rollout=3000, check_every=50, least=100, draws=2, statistic="gap"
    )
    assert answer == json.loads(json.dumps(found.summary()))
    assert found.units.rounds == "views"
    assert answer["statistic"] == "gap"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rollout", "-1"], "--rollout must be a whole number"),
        (["--every", "9999"], "--every must be a whole number from 1 to"),
        (["--every", "0"], "--every must be a whole number"),
        (["--horizon", "10", "--least", "11"], "--least must be a whole number from 1 to 10"),
        (["--statistic", "p-value"], "--statistic must be one of probability, gap, loss"),
        (["--out", __file__], "cannot create the folder"),
        (["--task", "test"], "options for reading a log need a LOG"),
    ],
)
def test_what_cannot_be_meant_is_rejected(options: list[str], message: str) -> None:
    done = banditune("stop", *options)
    assert done.returncode == 2
    assert message in done.stderr
