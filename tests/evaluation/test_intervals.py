"""Resamples and percentiles, against their definitions."""

import numpy as np
import pytest

from banditune.evaluation.intervals import percentile_interval, resamples
from banditune.rng import generator


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_resamples_are_those_of_one_draw_of_all(size: int) -> None:
    drawn = np.array(list(resamples(generator(0, "test"), size, 50)))
    assert (drawn == generator(0, "test").integers(size, size=(50, size))).all()


def test_percentiles_leave_equal_shares_outside() -> None:
    found = np.random.default_rng(0).permutation(1001) / 1000.0
    assert tuple(percentile_interval(found)) == pytest.approx((0.025, 0.975))
    assert tuple(percentile_interval(found, 5.0)) == pytest.approx((0.05, 0.95))
