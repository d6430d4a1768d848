"""Stopping rules: the loss for every threshold against tests that are stopped look by look."""

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.stopping.rule import STATISTICS, StoppingRule, to_probability, to_threshold
from banditune.stopping.test_and_roll import estimate_spread, find_test_size
from banditune.stopping.threshold import HIGHEST, TestPlan, sweep_tests
from tests.naive.stopping import naive_lead, naive_stop


@st.composite
def drawn_plans(draw: st.DrawFn) -> tuple[bt.Task, TestPlan]:
    n_arms, rounds = draw(st.integers(1, 4)), draw(st.integers(1, 60))
    few = draw(st.sampled_from([[0.0, 1.0], [0.0, 0.0, 1.0], [k / 8 for k in range(9)], [-3.0, 1e3, 2.5]]))
    row = st.lists(st.sampled_from(few), min_size=rounds, max_size=rounds)
    task = bt.Task(draw(st.lists(row, min_size=n_arms, max_size=n_arms)))
    plan = TestPlan(
        horizon=rounds,
        rollout=draw(st.integers(0, 500)),
        check_every=draw(st.integers(1, rounds)),
        least=draw(st.integers(1, rounds)),
        statistic=draw(st.sampled_from(STATISTICS)),
        draws=1,
        seed=0,
    )
    return task, plan


