"""Resamples, percentiles and folds, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.evaluation.intervals import assign_folds, percentile_interval, resamples
from banditune.rng import generator


@given(st.integers(1, 60), st.integers(1, 12), st.integers(0, 5))
def test_folds_are_as_equal_as_can_be(n_tasks: int, n_folds: int, seed: int) -> None:
    fold = assign_folds(n_tasks, n_folds, seed)
    sizes = np.bincount(fold, minlength=n_folds)
    assert (sizes.sum(), sizes.size) == (n_tasks, n_folds)
    assert sizes.max() - sizes.min() <= 1
    assert (fold == assign_folds(n_tasks, n_folds, seed)).all()


def test_folds_are_drawn_at_random() -> None:
    assert len({tuple(assign_folds(8, 2, seed)) for seed in range(20)}) > 10


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_resamples_are_those_of_one_draw_of_all(size: int) -> None:
    drawn = np.array(list(resamples(generator(0, "test"), size, 50)))
    assert (drawn == generator(0, "test").integers(size, size=(50, size))).all()


def test_percentiles_leave_equal_shares_outside() -> None:
    found = np.random.default_rng(0).permutation(1001) / 1000.0
    assert tuple(percentile_interval(found)) == pytest.approx((0.025, 0.975))
    assert tuple(percentile_interval(found, 5.0)) == pytest.approx((0.05, 0.95))
