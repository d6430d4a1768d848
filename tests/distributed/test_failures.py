"""What may go wrong on a cluster, made to go wrong: workers and drivers killed, files gone, tasks that kill."""

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import banditune as bt
from banditune.distributed import cluster, files
from banditune.distributed.tune import tune_partitions
from tests.cli.command import COMMAND, banditune
from tests.distributed.deadly import DEADLY, WRONG, Deadly
from tests.distributed.logs import rows_of, write, write_parts
from tests.distributed.test_tune import ASKED, same, same_held_out, tuned_on

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal here")


def kill_a_worker(client: Any) -> None:
    pids: list[int] = []
    while not pids:  # one that was killed a moment ago is still asked, and does not answer
        pids = list(client.run(os.getpid, on_error="ignore").values())
    os.kill(pids[0], signal.SIGKILL)


def test_killed_workers_change_no_bit(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path / "log", 4)
    here = bt.study(bt.UCB, bt.read_log(tmp_path / "log"), **ASKED)
    for number, resume in enumerate((None, tmp_path / "kept")):
        stages: list[str] = []

        def note(words: str, done: int, _total: int, stages: list[str] = stages, wanted: int = 2 + number) -> None:
            if "Sweeping" in words and done == wanted and not stages:
                stages.append(words)
                kill_a_worker(client)
            elif "Comparing" in words or ("Cross-validating" in words and done in (4, 10)):
                kill_a_worker(client)  # curves that stayed with it are made again

        there = tuned_on(client, tmp_path / "log", resume=resume, progress=note, **ASKED)
        assert same(there.tuned, here.tuned)
        assert same_held_out(there, here)
        assert stages


def deadly_log(folder: Path, value: float) -> Path:
    write_parts(folder, 1, n_tasks=8)
    rows = rows_of(8, seed=1, first=8)
    rows["reward"][rows["task"].index("task 11")] = value
    write(folder / "part1.parquet", rows)
    return folder


@pytest.mark.usefixtures("quick_to_blame")
@pytest.mark.parametrize("value", [DEADLY, WRONG])
def test_task_that_kills_or_fails_is_named_or_left_out(client: Any, tmp_path: Path, value: float) -> None:
    log = deadly_log(tmp_path / "log", value)
    how = r"killed by SIGKILL" if value == DEADLY else "a wrong reward"
    if value == DEADLY:
        with pytest.raises(bt.FileError, match=rf"part1\.parquet, task 'task 11': .*{how}"):
            tune_partitions(client, Deadly, [str(log)], **ASKED)
    there = tune_partitions(client, Deadly, [str(log)], skip_broken=True, **ASKED).tuned
    tasks = [task for task in bt.read_log(log) if task.name != "task 11"]
    here = bt.tune(bt.UCB, tasks, **ASKED)
    assert (there.curve, there.n_tasks, there.within_one_se) == (here.curve, 15, here.within_one_se)
    (left_out,) = there.left_out
    assert left_out.startswith("task 'task 11' of ")
    assert "part1.parquet" in left_out
    assert how in left_out


@pytest.mark.usefixtures("quick_to_blame")
def test_workers_that_are_lost_on_work_sent_from_here_are_an_error(client: Any) -> None:
    with (
        pytest.raises(cluster.ClusterError, match="workers were lost on every retry"),
        cluster.open_executor(client) as executor,
    ):
        bt.tune(Deadly, [bt.Task([[DEADLY], [1.0]])], executor=executor, **ASKED)


def test_broken_and_vanished_files_are_named_and_the_rest_is_kept(client: Any, tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "log", 4)
    content = parts[1].read_bytes()
    parts[1].write_bytes(b"no parquet")
    with pytest.raises(bt.FileError, match=r"part1\.parquet cannot be read as Parquet"):
        tuned_on(client, tmp_path / "log", **ASKED)
    kept = tmp_path / "kept"
    with pytest.raises(bt.FileError, match=r"part1\.parquet cannot be read as Parquet"):
        tuned_on(client, tmp_path / "log", resume=kept, **ASKED)
    finished = {path: path.stat().st_mtime_ns for path in kept.glob("partitions/*.npz")}
    assert len(finished) == 3
    there = tuned_on(client, tmp_path / "log", resume=kept, skip_broken=True, **ASKED).tuned
    assert there.n_tasks == 36
    assert "part1.parquet" in there.left_out[0]
    parts[1].write_bytes(content)
    there = tuned_on(client, tmp_path / "log", resume=kept, **ASKED).tuned
    assert same(there, bt.tune(bt.UCB, bt.read_log(tmp_path / "log"), **ASKED))
    assert {path: path.stat().st_mtime_ns for path in finished} == finished  # not made again
    vanishing = files.Partition(str(parts[2]), files.read_state(str(parts[2])))
    parts[2].unlink()
    with pytest.raises(bt.FileError, match=r"cannot read .*part2\.parquet: No such file"):
        vanishing.check()
    with pytest.raises(bt.FileError, match=r"partitions was '4 files .* and is '3 files"):
        tuned_on(client, tmp_path / "log", resume=kept, **ASKED)


