"""Runs that are killed and started again: the same bits, nothing done twice, nothing mixed up."""

import errno
import os
import signal
import time
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import pytest

import banditune as bt
from banditune import interruption
from banditune.checkpoints import task_chunks as chunks
from banditune.checkpoints.checkpoint_files import write_piece
from banditune.tuning.search import Search
from tests.forked import start_forked
from tests.io.test_files import half_written
from tests.strategies import drawn_task

ASKED = {"horizon": 30, "alpha": (0.0, 2.0)}


def some_tasks(n_tasks: int = 40) -> list[bt.Task]:
    rng = np.random.default_rng(3)
    return [drawn_task(rng, int(rng.integers(2, 5)), 30, "bernoulli") for _ in range(n_tasks)]


def same(one: bt.Tuned, other: bt.Tuned) -> bool:
    return one.curve == other.curve and one.summary() == other.summary()


@pytest.fixture(autouse=True)
def many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bt.UCB, "chunk", 200)
    monkeypatch.setattr(chunks, "SECONDS", 0.0)  # what is finished is written at once


class Counting:
    """Counts the tasks that are swept."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, fails_after: int | None = None) -> None:
        self.swept = 0
        curves = Search.curves

        def counted(search: Search, tasks: list[bt.Task], first: int | None = None) -> object:
            if fails_after is not None and self.swept >= fails_after:
                raise KeyboardInterrupt
            self.swept += len(tasks)
            return curves(search, tasks, first)

        monkeypatch.setattr(Search, "curves", counted)


def test_nothing_is_done_twice_and_the_bits_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = some_tasks()
    plain = bt.tune(bt.UCB, tasks, **ASKED)
    with monkeypatch.context() as patch:
        broken = Counting(patch, fails_after=20)
        with pytest.raises(KeyboardInterrupt):
            bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED)
    assert 0 < broken.swept < 40
    counting = Counting(monkeypatch)
    assert same(bt.tune(bt.UCB, iter(tasks), resume=tmp_path, **ASKED), plain)
    assert 0 < counting.swept <= 40 - broken.swept + 2 * 4  # a chunk under way on each core may have been lost
    counting.swept = 0
    assert same(bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED), plain)
    assert counting.swept == 0


def test_chunks_that_end_early_are_kept_while_the_first_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves = Search.curves

    def first_fails_last(search: Search, tasks: list[bt.Task], first: int | None = None) -> object:
        if first == 0:
            time.sleep(1.0)
            raise bt.TaskError("the first")
        return curves(search, tasks, first)

    with monkeypatch.context() as patch:
        patch.setattr(Search, "curves", first_fails_last)
        patch.setattr(interruption, "n_cores", lambda: 2)
        with pytest.raises(bt.TaskError, match="the first"):
            bt.tune(bt.UCB, some_tasks(), resume=tmp_path, **ASKED)
    counting = Counting(monkeypatch)
    bt.tune(bt.UCB, some_tasks(), resume=tmp_path, **ASKED)
    assert counting.swept <= 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 31}, "horizon was 30 and is 31"),
        ({"alpha": (0.0, 1.0)}, r"alpha was \[0.0, 2.0\] and is \[0.0, 1.0\]"),
        ({"seed": 1}, "seed was 0 and is 1"),
        ({"loss": "reward"}, "loss was 'regret' and is 'reward'"),
    ],
)
def test_another_question_is_rejected(tmp_path: Path, change: dict[str, object], message: str) -> None:
    bt.tune(bt.UCB, some_tasks(4), resume=tmp_path, **ASKED)
    with pytest.raises(bt.FileError, match=rf"work of another run: {message}"):
        bt.tune(bt.UCB, some_tasks(4), resume=tmp_path, **ASKED | change)


def test_another_version_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bt.tune(bt.UCB, some_tasks(4), resume=tmp_path, **ASKED)
    monkeypatch.setattr("banditune.checkpoints.checkpoint_files.__version__", "9.9")
    with pytest.raises(bt.FileError, match=r"version was .* and is '9\.9'"):
        bt.tune(bt.UCB, some_tasks(4), resume=tmp_path, **ASKED)


def test_other_tasks_are_rejected_by_their_numbers(tmp_path: Path) -> None:
    tasks = some_tasks()
    bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED)
    for place in (0, 17, 39):
        changed = list(tasks)
        changed[place] = bt.Task([[0.5, 0.25], [1.0]])
        with pytest.raises(bt.FileError, match=r"tasks\[\d+:\d+\] have changed"):
            bt.tune(bt.UCB, changed, resume=tmp_path, **ASKED)
    with pytest.raises(bt.FileError, match=r"have changed|more tasks than there are"):
        bt.tune(bt.UCB, tasks[:20], resume=tmp_path, **ASKED)
    renamed = [bt.Task(tasks[0].rewards, name="other"), *tasks[1:]]
    with pytest.raises(bt.FileError, match="have changed"):
        bt.tune(bt.UCB, renamed, resume=tmp_path, **ASKED)


def test_folder_with_other_things_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(bt.FileError, match=r"must be empty or hold the checkpoints of a run, but it holds notes\.txt"):
        bt.tune(bt.UCB, some_tasks(4), resume=tmp_path, **ASKED)
    with pytest.raises(bt.FileError, match=r"cannot create the folder .*notes\.txt"):
        bt.tune(bt.UCB, some_tasks(4), resume=tmp_path / "notes.txt", **ASKED)


def contents_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """All that is in a folder, with when it was changed and what it holds."""
    found = {}
    for path in (folder, *folder.rglob("*")):
        held = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (held.st_mode, held.st_mtime_ns, content)
    return found


def foreign_folder(folder: Path) -> None:
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / ".thesis.tex.part").write_text("mine")
    (folder / ".movie.mkv.part").write_text("mine")
    (folder / ".asked.json.abcdefgh.part").write_text("mine")
    (folder / ".d.part").mkdir()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (None, "must be empty or hold the checkpoints of a run, but it holds docs"),
        ("{}", r'asked\.json must have "format": "banditune\.checkpoint/2", got None; give another folder'),
        ("[1]", r"asked\.json must have"),
        ("notes, no JSON", r"asked\.json is not JSON"),
        ("[" * 9999, r"asked\.json is nested too deeply"),
        ('{"format": "banditune.checkpoint/1"}', r"must have .*, got 'banditune\.checkpoint/1'; give another folder"),
        ('{"format": "banditune.checkpoint/2", "horizon": 7}', "holds the work of another run"),
    ],
)
def test_folder_that_is_rejected_is_not_touched(tmp_path: Path, asked: str | None, message: str) -> None:
    foreign_folder(tmp_path / "home")
    if asked is not None:
        (tmp_path / "home" / "asked.json").write_text(asked)
    before = contents_of(tmp_path)
    with pytest.raises(bt.FileError, match=message):
        bt.tune(bt.UCB, some_tasks(4), resume=tmp_path / "home", **ASKED)
    assert contents_of(tmp_path) == before


def test_folder_of_hidden_things_keeps_them(tmp_path: Path) -> None:
    (tmp_path / ".d.part").mkdir()
    mine = [tmp_path / ".thesis.tex.part", tmp_path / ".000000.npz.abcdefgh.part", tmp_path / ".d.part" / "mine"]
    for file in mine:
        file.write_text("mine")
    for _ in range(2):
        bt.tune(bt.UCB, some_tasks(4), resume=tmp_path, **ASKED)
    assert all(file.read_text() == "mine" for file in mine)


def test_what_a_killed_run_was_writing_is_removed_and_nothing_else(tmp_path: Path) -> None:
    tasks = [bt.Task([[0.0, 1.0, 1.0], [0.5, 0.25, 0.0]], arms=["a", "b"], name=f"{k}") for k in range(4)]
    asked: dict[str, Any] = {"horizon": 5, "alpha": (0.0, 1.0), "prior_means": (0.0, 1.0)}
    expected = bt.tune(bt.UCB, tasks, resume=tmp_path, **asked)
    files_kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != ".lock"]
    assert {path.suffix for path in files_kept} == {".json", ".npz"}
    ours = [half_written(path.parent, path.name) for path in files_kept]
    sweep = next(tmp_path.glob("sweep-*"))
    others = [tmp_path / ".thesis.tex.part", sweep / ".thesis.tex.part", sweep / ".other.npz.abcdefgh.part"]
    others.append(sweep / "other.npz")
    for file in others:
        file.write_text("mine")
    assert same(bt.tune(bt.UCB, tasks, resume=tmp_path, **asked), expected)
    assert not any(file.exists() for file in ours)
    assert all(file.read_text() == "mine" for file in others)


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"horizon": -1}, bt.ParameterError),
        ({"alpha": (1.0, 0.0)}, bt.ParameterError),
        ({"tasks": [7]}, bt.TaskError),
        ({"tasks": []}, bt.TaskError),
        ({"alpha": (0.0, object())}, bt.FileError),
    ],
)
def test_run_that_finished_nothing_leaves_nothing(
    tmp_path: Path, change: dict[str, Any], error: type[bt.InputError], exists: bool
) -> None:
    if exists:
        (tmp_path / "kept").mkdir()
    given = {"tasks": some_tasks(4), **ASKED, **change}
    with pytest.raises(error):
        bt.tune(bt.UCB, given.pop("tasks"), resume=tmp_path / "kept", **given)
    assert list(tmp_path.rglob("*")) == [tmp_path / "kept"] * exists


def test_run_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    bt.tune(bt.UCB, some_tasks(4), resume=tmp_path, **ASKED)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(bt.FileError, match="other tasks"):
        bt.tune(bt.UCB, [7], resume=tmp_path, **ASKED)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_folder_is_for_one_run_at_a_time(tmp_path: Path) -> None:
    def nested() -> object:
        yield some_tasks(1)[0]
        with pytest.raises(bt.FileError, match="in use by another run"):
            bt.tune(bt.UCB, some_tasks(4), resume=tmp_path, **ASKED)

    bt.tune(bt.UCB, nested(), resume=tmp_path, **ASKED)
    bt.tune(bt.UCB, some_tasks(1), resume=tmp_path, **ASKED)


def test_run_goes_on_where_files_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(handle: int, *, blocking: bool) -> bool:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(filelock, "lock_descriptor", no_locks)
    tasks = some_tasks(4)
    assert same(bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED), bt.tune(bt.UCB, tasks, **ASKED))


def test_full_disk_is_told_and_what_was_written_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = some_tasks()
    replace, written = os.replace, []

    def full_after_some(beside: str, target: Path) -> None:
        written.append(target)
        if len(written) > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(beside, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full_after_some)
        with pytest.raises(bt.FileError, match=r"cannot write .*\.npz: No space left on device"):
            bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED)
    assert not list(tmp_path.rglob("*.part"))
    counting = Counting(monkeypatch)
    assert same(bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED), bt.tune(bt.UCB, tasks, **ASKED))
    assert counting.swept < 80


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and then nothing", b"\x93NUMPY"])
def test_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    tasks = some_tasks()
    bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED)
    file = next(tmp_path.glob("*/*.npz"))
    file.write_bytes(content)
    with pytest.raises(bt.FileError, match=rf"{file.name} is damaged .* remove it"):
        bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED)
    file.unlink()
    assert same(bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED), bt.tune(bt.UCB, tasks, **ASKED))


def test_damage_anywhere_is_named_once_or_does_no_harm(tmp_path: Path) -> None:
    tasks = some_tasks(8)
    expected = bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED)
    file = next(tmp_path.glob("*/*.npz"))
    content = file.read_bytes()
    rng = np.random.default_rng(1)
    messages = []
    for place, bit in zip(rng.integers(len(content), size=150), rng.integers(8, size=150), strict=True):
        damaged = bytearray(content)
        damaged[place] ^= 1 << bit
        file.write_bytes(damaged)
        try:
            assert same(bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED), expected)
        except bt.FileError as error:
            messages.append(str(error))
    assert messages
    for message in messages:
        assert message.startswith(f"{file} is damaged (")
        assert message.count("is damaged") == 1


@pytest.mark.parametrize("content", [b"{}", {}, [], 7, {"n_lines": 3}, "changed"])
def test_damaged_note_is_named(tmp_path: Path, content: Any) -> None:
    tasks = [bt.Task([[0.0, 1.0, 1.0], [0.5, 0.25, 0.0]], arms=["a", "b"], name=f"{k}") for k in range(4)]
    asked: dict[str, Any] = {"horizon": 5, "alpha": (0.0, 1.0), "prior_means": (0.0, 1.0)}
    bt.tune(bt.UCB, tasks, resume=tmp_path, **asked)
    note = next(tmp_path.glob("priors-*.npz"))
    if content == "changed":  # a digit of a number
        content = note.read_bytes().replace(b'"n_lines": ', b'"n_lines": 1')
    if isinstance(content, bytes):
        note.write_bytes(content)
    else:
        write_piece(note, content)
    with pytest.raises(bt.FileError, match=rf"{note.name} is damaged .* remove it"):
        bt.tune(bt.UCB, tasks, resume=tmp_path, **asked)


def test_objects_that_could_run_code_are_not_read(tmp_path: Path) -> None:
    tasks = some_tasks(4)
    bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED)
    file = next(tmp_path.glob("*/*.npz"))
    np.savez(file, numbers=np.array([{"a": 1}], dtype=object))
    with pytest.raises(bt.FileError, match="is damaged"):
        bt.tune(bt.UCB, tasks, resume=tmp_path, **ASKED)


def test_every_kind_of_search_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    contextual = [bt.ContextualTask(rng.random((30, 3, 2)), rng.random((30, 3))) for _ in range(6)]
    logs = [bt.LoggedTask(rng.random((200, 2)), rng.integers(2, size=200), rng.random(200)) for _ in range(3)]
    grid = np.linspace(0.0, 1.0, 5)[:, None]
    points = [bt.Task(rng.random((5, 4)), points=grid) for _ in range(3)]
    named = [bt.Task(rng.random((3, 20)), arms=["a", "b", "c"]) for _ in range(8)]
    asked = {
        "several": (bt.LinUCB, contextual, {"horizon": 30, "alpha": (0.0, 2.0), "ridge": [0.5, 1.0]}),
        "logs": (bt.LinUCB, logs, {"horizon": 200, "alpha": (0.0, 2.0), "loss": "reward", "disjoint": True}),
        "in turn": (bt.GPUCB, points, {"horizon": 4, "noise": (0.01, 1.0), "beta": (0.1, 1.0)}),
        "priors": (bt.UCB, named, {"horizon": 20, "alpha": (0.0, 1.0), "prior_means": (0.0, 1.0)}),
    }
    for name, (policy, tasks, how) in asked.items():
        first = bt.tune(policy, tasks, resume=tmp_path / name, **how)
        with monkeypatch.context() as patch:
            counting = Counting(patch)
            assert same(bt.tune(policy, tasks, resume=tmp_path / name, **how), first), name
            assert counting.swept == 0, name
        assert same(bt.tune(policy, tasks, **how), first), name


def tune_slowly(folder: Path, saved: Path, begun: Connection) -> None:
    """Tune with many small chunks, each of which takes a while; tell when it is about to begin."""
    chunks.SECONDS, bt.UCB.chunk = 0.0, 200
    curves = Search.curves

    def slow(search: Search, tasks: list[bt.Task], first: int | None = None) -> object:
        time.sleep(0.05)
        return curves(search, tasks, first)

    Search.curves = slow  # type: ignore[method-assign, assignment]
    begun.send(True)
    bt.tune(bt.UCB, some_tasks(), resume=folder, **ASKED).save(saved)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal here")
def test_killed_again_and_again_it_ends_with_the_same_bits(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    expected = bt.tune(bt.UCB, some_tasks(), **ASKED)
    kills = 0
    for attempt in range(6):
        told, tells = Pipe(duplex=False)
        process = start_forked(tune_slowly, tmp_path / "kept", tmp_path / "tuned.json", tells)
        assert told.recv()
        process.join(None if attempt == 5 else (attempt + 1) * float(rng.uniform(0.02, 0.2)))
        if process.exitcode is None:
            process.kill()
            process.join()
            kills += 1
        if process.exitcode == 0:
            break
    assert process.exitcode == 0
    assert kills >= 1
    assert same(bt.load(tmp_path / "tuned.json"), expected)
