"""Units are done once, kept whole, known again, and the same whoever does them."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from banditune.experiments.machinery import runner
from banditune.experiments.machinery.runner import Conducted, conduct
from tests.experiments.tiny import DIARY, MADE, Made


@pytest.fixture(autouse=True)
def new_diary() -> Iterator[None]:
    DIARY.done.clear()
    DIARY.forbidden.clear()
    yield
    DIARY.forbidden.clear()


def conducted(folder: Path, *, settings: Made | None = None, workers: int = 1, seed: int = 0, **how: Any) -> Conducted:
    with ThreadPoolExecutor(workers) as pool:
        return conduct(MADE, folder, pool, settings=settings or MADE.full, seed=seed, **how)


def test_what_is_finished_is_not_done_again(tmp_path: Path) -> None:
    first = conducted(tmp_path)
    assert sorted(DIARY.done) == ["a", "b", "c", "d"]
    again = conducted(tmp_path)
    assert len(DIARY.done) == 4
    assert again.numbers == first.numbers


def test_after_a_failure_the_rest_is_done_and_the_numbers_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "stopped").mkdir()
    (tmp_path / "whole").mkdir()
    DIARY.forbidden.add("c")
    with pytest.raises(RuntimeError, match="c fails"):
        conducted(tmp_path / "stopped")
    done_before = [part for part in DIARY.done if part != "c"]
    assert "a" in done_before
    assert not (tmp_path / "stopped" / "made.json").exists()
    DIARY.forbidden.clear()
    DIARY.done.clear()
    resumed = conducted(tmp_path / "stopped")
    assert sorted([*DIARY.done, *done_before]) == ["a", "b", "c", "d"]
    assert conducted(tmp_path / "whole").numbers == resumed.numbers


def test_same_numbers_on_one_and_two_workers(tmp_path: Path) -> None:
    for workers in (1, 2):
        (tmp_path / str(workers)).mkdir()
    one, two = (conducted(tmp_path / str(workers), workers=workers) for workers in (1, 2))
    assert one.numbers == two.numbers
    assert (tmp_path / "1" / "made.json").read_bytes() == (tmp_path / "2" / "made.json").read_bytes()


@pytest.mark.parametrize("change", ["setting", "seed", "version", "source"])
def test_units_made_of_something_else_are_not_used(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conducted(tmp_path)
    DIARY.done.clear()
    if change == "version":
        monkeypatch.setattr("banditune.checkpoints.checkpoint_files.__version__", "0.0.0")
    if change == "source":
        monkeypatch.setattr(runner, "_source_of", lambda module: "another definition")
    conducted(tmp_path, settings=Made(size=5) if change == "setting" else None, seed=1 if change == "seed" else 0)
    assert sorted(DIARY.done) == ["a", "b", "c", "d"]


def test_another_part_leaves_finished_ones_alone(tmp_path: Path) -> None:
    conducted(tmp_path)
    DIARY.done.clear()
    conducted(tmp_path, settings=Made(parts=("a", "b", "c", "d", "e")))
    assert DIARY.done == ["e"]


@pytest.mark.parametrize("damage", ["cut", "text", "other"])
def test_a_broken_file_is_told_and_its_unit_done_again(damage: str, tmp_path: Path) -> None:
    first = conducted(tmp_path)
    (broken,) = (tmp_path / "units" / "made").glob("part-b-*.npz")
    (sound,) = (tmp_path / "units" / "made").glob("part-a-*.npz")
    content = {"cut": broken.read_bytes()[:50], "text": b"not arrays", "other": sound.read_bytes()}[damage]
    broken.write_bytes(content)
    DIARY.done.clear()
    said: list[str] = []
    assert conducted(tmp_path, say=said.append).numbers == first.numbers
    assert DIARY.done == ["b"]
    (message,) = said
    assert broken.name in message
    assert "computed again" in message


def test_progress_counts_what_was_kept(tmp_path: Path) -> None:
    conducted(tmp_path, settings=Made(parts=("a", "b")))
    told: list[tuple[int, int]] = []
    conducted(tmp_path, tell=lambda done, total: told.append((done, total)))
    assert told == [(2, 4), (3, 4), (4, 4)]


def test_files_hold_numbers_table_and_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = conducted(tmp_path)
    assert [path.name for path in done.written] == ["made.json", "made.md", "made.png", "made.svg"]
    numbers = json.loads((tmp_path / "made.json").read_text())
    assert numbers == done.numbers
    assert numbers["settings"] == {"parts": ["a", "b", "c", "d"], "size": 3}
    table = (tmp_path / "made.md").read_text()
    assert "| a \\| b | paper | 4 parts | yes |" in table
    assert "- all are there" in table
    assert "- read so" in table
    assert (tmp_path / "made.svg").read_text().startswith("<?xml")


def test_without_matplotlib_all_but_the_figure_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "can_draw", lambda: False)
    assert [path.name for path in conducted(tmp_path).written] == ["made.json", "made.md"]
