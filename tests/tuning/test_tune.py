"""Tuning: the least mean loss over the whole range, the same bits however the work is done."""

import base64
import json
import pickle
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import banditune as bt
from banditune.interruption import tell_done
from banditune.tuning import parallel_sweep
from tests.strategies import drawn_task


def some_tasks(n_tasks: int = 60, horizon: int = 40) -> list[bt.Task]:
    rng = np.random.default_rng(7)
    return [drawn_task(rng, int(rng.integers(2, 6)), horizon, "bernoulli") for _ in range(n_tasks)]


class Backwards(Executor):
    """One thread that does what it was given last first, once it has a few things to choose from."""

    def __init__(self, held_back: int = 3) -> None:
        self.held_back, self.waiting = held_back, []
        self.thread = ThreadPoolExecutor(1)

    def submit(self, fn, /, *args, **kwargs):
        future: Future[object] = Future()
        self.waiting.append((future, fn, args))
        self.thread.submit(self.run_last)
        return future

    def run_last(self) -> None:
        deadline = time.monotonic() + 0.05
        while len(self.waiting) < self.held_back and time.monotonic() < deadline:
            time.sleep(0.001)
        future, function, args = self.waiting.pop()
        future.set_result(function(*args))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.thread.shutdown(wait, cancel_futures=cancel_futures)


def same(one: bt.Tuned, other: bt.Tuned) -> bool:
    return one.curve == other.curve and one.summary() == other.summary()


@pytest.mark.parametrize("policy", [bt.KLUCB, bt.BetaThompson, bt.UCBV, bt.UCBTuned, bt.EpsilonGreedy, bt.MOSS])
def test_rewards_of_another_scale_are_tuned_alike(policy: type[Any]) -> None:
    """Rewards 64 times as large: the same choices, 64 times the regret; nothing is clipped."""
    rng = np.random.default_rng(5)
    shares = [rng.binomial(4, rng.random((2, 1)), (2, 25)) / 4 for _ in range(8)]
    assert {0.0, 1.0} <= set(np.concatenate(shares).flat)
    one, other = (
        bt.tune(policy, [bt.Task(worth * rows, name=str(k)) for k, rows in enumerate(shares)], horizon=25, draws=20)
        for worth in (1.0, 64.0)
    )
    assert other.loss == pytest.approx(64.0 * one.loss, rel=0.15 if policy.is_randomised else 1e-9)
    assert other.policy(n_arms=2).select() == 0  # with all that was fitted


def test_curve_is_the_mean_of_the_tasks_curves_and_the_answer_its_least_piece() -> None:
    tasks = [*some_tasks(), bt.Task([[0.1, 0.9], [0.4]])]
    tuned = bt.tune(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0), seed=5, draws=1, histories=True)
    curves = [bt.loss_curve(bt.UCB, task, horizon=40, alpha=(0.0, 2.0), seed=5) for task in tasks]
    assert tuned.curve == bt.mean_curve(curves)
    assert tuned.interval == tuned.curve.argmin()
    assert tuned.loss == tuned.curve.minimum() == tuned.curve(tuned.alpha)
    assert tuned.interval.low < tuned.alpha < tuned.interval.high
    assert tuned.alpha in tuned.within_one_se
    assert (tuned.n_tasks, tuned.horizon) == (61, 40)
    assert tuned.complexity == np.mean([curve.n_pieces for curve in curves])
    assert tuned.histories is not None
    assert tuned.histories >= tuned.complexity
    assert bt.tune(bt.UCB, tasks[:2], horizon=40, alpha=(0.0, 2.0)).histories is None
    with pytest.raises(bt.ParameterError, match="histories=True needs one range"):
        bt.tune(bt.UCB, tasks[:2], horizon=40, alpha=(0.0, 2.0), prior_means=(0.0, 1.0), histories=True)
    losses = [bt.play(bt.UCB, task, horizon=40, alpha=tuned.alpha, seed=5).regret[-1] for task in tasks]
    assert tuned.loss == pytest.approx(np.mean(losses), rel=1e-14)