def test_file_that_vanishes_while_others_are_worked_on(client: Any, tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "log", 3)

    def remove(words: str, _done: int, _total: int) -> None:
        if "Scanning" in words:
            parts[1].unlink(missing_ok=True)

    with pytest.raises(bt.FileError, match=r"part1\.parquet.*No (such file|files found)"):
        tuned_on(client, tmp_path / "log", alpha=(0.0, 2.0), resume=tmp_path / "kept", progress=remove)


def test_changed_file_and_other_question_are_rejected(client: Any, tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "log", 2)
    kept = tmp_path / "kept"
    tuned_on(client, tmp_path / "log", resume=kept, **ASKED)
    with pytest.raises(bt.FileError, match="horizon was 25 and is 26"):
        tuned_on(client, tmp_path / "log", resume=kept, horizon=26, alpha=(0.0, 2.0))
    write(parts[0], rows_of(12, seed=9))
    with pytest.raises(bt.FileError, match=r"part0\.parquet was changed since its checkpoint"):
        tuned_on(client, tmp_path / "log", resume=kept, **ASKED)
    damaged = next(kept.glob("partitions/*.npz"))
    damaged.write_bytes(damaged.read_bytes()[:100])
    with pytest.raises(bt.FileError, match=r"(is damaged|was changed)"):
        tuned_on(client, tmp_path / "log", resume=kept, **ASKED)


def test_killed_drivers_change_no_bit(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path / "log", 8)
    arguments = ["tune", str(tmp_path / "log"), "--horizon", "25", "--alpha", "0", "2", "--json"]
    there = [*arguments, "--cluster", client.scheduler.address, "--resume", str(tmp_path / "kept")]
    for enough in (1, 4):
        process = subprocess.Popen([*COMMAND, *there], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("kept/partitions/*.npz"))) < enough and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.wait()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("kept/partitions/*.npz")}
    assert before
    done = banditune(*there, "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert "Read " in done.stderr
    here = bt.tune(bt.UCB, bt.read_log(tmp_path / "log"), **ASKED)
    assert same(bt.load(tmp_path / "out" / "tuned.json"), here)
    assert (tmp_path / "out" / "report.html").exists()


def test_cluster_that_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    nobody = "tcp://127.0.0.1:9"
    with pytest.raises(cluster.ClusterError, match=f"no Dask scheduler answers at {nobody}"), cluster.connect(nobody):
        pass
    with (
        pytest.raises(cluster.ClusterError, match="no Dask scheduler answers at tls:"),
        cluster.connect("tls://127.0.0.1:9"),
    ):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    advice = r'a cluster needs Dask: pip install "banditune\[cluster\]"'
    with pytest.raises(bt.ParameterError, match=advice), cluster.connect(nobody):
        pass


class Workers:
    """Stands for a client whose workers answer as told."""

    def __init__(self, **answers: object) -> None:
        self._answers = answers

    def wait_for_workers(self, _n: int, timeout: float) -> None:
        pass

    def run(self, function: Any, *_: object, on_error: str = "raise") -> dict[str, object]:
        return {"tcp://worker": self._answers[function.__name__]}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"version": "0.0.1"}, "worker tcp://worker has banditune 0.0.1"),
        ({"version": ImportError("no module")}, "worker tcp://worker cannot import banditune: no module"),
        ({"version": bt.__version__, "is_shared_folder": False}, "does not see .*that all workers share"),
    ],
)
def test_unfit_workers_are_rejected(tmp_path: Path, answers: dict[str, object], message: str) -> None:
    with pytest.raises(cluster.ClusterError, match=message):
        cluster.check_workers(Workers(**answers), tmp_path)


def test_folder_is_seen_by_its_token(tmp_path: Path) -> None:
    assert not files.is_shared_folder(tmp_path, "abc")
    (tmp_path / files.TOKEN).write_text("abc")
    assert files.is_shared_folder(tmp_path, "abc")
    assert not files.is_shared_folder(tmp_path, "abcd")


def test_workers_started_here_leave_interruptions_to_the_driver() -> None:
    with cluster.connect("local", 1) as client:
        assert list(client.run(signal.getsignal, signal.SIGINT).values()) == [signal.SIG_IGN]


def test_client_says_nothing_of_its_own_when_the_cluster_is_lost(client: Any) -> None:
    with cluster.connect(client.scheduler.address):
        assert not logging.getLogger("distributed.client").isEnabledFor(logging.ERROR)
