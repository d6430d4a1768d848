import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.evaluation.impossibility import impossibility, impossibility_of_task

ARMS = st.lists(st.tuples(st.floats(-10, 10).map(lambda x: round(x, 6)), st.floats(1e-6, 100)), min_size=2, max_size=6)


@given(ARMS)
def test_both_sides_are_the_sums_of_theorem_4_1(arms):
    means, variances = map(list, zip(*arms, strict=True))
    best = max(means)
    worse = [(mpmath.mpf(best) - mpmath.mpf(m), mpmath.mpf(v)) for m, v in arms if best - m > 1e-9]
    if any(0.0 < best - m <= 1e-9 for m in means):
        return
    sides = impossibility(means, variances)
    assert sides.online == pytest.approx(float(sum(2 * d / mpmath.log1p(d * d / v) for d, v in worse)), rel=1e-9)
    assert sides.tuned == pytest.approx(float(sum(2 * v / d for d, v in worse)), rel=1e-9)


@given(ARMS)
def test_online_pays_more_wherever_there_is_something_to_lose(arms):
    means, variances = map(list, zip(*arms, strict=True))
    sides = impossibility(means, variances)
    gaps = max(means) - np.array(means)
    if gaps.max() ** 2 > 1e-3 * max(variances):  # the ratio is 1 + gap^2 / (2 variance) + ..., where that is small
        assert sides.ratio > 1.0
    elif gaps.max() > 0.0:
        assert sides.ratio >= 1.0 - 1e-12
    else:
        assert math.isnan(sides.ratio)


def test_without_noise_the_ratio_has_no_bound():
    assert impossibility([0.0, 5.0], [0.0, 0.0]).ratio == math.inf
    assert impossibility([0.0, 5.0], [1e-12, 0.0]).ratio > 1e10


def test_a_task_is_taken_with_its_means_and_the_spread_of_its_rewards():
    task = bt.Task([[0.0, 1.0], [2.0, 4.0]], means=[0.25, 3.5])
    assert impossibility_of_task(task) == impossibility([0.25, 3.5], [0.25, 1.0])


@pytest.mark.parametrize(
    ("means", "variances"), [([], []), ([1.0], [1.0, 2.0]), ([0.0, 1.0], [-1.0, 1.0]), ([[1]], [[1]])]
)
def test_what_are_no_arms_is_rejected(means, variances):
    with pytest.raises(bt.InputError):
        impossibility(means, variances)
