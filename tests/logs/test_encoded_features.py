"""Features that are texts: encoded in the order of the columns, and later as before."""

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import banditune as bt
from tests.cli.command import banditune


def choices(n_rows: int = 90, seed: int = 0) -> pd.DataFrame:
    """Randomised choices with features: numbers, a number that is a category, and text."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "arm": rng.choice(["a", "b"], n_rows),
            "reward": rng.random(n_rows),
            "x_1": rng.random(n_rows),
            "x_2": rng.integers(0, 5, n_rows),
            "age": rng.integers(20, 60, n_rows),
            "age_group": "unused",
            "country": rng.choice(["de", "at", "fr, or so"], n_rows),
            "weekday": rng.integers(0, 3, n_rows),
        }
    )


@pytest.mark.parametrize("ending", ["frame", "csv", "parquet", "jsonl"])
def test_text_features_are_one_hot_encoded_in_the_order_of_the_columns(tmp_path: Path, ending: str) -> None:
    frame = choices()
    source = frame if ending == "frame" else tmp_path / f"log.{ending}"
    if ending == "csv":
        frame.to_csv(source, index=False)
    elif ending == "parquet":
        frame.to_parquet(source)
    elif ending == "jsonl":
        frame.to_json(source, orient="records", lines=True, double_precision=15)
    log = bt.read_log(source, features=["country", "x_", "age", "weekday:category"])
    (task,) = log
    countries = [(frame["country"] == each).to_numpy(float) for each in ("at", "de", "fr, or so")]
    days = [(frame["weekday"] == day).to_numpy(float) for day in range(3)]
    expected = np.stack([*countries, frame["x_1"], frame["x_2"], frame["age"], *days], axis=1)
    assert task.contexts.reshape(len(frame), -1) == pytest.approx(expected, abs=1e-12)
    assert any(
        '"country" is text, and became 3 features of 0 and 1: at, de, fr, or so' in each for each in log.account.lines()
    )
    rows = frame.to_dict("records")
    assert log.encoding.points(rows) == pytest.approx(expected, abs=1e-12)
    assert pickle.loads(pickle.dumps(log)).encoding == log.encoding


def test_a_later_log_is_encoded_as_an_earlier_one() -> None:
    early = bt.read_log(choices(), features=["country", "age"])
    late = choices(40, seed=1).assign(country="it")
    late.loc[::2, "country"] = "de"
    (task,) = bt.read_log(late, features=["country", "age"], encoding=early.encoding)
    contexts = task.contexts.reshape(40, -1)
    assert contexts[:, :3].tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]] * 20
    assert contexts[:, 3].tolist() == late["age"].tolist()
    with pytest.raises(
        bt.FileError, match='must have the features that the encoding is of; only one of them has "x_1"'
    ):
        bt.read_log(late, features=["country", "age", "x_1"], encoding=early.encoding)


def test_few_values_that_are_no_numbers_are_rejected_and_make_no_category() -> None:
    frame = choices().assign(x_1=lambda frame: frame["x_1"].astype(str))
    frame.loc[:3, "x_1"] = "n/a"
    log = bt.read_log(frame, features="x_")
    assert log.encoding is None
    assert log.account.rejected == (('the feature "x_1" is not a number', 4),)
    frame["x_2"] = [f"user {k}" for k in range(len(frame))]
    many = pd.concat([frame] * 3).assign(x_2=lambda frame: [f"user {k}" for k in range(len(frame))])
    with pytest.raises(bt.FileError, match='feature "x_2" must be numbers, or text with at most 200 different values'):
        bt.read_log(many, features="x_")


def test_a_result_keeps_how_features_were_encoded(tmp_path: Path) -> None:
    log = bt.read_log(choices(300), features=["country", "age"])
    tuned = bt.tune(bt.LinUCB, log, alpha=(0.0, 2.0), loss="reward", disjoint=True)
    tuned.save(tmp_path / "tuned.json")
    loaded = bt.load(tmp_path / "tuned.json")
    assert loaded == tuned
    assert loaded.encoding == log.encoding
    policy = loaded.policy(arms=["a", "b"])
    context = loaded.encoding.points([{"country": "at", "age": 30}])[0]
    assert context.tolist() == [1.0, 0.0, 0.0, 30.0]
    assert policy.select(context) in ("a", "b")
    choices(300).to_csv(tmp_path / "later.csv", index=False)
    done = banditune("tune", tmp_path / "later.csv", "--policy", "linucb", "--like", tmp_path / "tuned.json", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["log"]["encoding"] == loaded.origin["encoding"]
    named = ["--features", "country", "--features", "age"]
    done = banditune("tune", tmp_path / "later.csv", "--policy", "linucb", *named)
    assert '"country" is text, and became 3 features' in done.stderr
