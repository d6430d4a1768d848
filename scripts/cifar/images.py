"""The images: read from JPEG files in an npz or from CIFAR's own folders, made small, standardised."""

import hashlib
import io
import itertools
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banditune.errors import FileError
from banditune.io.files import read_arrays
from banditune.rng import generator
from scripts.cifar.pickles import read_batch
from scripts.cifar.settings import SIDE, Settings

CIFAR10 = ("labels", [f"data_batch_{i}" for i in range(1, 6)], ["test_batch"])
CIFAR100 = ("fine_labels", ["train"], ["test"])


@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """Images as they come: `pixels` (n, 32, 32, 3), `labels` (n,), `is_test` (n,)."""

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]
    is_test: NDArray[np.bool_]

    def __post_init__(self) -> None:
        n = len(self.labels)
        if self.pixels.shape != (n, SIDE, SIDE, 3) or self.is_test.shape != (n,):
            got = f"{self.pixels.shape}, {self.labels.shape} and {self.is_test.shape}"
            raise FileError(f"images must have {SIDE} x {SIDE} x 3 pixels, a label and a part each; got {got}")
        if self.is_test.all() or not self.is_test.any():
            raise FileError("there must be images to train on and images to test on")
        if self.labels.min() < 0 or self.n_classes < 2:
            raise FileError("labels must be whole numbers from 0, and of two classes at least")

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.labels.max()) + 1

    @property
    def digest(self) -> str:
        """A few letters that tell these images from others."""
        digest = hashlib.blake2b(digest_size=8)
        for array in (self.pixels, self.labels.astype("<i8"), self.is_test):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """What networks see: `train` (n, d) and `test` (m, d) standardised, with their labels (n,) and (m,)."""

    train: NDArray[np.float32]
    train_labels: NDArray[np.int64]
    test: NDArray[np.float32]
    test_labels: NDArray[np.int64]
    n_classes: int


def read_images(path: str | os.PathLike[str]) -> Images:
    """Images from an npz of JPEG files, or from the folder of CIFAR-10 or CIFAR-100 (the versions for Python)."""
    place = Path(path)
    if not place.is_dir():
        return _from_jpeg(place)
    for labels, train, test in (CIFAR10, CIFAR100):
        if (place / train[0]).exists():
            batches = [read_batch(place / name, labels) for name in (*train, *test)]
            sizes = [len(given) for _, given in batches]
            rows = np.concatenate([images for images, _ in batches])
            return Images(
                pixels=np.ascontiguousarray(rows.reshape(-1, 3, SIDE, SIDE).transpose(0, 2, 3, 1)),
                labels=np.concatenate([given for _, given in batches]),
                is_test=np.repeat([name in test for name in (*train, *test)], sizes),
            )
    raise FileError(f"{place} must hold data_batch_1 to data_batch_5 and test_batch, or train and test")


def prepare(images: Images, settings: Settings) -> TrainingData:
    """The images to train on, drawn by the seed, and all test images; small, each channel with mean 0 and sd 1."""
    candidates = np.flatnonzero(~images.is_test)
    if candidates.size < settings.images:
        raise FileError(f"there must be {settings.images} images to train on, got {candidates.size}")
    drawn = generator(settings.seed, "cifar", "images").permutation(candidates)[: settings.images]
    square = SIDE // settings.side
    blocks = images.pixels.reshape(-1, settings.side, square, settings.side, square, 3)
    small = blocks.mean(axis=(2, 4), dtype=np.float64)
    channels = small[drawn].reshape(-1, 3)
    spread = channels.std(axis=0)
    even = (small - channels.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    rows = even.reshape(len(small), -1).astype(np.float32)
    return TrainingData(
        train=rows[drawn],
        train_labels=images.labels[drawn],
        test=rows[images.is_test],
        test_labels=images.labels[images.is_test],
        n_classes=images.n_classes,
    )


def _from_jpeg(path: Path) -> Images:
    """`blob`: JPEG files end to end; image i is blob[offsets[i]:offsets[i + 1]]; `y`; `is_test`."""
    try:
        from PIL import Image
    except ImportError:
        raise FileError('reading JPEG files needs Pillow: pip install "banditune[cifar]"') from None
    blob, offsets, labels, is_test = read_arrays(path, "blob", "offsets", "y", "is_test")
    if not all(array.dtype.kind in "bui" and array.ndim == 1 for array in (blob, offsets, labels, is_test)):
        raise FileError(f"{path}: blob, offsets, y and is_test must be rows of whole numbers")
    if len(offsets) != len(labels) + 1:
        raise FileError(f"{path}: offsets must be one more than labels, got {len(offsets)} and {len(labels)}")
    pixels = np.empty((len(labels), SIDE, SIDE, 3), dtype=np.uint8)
    ends = offsets.tolist()
    for i, content in enumerate(blob[start:stop].tobytes() for start, stop in itertools.pairwise(ends)):
        try:
            with Image.open(io.BytesIO(content), formats=["JPEG"]) as picture:
                if picture.size != (SIDE, SIDE):
                    raise ValueError(f"it has {picture.width} x {picture.height}")
                pixels[i] = np.asarray(picture.convert("RGB"))
        except (OSError, ValueError) as error:
            raise FileError(f"{path}: image {i} is no JPEG file of {SIDE} x {SIDE} pixels: {error}") from None
    return Images(pixels, labels.astype(np.int64), is_test.astype(bool))
