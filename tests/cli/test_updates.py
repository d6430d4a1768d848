"""Options that say when rewards become known."""

import json

import pytest

from tests.cli.command import banditune

SMALL = ["--example", "headlines", "--horizon", "120", "--draws", "1"]


def test_batches_are_in_the_answer() -> None:
    done = banditune("tune", *SMALL, "--batch", "40", "--burn-in", "2", "--floor", "0.01", "--json")
    params = json.loads(done.stdout)["params"]
    assert params["updates"] == {"kind": "batches", "size": 40, "whole": False, "burn_in": 2, "floor": 0.01}
    shown = banditune("tune", *SMALL, "--delay", "20").stdout
    assert "rewards known 20 rounds late" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--batch", "10", "--delay", "5"], "--batch and --delay contradict each other"),
        (["--whole-batches"], "--whole-batches needs --batch"),
        (["--batch", "0"], "--batch must be a whole number"),
        (["--policy", "linucb", "--batch", "5"], "LinUCB has no parameter"),
    ],
)
def test_options_that_cannot_be_meant_are_rejected(options: list[str], message: str) -> None:
    done = banditune("tune", *options)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
