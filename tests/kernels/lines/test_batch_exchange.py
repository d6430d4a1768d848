"""Pulls of a batch that are exchanged among arms, against all pairs of them in exact fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.lines.batch_exchange import BEFORE, find_change, find_worst_pair, level_out
from banditune.kernels.lines.envelope import PLAIN

pytestmark = [pytest.mark.usefixtures("uncompiled"), pytest.mark.filterwarnings("ignore::RuntimeWarning")]

Line = tuple[int, int, int]  # (a + x b) / d, of small numbers, so that many tie
lines = st.tuples(st.integers(-6, 6), st.integers(0, 4), st.integers(1, 4))
sketches = st.tuples(st.integers(-8, 8), st.integers(0, 8), st.integers(0, 4), st.integers(0, 3))


def make_sketch(drawn: list[tuple[int, int, int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Lines with the means, slopes and falls of slopes of arms in quarters; and what is taken of them."""
    sketch = np.zeros((2 * len(drawn), PLAIN))
    for arm, (mean, slope, fall, _) in enumerate(drawn):
        sketch[arm, 5], sketch[arm, 6], sketch[arm, BEFORE] = mean / 4, slope / 4, (slope + fall) / 4
    return sketch, np.array([taken for *_, taken in drawn], np.int64)


@given(st.lists(sketches, min_size=2, max_size=5), st.integers(0, 8).map(lambda k: k / 4))
def test_worst_pair_is_that_of_all_pairs(drawn: list[tuple[int, int, int, int]], x: float) -> None:
    sketch, taken = make_sketch(drawn)
    above, best, worst = find_worst_pair(sketch, taken, x)
    left_out, last_taken = sketch[:, 5] + x * sketch[:, 6], sketch[:, 5] + x * sketch[:, BEFORE]
    arms = range(taken.size)
    pairs = [(last_taken[j] - left_out[i], i, j) for i, j in product(arms, arms) if i != j and taken[j] > 0]
    assert above == min((pair[0] for pair in pairs), default=np.inf)
    if pairs:
        assert (above, best, worst) in pairs


@given(st.lists(sketches, min_size=1, max_size=5), st.integers(1, 40))
def test_arms_are_level_where_indices_fall_evenly(drawn: list[tuple[int, int, int, int]], n_pulls: int) -> None:
    sketch, taken = make_sketch(drawn)
    rows = sketch[: taken.size]
    value, fall = rows[:, 5] + rows[:, 6], rows[:, BEFORE] - rows[:, 6]
    first = value + taken * fall
    n_left = level_out(sketch, taken, n_pulls, 1.0)
    assert taken.sum() + n_left == n_pulls
    assert taken.min() >= 0
    assert abs(n_left) <= taken.size
    left_out, last_taken = first - taken * fall, (first - (taken - 1) * fall)[taken > 0]
    is_clear = taken < n_pulls  # one that takes all would have more above the level
    assert not last_taken.size or not is_clear.any() or last_taken.min() >= left_out[is_clear].max() - 1e-9


def as_fraction(line: Line, x: Fraction) -> Fraction:
    a, b, d = line
    return (a + x * b) / d


@given(st.lists(st.tuples(lines, lines, st.integers(0, 1)), min_size=2, max_size=5), st.sampled_from([0.3, 1.0, 7.0]))
def test_nothing_changes_until_a_pull_left_out_draws_level(drawn: list[tuple[Line, Line, int]], high: float) -> None:
    left_out, taken = [one for one, _, _ in drawn], np.array([is_taken for _, _, is_taken in drawn], np.int64)
    lift = 13  # all that is taken is above all that is left out at 0
    last_taken = [(a + lift * d, b, d) for _, (a, b, d), _ in drawn]
    array = np.array([[a, 0.0, b, 0.0, d, a / d, b / d] for a, b, d in left_out + last_taken], np.float64)
    edge = find_change(array, taken, 0.0, high)
    arms = range(taken.size)
    pairs = [(left_out[i], last_taken[j]) for i, j in product(arms, arms) if i != j and taken[j] > 0]

    def lead_at(x: float) -> Fraction:
        return min((as_fraction(j, Fraction(x)) - as_fraction(i, Fraction(x)) for i, j in pairs), default=Fraction(1))

    assert 0.0 < edge <= high
    assert lead_at(float(np.nextafter(edge, 0.0))) > 0
    assert edge == high or lead_at(edge) <= 0
