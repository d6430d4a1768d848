"""Images are read in both formats, and made small as described."""

import io
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from scripts.cifar.images import Images, prepare, read_images
from scripts.cifar.settings import Settings
from tests.scripts.cifar.folders import cifar10_folder, dump, random_pixels


def test_folder_of_cifar10_is_read(tmp_path: Path) -> None:
    rows, labels = cifar10_folder(tmp_path)
    images = read_images(tmp_path)
    assert images.labels.tolist() == labels
    assert images.is_test.tolist() == [False] * 60 + [True] * 12
    assert images.n_classes == 10
    assert images.pixels[3, 5, 7].tolist() == rows[3].reshape(3, 32, 32)[:, 5, 7].tolist()


def test_folder_of_cifar100_is_read_with_its_fine_labels(tmp_path: Path) -> None:
    dump(tmp_path / "train", random_pixels(3), [99, 0, 1], name="fine_labels")
    dump(tmp_path / "test", random_pixels(2), [5, 7], name="fine_labels")
    images = read_images(tmp_path)
    assert images.labels.tolist() == [99, 0, 1, 5, 7]
    assert images.n_classes == 100
    assert images.is_test.tolist() == [False] * 3 + [True] * 2


def test_folder_that_is_incomplete_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(bt.FileError, match="must hold data_batch_1 to data_batch_5 and test_batch, or train and test"):
        read_images(tmp_path)
    cifar10_folder(tmp_path)
    (tmp_path / "data_batch_4").unlink()
    with pytest.raises(bt.FileError, match="data_batch_4"):
        read_images(tmp_path)


def jpeg_npz(path: Path, pixels: np.ndarray, **changes: object) -> None:
    image = pytest.importorskip("PIL.Image")
    files = []
    for each in pixels:
        held = io.BytesIO()
        image.fromarray(each).save(held, "JPEG", quality=95)
        files.append(held.getvalue())
    arrays = {
        "blob": np.frombuffer(b"".join(files), dtype=np.uint8),
        "offsets": np.cumsum([0, *map(len, files)]),
        "y": np.arange(len(files), dtype=np.uint8) % 10,
        "is_test": np.arange(len(files)) % 2 == 1,
    }
    np.savez(path, **(arrays | changes))  # type: ignore[arg-type]


def test_jpeg_files_in_an_npz_are_read(tmp_path: Path) -> None:
    smooth = np.linspace(0, 255, 32).astype(np.uint8)
    pixels = np.stack([np.broadcast_to(smooth[:, None, None], (32, 32, 3)), np.full((32, 32, 3), 200, np.uint8)])
    jpeg_npz(tmp_path / "images.npz", pixels)
    images = read_images(tmp_path / "images.npz")
    assert np.abs(images.pixels.astype(int) - pixels).max() <= 3
    assert images.labels.tolist() == [0, 1]
    assert images.is_test.tolist() == [False, True]


def test_broken_npz_is_rejected_with_the_place(tmp_path: Path) -> None:
    path, pixels = tmp_path / "images.npz", np.zeros((2, 32, 32, 3), np.uint8)
    jpeg_npz(path, pixels, blob=np.zeros(9999, np.uint8))
    with pytest.raises(bt.FileError, match="image 0 is no JPEG file of 32 x 32"):
        read_images(path)
    jpeg_npz(path, np.zeros((2, 16, 32, 3), np.uint8))
    with pytest.raises(bt.FileError, match=r"image 0 .*it has 32 x 16"):
        read_images(path)
    jpeg_npz(path, pixels, offsets=np.array([0, 5]))
    with pytest.raises(bt.FileError, match="one more than labels, got 2 and 2"):
        read_images(path)
    jpeg_npz(path, pixels, offsets=np.array([0.0, 5.0, 6.0]))
    with pytest.raises(bt.FileError, match="rows of whole numbers"):
        read_images(path)
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(bt.FileError, match="cannot read"):
        read_images(path)
    with pytest.raises(bt.FileError, match=r"cannot read .*No such file"):
        read_images(tmp_path / "nothing.npz")


def some_images(n: int = 40) -> Images:
    pixels = np.random.default_rng(1).integers(0, 256, (n, 32, 32, 3), dtype=np.uint8)
    return Images(pixels, np.arange(n) % 10, np.arange(n) % 4 == 0)


def test_small_images_are_the_averages_of_squares_standardised_by_colour() -> None:
    images = some_images()
    data = prepare(images, Settings(images=30, side=8, batch=8))
    assert data.train.shape == (30, 192)
    assert data.test.shape == (10, 192)
    colours = data.train.reshape(-1, 3)
    assert np.abs(colours.mean(axis=0)).max() < 1e-6
    assert np.abs(colours.std(axis=0) - 1).max() < 1e-6
    corner = images.pixels[images.is_test][:, :4, 4:8].mean(axis=(1, 2))  # row 0, column 1 of the small image
    assert np.abs(np.corrcoef(corner[:, 2], data.test[:, 3 + 2])[0, 1] - 1) < 1e-6


def test_training_images_are_a_draw_of_the_seed_without_any_test_image() -> None:
    images = some_images()
    draws = [prepare(images, Settings(images=20, side=1, batch=8, seed=seed)) for seed in (0, 0, 1)]
    assert (draws[0].train == draws[1].train).all()
    assert not np.array_equal(draws[0].train_labels, draws[2].train_labels)
    with pytest.raises(bt.FileError, match="31 images to train on, got 30"):
        prepare(images, Settings(images=31, batch=8))


def test_images_check_themselves() -> None:
    good = some_images()
    for changed in (
        {"pixels": good.pixels[:, :16]},
        {"is_test": np.zeros(40, dtype=bool)},
        {"labels": good.labels - 1},
        {"labels": good.labels * 0},
    ):
        with pytest.raises(bt.FileError):
            Images(**{"pixels": good.pixels, "labels": good.labels, "is_test": good.is_test, **changed})
    assert good.digest == some_images().digest != some_images(44).digest


def test_settings_check_themselves() -> None:
    for changed in ({"side": 5}, {"images": 63}, {"width": 0}, {"epochs": 1.5}, {"seed": -1}):
        with pytest.raises(bt.ParameterError, match=next(iter(changed))):
            Settings(**changed)  # type: ignore[arg-type]
