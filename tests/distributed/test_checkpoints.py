"""Finished partitions that are kept: damaged, left out of, not writable, in the log's own folder."""

import random
from pathlib import Path
from typing import Any

import pytest

import banditune as bt
from banditune.checkpoints.checkpoint_files import CheckpointError
from banditune.distributed import isolation
from banditune.distributed.files import TOKEN, list_partitions
from banditune.distributed.partition import read_done, sum_first, sweep_partition
from banditune.distributed.tune import tune_partitions
from banditune.logs.columns import Columns
from banditune.logs.reading import How
from tests.distributed.deadly import WRONG, Deadly
from tests.distributed.logs import jobs_of, rows_of, write, write_parts
from tests.distributed.test_tune import ASKED, same, tuned_on
from tests.io.test_files import half_written

ENOUGH = 10**6


def test_damage_anywhere_in_a_kept_file_is_named_or_does_no_harm(tmp_path: Path) -> None:
    write_parts(tmp_path / "log", 1, 5)
    (tmp_path / "kept").mkdir()
    (job,) = jobs_of(tmp_path / "log", tmp_path / "kept")
    assert job.file is not None
    done = sweep_partition(job)
    content = job.file.read_bytes()
    expected = sum_first(done, ENOUGH)
    assert expected is not None
    rng = random.Random(1)
    messages = set()
    for _ in range(600):
        damaged = bytearray(content)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        job.file.write_bytes(damaged)
        try:
            found, _ = read_done(job.file)
            sums = sum_first(found, ENOUGH)
        except CheckpointError as error:
            messages.add(str(error))
        else:
            assert found.summary == done.summary
            assert sums is not None
            assert sums.losses.mean() == expected.losses.mean()
            assert sums.histories == expected.histories
    assert messages
    assert all(message.startswith(f"{job.file} is damaged (") for message in messages)
    assert all(message.count("is damaged") == 1 for message in messages)


def test_damaged_kept_file_ends_the_run_even_if_broken_partitions_are_skipped(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path / "log", 2)
    kept = tmp_path / "kept"
    tuned_on(client, tmp_path / "log", resume=kept, **ASKED)
    file = next(kept.glob("partitions/*.npz"))
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(CheckpointError, match=rf"^{file} is damaged"):
        tuned_on(client, tmp_path / "log", resume=kept, skip_broken=True, **ASKED)


def test_folder_that_cannot_be_written_ends_the_run_even_if_broken_partitions_are_skipped(
    client: Any, tmp_path: Path
) -> None:
    write_parts(tmp_path / "log", 2)
    folder = tmp_path / "kept" / "partitions"

    def gone(words: str, done: int, _total: int) -> None:
        if "Sweeping" in words and done == 0:
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()
            folder.write_text("in the way")

    with pytest.raises(CheckpointError, match=r"cannot write .*\.npz"):
        tuned_on(client, tmp_path / "log", resume=tmp_path / "kept", skip_broken=True, progress=gone, **ASKED)


def test_process_that_cannot_write_blames_no_task(tmp_path: Path) -> None:
    write_parts(tmp_path / "log", 1, 3)
    (job,) = jobs_of(tmp_path / "log", skip=True)
    last, failure = isolation.run_child(isolation._work, job, [], tmp_path / "done.npz")
    assert (last, failure) == (None, None)
    with pytest.raises(CheckpointError, match=r"cannot write .*none.done\.npz"):
        isolation.run_child(isolation._work, job, [], tmp_path / "none" / "done.npz")


def test_task_that_cannot_be_made_is_left_out_alone(tmp_path: Path) -> None:
    rows = {"task": ["a", "b", "c"], "arm": ["x", "x", "x"], "pulls": [5, 10**9, 5], "successes": [1, 1, 1]}
    write(tmp_path / "a.parquet", rows)
    (job,) = jobs_of(tmp_path, skip=True)
    told = isolation.run_child(isolation._work, job, [(1, "too many pulls")], tmp_path / "done.npz")
    assert told == (None, None)
    assert read_done(tmp_path / "done.npz")[0].summary.n_tasks == 2


def test_task_left_out_before_is_tried_again_unless_it_may_be_left_out(client: Any, tmp_path: Path) -> None:
    rows = rows_of(8)
    rows["reward"][rows["task"].index("task 3")] = WRONG
    write(tmp_path / "a.parquet", rows)
    kept = tmp_path / "kept"
    for _ in range(2):
        there = tune_partitions(client, Deadly, tmp_path / "a.parquet", resume=kept, skip_broken=True, **ASKED)
        assert there.account is not None
        assert there.tuned.n_tasks == there.account.n_tasks == 7
        assert "7 tasks" in next(iter(there.account.lines()))
    with pytest.raises(bt.FileError, match="a wrong reward"):
        tune_partitions(client, Deadly, tmp_path / "a.parquet", resume=kept, **ASKED)
    there = tune_partitions(client, bt.UCB, tmp_path / "a.parquet", resume=kept, **ASKED)
    assert there.tuned.n_tasks == 8
    assert there.tuned.left_out == ()


def test_only_what_killed_workers_were_writing_is_removed(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path / "log", 1, 3)
    kept = tmp_path / "kept" / "partitions"
    tuned_on(client, tmp_path / "log", resume=kept.parent, **ASKED)
    (file,) = kept.glob("*.npz")
    ours = [half_written(kept, file.name), half_written(kept, TOKEN)]
    others = [kept / ".thesis.tex.part", kept / ".other.npz.abcdefgh.part", kept / "other.npz"]
    for other in others:
        other.write_text("mine")
    tuned_on(client, tmp_path / "log", resume=kept.parent, **ASKED)
    assert not any(each.exists() for each in ours)
    assert all(other.read_text() == "mine" for other in others)


def test_what_differs_is_named(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path / "log", 1, 3)
    kept = tmp_path / "kept"
    tuned_on(client, tmp_path / "log", resume=kept, **ASKED)
    how = How.parse(Columns(time="when"), None, (0.0, 1.0))
    told = r"time was None and is 'when'; reward_range was None and is \[0\.0, 1\.0\]"
    with pytest.raises(bt.FileError, match=told):
        tuned_on(client, tmp_path / "log", resume=kept, how=how, **ASKED)


def test_kept_work_inside_the_log_is_no_part_of_it(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path, 2)
    for _ in range(2):
        there = tuned_on(client, tmp_path, resume=tmp_path / "kept", **ASKED)
        assert there.account is not None
        assert there.account.left_out == ()
        assert len(there.account.parts) == 2
    assert same(there.tuned, bt.tune(bt.UCB, bt.read_log(tmp_path / "*.parquet"), **ASKED))
    with pytest.raises(bt.FileError, match=r"all files of the log are in .*, the checkpoint folder"):
        tuned_on(client, tmp_path, resume=tmp_path, **ASKED)


def test_file_that_changes_while_it_is_read_is_rejected(tmp_path: Path) -> None:
    (path,) = write_parts(tmp_path, 1)
    ((found,), _) = list_partitions(str(path))
    with pytest.raises(bt.FileError, match=r"part0\.parquet was changed while it was read"), found.here():
        write(path, rows_of(3))
