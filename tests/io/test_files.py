"""Files of one's own among those of others."""

import os
from pathlib import Path

import pytest

from banditune.io.files import remove_half_written, write_text


def half_written(folder: Path, name: str) -> Path:
    """What `write_text` leaves in a folder when it is killed, by its own doing."""
    left: list[Path] = []

    def killed(beside: str, target: Path) -> None:
        left.append(Path(beside).rename(f"{beside}.kept"))
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            write_text(folder / name, "half")
    return left[0].rename(str(left[0]).removesuffix(".kept"))


def test_only_what_was_half_written_under_our_names_is_removed(tmp_path: Path) -> None:
    ours = [half_written(tmp_path, "000001.npz") for _ in range(3)]
    others = [
        ".thesis.tex.part",
        ".000001.npz.part",
        ".000001.npz.abcdefg.part",
        ".000001.npz.abcdefghi.part",
        ".000001.npz.ABCDEFGH.part",
        ".000001.npz.abcdefgh.part~",
        "000001.npz.abcdefgh.part",
        ".1.npz.abcdefgh.part",
        ".notes.npz.abcdefgh.part",
    ]
    for name in others:
        (tmp_path / name).write_text("mine")
    (tmp_path / ".000002.npz.aaaaaaaa.part").mkdir()
    (tmp_path / ".000003.npz.aaaaaaaa.part").symlink_to(tmp_path / others[0])
    remove_half_written(tmp_path, r"\d{6}\.npz")
    assert not any(path.exists() for path in ours)
    assert all((tmp_path / name).read_text() == "mine" for name in others)
    assert (tmp_path / ".000002.npz.aaaaaaaa.part").is_dir()
    assert (tmp_path / ".000003.npz.aaaaaaaa.part").is_symlink()
