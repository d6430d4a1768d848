"""Sums of step functions against adding them up point by point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.curves.curve_set import CurveSet
from tests.naive.certificates import cells, largest_signed_sum
from tests.strategies import share


@st.composite
def curve_lists(draw: st.DrawFn) -> list[bt.StepFunction]:
    curves = []
    for _ in range(draw(st.integers(1, 5))):
        inner = sorted(draw(st.sets(st.integers(1, 9), max_size=4)))
        values = draw(st.lists(st.integers(-3, 3), min_size=len(inner) + 1, max_size=len(inner) + 1))
        curves.append(bt.StepFunction(np.array([0.0, *inner, 10.0]), np.array(values, float)))
    return curves


@share(40)
@given(curve_lists(), st.integers(0, 2**10), st.floats(-1, 1))
def test_signed_maxima_are_the_largest_of_all_cells(curves: list[bt.StepFunction], bits: int, middle: float) -> None:
    signs = np.array([[1.0 if bits >> (k + 5 * row) & 1 else -1.0 for k in range(len(curves))] for row in range(2)])
    found = CurveSet.of(curves).find_signed_maxima(signs, middle)
    expected = [largest_signed_sum(curves, row.tolist(), middle) for row in signs]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


@share(40)
@given(curve_lists())
def test_the_mean_is_that_of_the_values_in_every_cell(curves: list[bt.StepFunction]) -> None:
    together = CurveSet.of(curves)
    mean = together.mean()
    for x in cells(curves):
        assert mean(x) == pytest.approx(np.mean([curve(x) for curve in curves]), abs=1e-12)
    assert together.n_cells == len(cells(curves))
