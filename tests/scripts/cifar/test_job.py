"""The job: what is finished is kept, an interruption loses nothing else, and other settings are rejected."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

import banditune as bt
from scripts.cifar import job
from scripts.cifar.__main__ import main
from scripts.cifar.images import TrainingData, read_images
from scripts.cifar.settings import RATES, TASKS, CifarTask, Settings
from tests.scripts.cifar.folders import cifar10_folder

SETTINGS = Settings(images=50, batch=8, side=4)


class PretendedTraining:
    """In the place of training: an accuracy that depends on the network's address; it may be interrupted."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float, int]] = []
        self.stop_after: int | None = None

    def __call__(
        self, data: TrainingData, task: CifarTask, networks: list[tuple[float, int]], settings: Settings
    ) -> NDArray[np.float32]:
        if self.stop_after is not None and len(self.asked) >= self.stop_after:
            raise KeyboardInterrupt
        self.asked += [(task.name, rate, number) for rate, number in networks]
        return np.array([pretended(task, rate, number) for rate, number in networks], dtype=np.float32)


def pretended(task: CifarTask, rate: float, number: int) -> float:
    return (task.depth * 1000 + int(task.noise * 10) * 100 + RATES.index(rate) * 9 + number % 9) / 20_000


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> PretendedTraining:
    pretended_training = PretendedTraining()
    monkeypatch.setattr(job, "accuracies", pretended_training)
    return pretended_training


@pytest.fixture
def images_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    cifar10_folder(folder)
    return folder


def test_interrupted_job_goes_on_and_trains_every_network_once(
    training: PretendedTraining, images_folder: Path, tmp_path: Path
) -> None:
    images, said = read_images(images_folder), []
    for stop_after in (400, 2000, None):
        training.stop_after = stop_after
        if stop_after is None:
            table = job.train(images, tmp_path / "out", SETTINGS, 12, said.append)
        else:
            with pytest.raises(KeyboardInterrupt):
                job.train(images, tmp_path / "out", SETTINGS, 12, said.append)
    assert len(training.asked) == len(set(training.asked)) == 20 * 11 * 12
    assert "8 of 60 parts are there already" in said
    assert not [path.name for path in (tmp_path / "out").iterdir() if path.name.endswith(".part")]
    tasks = bt.datasets.read_learning_rates(table)
    assert [task.name for task in tasks] == [task.name for task in TASKS]
    for known, task in zip(TASKS, tasks, strict=True):
        for rate, arm, rewards in zip(RATES, task.arms, task.rewards, strict=True):
            assert float(str(arm)) == rate
            assert rewards.tolist() == [round(pretended(known, rate, number), 6) for number in range(12)]


def test_all_tasks_get_their_first_seeds_before_any_gets_more(
    training: PretendedTraining, images_folder: Path, tmp_path: Path
) -> None:
    job.train(read_images(images_folder), tmp_path / "out", SETTINGS, 10, lambda line: None)
    assert {number for _, _, number in training.asked[: 20 * 11 * 5]} == set(range(5))


def test_more_seeds_are_added_to_what_is_there(
    training: PretendedTraining, images_folder: Path, tmp_path: Path
) -> None:
    images = read_images(images_folder)
    for seeds, table_size in ((3, 3), (7, 7), (2, 2)):
        table = job.train(images, tmp_path / "out", SETTINGS, seeds, lambda line: None)
        with np.load(table) as arrays:
            assert arrays["accuracy"].shape == (20, 11, table_size)
            assert "50 images" in str(arrays["description"])
    assert len(training.asked) == len(set(training.asked)) == 20 * 11 * 7


def test_folder_of_other_settings_or_images_is_rejected(
    training: PretendedTraining, images_folder: Path, tmp_path: Path
) -> None:
    images, out = read_images(images_folder), tmp_path / "out"
    job.train(images, out, SETTINGS, 1, lambda line: None)
    with pytest.raises(bt.FileError, match="other settings or images"):
        job.train(images, out, Settings(images=50, batch=8, side=2), 1, lambda line: None)
    cifar10_folder(images_folder, n=13)
    with pytest.raises(bt.FileError, match="other settings or images"):
        job.train(read_images(images_folder), out, SETTINGS, 1, lambda line: None)
    (out / "settings.json").write_text("{")
    with pytest.raises(bt.FileError, match=r"settings\.json is not JSON"):
        job.train(images, out, SETTINGS, 1, lambda line: None)


@pytest.mark.parametrize("name", ["accuracy.npz", job.TASKS[3].file_name])
def test_file_of_unknown_settings_is_not_replaced(
    training: PretendedTraining, images_folder: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(bt.FileError, match=rf"holds {re.escape(name)}, but no settings\.json that says of what"):
        job.train(read_images(images_folder), tmp_path, SETTINGS, 1, lambda line: None)
    assert (tmp_path / name).read_text() == "mine"
    assert not (tmp_path / "settings.json").exists()


def test_broken_part_is_told(training: PretendedTraining, images_folder: Path, tmp_path: Path) -> None:
    images, out = read_images(images_folder), tmp_path / "out"
    job.train(images, out, SETTINGS, 1, lambda line: None)
    (out / "depth-2-noise-0.npz").write_bytes(b"PK")
    with pytest.raises(bt.FileError, match=r"cannot read .*depth-2-noise-0\.npz"):
        job.train(images, out, SETTINGS, 1, lambda line: None)
    np.savez(out / "depth-2-noise-0.npz", accuracy=np.zeros((3, 4)))
    with pytest.raises(bt.FileError, match=r"must have shape \(11, networks\), got \(3, 4\)"):
        job.train(images, out, SETTINGS, 1, lambda line: None)


def test_command_line_trains_shows_and_explains(
    training: PretendedTraining, images_folder: Path, tmp_path: Path
) -> None:
    out, run = tmp_path / "out", CliRunner()
    command = ["train", str(images_folder), "--out", str(out), "--train-images", "50", "--batch", "8"]
    training.stop_after = 500
    stopped = run.invoke(main, [*command, "--seeds", "5"])
    assert stopped.exit_code == 130
    assert "interrupted; what is finished is kept" in stopped.output
    training.stop_after = None
    done = run.invoke(main, [*command, "--seeds", "5"])
    assert done.exit_code == 0, done.output
    assert "10 of 20 parts are there already" in done.output
    assert json.loads((out / "settings.json").read_text())["images"] == 50
    shown = run.invoke(main, ["show", str(out / "accuracy.npz")])
    assert shown.stdout.splitlines()[0].startswith("| task | 0.001 |")
    assert len(shown.stdout.splitlines()) == 22
    rejected = run.invoke(main, ["train", str(tmp_path / "nothing.npz"), "--out", str(out)])
    assert rejected.exit_code == 2
    assert "nothing.npz" in rejected.output or "Pillow" in rejected.output
    wrong = run.invoke(main, [*command, "--seeds", "0"])
    assert wrong.exit_code == 2
    assert "seeds must be" in wrong.output
