"""What is chosen by a look at the partitions, and what may go wrong meanwhile."""

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.checkpoints.checkpoint_files import read_piece, write_piece
from banditune.distributed.partition import Job
from banditune.distributed.prescan import Prescan, look
from banditune.distributed.tune import tune_partitions
from tests.distributed.deadly import DeadlyToLookAt
from tests.distributed.logs import Rows, jobs_of, rows_of, write, write_parts
from tests.distributed.test_tune import same, tuned_on


def constant(rows: Rows, reward: float) -> Rows:
    return rows | {"reward": [reward for _ in rows["reward"]]}


class StoppedError(Exception):
    pass


def stop_at_the_sweep(words: str, _done: int, _total: int) -> None:
    if "Sweeping" in words:
        raise StoppedError


def test_range_does_not_depend_on_the_division(client: Any, tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", constant(rows_of(4), 3.25))
    small = rows_of(4, seed=1, first=4, levels=50)
    write(tmp_path / "b.parquet", small | {"reward": [1e-3 * reward for reward in small["reward"]]})
    there = tuned_on(client, tmp_path, horizon=10).tuned
    assert (0.0, there.curve.high) == bt.UCB.default_range("alpha", bt.read_log(tmp_path))
    assert there.curve.high < 1e-5


def test_changed_files_are_looked_at_again(client: Any, tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "log", 2)
    kept = tmp_path / "kept"
    with pytest.raises(StoppedError):
        tuned_on(client, tmp_path / "log", resume=kept, progress=stop_at_the_sweep)
    before = read_piece(kept / "looked.npz").note
    for file in kept.glob("partitions/*.npz"):
        file.unlink()
    for k, part in enumerate(parts):
        rows = rows_of(5, seed=9 + k, first=5 * k)
        write(part, rows | {"reward": [5.0 * float(str(reward)) for reward in rows["reward"]]})
    there = tuned_on(client, tmp_path / "log", resume=kept).tuned
    assert there.curve.high == bt.UCB.default_range("alpha", bt.read_log(tmp_path / "log"))[1] == 100.0
    assert read_piece(kept / "looked.npz").note != before


def test_partitions_finished_for_another_horizon_are_not_used(client: Any, tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "log", 3)
    tuned_on(client, tmp_path / "log", resume=tmp_path / "kept")
    for k in (1, 2):
        rows = rows_of(12, seed=9 + k, first=12 * k)
        write(parts[k], {name: values * 2 for name, values in rows.items()})
    there = tuned_on(client, tmp_path / "log", resume=tmp_path / "kept").tuned
    log = bt.read_log(tmp_path / "log")
    alpha = bt.UCB.default_range("alpha", log)
    assert same(there, bt.tune(bt.UCB, log, horizon=int(np.median(log.rounds)), alpha=alpha, draws=1))


def test_what_cannot_be_looked_at_is_named_or_left_out(client: Any, tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "log", 4)
    parts[1].write_bytes(b"no parquet")
    (tmp_path / "log" / "part9.parquet").symlink_to(tmp_path / "nothing")
    kept = tmp_path / "kept"
    with pytest.raises(bt.FileError, match=r"(?s)2 partitions failed.*part1\.parquet.*cannot read .*part9\.parquet"):
        tuned_on(client, tmp_path / "log", resume=kept)
    for _ in range(2):  # the second time from what was kept
        there = tuned_on(client, tmp_path / "log", resume=kept, skip_broken=True).tuned
        assert there.n_tasks == 36
        assert sorted(told.split(".parquet")[0][-5:] for told in there.left_out) == ["part1", "part9"]
    with pytest.raises(bt.FileError, match="2 partitions failed"):
        tuned_on(client, tmp_path / "log", resume=kept)
    for path in parts:
        path.write_bytes(b"no parquet")
    with pytest.raises(bt.FileError, match="5 partitions failed"):
        tuned_on(client, tmp_path / "log", skip_broken=True)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal here")
@pytest.mark.usefixtures("quick_to_blame")
def test_file_that_kills_who_looks_is_named_or_left_out(client: Any, tmp_path: Path) -> None:
    parts = write_parts(tmp_path, 2)
    write(parts[1], constant(rows_of(4, first=50), DeadlyToLookAt.reward))
    with pytest.raises(bt.FileError, match=r"part1\.parquet: a worker fails in the pre-scan .*killed by SIGKILL"):
        tune_partitions(client, DeadlyToLookAt, tmp_path)
    there = tune_partitions(client, DeadlyToLookAt, tmp_path, skip_broken=True).tuned
    assert there.n_tasks == 12
    assert "SIGKILL" in there.left_out[0]


@pytest.mark.parametrize(("successes", "spread"), [([0, 20], 1.0), ([0, 0], 0.0), ([20, 20], 0.0), ([20, 7], 1.0)])
def test_totals_are_looked_at_without_making_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, successes: list[int], spread: float
) -> None:
    write(tmp_path / "a.parquet", {"task": ["t", "t"], "arm": ["x", "y"], "pulls": [20, 20], "successes": successes})
    assert bt.UCB.spread(bt.read_log(tmp_path)) == spread
    monkeypatch.setattr(bt.Task, "from_counts", None)
    (job,) = jobs_of(tmp_path)
    looked = look(job)
    assert (looked.spread, dict(looked.rounds)) == (spread, {40: 1})
    assert Prescan.from_json(json.loads(json.dumps(looked.to_json()))) == looked


@pytest.mark.parametrize("given", [{}, {"horizon": 5}, {"alpha": (0.0, 1.0)}, {"horizon": 5, "alpha": (0.0, 1.0)}])
def test_reasons_are_told_if_no_row_can_be_used(client: Any, tmp_path: Path, given: dict[str, Any]) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("task,arm,reward\nt,x,much\n")
    told = (
        r"none of the 2 rows can be used:\n  .*a\.csv, line 2: the reward is not a number: 'much'\n  .*b\.csv, line 2"
    )
    with pytest.raises(bt.FileError, match=told):
        bt.read_log(tmp_path)
    with pytest.raises(bt.FileError, match=told):
        tuned_on(client, tmp_path, **given)


@pytest.mark.parametrize("note", [{}, [], None, {"partitions": 1, "seen": [], "failed": 3}])
def test_damaged_note_of_a_look_is_named(client: Any, tmp_path: Path, note: Any) -> None:
    write_parts(tmp_path / "log", 1, 3)
    kept = tmp_path / "kept"
    with pytest.raises(StoppedError):
        tuned_on(client, tmp_path / "log", resume=kept, progress=stop_at_the_sweep)
    write_piece(kept / "looked.npz", note)
    with pytest.raises(bt.FileError, match=r"looked\.npz is damaged"):
        tuned_on(client, tmp_path / "log", resume=kept)


def test_job_without_tasks_has_no_spread(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("task,arm,reward\n")
    (job,) = jobs_of(tmp_path)
    assert isinstance(job, Job)
    assert look(job) == Prescan.merge([])
