import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune import UCB
from banditune.baselines import entry
from banditune.evaluation.impossibility import impossibility, impossibility_of_task
from banditune.problems import Gaussian, fixed
from banditune.simulation.simulate import simulate

ARMS = st.lists(st.tuples(st.floats(-10, 10).map(lambda x: round(x, 6)), st.floats(1e-6, 100)), min_size=2, max_size=6)


def split(arms: list[tuple[float, float]]) -> tuple[list[tuple[mpmath.mpf, mpmath.mpf]], mpmath.mpf]:
    """The gap and the variance of each worse arm, and the least variance of a best one."""
    best = max(mean for mean, _ in arms)
    worse = [(mpmath.mpf(best) - mpmath.mpf(m), mpmath.mpf(v)) for m, v in arms if m < best]
    return worse, mpmath.mpf(min(v for m, v in arms if m == best))


@given(ARMS)
def test_the_online_side_is_that_of_theorem_b_1_and_the_tuned_side_has_one_alpha_for_all_arms(arms):
    means, variances = map(list, zip(*arms, strict=True))
    worse, steadiest = split(arms)
    if any(gap <= 1e-9 for gap, _ in worse):
        return
    sides = impossibility(means, variances)
    assert sides.online == pytest.approx(float(sum(2 * d / mpmath.log1p(d * d / v) for d, v in worse)), rel=1e-9)
    assert sides.alpha == 2 * float(steadiest)
    assert sides.tuned == pytest.approx(float(sum(2 * steadiest / d for d, _ in worse)), rel=1e-9)


@given(ARMS, st.floats(1e-6, 100))
def test_online_pays_more_wherever_variances_are_equal_and_there_is_something_to_lose(arms, variance):
    means = [mean for mean, _ in arms]
    sides = impossibility(means, [variance] * len(means))
    gaps = max(means) - np.array(means)
    if gaps.max() ** 2 > 1e-3 * variance:  # the ratio is 1 + gap^2 / (2 variance) + ..., where that is small
        assert sides.ratio > 1.0
    elif gaps.max() > 0.0:
        assert sides.ratio >= 1.0 - 1e-12
    else:
        assert math.isnan(sides.ratio)


def test_with_unequal_variances_the_ratio_may_say_nothing():
    assert impossibility([0.5, 0.7], [1e-4, 1.0]).ratio < 0.01
    assert impossibility([0.5, 0.7], [1.0, 1e-4]).ratio > 1_000


def growth(alpha: float, variances: list[float], rounds: int) -> float:
    """UCB's regret for each log T in the later part of runs on two arms with the means 0 and 1."""
    problem = fixed([Gaussian(mean, math.sqrt(variance)) for mean, variance in zip((0.0, 1.0), variances, strict=True)])
    bandits = [problem.bandit(number, 0) for number in range(60)]
    early = rounds // 50
    regret = simulate([entry(UCB, alpha=alpha)], bandits, horizon=rounds, rounds=[early, rounds], seed=0).regret
    per_run = regret[0].reshape(-1, 2)
    return float((per_run[:, 1] - per_run[:, 0]).mean()) / math.log(rounds / early)


@pytest.mark.parametrize("variances", [[0.01, 0.25], [1.0, 0.04], [0.25, 0.25]])
def test_ucb_with_twice_the_best_arms_variance_grows_as_slowly_as_is_claimed(variances):
    sides = impossibility([0.0, 1.0], variances)
    assert growth(sides.alpha, variances, 20_000) < 1.5 * sides.tuned


def test_an_alpha_for_the_worse_arms_variance_fails_where_the_best_arm_is_the_noisier():
    variances = [0.0001, 1.0]  # summed arm by arm, the tuned side would be 0.0002
    assert growth(2 * 0.0001, variances, 20_000) > 100 * 0.0002
    assert impossibility([0.0, 1.0], variances).tuned == 2.0


def test_without_noise_the_ratio_has_no_bound():
    assert impossibility([0.0, 5.0], [0.0, 0.0]).ratio == math.inf
    assert impossibility([0.0, 5.0], [1e-12, 1e-12]).ratio > 1e10


def test_a_task_is_taken_with_its_means_and_the_spread_of_its_rewards():
    task = bt.Task([[0.0, 1.0], [2.0, 4.0]], means=[0.25, 3.5])
    assert impossibility_of_task(task) == impossibility([0.25, 3.5], [0.25, 1.0])


@pytest.mark.parametrize(
    ("means", "variances"), [([], []), ([1.0], [1.0, 2.0]), ([0.0, 1.0], [-1.0, 1.0]), ([[1]], [[1]])]
)
def test_what_are_no_arms_is_rejected(means, variances):
    with pytest.raises(bt.InputError):
        impossibility(means, variances)
