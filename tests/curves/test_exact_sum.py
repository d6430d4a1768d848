"""Sums of curves: exact, in any order and any parts; merged places stay within what is said of them."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.curves.exact_sum import CurveSum, cover_layouts, merge_places
from banditune.kernels.numerics.step_sums import find_span_within_one_se
from tests.naive import sums

VALUES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.1, 0.2, 1e-30, 1e30, 5e-324, 1e150]), st.floats(-1e6, 1e6, allow_nan=False)
)
EDGES = st.one_of(st.sampled_from([0.25, 0.5, 0.75]), st.floats(1e-12, 0.999))


@st.composite
def curves(draw: st.DrawFn, low: float = 0.0) -> bt.StepFunction:
    inner = sorted({edge + low for edge in draw(st.lists(EDGES, max_size=5))})
    values = draw(st.lists(VALUES, min_size=len(inner) + 1, max_size=len(inner) + 1))
    return bt.StepFunction([low, *inner, low + 1.0], values)


SETS = st.lists(curves(), min_size=1, max_size=6)


@given(SETS)
def test_mean_is_the_exact_sum_rounded_once(curves: list[bt.StepFunction]) -> None:
    mean = bt.mean_curve(curves)
    points = sorted({edge for curve in curves for edge in curve.edges[:-1]})
    assert mean(np.array(points)).tolist() == sums.mean_values(curves, points)
    assert CurveSet.of(curves).sum().mean() == mean


@given(SETS, st.integers(1, 3), st.randoms(use_true_random=False), st.sampled_from([None, 1, 2, 5]))
def test_sum_does_not_depend_on_order_or_parts(curves: list[bt.StepFunction], n_parts: int, random, limit) -> None:
    whole = CurveSum.merge([CurveSet.of(curves).sum()], limit)
    shuffled = random.sample(curves, len(curves))
    parts = [CurveSet.of(part).sum() for part in (shuffled[k::n_parts] for k in range(n_parts)) if part]
    other = parts[0]
    for part in parts[1:]:
        other = CurveSum.merge([other, part], limit)
    other = CurveSum.merge([other], limit)
    assert (whole.count, whole.level) == (other.count, other.level)
    layout = cover_layouts([whole.layout, other.layout])
    whole, other = whole.lay_out(layout), other.lay_out(layout)
    for name in ("places", "base", "changes"):
        assert np.array_equal(getattr(whole, name), getattr(other, name)), name
    assert limit is None or whole.places.size <= limit or whole.level == 62


@given(SETS, st.floats(0.0, 1.0))
def test_within_one_se_is_that_of_fractions_and_of_sums(curves: list[bt.StepFunction], best: float) -> None:
    together = CurveSet.of(curves)
    found = together.find_within_one_se(best)
    low, high = sums.find_within_one_se(curves, best)
    assert found.low <= low
    assert high <= found.high  # rounding is given its share
    squares, differences = together.squares(best, 1.0).sum(), together.sum() - together.sum_at(best)
    if together.largest <= 400:
        span = find_span_within_one_se(differences.edges(), differences.totals(), squares.totals(), 1.0, 1.0)
        assert span == tuple(found)


@given(st.sampled_from([0.0, -0.5, 0.3]).flatmap(lambda low: st.lists(curves(low=low), min_size=1, max_size=5)))
def test_merged_sum_is_off_by_no_more_than_the_jumps_in_a_cell(curves: list[bt.StepFunction]) -> None:
    together = CurveSet.of(curves)
    for level in (46, 51, 62):
        merged, rises = together.sum(level), together.sum(level, rises_only=True)
        assert np.array_equal(merged.places, rises.places)
        assert np.array_equal(merged.places, together.sum().at_level(level).places)
        totals = merged.totals()
        bounds = [merged.low, *merged.places, merged.high]
        exact = sums.exact_sums(curves)
        jumps = rises.jumps()
        for k, (low, high) in enumerate(itertools.pairwise(bounds)):
            inside = [value for edge, value in exact if low <= edge < high]
            if k == 0:
                assert all(float(value) == totals[0] for value in inside)
                continue
            assert not inside or float(inside[-1]) == totals[k]  # exact at the right end
            slack = Fraction(1, 10**9) * (1 + abs(Fraction(totals[k])))
            assert all(value >= Fraction(totals[k]) - Fraction(jumps[k - 1]) - slack for value in inside)


def test_places_move_left_and_by_little() -> None:
    places = np.array([-3.7, -1e-9, 0.0, 1e-300, 0.3, 1.0, 2.9])
    moved = merge_places(places, 40, -5.0)
    assert (moved <= places).all()
    assert (np.abs(moved - places) <= 2.0**-12 * np.abs(places) + 5e-324 * 2**40).all()
    assert np.array_equal(merge_places(places, 40, 0.25)[-3:-2], [max(0.25, moved[-3])])


def test_difference_takes_curves_away_without_a_trace() -> None:
    first, second = bt.StepFunction([0, 0.3, 1], [0.1, 0.7]), bt.StepFunction([0, 0.6, 1], [1e17, 0.2])
    left = CurveSet.of([first, second]).sum() - CurveSet.of([second]).sum()
    assert left.totals().tolist() == [0.1, 0.7, 0.7]


@pytest.mark.parametrize("size", [1e-200, 1e160])
def test_within_one_se_of_very_small_and_large_losses(size: float) -> None:
    plain = [bt.StepFunction([0, 0.5, 1], [k % 3, 1.0 + k % 2]) for k in range(10)]
    scaled = [bt.StepFunction(curve.edges, curve.values * size) for curve in plain]
    assert CurveSet.of(scaled).find_within_one_se(0.2) == CurveSet.of(plain).find_within_one_se(0.2)
