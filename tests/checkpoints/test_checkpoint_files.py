"""Files of finished work: what was written comes back, what was changed is named, what was asked has its own name."""

import re
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.checkpoints.checkpoint_files import (
    CheckpointError,
    digest,
    name_piece,
    plain_data,
    read_piece,
    reject_changes,
    write_piece,
)

NOTE = {"state": "12 bytes", "numbers": (1, 2.5, None), "name": "caf\u00e9"}
ARRAYS = {"left": np.linspace(0.0, 1.0, 5), "counts": np.arange(6, dtype=np.uint64).reshape(2, 3)}


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    write_piece(tmp_path / "a.npz", NOTE, ARRAYS)
    note, arrays = read_piece(tmp_path / "a.npz")
    assert note == {"state": "12 bytes", "numbers": [1, 2.5, None], "name": "caf\u00e9"}
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert (arrays[name] == array).all()
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


def test_no_changed_bit_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    write_piece(file, NOTE, ARRAYS)
    content = file.read_bytes()
    messages = []
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        file.write_bytes(damaged)
        try:
            note, arrays = read_piece(file)
            assert note == plain_data(NOTE)  # a time or another part of the container that is not used
            assert all((arrays[name] == array).all() for name, array in ARRAYS.items())
        except CheckpointError as error:
            messages.append(str(error))
    assert len(messages) > len(content) / 2
    told = re.compile(rf"{re.escape(str(file))} is damaged \(.*\); remove it, and .*", re.DOTALL)
    assert all(told.fullmatch(message) for message in messages)


def test_file_that_is_not_there_or_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"a\.npz"):
        read_piece(tmp_path / "a.npz")
    with pytest.raises(CheckpointError, match=r"cannot write .*a\.npz"):
        write_piece(tmp_path / "none" / "a.npz", NOTE)
    with pytest.raises(bt.FileError, match="only if its arguments can be saved"):
        write_piece(tmp_path / "a.npz", {"what": object()})


def test_names_differ_with_what_is_asked_and_only_then() -> None:
    asked = {"horizon": 20, "alpha": (0.0, 1.0)}
    assert name_piece("unit", asked) == name_piece("unit", {"alpha": np.array([0.0, 1.0]), "horizon": np.int64(20)})
    others = [{"horizon": 21, "alpha": (0.0, 1.0)}, {"horizon": 20, "alpha": (0.0, 1.0 + 2**-52)}, {"horizon": 20}, []]
    assert len({digest(each) for each in (asked, *others)}) == 5


def test_changes_are_named() -> None:
    reject_changes("here", {"a": 1}, {"a": 1}, "folder")
    with pytest.raises(bt.FileError, match=r"^here holds .*: a was 1 and is 2; b was None and is 3\. .*folder$"):
        reject_changes("here", {"a": 1}, {"a": 2, "b": 3}, "folder")
