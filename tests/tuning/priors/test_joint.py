"""Priors and alpha searched together."""

import json
import math

import numpy as np
import pytest

import banditune as bt
from banditune.tuning.priors.joint import ALONE, JOINT, MEANS
from banditune.tuning.priors.line_search import PriorSearch


def recurring(n_tasks: int, *, spread: float = 0.05, seed: int = 0) -> list[bt.Task]:
    """Tasks whose arms have means of their own that hardly change from task to task; some lack an arm."""
    rng = np.random.default_rng(seed)
    means = np.array([0.3, 0.5, 0.7, 0.4, 0.2])
    tasks = []
    for k in range(n_tasks):
        there = np.arange(5) if k % 3 else np.array([0, 2, 3, 4])
        own = np.clip(means + spread * rng.normal(size=5), 0.0, 1.0)[there]
        rewards = np.clip(own[:, None] + 0.1 * rng.normal(size=(there.size, 12)), 0.0, 1.0)
        tasks.append(bt.Task(rewards, arms=[f"arm {i}" for i in there], means=own))
    return tasks


OPTIONS = {"horizon": 12, "alpha": (0.0, 1.0), "prior_means": (0.0, 1.0)}


def test_priors_of_recurring_arms_are_worth_much() -> None:
    tasks = recurring(40)
    tuned = bt.tune(bt.UCB, tasks, **OPTIONS)
    assert tuned.priors is not None
    by_name = {each.name: each for each in tuned.priors.candidates}
    assert list(by_name) == [ALONE, MEANS, JOINT]
    assert by_name[tuned.priors.chosen].held_out == min(each.held_out for each in by_name.values())
    assert by_name[tuned.priors.chosen].held_out < 0.5 * by_name[ALONE].held_out
    assert by_name[ALONE].loss == bt.tune(bt.UCB, tasks, horizon=12, alpha=(0.0, 1.0)).loss
    assert by_name[JOINT].loss <= by_name[MEANS].loss  # never worse than where it starts
    assert max(tuned.params["prior_means"], key=tuned.params["prior_means"].get) == "arm 2"
    assert tuned.priors.finished


def test_curve_is_that_of_alpha_at_the_priors_found() -> None:
    tasks = recurring(15)
    tuned = bt.tune(bt.UCB, tasks, **OPTIONS)
    fixed = {name: value for name, value in tuned.params.items() if name != "alpha"}
    curves = [bt.loss_curve(bt.UCB, task, horizon=12, alpha=(0.0, 1.0), **fixed) for task in tasks]
    assert tuned.curve == bt.mean_curve(curves)
    assert tuned.loss == tuned.curve.minimum()
    chosen = next(each for each in tuned.priors.candidates if each.name == tuned.priors.chosen)  # type: ignore[union-attr]
    assert tuned.loss == pytest.approx(chosen.loss)
    games = [bt.play(bt.UCB, task, horizon=12, **tuned.params).regret[-1] for task in tasks]
    assert tuned.loss == pytest.approx(np.mean(games))


def test_same_bits_from_the_same_seed_and_after_saving(tmp_path: object) -> None:
    tasks = recurring(12)
    one, other = (bt.tune(bt.UCB, tasks, seed=3, **OPTIONS) for _ in range(2))
    assert one.summary() == other.summary()
    assert bt.tune(bt.UCB, tasks, seed=3, **OPTIONS | {"prior_means": bt.Interval(0.0, 1.0)}).params == one.params
    one.save(f"{tmp_path}/tuned.json")
    assert bt.load(f"{tmp_path}/tuned.json").summary() == one.summary()
    json.dumps(one.summary(), allow_nan=False)
    policy = one.policy(arms=["arm 2", "arm 9", "arm 0"])
    assert policy.prior_means is not None
    assert policy.prior_means[1] == max(one.params["prior_means"].values())  # an arm nobody has seen


def test_weights_are_tried_over_their_range() -> None:
    tuned = bt.tune(bt.UCB, recurring(12), prior_weight=(0.1, 10.0), **OPTIONS)
    assert tuned.priors is not None
    if tuned.priors.chosen != ALONE:
        assert any(tuned.params["prior_weight"] == pytest.approx(weight) for weight in np.geomspace(0.1, 10.0, 6))
    narrow = bt.tune(bt.UCB, recurring(12), prior_weight=0.1, **OPTIONS)
    losses = [{each.name: each.loss for each in found.priors.candidates} for found in (tuned, narrow)]  # type: ignore[union-attr]
    assert losses[0][MEANS] <= losses[1][MEANS]


def test_noise_is_not_fitted_where_arms_have_nothing_in_common() -> None:
    rng = np.random.default_rng(1)
    tasks = [bt.Task(rng.permutation(np.linspace(0.0, 1.0, 6))[:, None] * np.ones((6, 8))) for _ in range(8)]
    tuned = bt.tune(bt.UCB, tasks, horizon=8, alpha=(0.0, 1.0), prior_means=(0.0, 1.0))
    assert tuned.priors is not None
    joint = next(each for each in tuned.priors.candidates if each.name == JOINT)
    assert joint.held_out > joint.loss  # what fits these tasks does not fit others
    chosen = next(each for each in tuned.priors.candidates if each.name == tuned.priors.chosen)
    assert chosen.held_out <= joint.held_out


def test_interrupted_search_gives_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    along, calls = PriorSearch.along, []

    def interrupted(self: PriorSearch, *arguments: object) -> object:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return along(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(PriorSearch, "along", interrupted)
    tuned = bt.tune(bt.UCB, recurring(12), **OPTIONS)
    assert tuned.priors is not None
    assert not tuned.priors.finished
    assert tuned.priors.n_folds == 0
    assert all(math.isnan(each.held_out) for each in tuned.priors.candidates)
    assert tuned.loss == pytest.approx(min(each.loss for each in tuned.priors.candidates))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prior_means": (1.0, 0.0)}, "range of prior_means must have low < high"),
        ({"prior_means": (0.0, np.inf)}, "the high end of prior_means must be a finite number"),
        ({"prior_weight": (2.0, 1.0)}, "prior_weight must be a number or"),
        ({"prior_weight": -1.0}, "prior_weight must be a finite number"),
        ({"alpha": 0.5}, "one parameter must be given as a range"),
        ({"ridge": 1.0}, "UCB has no parameter"),
    ],
)
def test_what_cannot_be_searched_is_rejected(options: dict[str, object], words: str) -> None:
    with pytest.raises(bt.ParameterError, match=words):
        bt.tune(bt.UCB, recurring(3), **OPTIONS | options)
    with pytest.raises(bt.TaskError, match=r"tasks\[0\] must be a bt.Task"):
        bt.tune(bt.UCB, [1], **OPTIONS)


def test_one_task_is_learned_from_without_measuring() -> None:
    tuned = bt.tune(bt.UCB, recurring(1), **OPTIONS)
    assert tuned.priors is not None
    assert tuned.priors.n_folds == 0
    assert tuned.loss <= bt.tune(bt.UCB, recurring(1), horizon=12, alpha=(0.0, 1.0)).loss