def test_same_bits_whatever_the_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bt.UCB, "chunk", 300)  # many chunks
    tasks = some_tasks()
    alone = bt.tune(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0))
    executors = [ThreadPoolExecutor(1), ThreadPoolExecutor(3), ProcessPoolExecutor(2), Backwards()]
    for executor in executors:
        with executor:
            assert same(bt.tune(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0), executor=executor), alone)


def test_generator_is_consumed_in_chunks_and_never_held_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bt.UCB, "chunk", 1)  # every task a chunk of its own
    made = done = most = 0

    def generate() -> Iterator[bt.Task]:
        nonlocal made, most
        for task in some_tasks(300, 5):
            made += 1
            most = max(most, made - done)
            yield task

    def note(number: int) -> None:
        nonlocal done
        done = number

    tuned = bt.tune(bt.UCB, generate(), horizon=5, alpha=(0.0, 1.0), progress=note)
    assert same(tuned, bt.tune(bt.UCB, some_tasks(300, 5), horizon=5, alpha=(0.0, 1.0)))
    assert most <= parallel_sweep.CHUNKS_AHEAD + 2
    assert done == 300


def test_progress_within_a_long_task_is_told_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_sweep, "TELL_SECONDS", 0.001)
    told: list[float] = []
    bt.tune(bt.UCB, [some_tasks()[0]], horizon=15_000, alpha=(0.0, 2.0), draws=8, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert any(0.0 < done < 1.0 for done in told)


def test_progress_says_that_work_has_begun_once_kernels_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that nobody reads of loading while tasks are swept."""
    monkeypatch.setattr(parallel_sweep, "TELL_SECONDS", 0.001)
    told: list[float] = []
    begun, sweep = threading.Event(), parallel_sweep.Payload.sweep

    def progress(done: float) -> None:
        told.append(done)
        begun.set()

    def load_and_sweep(payload: parallel_sweep.Payload) -> object:
        assert not begun.wait(0.05)  # loading: nothing is told
        tell_done(0.0, 1.0)
        assert begun.wait(60.0)
        return sweep(payload)

    monkeypatch.setattr(parallel_sweep.Payload, "sweep", load_and_sweep)
    bt.tune(bt.UCB, some_tasks(3, 5), horizon=5, alpha=(0.0, 1.0), progress=progress)
    assert told[0] == 0.0
    assert told[-1] == 3


def test_learned_value_beats_the_defaults_on_tasks_it_never_saw() -> None:
    tasks = bt.datasets.lcdb()
    tuned = bt.tune(bt.UCB, tasks[::2], horizon=100, alpha=(0.0, 4.0))
    held_out = tasks[1::2]

    def regret(alpha: float) -> float:
        return float(np.mean([bt.play(bt.UCB, task, horizon=100, alpha=alpha).regret[-1] for task in held_out]))

    assert regret(tuned.alpha) < 0.35 * regret(1.0)


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([], "at least one task, got none"),
        (None, "tasks must be bt.Task objects in a list or another iterable, got None"),
        ([bt.Task([[1.0]]), [[1.0]]], r"tasks\[1\] must be a bt.Task, got \[\[1.0\]\]"),
        ([None], r"tasks\[0\] must be a bt.Task, got None"),
        (bt.Task([[1.0]]), "another iterable"),
    ],
)
def test_bad_tasks_are_rejected_with_their_number(tasks: object, message: str) -> None:
    with pytest.raises(bt.TaskError, match=message):
        bt.tune(bt.UCB, tasks, horizon=3, alpha=(0.0, 1.0))


def test_a_task_alone_is_rejected_before_a_range_and_a_horizon_are_looked_for_in_it() -> None:
    with pytest.raises(bt.TaskError, match="in a list or another iterable, got Task"):
        bt.tune(bt.UCB, bt.Task([[1.0], [0.0]]))


def test_short_task_is_named_when_it_may_not_be_extended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bt.UCB, "chunk", 1)
    tasks = [bt.Task([[1.0] * 5]), bt.Task([[1.0] * 5]), bt.Task([[1.0] * 4])]
    with pytest.raises(bt.TaskError, match=r"tasks\[2\], arm 0: the horizon needs 5 rewards of each arm, got 4"):
        bt.tune(bt.UCB, tasks, horizon=5, alpha=(0.0, 1.0), extend=False)


def test_only_one_horizon_is_tuned_for() -> None:
    with pytest.raises(bt.ParameterError, match=r"horizon must be a whole number from 1 to 1000000000, got \[5, 6\]"):
        bt.tune(bt.UCB, [bt.Task([[1.0]])], horizon=[5, 6], alpha=(0.0, 1.0))


def test_executor_must_be_one() -> None:
    with pytest.raises(bt.ParameterError, match=r"executor must be a concurrent\.futures\.Executor, got 3"):
        bt.tune(bt.UCB, some_tasks(2), horizon=4, alpha=(0.0, 1.0), executor=3)


def test_saved_result_is_loaded_with_every_bit(tmp_path: Path) -> None:
    tuned = bt.tune(bt.UCB, some_tasks(), horizon=40, alpha=(0.0, 2.0), loss="reward", seed=3)
    tuned.save(tmp_path / "tuned.json")
    loaded = bt.load(tmp_path / "tuned.json")
    assert same(tuned, loaded)
    assert loaded.policy(n_arms=3).to_json() == tuned.policy(n_arms=3).to_json()
    assert loaded == tuned
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tuned.curve.npz", "tuned.json"]
    assert (tmp_path / "tuned.json").stat().st_size < 4_000
    assert loaded != bt.tune(bt.UCB, some_tasks(), horizon=40, alpha=(0.0, 2.0), loss="reward", seed=4)
    assert loaded != "a result"


def test_a_result_without_its_curve_is_good_for_all_else(tmp_path: Path) -> None:
    tuned = bt.tune(bt.UCB, some_tasks(), horizon=40, alpha=(0.0, 2.0))
    for name in ("x.json", "without ending", "v1.2"):
        tuned.save(tmp_path / name)
        assert bt.load(tmp_path / name) == tuned
    (tmp_path / "x.json").rename(tmp_path / "y.json")
    assert bt.load(tmp_path / "y.json") == tuned  # under another name, beside the file it names
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "y.json").rename(tmp_path / "elsewhere" / "y.json")
    alone = bt.load(tmp_path / "elsewhere" / "y.json")
    assert alone.policy(n_arms=3).to_json() == tuned.policy(n_arms=3).to_json()
    assert alone.summary() == tuned.summary()
    assert repr(alone) == repr(tuned)
    with pytest.raises(bt.FileError, match=r"loss curve of .*y\.json is in x\.curve\.npz, which is not beside it"):
        alone.curve(1.0)


def test_a_curve_of_another_result_is_rejected(tmp_path: Path) -> None:
    for seed, name in enumerate(("one", "two")):
        tasks = [bt.Task.from_counts([9, 9, 9], [2, 5, 7]), *some_tasks(3)]
        bt.tune(bt.UCB, tasks, horizon=40, alpha=(0.0, 2.0), draws=1, seed=seed).save(tmp_path / f"{name}.json")
    (tmp_path / "one.curve.npz").replace(tmp_path / "two.curve.npz")
    with pytest.raises(bt.FileError, match=r"two\.curve\.npz does not belong to .*two\.json: its checksum"):
        bt.load(tmp_path / "two.json")
    (tmp_path / "two.curve.npz").write_bytes(b"PK")
    with pytest.raises(bt.FileError, match=r"cannot read .*two\.curve\.npz as an npz"):
        bt.load(tmp_path / "two.json")


def test_results_with_the_curve_in_the_json_are_still_read(tmp_path: Path) -> None:
    tuned = bt.tune(bt.UCB, some_tasks(), horizon=40, alpha=(0.0, 2.0))
    parts = {"edges": tuned.curve.edges, "values": tuned.curve.values}
    curve = {name: base64.b64encode(part.astype("<f8").tobytes()).decode("ascii") for name, part in parts.items()}
    old = {"format": "banditune.tuned/1"} | tuned.summary() | {"curve": curve}
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert bt.load(tmp_path / "old.json") == tuned


def test_policy_needs_to_know_the_arms() -> None:
    tuned = bt.tune(bt.UCB, some_tasks(3), horizon=4, alpha=(0.0, 2.0))
    assert tuned.policy(5).to_json() == bt.UCB(5, alpha=tuned.alpha).to_json()
    for options in ({}, {"n_arms": 2, "arms": ["a", "b"]}):
        with pytest.raises(bt.ParameterError, match="n_arms or arms"):
            tuned.policy(**options)
    with pytest.raises(bt.ParameterError, match="n_arms or arms, a list of names; got 3"):
        tuned.policy(arms=3)
    with pytest.raises(AttributeError, match="no attribute 'beta'"):
        _ = tuned.beta


def test_policy_with_names_takes_and_returns_names() -> None:
    tuned = bt.tune(bt.UCB, some_tasks(3), horizon=4, alpha=(0.0, 2.0))
    numbered, named = tuned.policy(n_arms=3), tuned.policy(arms=["A", "B", 7])
    for reward in (0.0, 1.0, 0.5, 1.0, 0.0, 0.25):
        number, arm = numbered.select(), named.select()
        assert arm == ["A", "B", 7][number]
        numbered.update(number, reward)
        named.update(arm, reward)
        named = pickle.loads(pickle.dumps(bt.policy_from_json(named.to_json())))
    assert named.counts.tolist() == numbered.counts.tolist()
    assert named.alpha == tuned.alpha
    assert "arms=['A', 'B', 7]" in repr(named)
    for wrong in ("C", 0, [1]):
        with pytest.raises(bt.ParameterError, match="arm must be one of the names 'A', 'B', 7; got"):
            named.update(wrong, 1.0)
    with pytest.raises(bt.InputError, match="arms must be different names"):
        tuned.policy(arms=["A", "A"])
    with pytest.raises(bt.ParameterError, match="text or numbers to be saved"):
        tuned.policy(arms=[("a", 1), "b"]).to_json()
    with pytest.raises(bt.FileError, match="arms must name the 3 arms"):
        bt.policy_from_json(named.to_json().replace('"B", 7', '"B"'))


def test_contextual_policy_with_names_takes_and_returns_names() -> None:
    rng = np.random.default_rng(0)
    log = bt.LoggedTask(rng.random((600, 2)), rng.integers(0, 2, 600), rng.random(600))
    tuned = bt.tune(bt.LinUCB, [log], alpha=(0.0, 2.0), loss="reward", disjoint=True)
    policy = tuned.policy(arms=["A", "B"], dim=2)
    arm = policy.select([0.5, 1.0])
    assert arm in ("A", "B")
    policy.update(arm, 1.0, [0.5, 1.0])


@pytest.mark.parametrize("tasks", [pd.DataFrame({"task": [1]}), "log.csv", Path("log.csv")])
@pytest.mark.parametrize("call", [bt.tune, bt.study, lambda policy, tasks: bt.compare(tasks, [policy])])
def test_tables_and_paths_are_for_read_log(call: object, tasks: object) -> None:
    with pytest.raises(bt.TaskError, match=r"tables and files are read with bt\.read_log"):
        call(bt.UCB, tasks)  # type: ignore[operator]


@pytest.mark.parametrize("tasks", [None, 5, bt.Task([[1.0]])])
@pytest.mark.parametrize("call", [bt.tune, bt.study])
def test_tasks_are_a_collection(call: object, tasks: object) -> None:
    with pytest.raises(bt.TaskError, match=r"tasks must be bt\.Task objects in a list or another iterable, got"):
        call(bt.UCB, tasks)  # type: ignore[operator]


@pytest.mark.parametrize(
    "text",
    [b"", b"[1]", b"{}", b'{"format": "banditune.tuned/1"}', b'{"format": "banditune.tuned/9"}', b"\xff\xfe"],
)
def test_broken_file_is_rejected_by_name(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(text)
    with pytest.raises(bt.FileError, match=r"broken\.json"):
        bt.load(path)


def test_file_that_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(bt.FileError, match="cannot read None"):
        bt.load(None)
    with pytest.raises(bt.FileError, match=r"cannot read .*nowhere\.json: No such file"):
        bt.load(tmp_path / "nowhere.json")
    tuned = bt.tune(bt.UCB, some_tasks(3), horizon=4, alpha=(0.0, 2.0))
    with pytest.raises(bt.FileError, match=r"cannot write .*tuned\.json: No such file"):
        tuned.save(tmp_path / "missing" / "tuned.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(bt.FileError, match=r"cannot write .*folder\.json"):
        tuned.save(tmp_path / "folder.json")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.json"]
