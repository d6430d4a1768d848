"""Collecting for GP-UCB: most points are never tried, and need no reward."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.curves.step_function import StepFunction
from tests.strategies import share
from tests.worlds import World, rows_of

POINTS = np.stack(np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 3)), axis=-1).reshape(-1, 2)


def drawn(seed: int, horizon: int) -> bt.Task:
    rng = np.random.default_rng(seed)
    heights = np.sin(3 * POINTS @ rng.normal(size=2))
    return bt.Task(rng.normal(heights[:, None], 0.3, (POINTS.shape[0], horizon)), points=POINTS, means=heights)


def middles(curve: StepFunction) -> list[float]:
    return np.sqrt(curve.edges[1:] * curve.edges[:-1]).tolist()


@pytest.mark.parametrize(
    "asked", [{"noise": (0.001, 10.0), "length_scale": 0.5}, {"beta": (0.01, 2.0), "kernel": "matern32", "scale": 2.0}]
)
@share(6)
@given(st.integers(0, 1000), st.integers(1, 8))
def test_curve_is_that_of_full_streams_and_pulls_are_those_of_games(
    asked: dict[str, Any], seed: int, horizon: int
) -> None:
    task = drawn(seed, horizon)
    world = World(rows_of(task))
    found = bt.collect(bt.GPUCB, world.pull, points=POINTS, means=task.means, horizon=horizon, **asked)
    for loss in ("regret", "reward"):
        expected = bt.loss_curve(bt.GPUCB, task, horizon=horizon, loss=loss, **asked)
        assert bt.loss_curve(bt.GPUCB, found, horizon=horizon, loss=loss, extend=False, **asked) == expected
    parameter = next(iter(asked))
    fixed = {name: value for name, value in asked.items() if name != parameter}
    most = np.zeros(POINTS.shape[0], np.int64)
    for value in middles(expected):  # rewards are normal: where pulls differ, so do their sums
        at = {parameter: {"of_schedule": value} if parameter == "beta" else value}
        games = [bt.play(bt.GPUCB, each, horizon=horizon, **at, **fixed) for each in (task, found)]
        assert games[0].arms.tolist() == games[1].arms.tolist()
        most = np.maximum(most, np.bincount(games[0].arms, minlength=most.size))
    assert found.lengths.tolist() == most.tolist()
    assert found.total_pulls == len(world.asked) <= min(POINTS.shape[0], expected.n_pieces) * horizon


def test_it_goes_on_from_a_file(tmp_path: Path) -> None:
    task, file = drawn(1, 6), tmp_path / "x.jsonl"
    asked = {"points": POINTS, "horizon": 6, "noise": (0.001, 10.0), "save": file}
    broken = World(rows_of(task), fails_after=3)
    with pytest.raises(ConnectionError):
        bt.collect(bt.GPUCB, broken.pull, **asked)
    rest = World(rows_of(task), given=np.bincount(broken.asked, minlength=POINTS.shape[0]).tolist())
    found = bt.collect(bt.GPUCB, rest.pull, **asked)
    assert found.total_pulls == 3 + len(rest.asked)
    with pytest.raises(bt.FileError, match="points was "):
        bt.collect(bt.GPUCB, rest.pull, **asked | {"points": POINTS * 2})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"center": "learned"}, "center='learned' is fitted to past tasks, and there are none yet: give a number"),
        ({"points": None, "n_arms": 12}, "needs the arms' points"),
        ({"points": [0.5, 0.7]}, "points must have shape"),
        ({"pull": lambda arm: 1e120}, r"what pull\(0\) returned \(reward 1 of arm 0\), as the policy sees it, must be"),
        ({"kernel": lambda x, y: np.eye(12), "save": "x.jsonl"}, "a kernel given as a function cannot be saved"),
    ],
)
def test_what_cannot_be_meant_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = {"pull": lambda arm: 0.5, "points": POINTS, "horizon": 5, "noise": (0.01, 1.0)} | change
    with pytest.raises(bt.InputError, match=message):
        bt.collect(bt.GPUCB, **asked)
