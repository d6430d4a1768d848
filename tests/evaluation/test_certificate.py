"""Certificates against their definitions, and how often they are wrong."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval
from banditune.evaluation.certificate import certify
from banditune.evaluation.certificate_bounds import (
    NEXT,
    SIGN_DRAWS,
    Learned,
    bound_by_compression,
    bound_by_massart,
    bound_by_rademacher,
    name_of,
)
from banditune.evaluation.concentration import (
    BOLDEST,
    bound_expectation_above,
    bound_mean_above,
    bound_mean_below,
    ratio_interval,
)
from banditune.rng import generator
from benchmarks.coverage import METHODS, Population, failures, made_up_populations
from tests.naive import certificates as naive
from tests.strategies import share

SHARES = st.floats(0, 1)


@st.composite
def learned_values(draw: st.DrawFn) -> Learned:
    """Curves with edges that coincide now and then, and what is learned from them."""
    curves = []
    for _ in range(draw(st.integers(3, 7))):
        inner = sorted(draw(st.sets(st.integers(1, 15), max_size=5)))
        values = draw(st.lists(st.integers(0, 4), min_size=len(inner) + 1, max_size=len(inner) + 1))
        curves.append(bt.StepFunction(np.array([0, *inner, 16]) / 16, np.array(values) / 4))
    piece = bt.mean_curve(curves).argmin()
    middle = 0.5 * (piece.low + piece.high)
    return Learned(CurveSet.of(curves), piece, middle, Interval(0.0, 1.0), draw(st.integers(0, 3)))


@given(SHARES, st.floats(1e-6, 20))
def test_chernoffs_bounds_are_where_the_divergence_is_spent(mean, cost):
    high, low = bound_mean_above(mean, cost), bound_mean_below(mean, cost)
    assert 0.0 <= low <= mean <= high <= 1.0
    if mean > 0.0 and high < 1.0 - 1e-9:
        assert float(naive.divergence(mean, high)) == pytest.approx(cost, rel=1e-6, abs=1e-12)
    if mean < 1.0 and low > 1e-9:
        assert float(naive.divergence(mean, low)) == pytest.approx(cost, rel=1e-6, abs=1e-12)


@given(learned_values())
def test_a_name_is_the_weightiest_of_all_that_lead_to_the_best_piece(learned):
    name = name_of(learned)
    found = naive.names(learned, NEXT)
    assert (name.begins, name.ends) in {(begins, ends) for begins, ends, _ in found}
    assert name.weight == pytest.approx(max(weight for *_, weight in found), rel=1e-12)
    assert naive.weight_of_all_names(list(learned.curves), NEXT) <= 1.0 + 1e-12


@given(learned_values(), st.floats(0.01, 0.5))
def test_compression_looks_only_at_tasks_that_do_not_name_the_value(learned, delta):
    name = name_of(learned)
    losses = [curve(learned.value) for k, curve in enumerate(learned.curves) if k not in (name.begins, name.ends)]
    assert bound_by_compression(learned, delta) == bound_expectation_above(np.array(losses), delta * name.weight)


@share(15)
@given(learned_values(), st.floats(0.01, 0.5))
def test_rademacher_is_the_mean_of_largest_signed_sums(learned, delta):
    n = learned.n_tasks
    signs = generator(learned.seed, "certificate", "signs").choice(np.array([-1.0, 1.0]), (SIGN_DRAWS, n))
    largest = [naive.largest_signed_sum(list(learned.curves), list(row), 0.5) / n for row in signs]
    extra = math.sqrt(math.log(3 / delta) / (2 * n))
    expected = learned.mean + 2 * (np.mean(largest) + extra / math.sqrt(SIGN_DRAWS)) + 3 * extra
    assert bound_by_rademacher(learned, delta) == pytest.approx(expected, rel=1e-12)


@given(learned_values(), st.floats(0.01, 0.5))
def test_massart_counts_the_cells_and_is_never_below_the_complexity_itself(learned, delta):
    n, m = learned.n_tasks, len(naive.cells(list(learned.curves)))
    extra = 3 * math.sqrt(math.log(2 / delta) / (2 * n))
    assert bound_by_massart(learned, delta) == pytest.approx(
        learned.mean + math.sqrt(2 * math.log(m) / n) + extra, rel=1e-12
    )


@given(st.lists(SHARES, min_size=1, max_size=30), st.data(), st.floats(0.01, 0.5))
def test_betting_rules_out_what_the_gambler_wins_against(above, data, delta):
    below = data.draw(st.lists(SHARES, min_size=len(above), max_size=len(above)))
    a, b = np.array(above), np.array(below)
    goal = math.log(2 / delta)
    interval = ratio_interval(a, b, delta, 50.0)
    for end, side, first in ((interval.low, 1, 0.0), (interval.high, -1, 50.0)):
        won = naive.most_won(a, b, end, goal, side, BOLDEST)
        assert end == first or won == pytest.approx(goal, abs=1e-4)


@given(st.lists(SHARES, min_size=1, max_size=30), st.floats(0.01, 0.5))
def test_the_upper_bound_is_the_better_of_two_that_share_delta(numbers, delta):
    x = np.array(numbers)
    chernoff = bound_mean_above(float(x.mean()), math.log(2 / delta) / x.size)
    upper = bound_expectation_above(x, delta)
    assert upper <= chernoff
    if upper < chernoff:
        goal = math.log(2 / delta)
        won = naive.most_won(x, np.ones_like(x), upper, goal, -1, BOLDEST, least_below=1.0)
        assert upper == 1.0 or won == pytest.approx(goal, abs=1e-4)


def coins() -> Population:
    """A population in which nothing can be learned, and something always seems to be."""
    return next(each for each in made_up_populations(1_000) if each.name.startswith("coins"))


def test_certificates_are_wrong_less_often_than_they_say_where_an_honest_mean_misleads():
    population, n, repetitions, delta = coins(), 50, 150, 0.1
    wrong, slack, wrong_pair = failures(population, n, delta, repetitions)
    most = repetitions * delta + 3 * math.sqrt(repetitions * delta * (1 - delta))
    assert (wrong.sum(axis=0) <= most).all()
    assert wrong_pair.sum() <= most
    # this population can tell: an interval that forgets that the value was chosen is wrong nearly always
    fooled = 0
    for number in range(repetitions):
        chosen = generator(0, "coverage", population.name, n, number).integers(0, len(population.curves), n)
        curves = population.curves.take(chosen)
        mean = curves.mean()
        bound = bound_mean_above(mean.minimum(), math.log(1 / delta) / n)
        fooled += population.expected(mean.argmin().low) > bound
    assert fooled > 0.5 * repetitions
    assert slack[:, METHODS.index("massart")].mean() > 3 * slack[:, METHODS.index("compression")].mean()


def bernoulli_pairs(n_tasks: int, seed: int = 0) -> list[bt.Task]:
    return bt.problems.bernoulli(2).sample(n_tasks, 40, seed=seed)


def tuned_on(n_tasks: int) -> bt.Tuned:
    return bt.tune(bt.UCB, bernoulli_pairs(n_tasks), horizon=40, alpha=(0.0, 1.0))


def test_the_certificate_of_a_result_is_that_of_its_curves():
    tuned = tuned_on(60)
    curves = CurveSet.of(bt.loss_curve(bt.UCB, task, horizon=40, alpha=(0.0, 1.0)) for task in bernoulli_pairs(60))
    learned = Learned(curves, tuned.interval, tuned.alpha, Interval(0.0, 40.0), 0)
    for method in ("compression", "rademacher", "massart", "paper", "best"):
        found = tuned.certificate(delta=0.1, method=method)
        assert found == certify(learned, 0.1, method)
        assert (found.value, found.loss) == (tuned.alpha, pytest.approx(tuned.loss))
        assert found.loss < found.loss_bound
        assert found.excess_bound > 0.0
    paper = tuned.certificate(delta=0.1, method="paper")
    n_pieces = int(curves.n_pieces.sum())
    assert paper.excess_bound == pytest.approx(40 * 4 * math.sqrt(math.log(n_pieces / 0.1) / 60))
    best = tuned.certificate(delta=0.1, method="best")
    assert best.loss_bound == tuned.certificate(delta=0.1 / 3, method="compression").loss_bound


def test_what_was_compared_is_paid_for():
    tasks = bernoulli_pairs(30)
    several = bt.tune(bt.UCB, tasks, horizon=40, alpha=(0.0, 1.0), schedule=["log", "constant"])
    one = bt.tune(bt.UCB, tasks, horizon=40, alpha=(0.0, 1.0), schedule=several.params.get("schedule", "log"))
    assert several.certificate(delta=0.1).loss_bound == one.certificate(delta=0.05).loss_bound
    assert several.certificate(delta=0.1).delta == 0.1


def test_the_bound_is_given_or_follows_from_limits_and_is_never_guessed():
    tuned = tuned_on(20)
    assert tuned.reward_limits == Interval(0.0, 1.0)
    assert tuned.certificate() == tuned.certificate(bound=40.0) == tuned.certificate(bound=(0.0, 40.0))
    unstated = [bt.Task(task.rewards, means=task.means) for task in bernoulli_pairs(20)]
    blind = bt.tune(bt.UCB, unstated, horizon=40, alpha=(0.0, 1.0))
    with pytest.raises(bt.ParameterError, match="give bound"):
        blind.certificate()
    assert blind.certificate(bound=40.0) == tuned.certificate()
    with pytest.raises(bt.ParameterError, match=r"tasks\[\d+\] has the loss"):
        tuned.certificate(bound=0.01)
    mixed = bt.tune(bt.UCB, [*bernoulli_pairs(19), unstated[19]], horizon=40, alpha=(0.0, 1.0))
    assert mixed.reward_limits is None


def test_rewards_as_losses_have_limits_too():
    tuned = bt.tune(bt.UCB, bernoulli_pairs(30), horizon=40, alpha=(0.0, 1.0), loss="reward")
    found = tuned.certificate()
    assert found.limits == Interval(-40.0, 0.0)
    assert tuned.loss < found.loss_bound < 0.0
    with pytest.raises(bt.ParameterError, match="must be \\(low, high\\)"):
        tuned.certificate(bound=40.0)
    assert tuned.improvement(0.9).share is None


def test_held_out_tasks_speak_of_the_learned_value_itself():
    tuned, fresh = tuned_on(40), bernoulli_pairs(50, seed=5)
    found = tuned.certificate(tasks=fresh, delta=0.1)
    games = [bt.play(bt.UCB, task, horizon=40, alpha=tuned.alpha).regret[-1] for task in fresh]
    assert found.loss == pytest.approx(np.mean(games))
    assert (found.method, found.value, found.n_tasks) == ("holdout", tuned.alpha, 50)
    assert tuned.certificate(tasks=fresh, delta=0.1, method="holdout") == found
    with pytest.raises(bt.ParameterError, match="the method is holdout; got massart"):
        tuned.certificate(tasks=fresh, method="massart")
    better = tuned.improvement(5.0, tasks=fresh, delta=0.1)
    others = [bt.play(bt.UCB, task, horizon=40, alpha=5.0).regret[-1] for task in fresh]
    saved = np.mean(others) - np.mean(games)
    assert better.saved.low < saved < better.saved.high
    assert better.share.low < saved / np.mean(others) < better.share.high
    assert "held-out tasks" in str(better)


def test_without_curves_it_says_what_to_do(tmp_path):
    tuned = tuned_on(20)
    tuned.save(tmp_path / "tuned.json")
    loaded = bt.load(tmp_path / "tuned.json")
    assert loaded.reward_limits == Interval(0.0, 1.0)
    with pytest.raises(bt.InputError, match="held-out tasks"):
        loaded.certificate()
    fresh = bernoulli_pairs(30, seed=3)
    assert loaded.certificate(tasks=fresh).loss_bound == tuned.certificate(tasks=fresh).loss_bound
    together = bt.tune(bt.UCB, bernoulli_pairs(8), horizon=10, alpha=(0.0, 1.0), prior_means=(0.0, 1.0))
    with pytest.raises(bt.InputError, match="learned from all tasks together"):
        together.certificate()
    assert together.certificate(tasks=fresh).n_tasks == 30


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"delta": 0.0}, "delta"), ({"delta": 1.5}, "delta"), ({"method": "luck"}, "method"), ({"bound": "x"}, "bound")],
)
def test_wrong_arguments_are_told(wrong, message):
    with pytest.raises(bt.ParameterError, match=message):
        tuned_on(10).certificate(**wrong)


def test_too_few_tasks_are_told():
    with pytest.raises(bt.InputError, match="at least 3 tasks, got 2"):
        tuned_on(2).certificate()
    with pytest.raises(bt.InputError, match="at least 4"):
        tuned_on(3).certificate(method="holdout")


def test_dual_complexity_is_the_mean_number_of_pieces():
    curves = [bt.loss_curve(bt.UCB, task, horizon=40, alpha=(0.0, 1.0)) for task in bernoulli_pairs(30)]
    found, tuned = bt.dual_complexity(curves), tuned_on(30)
    assert found.mean == tuned.complexity == np.mean([curve.n_pieces for curve in curves])
    assert 1.0 <= found.low < found.mean < found.high
    assert bt.dual_complexity(curves[:1]).high == math.inf


def test_certificates_from_totals_are_wrong_no_more_often_than_they_say() -> None:
    """Orders are drawn for each task by itself; with one order for all, half of these certificates are wrong."""
    rates, rounds, delta = np.array([0.3, 0.7]), 40, 0.05
    rng = np.random.default_rng(1)
    recorded = [bt.Task((rng.random((2, rounds)) < rates[:, None]).astype(float)) for _ in range(4_000)]
    truth = bt.tune(bt.UCB, recorded, horizon=rounds, alpha=(0.0, 4.0)).curve
    wrong = dict.fromkeys(("compression", "holdout"), 0)
    for _ in range(12):
        successes = rng.binomial(rounds, rates, (400, 2)).tolist()
        tasks = [bt.Task.from_counts([rounds] * 2, each) for each in successes]
        tuned = bt.tune(bt.UCB, tasks, horizon=rounds, alpha=(0.0, 4.0), draws=4)
        for method in wrong:
            certificate = tuned.certificate(delta=delta, bound=float(rounds), method=method)
            wrong[method] += certificate.loss_bound < truth(tuned.alpha)
    assert max(wrong.values()) <= 1
