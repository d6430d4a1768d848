"""Verdicts: what the held-out losses of a study support, and no more."""

import numpy as np
import pytest
from numpy.typing import NDArray

import banditune as bt
from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.intervals import estimate_ratio, estimate_skewed_mean
from banditune.evaluation.verdict import LEAST_TASKS, judge
from banditune.tuning.equal_split import EQUAL_SPLIT

Floats = NDArray[np.float64]


def held_out(learned: Floats, *, current: str | None = None, **others: Floats) -> HeldOutLosses:
    n = learned.size
    names = {"one": "alpha = 1", "split": EQUAL_SPLIT}
    known = {names.get(name, name): losses for name, losses in others.items()}
    fixed = {1.0: known.pop("alpha = 1")} if "alpha = 1" in known else {}
    return HeldOutLosses(2, np.arange(n) % 2, np.zeros(2), learned, fixed, "alpha", known, current)


def losses(mean: float, n: int = 40, spread: float = 1.0) -> Floats:
    return mean + spread * np.random.default_rng([int(mean * 10), n]).normal(size=n)


def test_learned_is_recommended_where_it_beats_every_baseline() -> None:
    found = judge(held_out(losses(5.0), one=losses(10.0), split=losses(20.0)), "alpha = 0.1", "regret")
    assert (found.choice, found.against) == ("learned", "alpha = 1")
    assert found.text.startswith("Use alpha = 0.1: on held-out tasks, 5")
    assert found.ratio is not None
    assert found.ratio.low < found.ratio.mean < found.ratio.high < 1.0


def test_one_baseline_that_is_as_good_is_enough_to_keep_what_one_has() -> None:
    learned = losses(5.0)
    wobble = np.tile([0.2, -0.2], 20)
    found = judge(held_out(learned, one=losses(10.0), split=learned + wobble), "alpha = 0.1", "regret")
    assert (found.choice, found.against) == ("no difference", EQUAL_SPLIT)
    assert found.text.startswith("No clear difference from equal split: keep what you have")


def test_no_clear_difference_is_from_a_baseline_that_has_none() -> None:
    learned = losses(5.0)
    near, wild = learned + 1.0, learned + 2.0 + np.tile([9.0, -9.0], 20)  # the one with the least loss is clearly worse
    found = judge(held_out(learned, one=near, split=wild), "alpha = 0.1", "regret")
    assert (found.choice, found.against) == ("no difference", EQUAL_SPLIT)
    found = judge(
        held_out(learned, one=near, split=wild, today=learned + 3.0, current="today"), "alpha = 0.1", "regret"
    )
    assert found.text.endswith("no clear difference from equal split.")


def test_a_clearly_better_baseline_is_named() -> None:
    found = judge(held_out(losses(9.0), one=losses(4.0), split=losses(20.0)), "alpha = 3", "regret")
    assert (found.choice, found.against) == ("keep", "alpha = 1")
    assert found.text.startswith("alpha = 1 is better here: on held-out tasks, alpha = 3 has 2.")
    found = judge(held_out(losses(9.0), one=losses(14.0), split=losses(4.0)), "alpha = 3", "regret")
    assert (found.choice, found.against) == ("keep", EQUAL_SPLIT)
    assert found.text.startswith("Equal split is better here")


def test_what_is_used_today_is_not_kept_where_it_is_clearly_worse_than_what_was_learned() -> None:
    learned = losses(5.0)
    others = {"one": learned + np.tile([0.2, -0.2], 20), "alpha = 4": losses(12.0)}
    assert judge(held_out(learned, **others), "alpha = 0.8", "regret").choice == "no difference"
    found = judge(held_out(learned, current="alpha = 4", **others), "alpha = 0.8", "regret")
    assert (found.choice, found.against) == ("learned", "alpha = 4")
    assert found.text.endswith("no clear difference from alpha = 1.")


@pytest.mark.parametrize("n", [2, 6, LEAST_TASKS - 1])
def test_few_tasks_claim_nothing(n: int) -> None:
    for far in (0.1, 100.0):
        found = judge(held_out(np.full(n, 5.0), one=np.full(n, far)), "alpha = 0.1", "regret")
        assert found.choice == "no difference"
        assert found.text.startswith(f"{n} tasks are too few")


def test_nothing_held_out_gives_no_verdict() -> None:
    assert judge(None, "alpha = 0.1", "regret").choice == "no difference"
    assert judge(held_out(losses(1.0)), "alpha = 0.1", "regret").against is None


def test_rewards_are_compared_by_differences_since_they_have_no_zero() -> None:
    found = judge(held_out(-losses(12.0), one=-losses(10.0)), "alpha = 0.1", "reward")
    assert (found.choice, found.ratio) == ("learned", None)
    assert "more reward than alpha = 1" in found.text


def test_the_best_of_many_equal_baselines_is_seldom_called_better() -> None:
    """Ten baselines that are as good as what was learned: without a correction one in six would be."""
    random, kept = np.random.default_rng(3), 0
    for _ in range(200):
        learned = random.normal(size=30)
        others = {f"alpha = {k}": random.normal(size=30) for k in range(10)}
        kept += judge(held_out(learned, **others), "alpha = 0.1", "reward").choice == "keep"
    assert kept < 0.05 * 200


