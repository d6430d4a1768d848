"""A class that only runs, tuned on a grid."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.policies.grid import put_on_grid
from banditune.tasks.draws import draw_streams

rng = np.random.default_rng(3)
TASKS = [bt.Task(rng.random((3, 30)) < rng.random((3, 1)), name=str(k)) for k in range(10)]
GRID = [0.3, 0.0, 0.1]


class Greedy:
    """The highest mean plus a constant for what was pulled less often: no line in anything."""

    def __init__(self, n_arms: int, *, boost: float = 0.1) -> None:
        self.boost, self.counts, self.sums = boost, np.zeros(n_arms), np.zeros(n_arms)

    def select(self) -> int:
        if self.counts.min() == 0:
            return int(self.counts.argmin())
        return int(np.argmax(self.sums / self.counts + self.boost * (self.counts == self.counts.min()) ** self.boost))

    def update(self, arm: int, reward: float) -> None:
        self.counts[arm] += 1
        self.sums[arm] += reward


class Coins(Greedy):
    """An arm at random with probability boost, else the highest mean."""

    def __init__(self, n_arms: int, *, boost: float = 0.1, seed: int = 0) -> None:
        super().__init__(n_arms, boost=boost)
        self.random = random.Random(seed)

    def select(self) -> int:
        if self.counts.min() == 0 or self.random.random() < self.boost:
            return self.random.randrange(self.counts.size) if self.counts.min() > 0 else int(self.counts.argmin())
        return int((self.sums / self.counts).argmax())


def regret_by_hand(task: bt.Task, boost: float, horizon: int) -> float:
    streams, policy, regret = draw_streams([task], horizon, 0), Greedy(3, boost=boost), 0.0
    for _ in range(horizon):
        arm = policy.select()
        regret += task.means.max() - task.means[arm]
        policy.update(arm, float(streams[arm, int(policy.counts[arm])]))
    return regret


def test_the_least_of_the_grid_is_found() -> None:
    tuned = bt.tune(Greedy, TASKS, horizon=20, grid={"boost": GRID})
    means = {boost: np.mean([regret_by_hand(task, boost, 20) for task in TASKS]) for boost in GRID}
    best = min(means, key=lambda boost: means[boost])
    assert tuned.params == {"boost": best}
    assert tuned.loss == pytest.approx(means[best])
    for boost, mean in means.items():
        assert tuned.curve(boost) == pytest.approx(mean)
    assert tuned.searched.low == 0.0
    policy = tuned.policy(n_arms=3)
    assert isinstance(policy, Greedy)
    assert policy.boost == best


def test_it_runs_on_named_arms_and_a_file_says_why_it_cannot(tmp_path: Path) -> None:
    tuned = bt.tune(Greedy, TASKS, horizon=20, grid={"boost": GRID})
    assert tuned.policy(arms=["a", "b", "c"]).select() == "a"
    tuned.save(tmp_path / "tuned.json")
    with pytest.raises(bt.FileError, match=r"not a complete tuning result: policy must be one of ucb, .* got 'greedy'"):
        bt.load(tmp_path / "tuned.json")


def test_a_study_holds_out_and_recommends_a_value_of_the_grid(tmp_path: Path) -> None:
    found = bt.study(Greedy, TASKS, horizon=20, grid={"boost": GRID}, current={"boost": 0.3})
    assert found.tuned.recommended["boost"] in GRID
    rows = [row.name for row in found.held_out.rows]
    assert rows == ["learned", "equal split", "boost = 0.3"]
    found.report(tmp_path)
    assert "for 3 values of boost" in (tmp_path / "curve.svg").read_text()


def test_what_draws_its_choices_is_averaged_and_repeated() -> None:
    one, other = (bt.tune(Coins, TASKS, horizon=15, grid={"boost": GRID}, draws=3) for _ in range(2))
    assert one == other
    assert one.draws == 3
    assert one.curve(0.1) != bt.tune(Coins, TASKS, horizon=15, grid={"boost": GRID}, draws=1).curve(0.1)


@pytest.mark.parametrize(
    ("policy", "grid", "message"),
    [
        (bt.UCB, {"alpha": [1.0, 2.0]}, "UCB is searched exactly"),
        (Greedy, {"boost": [1.0]}, "two or more values, got 1"),
        (Greedy, {"boost": [1.0, float("nan")]}, "boost must be"),
        (Greedy, {"width": [1.0, 2.0]}, "Greedy has no parameter 'width'; it takes n_arms, boost"),
        (Greedy, {"boost": GRID, "width": GRID}, "must map one parameter"),
        (Greedy, GRID, "must map one parameter"),
        (dict, {"boost": GRID}, "a class with select"),
    ],
)
def test_what_cannot_be_meant_is_rejected(policy: Any, grid: Any, message: str) -> None:
    with pytest.raises(bt.BanditTuneError, match=message):
        put_on_grid(policy, grid)


def test_values_between_those_of_the_grid_are_rejected() -> None:
    with pytest.raises(bt.BanditTuneError, match="one of the 3 values of the grid"):
        bt.study(Greedy, TASKS, horizon=20, grid={"boost": GRID}, current={"boost": 0.2})