@given(drawn_plans(), st.lists(st.floats(0.0, HIGHEST), min_size=1, max_size=5))
def test_losses_are_those_of_tests_that_are_stopped_at_the_threshold(
    drawn: tuple[bt.Task, TestPlan], thresholds: list[float]
) -> None:
    task, plan = drawn
    curves = sweep_tests([task], plan)
    loss, length = curves.losses[0], curves.lengths[0]
    arms = [t % task.n_arms for t in range(plan.horizon)]
    rewards = [float(task.rewards[arm][t // task.n_arms]) for t, arm in enumerate(arms)]
    middles = 0.5 * (loss.edges[:-1] + loss.edges[1:])
    for threshold in [0.0, *thresholds, *middles.tolist()]:
        asked: dict[str, Any] = {"least": plan.least, "every": plan.check_every, "later": plan.rollout}
        t, expected, closest = naive_stop(
            arms, rewards, task.means.tolist(), threshold=threshold, statistic=plan.statistic, **asked
        )
        if closest > 1e-9:
            assert length(threshold) == t
            assert loss(threshold) == pytest.approx(expected, rel=1e-12, abs=1e-9)
    for k, t in enumerate(curves.checks.tolist()):
        so_far = [[r for r, a in zip(rewards[:t], arms, strict=False) if a == arm] for arm in range(task.n_arms)]
        leader, gaps = naive_lead(so_far, plan.statistic)[0], task.means.max() - task.means
        lost = sum(gaps[arm] for arm in arms[:t]) + (plan.horizon - t + plan.rollout) * gaps[leader]
        assert curves.fixed[0, k] == pytest.approx(lost, rel=1e-12, abs=1e-9)


@given(drawn_plans(), st.floats(0.1, 5.0))
def test_rule_stops_where_the_curve_says(drawn: tuple[bt.Task, TestPlan], threshold: float) -> None:
    task, plan = drawn
    length = sweep_tests([task], plan).lengths[0]
    rule = StoppingRule(threshold, plan.statistic, plan.check_every, plan.least, plan.horizon)
    for t in plan.checks.tolist():
        arms = [k % task.n_arms for k in range(t)]
        rows = [task.rewards[arm][: arms.count(arm)] for arm in range(task.n_arms)]
        if any(row.size == 0 for row in rows):
            continue
        pulls, means = [row.size for row in rows], [float(row.sum()) / row.size for row in rows]
        sds = [float(row.std()) for row in rows]
        if t < plan.horizon and abs(rule.measure(pulls, means, sds) - threshold) < 1e-6:
            return
        if rule.should_stop(pulls, means, sds):
            assert length(threshold) == t
            assert rule.leader(means) == naive_lead([row.tolist() for row in rows], plan.statistic)[0]
            return


def some_tests(n: int = 40) -> list[bt.Task]:
    rng = np.random.default_rng(4)
    clicks = (rng.binomial(4000, rng.normal(0.1, 0.01, 2)) for _ in range(n))
    return [bt.Task.from_counts([4000, 4000], each, name=str(k)) for k, each in enumerate(clicks)]


def test_what_is_learned_is_the_mean_of_the_tests_curves_and_judged_on_held_out_ones() -> None:
    tests = some_tests()
    found = bt.stopping.learn_threshold(tests, horizon=2000, rollout=20_000, draws=3, seed=1)
    plan = TestPlan(2000, 20_000, 40, 40, statistic="loss", draws=3, seed=1)
    curves = sweep_tests(tests, plan)
    assert found.curve == curves.losses.mean()
    assert found.interval == found.curve.argmin()
    assert found.loss == found.curve(found.threshold)
    assert found.held_out is not None
    assert list(found.held_out.losses) == ["learned", "best fixed length", "Test & Roll", "95%", "full length"]
    by_probability = sweep_tests(tests, replace(plan, statistic="probability"))
    assert found.held_out.others["95%"].tolist() == by_probability.losses.at(to_threshold(0.95)).tolist()
    assert found.held_out.others["full length"].tolist() == curves.fixed[:, -1].tolist()
    rounds: dict[str, list[float]] = {"learned": [], "best fixed length": [], "Test & Roll": []}
    for k in range(found.held_out.n_folds):
        held = found.held_out.fold == k
        best = curves.fixed[~held].mean(axis=0).argmin()
        spread = estimate_spread([test for test, is_held in zip(tests, held, strict=True) if not is_held])
        size = 2 * find_test_size(22_000, spread.noise, spread.prior)
        rounds["learned"] += curves.lengths.at(found.held_out.values[k])[held].tolist()
        rounds["best fixed length"] += [curves.checks[best]] * int(held.sum())
        rounds["Test & Roll"] += [min(t for t in curves.checks if t >= min(size, 2000))] * int(held.sum())
        assert found.held_out.others["best fixed length"][held].tolist() == curves.fixed[held, best].tolist()
        assert found.held_out.learned[held].tolist() == curves.losses.at(found.held_out.values[k])[held].tolist()
    assert found.lengths == {
        **{name: pytest.approx(np.mean(each)) for name, each in rounds.items()},
        "95%": by_probability.lengths.at(to_threshold(0.95)).mean(),
        "full length": 2000.0,
    }
    assert "a threshold of" in found.verdict.text
    again = bt.stopping.learn_threshold(iter(tests), horizon=2000, rollout=20_000, draws=3, seed=1)
    assert again.summary() == found.summary()
    assert found.rule == StoppingRule(found.threshold, "loss", 40, 40, 2000)


def test_tests_may_be_run_by_a_tuned_policy() -> None:
    tests = some_tests(8)
    tuned = bt.tune(bt.UCB, tests, horizon=400, alpha=(0.0, 1.0), draws=2)
    found = bt.stopping.learn_threshold(tests, rollout=1000, policy=tuned, draws=2)
    assert found.assigned_by == "UCB"
    assert found.rule.most == 400
    runs = [bt.play(bt.UCB, task, horizon=400, alpha=tuned.alpha, loss="rollout", rollout=1000) for task in tests]
    once = bt.stopping.learn_threshold(tests, rollout=1000, policy=tuned, draws=1)
    assert once.curve(HIGHEST) == pytest.approx(np.mean([run.loss for run in runs]))
    with pytest.raises(bt.ParameterError, match="horizon must be that of the tuned policy, 400; got 500"):
        bt.stopping.learn_threshold(tests, rollout=1000, policy=tuned, horizon=500)


def test_tests_that_are_alike_have_draws_of_their_own_where_the_policy_draws() -> None:
    alike = [bt.Task([[0.0, 1.0] * 20, [1.0, 0.0] * 20], means=[0.4, 0.6])] * 4
    policy = bt.tune(bt.GaussianThompson, alike, horizon=40, scale=(0.5, 2.0), draws=1)
    plan = TestPlan(40, rollout=100, check_every=5, least=5, statistic=STATISTICS[0], draws=1, seed=0, policy=policy)
    fixed = sweep_tests(alike, plan).fixed
    assert len({tuple(row) for row in fixed.tolist()}) > 1


def test_size_of_test_and_roll_has_the_largest_expected_profit() -> None:
    population, noise, sigma = 10_000.0, 0.5, 0.05

    def profit(n: float) -> float:  # equation 9 of the paper, less what does not depend on n
        return (population - 2 * n) * sigma**2 / np.sqrt(noise**2 / n + sigma**2)

    sizes = np.linspace(1.0, 4999.0, 100_001)
    best = sizes[np.argmax([profit(n) for n in sizes])]
    assert find_test_size(population, noise, sigma) == pytest.approx(best, abs=0.1)


def test_spread_of_arms_is_estimated_without_sampling_errors() -> None:
    rng = np.random.default_rng(0)
    rates = rng.normal(0.2, 0.02, (400, 3))
    tests = [bt.Task.from_counts([500] * 3, rng.binomial(500, row)) for row in rates]
    spread = estimate_spread(tests)
    assert spread.noise == pytest.approx(0.4, rel=0.02)
    assert spread.prior == pytest.approx(0.02, rel=0.1)
    alike = estimate_spread([bt.Task([[0.0, 1.0], [1.0, 0.0]])])
    assert 0.0 < alike.prior < 1e-5


@pytest.mark.parametrize("probability", [0.6, 0.95, 0.999])
def test_thresholds_are_quantiles(probability: float) -> None:
    assert to_threshold(probability) == NormalDist().inv_cdf(probability)
    assert to_probability(to_threshold(probability)) == pytest.approx(probability)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"rollout": -1}, "rollout must be a whole number from 0"),
        ({"rollout": 5, "check_every": 0}, "check_every must be a whole number from 1 to 10"),
        ({"rollout": 5, "least": 11}, "least must be a whole number from 1 to 10"),
        ({"rollout": 5, "statistic": "p-value"}, "statistic must be one of probability, gap, loss"),
        ({"rollout": 5, "policy": bt.UCB}, "policy must be what bt"),
    ],
)
def test_what_cannot_be_meant_is_rejected(given_: dict[str, Any], message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        bt.stopping.learn_threshold([bt.Task([[1.0], [0.0]])], horizon=10, **given_)


def test_nothing_is_learned_from_no_test() -> None:
    with pytest.raises(bt.TaskError, match="at least one task"):
        bt.stopping.learn_threshold([], rollout=10)
    alone = bt.stopping.learn_threshold([bt.Task([[1.0, 0.0], [0.0, 0.0]])], rollout=10)
    assert alone.held_out is None
    assert "no verdict" in alone.verdict.text
