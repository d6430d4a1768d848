"""The comparison with other tuners, on hardly anything."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.search import Draws, Search
from benchmarks import tuners
from benchmarks.tuner_methods import Simulator, by_grid, by_irace, lowest

OPTIONS = ["--tests", "6", "--tasks", "6", "--horizons", "30", "40", "--seeds", "1", "--trials", "3"]


def make_search(policy: Any, parameter: str) -> Search:
    search = Search.of(policy, [60], {parameter: (0.0, 2.0)}, loss="regret", seed=0, extend=True)
    return replace(search, draws=Draws(3))


CASES = [(bt.UCB, "alpha"), (bt.GaussianThompson, "scale")]


@pytest.mark.parametrize(("policy", "parameter"), CASES)
def test_simulator_plays_what_the_sweep_has_swept(policy: Any, parameter: str) -> None:
    search, tasks = make_search(policy, parameter), bt.datasets.headlines()[:5]
    (curves,) = sweep_tasks([search], tasks)[0].losses
    simulator = Simulator.of(search, tasks)
    for value in (0.001, 0.03, 0.4, 1.7):
        assert simulator.play(value).reshape(5, 3).mean(axis=1) == pytest.approx(curves.at(value), rel=1e-12)
    tuners.check_simulator(search, simulator, curves)
    other = replace(simulator, gaps=2.0 * simulator.gaps)
    with pytest.raises(SystemExit, match="the simulator loses"):
        tuners.check_simulator(search, other, curves)


@pytest.mark.parametrize(("policy", "parameter"), CASES)
def test_grid_finds_no_less_than_the_sweep_between_edges(policy: Any, parameter: str) -> None:
    search, tasks = make_search(policy, parameter), bt.datasets.lcdb()[:4]
    (curves,) = sweep_tasks([search], tasks)[0].losses
    found = by_grid(search, tasks, 0)
    assert 0.0 <= found <= 2.0
    assert Simulator.of(search, tasks).lose(max(found, 1e-9)) >= curves.mean().minimum() * (1.0 - 1e-12)


IRACE = """\
import socket, sys
port, n_instances, runs, low, high, seed = map(float, sys.argv[-6:])
assert "irace.R" in sys.argv[2] and (n_instances, runs, seed) == (4.0, 200.0, 8.0)
with socket.create_connection(("127.0.0.1", int(port))) as connection, connection.makefile("rw") as lines:
    losses = {}
    for value in (low, (low * high) ** 0.5, high):
        for instance in range(1, 5):
            print(instance, repr(value), file=lines, flush=True)
            losses[value] = losses.get(value, 0.0) + float(lines.readline())
    print("found", repr(min(losses, key=losses.get)), file=lines, flush=True)
"""


def test_irace_asks_for_the_losses_of_single_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Rscript").write_text(f"#!{sys.executable}\n{IRACE}")
    (tmp_path / "Rscript").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    search, tasks = make_search(bt.UCB, "alpha"), bt.datasets.lcdb()[:4]
    simulator, low = Simulator.of(search, tasks), lowest(search)
    expected = min((low, (low * search.high) ** 0.5, search.high), key=simulator.lose)
    assert by_irace(50)(search, tasks, 7) == expected
    (tmp_path / "Rscript").write_text(f"#!{sys.executable}\n{IRACE.partition('    losses')[0]}    pass\n")
    with pytest.raises(SystemExit, match="irace ended without an answer"):
        by_irace(50)(search, tasks, 7)


def test_losses_are_of_the_splits_that_hold_a_task_out() -> None:
    search, tasks = make_search(bt.UCB, "alpha"), bt.datasets.lcdb()[:6]
    splits = tuners.splits_of(6, 2)
    assert np.array_equal(np.sum([~seen for seen in splits], axis=0), [2] * 6)
    played = tuners.Played(Simulator.of(search, tasks), splits)
    values = [0.001 * 4.0**k for k in range(6)]
    row = tuners.Row.of((1.0, 1.0), values, "", played)
    for task in range(6):
        lost = [played.losses(value)[task] for value, seen in zip(values, splits, strict=True) if not seen[task]]
        assert row.held_out[task] == pytest.approx(np.mean(lost))


def test_command_compares_tuners(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["tuners", *OPTIONS])
    monkeypatch.setattr("benchmarks.tuner_methods.has_irace", lambda: False)  # R takes its time to start
    tuners.main()
    shown = capsys.readouterr().out
    assert "irace (an R package) is not installed, and left out." in shown
    for title in (
        "UCB on LCDB",
        "Thompson (Gaussian) on LCDB",
        "UCB on headlines()",
        "Thompson (Gaussian) on headlines",
    ):
        assert title in shown
    for row in (tuners.OURS, tuners.LEAST, "grid of 100, log", "grid of 100, even"):
        assert shown.count(row) == 4
    assert "within one standard error" in shown
    assert "With probability at least 0.95" in shown
