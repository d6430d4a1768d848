"""Sums in quads: right, and the same bits compiled and not."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.numerics.quads import QUAD
from banditune.kernels.numerics.simd import add_outer, dot, forms, place_in, project, rows_before

FIRST, AT = 3, 2  # places that are not multiples of a quad


def laid_out(matrix: np.ndarray, behind: np.ndarray) -> np.ndarray:
    """A symmetric matrix as it is kept, from FIRST on, and a vector behind it."""
    size = len(matrix)
    kept = np.zeros(FIRST + rows_before(size) + size)
    for row in range(size):
        for column in range(size):
            kept[FIRST + place_in(row, column)] = matrix[row, column]
    kept[FIRST + rows_before(size) :] = behind
    return kept


@numba.njit
def compiled(numbers: np.ndarray, vector: np.ndarray, size: int, projected: np.ndarray, factor: float) -> object:
    product = dot(numbers, FIRST, vector, AT, size)
    quadratic, linear = forms(numbers, FIRST, vector, AT, size)
    project(numbers, FIRST, vector, AT, size, projected)
    add_outer(numbers, FIRST, vector, AT, size, factor)
    return product, quadratic, linear


@given(st.integers(1, 6), st.integers(0, 2**32), st.sampled_from([1.0, -1.0]))
def test_sums_are_right_and_have_the_same_bits_compiled_and_not(quads: int, seed: int, factor: float) -> None:
    rng = np.random.default_rng(seed)
    size = QUAD * quads
    matrix, behind, x = rng.normal(size=(size, size)), rng.normal(size=size), rng.normal(size=size)
    matrix += matrix.T
    numbers, vector = laid_out(matrix, behind), np.concatenate((rng.normal(size=AT), x))
    mine, theirs = numbers.copy(), numbers.copy()
    plain_projected, projected = np.empty(size), np.empty(size)
    found = (dot(mine, FIRST, vector, AT, size), *forms(mine, FIRST, vector, AT, size))
    project(mine, FIRST, vector, AT, size, plain_projected)
    add_outer(mine, FIRST, vector, AT, size, factor)
    assert compiled(theirs, vector, size, projected, factor) == found
    assert projected.tolist() == plain_projected.tolist()
    assert theirs.tolist() == mine.tolist()
    assert found == pytest.approx((numbers[FIRST : FIRST + size] @ x, x @ matrix @ x, behind @ x))
    assert projected == pytest.approx(matrix @ x)
    assert mine == pytest.approx(laid_out(matrix + factor * np.outer(x, x), behind))
