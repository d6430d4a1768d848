"""Signals end the command soon and cleanly, wherever it is; a second one ends it at once."""

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from tests.cli.command import COMMAND, banditune, check_interruption, started, take_signals, wait_until_handled

LONG = ("tune", "--horizon", "100000")  # takes an hour
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Kernels that are compiled, so that it is not that which is interrupted: of short and of long runs."""
    assert banditune("tune", "--horizon", "20", "--json").returncode == 0
    bt.loss_curve(bt.UCB, bt.Task([[0.0, 1.0], [1.0, 0.0]]), horizon=5_000, alpha=(0.0, 0.1))


def write_log(path: Path, n_rows: int) -> None:
    rng = np.random.default_rng(0)
    tasks, arms, rewards = rng.integers(20, size=n_rows), rng.integers(5, size=n_rows), rng.random(n_rows)
    rows = (f"{t},{a},{r:.3f}" for t, a, r in zip(tasks, arms, rewards, strict=True))
    path.write_text("\n".join(["task,arm,reward", *rows]) + "\n")


@pytest.mark.parametrize(("by", "workers"), list(zip(SIGNALS, "211", strict=True)), ids=str)
def test_a_long_sweep_ends_at_the_first_signal(by: signal.Signals, workers: str, tmp_path: Path) -> None:
    check_interruption(*LONG, "--workers", workers, cwd=tmp_path, after=1.1, by=by)


def test_the_database_of_a_log_is_removed(tmp_path: Path) -> None:
    write_log(tmp_path / "log.csv", 2_000)
    check_interruption("tune", "log.csv", "--horizon", "200000", cwd=tmp_path, after=1.3, by=signal.SIGTERM)


@pytest.mark.parametrize(
    "module", ["typer", "rich.console", "numpy", "numba.core.typing", "banditune.kernels.lines.batch"]
)
def test_a_signal_while_it_loads_ends_it_without_a_traceback(module: str) -> None:
    code = """
import os, signal, sys
module = sys.argv.pop(1)

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from banditune.cli import main
main()
"""
    command = [COMMAND[0], "-c", code, module, *LONG]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=take_signals)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "banditune: interrupted\n")


def test_a_signal_while_options_are_read_is_told_as_well() -> None:
    code = """
import os, signal, sys
from typer.core import TyperGroup
read = TyperGroup.make_context

def interrupted(*arguments, **named):
    os.kill(os.getpid(), signal.SIGINT)
    return read(*arguments, **named)

TyperGroup.make_context = interrupted
from banditune.cli import main
main()
"""
    command = [COMMAND[0], "-c", code, *LONG]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=take_signals)
    assert (done.returncode, done.stdout) == (130, "")
    assert "banditune: interrupted\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_signal_of_which_the_database_makes_an_error_of_its_own_is_told_as_well(tmp_path: Path) -> None:
    """As it does while it hands rows over."""
    write_log(tmp_path / "log.csv", 20)
    code = """
import os, signal
from banditune.cli.signals import Terminated
from banditune.logs import engine

def interrupted(*arguments):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except Terminated:
        pass
    raise RuntimeError("Query interrupted")

engine.RowStream.__init__ = interrupted
from banditune.cli import main
main()
"""
    command = [COMMAND[0], "-c", code, "tune", "log.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, preexec_fn=take_signals)
    assert done.returncode == 143, done.stderr
    assert "banditune: ended by SIGTERM\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_long_games_of_compare_end_as_well(tmp_path: Path) -> None:
    check_interruption("compare", "--horizon", "3000000", "--no-priors", cwd=tmp_path, after=1.3, by=signal.SIGTERM)


def test_what_is_finished_is_kept(tmp_path: Path) -> None:
    write_log(tmp_path / "log.csv", 2_000)
    command = [*COMMAND, "tune", "log.csv", "--horizon", "1200", "--resume", "kept", "--workers", "1"]
    with started(command, cwd=tmp_path) as process:
        deadline = time.monotonic() + 240
        while not list((tmp_path / "kept").rglob("*.npz")) and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 143, stderr
    assert list((tmp_path / "kept").rglob("*.npz"))


def test_a_second_signal_ends_it_at_once_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    """The first is swallowed here, as a search of priors does, or C code that does not look."""
    code = """
import time
from banditune.cli.signals import raise_signals
from banditune.temporary_folders import ScratchFolder
with raise_signals():
    folder = ScratchFolder()
    try:
        print("ready", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print("again", flush=True)
        time.sleep(60)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with started([COMMAND[0], "-c", code], env=environment) as process:
        assert process.stdout is not None
        for word in ("ready", "again"):
            assert process.stdout.readline().strip() == word
            process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stderr == "banditune: ended at once\n"
    assert list(tmp_path.iterdir()) == []


def test_a_signal_within_a_callback_of_compiled_code_is_not_lost() -> None:
    code = """
import ctypes, os, signal
from typer.core import TyperGroup
read = TyperGroup.make_context

def interrupted(*arguments, **named):
    ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), signal.SIGTERM))()  # Python only complains of what it raises
    return read(*arguments, **named)

TyperGroup.make_context = interrupted
from banditune.cli import main
main()
"""
    done = subprocess.run(
        [COMMAND[0], "-c", code, *LONG],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=take_signals,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (143, "")
    assert done.stderr.endswith("banditune: ended by SIGTERM\n")
    assert "ignored" not in done.stderr


def test_signals_that_are_ignored_stay_so(tmp_path: Path) -> None:
    command = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *COMMAND, *LONG]
    with started(command, cwd=tmp_path) as process:
        wait_until_handled(process, signal.SIGTERM)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.6)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 143, stderr


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_log(tmp_path / "log.csv", 2_000)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [*COMMAND, "tune", "log.csv", "--horizon", "200000"]
    killed = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not list(temporary.rglob("log.duckdb")) and time.monotonic() < deadline:
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    assert list(temporary.rglob("log.duckdb"))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    done = banditune("tune", "log.csv", "--horizon", "20", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_output_that_cannot_be_written_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        command = [*COMMAND, "tune", "--horizon", "20", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "banditune: cannot write the output: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
