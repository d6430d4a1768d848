"""Which policy? All of them tuned on the same tasks and folds."""

from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.tuning.families import _Bar, compare_held_out, count_needs, list_families

rng = np.random.default_rng(0)
TASKS = [bt.Task(rng.random((2, 12)) < rng.random((2, 1)), name=str(k)) for k in range(12)]


@pytest.fixture(scope="module")
def found() -> Any:
    return bt.study("all", TASKS, horizon=12, draws=1)


def test_every_policy_that_runs_on_rewards_is_compared(found: Any) -> None:
    names = [row.name for row in found.families.rows]
    assert {"UCB", "UCB, remaining", "MOSS", "epsilon-greedy", "softmax"} <= set(names)
    assert sorted(names) == sorted(family.name for family in list_families(TASKS, 12)[0])
    means = [row.loss.mean for row in found.families.rows]
    assert means == sorted(means)


def test_the_study_is_that_of_the_chosen_family(found: Any) -> None:
    chosen = next(row for row in found.families.rows if row.name == found.families.chosen)
    family = next(family for family in list_families(TASKS, 12)[0] if family.name == chosen.name)
    alone = bt.study(family.policy, TASKS, horizon=12, draws=1, **family.settings)
    assert found.tuned == alone.tuned
    assert chosen.params == alone.tuned.recommended
    assert chosen.loss.mean == alone.held_out.learned.mean()
    assert found.families.chosen in found.families.text


def test_up_to_the_first_that_is_clearly_worse_families_are_level() -> None:
    base, noise = np.linspace(1.0, 2.0, 40), np.tile([3.0, -3.0], 20)
    losses = {"first": base, "close": base + 0.01 * noise + 0.001, "worse": base + 0.1, "noisy": base + noise + 0.5}
    rows = compare_held_out([(name, "alpha", {"alpha": 0.1}, each) for name, each in losses.items()])
    assert [(row.name, row.is_level) for row in rows] == [
        ("first", True),
        ("close", True),
        ("worse", False),
        ("noisy", False),  # no clear difference, but it loses more than one that is clearly worse
    ]
    assert rows[3].extra.low < 0.0
    assert rows[0].learned == "alpha = 0.1"


def test_large_losses_of_the_first_do_not_make_all_others_level() -> None:
    base = np.linspace(1.0, 2.0, 40)
    first = np.append(base[:-1] - 1.0, 30.0)  # the least mean, for one large loss
    rows = compare_held_out(
        [(name, "alpha", {"alpha": 0.1}, each) for name, each in (("first", first), ("a", base), ("b", base + 0.5))]
    )
    assert [row.name for row in rows] == ["first", "a", "b"]
    assert rows[2].extra.low <= 0.0
    assert [row.is_level for row in rows] == [True, True, False]


def test_simple_ones_are_preferred() -> None:
    assert count_needs(bt.UCB, {"alpha": 0.1, "schedule": "log"}) == 0
    assert count_needs(bt.UCB, {"alpha": 0.1, "schedule": "remaining"}) == 1
    assert count_needs(bt.MOSS, {}) == count_needs(bt.Softmax, {}) == 1
    assert count_needs(bt.GaussianUCB, {"schedule": "remaining"}) == 2


def test_priors_are_among_them_where_arms_recur_and_it_is_quick() -> None:
    named = [bt.Task(task.rewards, name=task.name, arms=["a", "b"]) for task in TASKS]
    here, slow = list_families(named, 12)
    assert bt.GaussianUCB.label in [family.name for family in here]
    assert slow == []
    here, slow = list_families(named, 10**6)
    assert {bt.GaussianUCB.label, bt.KLUCB.label} <= {family.name for family in slow}
    assert "UCB" in [family.name for family in here]
    assert bt.GaussianUCB.label not in [family.name for family in list_families(TASKS, 12)[0]]


def test_what_belongs_to_one_policy_is_rejected() -> None:
    with pytest.raises(bt.BanditTuneError, match="takes no alpha"):
        bt.study("all", TASKS, alpha=(0.0, 1.0))
    with pytest.raises(bt.BanditTuneError, match="takes no current"):
        bt.study("all", TASKS, current={"alpha": 1.0})
    with pytest.raises(bt.BanditTuneError, match="takes no grid"):
        bt.study("all", TASKS, grid={"alpha": [0.1, 1.0]})
    with pytest.raises(bt.BanditTuneError, match="at least two; got 1"):
        bt.study("all", TASKS[:1])
    with pytest.raises(bt.BanditTuneError, match="policy must be"):
        bt.study("every", TASKS)  # type: ignore[arg-type]
    with pytest.raises(bt.BanditTuneError, match=r"must be bt\.Task"):
        bt.study("all", [1, 2], horizon=5)


def test_all_families_learn_late_where_rewards_are_late() -> None:
    families, _ = list_families(TASKS, 12, {"updates": bt.Delay(2)})
    assert all(family.settings["updates"] == bt.Delay(2) for family in families)
    found = bt.study("all", TASKS, horizon=12, draws=1, updates=bt.Delay(2))
    assert found.tuned.params["updates"] == bt.Delay(2)
    with pytest.raises(bt.ParameterError, match="takes no alpha"):
        bt.study("all", TASKS, horizon=12, alpha=(0, 1), updates=bt.Delay(2))


def test_progress_and_so_the_estimate_of_time_go_by_how_long_a_family_takes() -> None:
    arms = [["red", "blue"]] * len(TASKS)
    recurring = [bt.Task(task.rewards, arms=names) for task, names in zip(TASKS, arms, strict=True)]
    families, _ = list_families(recurring, 12)
    slow = [family.policy.slowness for family in families]
    assert max(slow) == bt.GaussianUCB.slowness > 20.0
    told: list[float] = []
    bar = _Bar(families, lambda what, done, total: told.append(done / total))
    for family in families:
        tell = bar.begin(family)
        tell("sweeping", 5, 10)
        tell("cross-validating", 0, 10)
        tell("cross-validating", 10, 10)
    done = np.cumsum(slow) / sum(slow)
    assert told[2::3] == pytest.approx(done)
    assert told[0::3] == pytest.approx(done - 0.5 * np.array(slow) / sum(slow))
    assert told == sorted(told)
    bar.begin(families[0])("sweeping again", 10, 10)
    assert told[-1] == pytest.approx(1.0)
