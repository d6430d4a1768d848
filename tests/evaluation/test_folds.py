"""The folds of cross-validation, against their definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from banditune.evaluation.folds import assign_folds


@given(st.integers(1, 60), st.integers(1, 12), st.integers(0, 5))
def test_folds_are_as_equal_as_can_be(n_tasks: int, n_folds: int, seed: int) -> None:
    fold = assign_folds(n_tasks, n_folds, seed)
    sizes = np.bincount(fold, minlength=n_folds)
    assert (sizes.sum(), sizes.size) == (n_tasks, n_folds)
    assert sizes.max() - sizes.min() <= 1
    assert (fold == assign_folds(n_tasks, n_folds, seed)).all()


def test_folds_are_drawn_at_random() -> None:
    assert len({tuple(assign_folds(8, 2, seed)) for seed in range(20)}) > 10
