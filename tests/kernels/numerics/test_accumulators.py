"""Exact sums: whatever the floats and their order, the nearest float to their sum in fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from banditune.curves.exact_sum import layout_for
from banditune.kernels.numerics.accumulators import add_stored_number, exponents, settle, total, total_changes

FLOATS = st.floats(-1e300, 1e300, allow_nan=False, allow_infinity=False)
FEW_BITS = st.builds(lambda whole, power: whole * 2.0**power, st.integers(-7, 7), st.integers(-60, 60))


def bits_of(numbers: list[float]) -> np.ndarray:
    return np.array(numbers, np.float64).view(np.int64)


@given(st.lists(st.one_of(FLOATS, FEW_BITS), min_size=1, max_size=12))
@example([2.0**53, 1.0])  # ties go to even
@example([2.0**53, 1.0, 2.0**-1074])
@example([-(2.0**54), -3.0, 1.0])
@example([5e-324, -5e-324])
@example([1e300, 1.0, -1e300])
@example([-0.0])
def test_sum_is_the_nearest_float_to_the_exact_one(numbers: list[float]) -> None:
    unit, digits = layout_for(bits_of(numbers))
    found = total(bits_of(numbers), unit, digits)
    (rounded,) = total_changes(found, np.empty((0, digits), np.uint32), unit)
    exact = sum(map(Fraction, numbers))
    assert rounded == float(exact)
    held = np.zeros(digits, np.int64)
    add_stored_number(held, found, 1)
    settle(held)
    assert sum(int(digit) << (32 * k) for k, digit in enumerate(held)) * Fraction(2) ** unit == exact


@given(st.lists(FLOATS, min_size=1, max_size=8))
def test_every_number_is_a_multiple_of_the_least_power_and_below_the_most(numbers: list[float]) -> None:
    least, most = map(int, exponents(bits_of(numbers)))
    for number in numbers:
        assert (Fraction(number) / Fraction(2) ** least).denominator == 1
        assert abs(Fraction(number)) <= Fraction(2) ** most


@given(st.lists(st.lists(FEW_BITS, min_size=1, max_size=4), min_size=1, max_size=6))
def test_running_totals_round_each_total_once(groups: list[list[float]]) -> None:
    unit, digits = layout_for(bits_of([number for group in groups for number in group]))
    stored = np.stack([total(bits_of(group), unit, digits) for group in groups])
    exact = np.cumsum([sum(map(Fraction, group)) for group in groups])
    assert total_changes(stored[0], stored[1:], unit).tolist() == [float(each) for each in exact]
