"""Temporary folders: gone with their process, whatever ended it; never one that is in use, nor another's."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import banditune as bt
from banditune.temporary_folders import LOCK, PREFIX, ScratchFolder, remove_abandoned_folders, remove_all

HOLD = """
import sys, time
from banditune.temporary_folders import ScratchFolder
folder = ScratchFolder()
(folder.path / "spilled").mkdir()
(folder.path / "spilled" / "much").write_bytes(bytes(1000))
print(folder.path, flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def begun() -> tuple["subprocess.Popen[str]", Path]:
    """A process that has a folder, and where."""
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_has_is_not() -> None:
    (killed, left), (living, held) = begun(), begun()
    try:
        killed.kill()
        killed.wait()
        assert (left / "spilled" / "much").exists()
        with ScratchFolder() as own:
            assert not left.exists()
            assert (held / "spilled" / "much").exists()
            remove_abandoned_folders()
            assert own.path.exists()
    finally:
        for process in (killed, living):
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
    remove_abandoned_folders()
    assert not held.exists()


def test_folders_that_are_not_surely_ours_are_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / LOCK).touch()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    unlocked = tmp_path / f"{PREFIX}without-a-lock"  # as another program, or one that begins right now, may have made
    unlocked.mkdir()
    (unlocked / "precious").touch()
    linked = tmp_path / f"{PREFIX}linked-lock"
    linked.mkdir()
    (linked / LOCK).symlink_to(elsewhere / LOCK)
    (tmp_path / f"{PREFIX}file").touch()
    before = sorted(tmp_path.rglob("*"))
    remove_abandoned_folders()
    assert sorted(tmp_path.rglob("*")) == before


def test_folders_of_other_users_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    abandoned = tmp_path / f"{PREFIX}abandoned"
    abandoned.mkdir()
    (abandoned / LOCK).touch()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: 12345)
        remove_abandoned_folders()
    assert abandoned.exists()
    remove_abandoned_folders()
    assert not abandoned.exists()


def test_a_folder_goes_with_its_block_with_its_object_and_with_all() -> None:
    with ScratchFolder() as first:
        (first.path / "file").touch()
    assert not first.path.exists()
    second = ScratchFolder()
    path = second.path
    del second
    assert not path.exists()
    third = ScratchFolder()
    remove_all()
    assert not third.path.exists()


def test_no_room_for_a_temporary_folder_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_folder(prefix: str) -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "mkdtemp", no_folder)
    with pytest.raises(bt.FileError, match=r"a temporary folder cannot be made: No usable .* Set TMPDIR"):
        ScratchFolder()


def test_a_folder_that_another_process_removes_at_the_same_time_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    abandoned = tmp_path / f"{PREFIX}abandoned"
    abandoned.mkdir()
    (abandoned / LOCK).touch()

    def find_it_gone(path: Path) -> list[Path]:
        shutil.rmtree(path)
        raise FileNotFoundError(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "iterdir", find_it_gone)
        remove_abandoned_folders()
    assert not abandoned.exists()
