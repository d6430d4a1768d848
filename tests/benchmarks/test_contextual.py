"""The loaders of real data, on a few rows made here."""

import gzip
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import contextual


def make_data(folder: Path) -> None:
    """A folder as the benchmark takes it."""
    rng = np.random.default_rng(0)
    data = {}
    for name in ("iris", "cmc", "contraceptive"):
        data |= {f"{name}/X": rng.normal(size=(40, 3)).astype(np.float32), f"{name}/y": np.arange(40) % 3}
    np.savez(folder / "classification_tasks.npz", **data)
    (folder / "aslib").mkdir()
    features = rng.normal(size=(30, 15))
    features[0, 0] = np.nan
    np.savez(folder / "aslib" / "times.npz", X=features, perf=1000.0 * rng.random((30, 4)))
    np.savez(folder / "aslib" / "accuracies.npz", X=features, perf=rng.random((30, 5)))
    lines = ["recency,history,mens,womens,zip_code,newbie,channel,treatment,visit"]
    lines += [
        f"{1 + k % 12},{100.5 + k},{k % 2},1,{'RU'[k % 2]},0,{'WPM'[k % 3]},mail {rng.integers(3)},{k % 5 // 4}"
        for k in range(900)
    ]
    with gzip.open(folder / "hillstrom.csv.gz", "wt") as file:
        file.write("\n".join(lines))


def test_loaders_make_tasks_of_the_files(tmp_path: Path) -> None:
    make_data(tmp_path)
    tasks = contextual.classification(tmp_path / "classification_tasks.npz", rounds=20, orders=2)
    assert list(tasks) == ["cmc", "contraceptive", "iris"]
    assert (len(tasks["iris"]), len(tasks["iris"][0]), tasks["iris"][0].n_arms, tasks["iris"][0].dim) == (2, 20, 3, 4)
    assert (tasks["iris"][0].rewards.sum(axis=1) == 1.0).all()
    chosen = contextual.selection(tmp_path / "aslib", rounds=30, orders=1)
    assert list(chosen) == ["accuracies", "times"]
    assert chosen["times"][0].rewards.min() == 0.0  # the slowest
    assert chosen["accuracies"][0].dim == 11
    batches = contextual.mails(tmp_path / "hillstrom.csv.gz", size=300)
    assert [len(batch) for batch in batches] == [300, 300, 300]
    assert batches[0].arm_names == ("mail 0", "mail 1", "mail 2")
    assert batches[0].dim == 11


def test_command_measures_on_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_data(tmp_path)
    options = ["--rounds", "20", "--orders", "1", "--batch", "100"]
    monkeypatch.setattr(sys, "argv", ["contextual", str(tmp_path), *options])
    contextual.main()
    told = capsys.readouterr().out
    for words in (
        "Classification: mean regret in 20 rounds",
        "Algorithm selection",
        "9 batches of 100 events",
        "900 events",
    ):
        assert words in told
