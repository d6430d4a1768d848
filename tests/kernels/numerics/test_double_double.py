"""Double-doubles, and sums without error, against exact fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.jit import jit
from banditune.kernels.numerics import double_double as dd

numbers = st.floats(-1e100, 1e100).filter(lambda x: x == 0.0 or abs(x) > 1e-100)


def exact(pair: tuple[float, float]) -> Fraction:
    return Fraction(pair[0]) + Fraction(pair[1])


@jit
def two_sum(a: float, b: float) -> tuple[float, float]:
    return dd.two_sum(a, b)


@jit
def two_product(a: float, b: float) -> tuple[float, float]:
    return dd.two_product(a, b)


@jit
def sum_of_sums(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    high, low = dd.two_sum(a, b)
    other, other_low = dd.two_sum(c, d)
    return dd.add(high, low, other, other_low)


@jit
def sum_and_float(a: float, b: float, c: float) -> tuple[float, float, float, float]:
    high, low = dd.two_sum(a, b)
    one, one_low = dd.add(high, low, c, 0.0)
    other, other_low = dd.add_float(high, low, c)
    return one, one_low, other, other_low


@jit
def product_of_sums(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    high, low = dd.two_sum(a, b)
    other, other_low = dd.two_sum(c, d)
    return dd.multiply(high, low, other, other_low)


@jit
def scaled_sum(a: float, b: float, factor: float) -> tuple[float, float]:
    high, low = dd.two_sum(a, b)
    return dd.scale(high, low, factor)


@jit
def root_of_sum(a: float, b: float) -> tuple[float, float]:
    high, low = dd.two_sum(a, b)
    return dd.root_of(high, low)


@given(numbers, numbers)
def test_sum_and_product_of_floats_are_exact(a: float, b: float) -> None:
    assert exact(two_sum(a, b)) == Fraction(a) + Fraction(b)
    assert exact(two_product(a, b)) == Fraction(a) * Fraction(b)


@given(numbers, numbers, numbers, numbers)
def test_arithmetic_is_right_to_thirty_digits(a: float, b: float, c: float, d: float) -> None:
    one, other = Fraction(a) + Fraction(b), Fraction(c) + Fraction(d)
    size = abs(Fraction(a)) + abs(Fraction(b)) + abs(Fraction(c)) + abs(Fraction(d))
    assert abs(exact(sum_of_sums(a, b, c, d)) - (one + other)) <= size / 10**30
    assert abs(exact(product_of_sums(a, b, c, d)) - one * other) <= abs(one * other) / 10**30
    assert abs(exact(scaled_sum(a, b, c)) - one * Fraction(c)) <= abs(one * Fraction(c)) / 10**30


@given(numbers, numbers)
def test_opposites_cancel_to_nothing(a: float, b: float) -> None:
    assert sum_of_sums(a, b, -a, -b) == (0.0, 0.0)


@given(st.integers(1, 10**9), st.sampled_from([0.0, 0.1, 1 / 3, 2.5, 1e-9, 1e6]))
def test_root_squares_to_its_argument(p: int, weight: float) -> None:
    whole = p + Fraction(weight)
    assert abs(exact(root_of_sum(float(p), weight)) ** 2 - whole) <= whole / 10**30


@given(numbers, numbers, numbers)
def test_adding_a_float_gives_the_bits_of_adding_a_pair(a: float, b: float, c: float) -> None:
    one, one_low, other, other_low = sum_and_float(a, b, c)
    assert (one, one_low) == (other, other_low)


terms_of_sums = st.one_of(
    st.floats(-1e20, 1e20).filter(lambda x: x == 0.0 or abs(x) > 1e-100),
    st.sampled_from([0.1, -0.1, 1.0, -1.0, 2.0**60, -(2.0**60), 2.0**-80, -(2.0**-80)]),
)


@jit
def summed(values: np.ndarray, terms: np.ndarray) -> tuple[int, float, float]:
    used = 0
    for k in range(values.size):
        used = dd.add_term(terms, used, values[k])
    high, low = dd.round_sum(terms, used)
    return used, high, low


@given(st.lists(terms_of_sums, max_size=30))
def test_sum_has_no_error_and_its_last_term_has_its_sign(values: list[float]) -> None:
    terms = np.empty(30)
    used, high, low = summed(np.array(values, dtype=np.float64), terms)
    total = sum(map(Fraction, values), Fraction(0))
    assert sum(map(Fraction, terms[:used].tolist()), Fraction(0)) == total
    assert abs(Fraction(high) + Fraction(low) - total) <= abs(total) / 10**30
    assert int(high > 0.0) - int(high < 0.0) == (total > 0) - (total < 0)
