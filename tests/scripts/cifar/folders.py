"""Tiny folders in the format of CIFAR's version for Python."""

import pickle
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def random_pixels(n: int, seed: int = 0) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (n, 3072), dtype=np.uint8)


def dump(path: Path, pixels: NDArray[np.uint8], labels: list[int], *, name: str = "labels", protocol: int = 2) -> None:
    content = {b"data": pixels, name.encode(): labels, b"filenames": [b"a.png"] * len(labels)}
    path.write_bytes(pickle.dumps(content, protocol=protocol))


def python2_pickle(pixels: NDArray[np.uint8], labels: list[int]) -> bytes:
    """The very bytes Python 2 wrote into the files that are published, for other images."""

    def text(value: bytes) -> bytes:
        return b"U" + bytes([len(value)]) + value

    shape = b"M" + struct.pack("<H", len(pixels)) + b"M" + struct.pack("<H", 3072) + b"\x86"
    kind = b"cnumpy\ndtype\n" + text(b"u1") + b"K\x00K\x01\x87R"
    kind_state = b"(K\x03" + text(b"|") + b"NNN" + b"J\xff\xff\xff\xff" * 2 + b"K\x00tb"
    content = b"\x89T" + struct.pack("<i", pixels.size) + pixels.tobytes()
    empty = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85" + text(b"b") + b"\x87R"
    array = empty + b"(K\x01" + shape + kind + kind_state + content + b"tb"
    listed = b"](" + b"".join(b"K" + bytes([label]) for label in labels) + b"e"
    return b"\x80\x02}(" + text(b"data") + array + text(b"labels") + listed + b"u."


def cifar10_folder(folder: Path, n: int = 12) -> tuple[NDArray[np.uint8], list[int]]:
    """Five batches and a test batch; all images and labels in the order of reading."""
    names = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
    every = [random_pixels(n, seed) for seed in range(len(names))]
    labels = [[(i * 7 + seed) % 10 for i in range(n)] for seed in range(len(names))]
    for name, pixels, given in zip(names, every, labels, strict=True):
        dump(folder / name, pixels, given)
    return np.concatenate(every), [label for given in labels for label in given]
