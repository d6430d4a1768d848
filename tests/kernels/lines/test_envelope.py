"""The envelope of lines against exact fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.lines.envelope import find_crossing, find_overtaking, leader, leader_right_of
from banditune.policies.ucb.sweep import least_squares_of

# Few small numbers, so that many lines tie, are parallel, or meet three in a point.
Line = tuple[int, int, int]
lines = st.lists(st.tuples(st.integers(-6, 6), st.integers(0, 4), st.integers(1, 4)), min_size=1, max_size=6)
points = st.one_of(st.integers(0, 24).map(lambda k: k / 4), st.integers(0, 24).map(lambda k: k / 3))


def as_array(drawn: list[Line]) -> np.ndarray:
    return np.array([[a, 0.0, b, 0.0, d, a / d, b / d] for a, b, d in drawn], dtype=np.float64)


def value(line: Line, x: Fraction) -> Fraction:
    a, b, d = line
    return (a + x * b) / d


@given(lines, points)
def test_leader_is_the_first_of_the_highest(drawn: list[Line], x: float) -> None:
    values = [value(line, Fraction(x)) for line in drawn]
    assert leader(as_array(drawn), x, 1.0) == values.index(max(values))


@given(lines, points)
def test_leader_right_of_a_tie_is_the_steepest(drawn: list[Line], x: float) -> None:
    values = [(value(line, Fraction(x)), Fraction(line[1], line[2])) for line in drawn]
    assert leader_right_of(as_array(drawn), x, 1.0) == values.index(max(values))


@given(lines, points, st.floats(0.1, 10.0))
def test_leader_keeps_the_lead_until_the_edge_and_loses_it_there(drawn: list[Line], low: float, unit: float) -> None:
    array = as_array(drawn)
    high = low + 5.0
    best = leader_right_of(array, low, unit)
    edge, by = find_overtaking(array, best, low, high, unit)
    assert low < edge <= high
    assert (by == best) == (edge == high)

    def lead_at(x: float) -> Fraction:
        run = Fraction(x) * Fraction(unit)
        return min((value(drawn[best], run) - value(line, run) for line in drawn), default=Fraction(0))

    assert lead_at(float(np.nextafter(edge, 0.0))) >= 0
    if edge < high:
        assert lead_at(edge) <= 0
        assert leader_right_of(array, edge, unit) != best


@given(
    st.tuples(st.integers(-9, 9), st.integers(0, 5), st.integers(1, 99)),
    st.tuples(st.integers(-9, 9), st.integers(0, 5), st.integers(1, 99)),
    st.sampled_from([1.0, 0.5, 0.1, 1.5174271293851465, 3.0]),
)
def test_crossing_is_the_smallest_float_where_the_steeper_line_is_level(one: Line, other: Line, unit: float) -> None:
    if Fraction(one[1], one[2]) > Fraction(other[1], other[2]) and one[0] * other[2] <= other[0] * one[2]:
        x = find_crossing(as_array([one, other]), 0, 1, unit)
        run, before = Fraction(x) * Fraction(unit), Fraction(float(np.nextafter(x, -np.inf))) * Fraction(unit)
        if one[0] * other[2] == other[0] * one[2]:
            assert x <= 0.0
        else:
            assert value(one, run) >= value(other, run)
            assert value(one, before) < value(other, before)


@given(st.floats(0.0, 1e150))
def test_square_is_the_smallest_float_whose_root_is_not_below(root: float) -> None:
    square = least_squares_of(np.array([root]))[0]
    assert np.sqrt(square) >= root
    assert square == 0.0 or np.sqrt(np.nextafter(square, 0.0)) < root
