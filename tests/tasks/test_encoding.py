"""Tables of configurations and results: read, encoded, remembered."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import banditune as bt
from banditune.tasks.encoding import Encoding, parameter_kinds

TABLE = {
    "dataset": ["a"] * 4 + ["b"] * 3,
    "lr": ["0.001", "1e-3", "0.1", "0.01", "0.001", "0.1", "0.01"],
    "optimizer": ["adam", "adam", "sgd", "adam", "adam", "sgd", "adam"],
    "layers": [2, 2, 4, 3, 2, 4, 3],
    "accuracy": [0.5, 0.6, 0.7, 0.8, 0.4, 0.9, 0.3],
}
NAMED = {"task": "dataset", "reward": "accuracy"}
PARAMETERS = ["lr:log", "optimizer", "layers"]


def read(**changed: object) -> bt.Log:
    return bt.read_log(pa.table(TABLE | changed), parameters=PARAMETERS, **NAMED)  # type: ignore[arg-type]


def test_an_arm_is_a_configuration_and_sits_at_its_point() -> None:
    log = read()
    first, second = log
    assert first.arms == (
        "lr=0.001, optimizer=adam, layers=2",
        "lr=0.01, optimizer=adam, layers=3",
        "lr=0.1, optimizer=sgd, layers=4",
    )
    assert [row.tolist() for row in first.rewards] == [[0.5, 0.6], [0.8], [0.7]]
    mark = np.sqrt(0.5)
    assert first.points == pytest.approx(np.array([[0, mark, 0, 0], [0.5, mark, 0, 0.5], [1, 0, mark, 1]]))
    assert second.arms == first.arms
    assert log.account.rows_used == 7


def test_two_categories_are_as_far_apart_as_the_ends_of_a_range() -> None:
    log = read()
    assert log.encoding is not None
    rows = [{"lr": 0.001, "optimizer": each, "layers": 2} for each in ("adam", "sgd", "lion")]
    adam, sgd, unknown = log.encoding.points(rows)
    assert np.linalg.norm(adam - sgd) == pytest.approx(1.0)
    assert np.linalg.norm(adam - unknown) == pytest.approx(np.sqrt(0.5))


def test_what_was_learned_remembers_the_encoding(tmp_path: Path) -> None:
    tuned = bt.tune(bt.GPUCB, read(), horizon=4, noise=(0.01, 1.0))
    tuned.save(tmp_path / "tuned.json")
    again = bt.load(tmp_path / "tuned.json")
    new = [{"lr": 0.01, "optimizer": "sgd", "layers": 4, "unused": 1}, ("1e-2", "adam", 2)]
    policy = again.policy(configurations=new)
    mark = np.sqrt(0.5)
    assert policy.points == pytest.approx(np.array([[0.5, 0, mark, 1], [0.5, mark, 0, 0]]))  # type: ignore[attr-defined]
    assert again.encoding == tuned.encoding == read().encoding


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ({"lr": 0.1, "layers": 2}, r"configurations\[0\] has no optimizer"),
        ((0.1, "adam"), r"configurations\[0\] must hold lr, optimizer, layers"),
        ({"lr": 0.0, "optimizer": "adam", "layers": 2}, 'parameter "lr" must be a number above 0, got 0.0'),
        ({"lr": 0.1, "optimizer": "adam", "layers": "many"}, "\"layers\" must be a number, got 'many'"),
    ],
)
def test_a_configuration_that_cannot_be_encoded_is_rejected(configuration: object, message: str) -> None:
    tuned = bt.tune(bt.GPUCB, read(), horizon=2, noise=(0.01, 1.0))
    with pytest.raises(bt.ParameterError, match=message):
        tuned.policy(configurations=[configuration])


def test_configurations_need_a_result_that_knows_them() -> None:
    tuned = bt.tune(bt.GPUCB, [bt.Task([[1.0]], points=[[0.0]])], horizon=1, noise=(0.01, 1.0))
    with pytest.raises(bt.ParameterError, match="needs a result tuned on configurations"):
        tuned.policy(configurations=[{"lr": 0.1}])


def test_rows_without_a_value_are_rejected_and_told() -> None:
    log = read(optimizer=["adam", None, "sgd", "adam", "", "sgd", "adam"])
    assert log.account.rejected == (('there is no value of "optimizer"', 2),)
    assert log.account.rows_used == 5


def test_numbers_may_be_declared_categories_and_are_the_same_however_written() -> None:
    log = bt.read_log(pa.table(TABLE), parameters={"layers": "category"}, **NAMED)
    assert log.encoding is not None
    assert log.encoding.axes[0].categories == ("2", "3", "4")
    by_number, by_text, by_float = log.encoding.points([{"layers": 3}, {"layers": "3"}, {"layers": 3.0}])
    assert by_number.tolist() == by_text.tolist() == by_float.tolist() == [0.0, np.sqrt(0.5), 0.0]


def test_what_cannot_be_on_a_log_scale_is_told() -> None:
    with pytest.raises(bt.FileError, match=r'parameter "optimizer" is log and must hold numbers above 0, got .adam'):
        bt.read_log(pa.table(TABLE), parameters=["optimizer:log"], **NAMED)
    with pytest.raises(bt.FileError, match=r'no column "width"; it has .*"layers".* parameters='):
        bt.read_log(pa.table(TABLE), parameters=["width"], **NAMED)
    with pytest.raises(bt.ParameterError, match="no features and no totals"):
        bt.read_log(pa.table(TABLE), parameters=["lr"], features="x_", **NAMED)


@pytest.mark.parametrize("bad", [[], "lr", ["lr", "lr:log"], {"lr": "exp"}, [1], 3, {"": "log"}])
def test_bad_parameters_are_rejected(bad: object) -> None:
    with pytest.raises(bt.ParameterError, match="parameter"):
        parameter_kinds(bad)


def test_a_column_may_have_a_colon_in_its_name() -> None:
    assert parameter_kinds(["net:depth", "net:rate:log"]) == {"net:depth": None, "net:rate": "log"}


def test_a_broken_encoding_is_rejected() -> None:
    with pytest.raises(bt.FileError, match="encoding"):
        Encoding.from_json([{"name": "lr"}])
