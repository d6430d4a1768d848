"""Step functions: evaluation, sums and means against pointwise arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.curves.curve_set import CurveSet

LOW, HIGH = 0.0, 8.0


@st.composite
def step_functions(draw: st.DrawFn) -> bt.StepFunction:
    inner = draw(st.lists(st.integers(1, 63).map(lambda k: k / 8), max_size=8, unique=True).map(sorted))
    values = draw(
        st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.7, -3.0, 1e6]), min_size=len(inner) + 1, max_size=len(inner) + 1)
    )
    return bt.StepFunction(np.array([LOW, *inner, HIGH]), np.array(values))


GRID = np.arange(LOW, HIGH + 0.01, 1 / 16)


def naive_value(curve: bt.StepFunction, x: float) -> float:
    """Walk the pieces."""
    for k in range(curve.n_pieces):
        if curve.edges[k] <= x < curve.edges[k + 1]:
            return float(curve.values[k])
    return float(curve.values[-1])


@given(step_functions())
def test_value_is_that_of_the_piece_and_right_continuous(curve: bt.StepFunction) -> None:
    expected = [naive_value(curve, x) for x in GRID]
    assert curve(GRID).tolist() == expected
    assert [curve(float(x)) for x in GRID] == expected


@given(step_functions())
def test_neighbours_differ_and_edges_increase(curve: bt.StepFunction) -> None:
    assert (np.diff(curve.edges) > 0).all()
    assert (curve.values[1:] != curve.values[:-1]).all()
    assert curve.edges.size == curve.n_pieces + 1


@given(step_functions())
def test_minimum_is_taken_throughout_its_interval(curve: bt.StepFunction) -> None:
    low, high = curve.argmin()
    assert curve.minimum() == min(curve(GRID))
    assert {curve(float(x)) for x in GRID if low <= x < high} == {curve.minimum()}


@given(st.lists(step_functions(), min_size=1, max_size=6), st.data(), st.sampled_from([1.0, 1e-300, 1e290]))
def test_the_least_piece_of_a_mean_is_found_without_the_mean(
    curves: list[bt.StepFunction], data: st.DataObject, scale: float
) -> None:
    curve_set = CurveSet.of([curve * scale for curve in curves])
    kept = data.draw(st.lists(st.booleans(), min_size=len(curves), max_size=len(curves)).filter(any))
    for members in (None, np.array(kept)):
        mean = curve_set.mean(members)
        assert curve_set.find_least(members) == (mean.argmin(), mean.minimum())


def test_the_least_piece_is_found_among_very_many_that_tie() -> None:
    places = np.arange(1, 1000) / 128
    curve = bt.StepFunction(np.array([LOW, *places, HIGH]), 0.1 + 0.1 * (np.arange(1000) % 2))
    curve_set = CurveSet.of([curve, bt.StepFunction([LOW, HIGH], [1e6])])
    mean = curve_set.mean()
    assert curve_set.find_least() == (mean.argmin(), mean.minimum())


@given(st.lists(step_functions(), min_size=1, max_size=6))
def test_mean_is_the_exact_mean_at_every_point(curves: list[bt.StepFunction]) -> None:
    mean = bt.mean_curve(curves)
    for x in GRID:
        exact = sum(Fraction(curve(float(x))) for curve in curves) / len(curves)
        assert mean(float(x)) == pytest.approx(float(exact), rel=1e-15, abs=1e-300)


@given(st.lists(step_functions(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_mean_does_not_depend_on_the_order(curves: list[bt.StepFunction], random: object) -> None:
    shuffled = sorted(curves, key=lambda _: random.random())
    assert bt.mean_curve(shuffled) == bt.mean_curve(curves)


@given(step_functions(), step_functions(), st.sampled_from([0.5, 3.0, -1.0, 0.0]))
def test_sum_and_multiple_are_pointwise(one: bt.StepFunction, other: bt.StepFunction, factor: float) -> None:
    assert (one + other)(GRID) == pytest.approx(one(GRID) + other(GRID), rel=1e-15)
    assert (one * factor)(GRID).tolist() == (one(GRID) * factor).tolist()
    assert factor * one == one * factor


@given(st.lists(step_functions(), min_size=1, max_size=6), st.data())
def test_set_of_curves_reads_like_the_curves(curves: list[bt.StepFunction], data: st.DataObject) -> None:
    together = CurveSet.of(curves)
    x = data.draw(st.sampled_from(GRID.tolist()))
    assert list(together) == curves
    assert together.at(x).tolist() == [curve(x) for curve in curves]
    assert together.n_pieces.tolist() == [curve.n_pieces for curve in curves]
    chosen_numbers = data.draw(st.lists(st.integers(0, len(curves) - 1), min_size=1, max_size=8))
    assert list(together.take(np.array(chosen_numbers))) == [curves[k] for k in chosen_numbers]
    assert list(CurveSet.concatenate([together, together])) == curves * 2
    members = np.array(data.draw(st.lists(st.booleans(), min_size=len(curves), max_size=len(curves))))
    if members.any():
        chosen = [curve for curve, member in zip(curves, members, strict=True) if member]
        assert together.mean(members) == bt.mean_curve(chosen)


@given(st.lists(step_functions(), min_size=1, max_size=6))
def test_within_one_se_is_where_the_paired_difference_is_within_its_error(curves: list[bt.StepFunction]) -> None:
    together = CurveSet.of(curves)
    low, high = together.mean().argmin()
    best = (low + high) / 2
    within = []
    for x in GRID[:-1]:
        difference = [Fraction(curve(float(x))) - Fraction(curve(best)) for curve in curves]
        allowed = sum(d * d for d in difference) * (1 + Fraction(1, 10**9))
        if sum(difference) ** 2 <= allowed or sum(difference) <= 0:
            within.append(x)
    within_one_se = together.find_within_one_se(best)
    assert within_one_se.low == pytest.approx(min(within), abs=1 / 16)
    assert within_one_se.high == pytest.approx(max(within), abs=2 / 16)
    assert best in within_one_se


def test_one_task_tells_nothing_apart() -> None:
    curve = bt.StepFunction([0.0, 1.0, 2.0], [5.0, 1.0])
    assert CurveSet.of([curve]).find_within_one_se(1.5) == bt.Interval(0.0, 2.0)


@pytest.mark.parametrize("x", [-0.1, 8.1, np.nan, [1.0, 9.0]])
def test_points_outside_are_rejected(x: float) -> None:
    with pytest.raises(bt.InputError, match=r"known from 0.0 to 8.0, got"):
        bt.StepFunction([LOW, HIGH], [1.0])(x)


@pytest.mark.parametrize(
    ("edges", "values"),
    [
        ([0.0, 1.0], [1.0, 2.0]),
        ([0.0], []),
        ([1.0, 0.0], [1.0]),
        ([0.0, 0.0], [1.0]),
        ([0.0, np.inf], [1.0]),
        ([0.0, 1.0], [np.nan]),
    ],
)
def test_impossible_step_functions_are_rejected(edges: list[float], values: list[float]) -> None:
    with pytest.raises(bt.InputError):
        bt.StepFunction(edges, values)


@pytest.mark.parametrize("x", ["0.5", None, [[1.0], 2.0], 1j])
def test_points_that_are_no_numbers_are_rejected(x: object) -> None:
    with pytest.raises(bt.InputError, match="must be numbers"):
        bt.StepFunction([LOW, HIGH], [1.0])(x)


def test_what_is_no_curve_is_rejected() -> None:
    curve = bt.StepFunction([0.0, 1.0], [1.0])
    with pytest.raises(bt.InputError, match=r"curves\[1\] must be a bt\.StepFunction, got 1"):
        bt.mean_curve([curve, 1])
    for curves in (None, curve):
        with pytest.raises(bt.InputError, match="must be step functions in an iterable"):
            bt.mean_curve(curves)
    with pytest.raises(bt.InputError, match="low must be a finite number, got 'a'"):
        bt.Interval("a", 1.0)


def test_ranges_must_agree() -> None:
    one, other = bt.StepFunction([0.0, 1.0], [1.0]), bt.StepFunction([0.0, 2.0], [1.0])
    with pytest.raises(bt.InputError, match=r"must be known on \[0.0, 1.0\]"):
        one + other
    with pytest.raises(bt.InputError, match="at least one curve"):
        bt.mean_curve([])


def test_curves_are_frozen() -> None:
    curve = bt.StepFunction([0.0, 1.0], [1.0])
    with pytest.raises(ValueError, match="read-only"):
        curve.values[0] = 2.0
    with pytest.raises(TypeError):
        hash(curve)