def test_rows_are_learned_then_usual_values_then_equal_split_then_what_is_used_today() -> None:
    one, split, today = losses(2.0), losses(3.0), losses(4.0)
    learned = losses(1.0)
    table = held_out(learned, one=one, split=split, **{"alpha = 0.5": today}, current="alpha = 0.5")
    assert [row.name for row in table.rows] == ["learned", "alpha = 1", "equal split", "alpha = 0.5"]
    assert [row.is_current for row in table.rows] == [False, False, False, True]
    for row, each in zip(table.rows, (learned, one, split, today), strict=True):
        assert row.loss.mean == each.mean()
        assert row.extra.mean == pytest.approx((each - learned).mean())
        assert (row.n_worse, row.n_better) == ((each > learned).sum(), (each < learned).sum())


def test_skewed_interval_covers_where_students_does_not() -> None:
    """Rare large losses: the interval of the mean misses them less often, on the side where that matters."""
    random, below = np.random.default_rng(0), {"skewed": 0, "student": 0}
    for _ in range(2_000):
        sample = -random.lognormal(0.0, 1.0, 40)
        true = -float(np.exp(0.5))
        below["skewed"] += estimate_skewed_mean(sample).low > true
        below["student"] += bt.evaluation.intervals.estimate(sample).low > true
    assert below["skewed"] < 0.06 * 2_000
    assert below["student"] > 1.5 * below["skewed"]


def test_a_ratio_of_1_is_excluded_just_where_the_paired_difference_excludes_0() -> None:
    random, excluded = np.random.default_rng(1), 0
    for _ in range(150):
        one = random.lognormal(0.0, 0.7, 25)
        other = one * random.uniform(0.7, 1.5, 25)
        ratio, difference = estimate_ratio(one, other), estimate_skewed_mean(one - other)
        assert ratio.low < ratio.mean == one.mean() / other.mean() < ratio.high
        assert (ratio.low <= 1.0 <= ratio.high) == (difference.low <= 0.0 <= difference.high)
        excluded += difference.high < 0.0
    assert 15 < excluded < 135


def archive(n: int, seed: int) -> list[bt.Task]:
    random = np.random.default_rng(seed)
    return [bt.Task(random.normal(random.normal(0.0, 0.3, (3, 1)), 1.0, (3, 80)), name=f"{k}") for k in range(n)]


def test_a_study_judges_by_its_own_table() -> None:
    for seed in range(6):
        study = bt.study(bt.UCB, archive(20, seed), horizon=80, current={"alpha": 0.5})
        assert study.held_out is not None
        rows = {row.name: row for row in study.held_out.rows}
        assert list(rows) == ["learned", "alpha = 1", "alpha = 2", "equal split", "alpha = 0.5"]
        against = study.verdict.against
        assert against is not None
        extra = rows[against].extra
        clear = {"learned": extra.low > 0.0, "keep": extra.high < 0.0}
        assert clear.get(study.verdict.choice, True)
        assert f"alpha = {study.tuned.recommended['alpha']:.4g}" in study.verdict.text


def test_what_is_used_today_may_differ_in_more_than_what_is_searched() -> None:
    tasks = archive(12, 1)
    today = {"alpha": 0.5, "prior_means": [0.2, 0.1, 0.0], "prior_weight": 2.0}
    study = bt.study(bt.UCB, tasks, horizon=60, alpha=(0.0, 4.0), current=today)
    assert study.held_out is not None
    last = study.held_out.rows[-1]
    assert last.is_current
    plays = [bt.play(bt.UCB, task, horizon=60, **today).regret[-1] for task in tasks]
    assert study.held_out.losses[last.name].tolist() == plays
    with pytest.raises(bt.ParameterError, match='has no parameter "beta"'):
        bt.study(bt.UCB, tasks, horizon=60, current={"beta": 1.0})
    with pytest.raises(bt.ParameterError, match="current must map parameters to values"):
        bt.study(bt.UCB, tasks, horizon=60, current=1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_logs_and_few_tasks_end_in_a_verdict_that_their_table_supports(seed: int) -> None:
    rng = np.random.default_rng(seed)
    logs = []
    for _ in range(12):  # customers differ a little in what they like, and visits are rare
        contexts, arms = rng.random((80, 2)), rng.integers(3, size=80)
        rates = 0.05 + 0.2 * contexts[np.arange(80), np.minimum(arms, 1)] * (arms > 0)
        logs.append(bt.LoggedTask(contexts, arms, (rng.random(80) < rates) * 1.0))
    replayed = bt.study(bt.LinUCB, logs, loss="reward", alpha=(0.0, 2.0), disjoint=True)
    six = [bt.Task([rng.normal(mean, 1.0, 40) for mean in rng.normal(0.0, 0.5, 3)]) for _ in range(6)]
    few = bt.study(bt.UCB, six, horizon=60, draws=2)
    assert few.verdict.text.startswith("6 tasks are too few to tell")
    for study in (replayed, few):
        assert study.held_out is not None
        rows = {row.name: row for row in study.held_out.rows}
        assert study.verdict.against is not None
        extra = rows[study.verdict.against].extra
        supported = {
            "learned": extra.low > 0.0 and rows["learned"].loss.mean < rows[study.verdict.against].loss.mean,
            "keep": extra.high < 0.0,
            "no difference": study.tuned.n_tasks < 10
            or not all(row.extra.low > 0.0 for row in list(rows.values())[1:]),
        }
        assert supported[study.verdict.choice]
