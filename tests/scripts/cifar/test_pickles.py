"""Pickles are read as data: right files give their arrays, all others an error and nothing else."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from scripts.cifar.pickles import STAND_INS, read_batch
from tests.scripts.cifar.folders import dump, python2_pickle, random_pixels


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4])
def test_images_and_labels_come_back(protocol: int, tmp_path: Path) -> None:
    dump(tmp_path / "train", random_pixels(5), [3, 99, 0, 1, 2], name="fine_labels", protocol=protocol)
    images, labels = read_batch(tmp_path / "train", "fine_labels")
    assert (images == random_pixels(5)).all()
    assert labels.tolist() == [3, 99, 0, 1, 2]


def test_files_as_python_2_wrote_them_are_read(tmp_path: Path) -> None:
    content = python2_pickle(random_pixels(3), [9, 0, 4])
    (tmp_path / "data_batch_1").write_bytes(content)
    images, labels = read_batch(tmp_path / "data_batch_1", "labels")
    assert (images == random_pixels(3)).all()
    assert labels.tolist() == [9, 0, 4]


def test_arrays_stored_by_columns_are_read(tmp_path: Path) -> None:
    dump(tmp_path / "batch", np.asfortranarray(random_pixels(4)), [0, 1, 2, 3])
    assert (read_batch(tmp_path / "batch", "labels")[0] == random_pixels(4)).all()


class Hostile:
    """What it asks for when it is read."""

    def __init__(self, function: object, *arguments: object) -> None:
        self.asks = function, arguments

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.asks


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_hostile_pickles_are_rejected_and_do_nothing(protocol: int, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for hostile in (
        Hostile(os.system, f"touch {mark}"),
        Hostile(eval, f"open({str(mark)!r}, 'w')"),
        Hostile(open, str(mark), "w"),
    ):
        path = tmp_path / "data_batch_1"
        path.write_bytes(pickle.dumps({b"data": random_pixels(1), b"labels": [0], b"x": hostile}, protocol=protocol))
        with pytest.raises(bt.FileError, match=r"data_batch_1 is no file of CIFAR: it asks for '\w+\.\w+'"):
            read_batch(path, "labels")
        assert not mark.exists()


@pytest.mark.parametrize("name", ["numpy\nndarray", "numpy\ndtype", "_codecs\nencode"])
def test_what_stands_in_for_numpy_cannot_be_changed_by_a_pickle(name: str, tmp_path: Path) -> None:
    before = {stand_in: dict(vars(stand_in)) for stand_in in STAND_INS.values()}
    for state in (b"}U\x01aK\x01s", b"N}U\x08__init__K\x01s\x86"):
        (tmp_path / "batch").write_bytes(b"\x80\x02c" + name.encode() + b"\n" + state + b"b.")
        with pytest.raises(bt.FileError):
            read_batch(tmp_path / "batch", "labels")
    assert {stand_in: dict(vars(stand_in)) for stand_in in STAND_INS.values()} == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], "must hold a dictionary, got list"),
        ({b"labels": [1]}, "must hold 'data'"),
        ({b"data": random_pixels(1)}, "must hold 'labels'"),
        ({b"data": [[1] * 3072], b"labels": [1]}, "rows of 3,072 bytes"),
        ({b"data": random_pixels(1).astype(np.int32), b"labels": [1]}, "rows of 3,072 bytes"),
        ({b"data": random_pixels(1)[:, :5], b"labels": [1]}, "rows of 3,072 bytes"),
        ({b"data": random_pixels(2), b"labels": [1]}, "a label an image, got 1 for 2 images"),
        ({b"data": random_pixels(1), b"labels": [-1]}, "list of whole numbers"),
        ({b"data": random_pixels(1), b"labels": ["cat"]}, "list of whole numbers"),
    ],
)
def test_files_that_hold_something_else_are_rejected(content: object, message: str, tmp_path: Path) -> None:
    (tmp_path / "batch").write_bytes(pickle.dumps(content, protocol=2))
    with pytest.raises(bt.FileError, match=message):
        read_batch(tmp_path / "batch", "labels")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(bt.FileError, match=r"cannot read .*batch: No such file"):
        read_batch(tmp_path / "batch", "labels")


@given(at=st.integers(0, 300), byte=st.integers(0, 255), cut=st.booleans())
def test_broken_files_give_our_error_or_a_batch(
    at: int, byte: int, cut: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = bytearray(python2_pickle(random_pixels(1), [1]))
    whole[at % len(whole)] = byte
    path = tmp_path_factory.mktemp("broken") / "batch"
    path.write_bytes(bytes(whole[:at] if cut else whole))
    try:
        images, labels = read_batch(path, "labels")
    except bt.FileError:
        return
    assert images.shape == (labels.size, 3072)
