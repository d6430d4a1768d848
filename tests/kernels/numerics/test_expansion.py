"""Sums without error against fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.jit import jit
from banditune.kernels.numerics.expansion import add_term, round_sum

numbers = st.one_of(
    st.floats(-1e20, 1e20).filter(lambda x: x == 0.0 or abs(x) > 1e-100),
    st.sampled_from([0.1, -0.1, 1.0, -1.0, 2.0**60, -(2.0**60), 2.0**-80, -(2.0**-80)]),
)


@jit
def summed(values: np.ndarray, terms: np.ndarray) -> tuple[int, float, float]:
    used = 0
    for k in range(values.size):
        used = add_term(terms, used, values[k])
    high, low = round_sum(terms, used)
    return used, high, low


@given(st.lists(numbers, max_size=30))
def test_sum_has_no_error_and_its_last_term_has_its_sign(values: list[float]) -> None:
    terms = np.empty(30)
    used, high, low = summed(np.array(values, dtype=np.float64), terms)
    exact = sum(map(Fraction, values), Fraction(0))
    assert sum(map(Fraction, terms[:used].tolist()), Fraction(0)) == exact
    assert abs(Fraction(high) + Fraction(low) - exact) <= abs(exact) / 10**30
    assert int(high > 0.0) - int(high < 0.0) == (exact > 0) - (exact < 0)
