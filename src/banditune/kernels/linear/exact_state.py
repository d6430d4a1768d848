"""A ridge regression in double-doubles and square roots: for contexts of which plain floats keep too little.

Of K = L L' the triangle L is kept, and z with L z = v. A context x and its reward r are rotate into them; with
L y = x, the index has the parts weights . x = y . z and sqrt(x' K^-1 x) = |y|. Roots lose half as many digits as K^-1
does, and double-doubles have twice as many.

L and z behind it lie from one place on, where `state` has K^-1 and the weights; their low parts in the same order
from another. Of the symmetric places of L, those on and below the diagonal are used.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, jit
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.double_double import add, divide, multiply, root_of, subtract_product
from banditune.kernels.numerics.simd import place_in, rows_before


class Root(NamedTuple):
    """Where L and z of a regression lie."""

    high: int
    low: int
    size: int  # of a vector in whole quads
    dim: int


@inline
def factor_at(states: Floats, root: Root, i: int, j: int) -> tuple[float, float]:
    """L_ij, for j <= i."""
    place = place_in(i, j)
    return states[root.high + place], states[root.low + place]


@jit
def begin_surely(states: Floats, moments: int, sums: int, root: Root) -> None:
    """Compute L and z from K and v, which are plain floats."""
    z = rows_before(root.size)
    for i in range(root.dim):
        for j in range(i + 1):
            rest, rest_low = states[moments + place_in(i, j)], 0.0
            for k in range(j):
                one, one_low = factor_at(states, root, i, k)
                other, other_low = factor_at(states, root, j, k)
                rest, rest_low = subtract_product(rest, rest_low, one, one_low, other, other_low)
            if i == j:
                rest, rest_low = root_of(rest, rest_low)
            else:
                divisor, divisor_low = factor_at(states, root, j, j)
                rest, rest_low = divide(rest, rest_low, divisor, divisor_low)
            states[root.high + place_in(i, j)], states[root.low + place_in(i, j)] = rest, rest_low
    solved, solved_low = solve_surely(states, root, states[sums : sums + root.dim], 0)
    for i in range(root.dim):
        states[root.high + z + i], states[root.low + z + i] = solved[i], solved_low[i]


@jit
def solve_surely(states: Floats, root: Root, vector: Floats, first: int) -> tuple[Floats, Floats]:
    """Return the y (d,) with L y = x; the x is of plain floats, and 0 before its first entry that counts."""
    solved, solved_low = np.zeros(root.dim), np.zeros(root.dim)
    for i in range(first, root.dim):
        rest, rest_low = vector[i], 0.0
        for j in range(first, i):
            factor, factor_low = factor_at(states, root, i, j)
            rest, rest_low = subtract_product(rest, rest_low, factor, factor_low, solved[j], solved_low[j])
        divisor, divisor_low = factor_at(states, root, i, i)
        solved[i], solved_low[i] = divide(rest, rest_low, divisor, divisor_low)
    return solved, solved_low


@jit
def index_surely(states: Floats, root: Root, contexts: Floats, x: int) -> tuple[float, float, float, float]:
    """Return the two parts of an index, weights . x and sqrt(x' K^-1 x), high and low parts."""
    z = rows_before(root.size)
    solved, solved_low = solve_surely(states, root, contexts[x : x + root.dim], 0)
    mean = mean_low = square = square_low = 0.0
    for i in range(root.dim):
        part, part_low = multiply(solved[i], solved_low[i], states[root.high + z + i], states[root.low + z + i])
        mean, mean_low = add(mean, mean_low, part, part_low)
        part, part_low = multiply(solved[i], solved_low[i], solved[i], solved_low[i])
        square, square_low = add(square, square_low, part, part_low)
    spread, spread_low = root_of(square, square_low)
    return mean, mean_low, spread, spread_low


@inline
def rotate(
    a: float, a_low: float, b: float, b_low: float, cosine: float, cosine_low: float, sine: float, sine_low: float
) -> tuple[float, float, float, float]:
    """Return two numbers a and b turned by an angle: cosine a + sine b and cosine b - sine a."""
    one, one_low = multiply(cosine, cosine_low, a, a_low)
    one, one_low = subtract_product(one, one_low, -sine, -sine_low, b, b_low)
    other, other_low = multiply(cosine, cosine_low, b, b_low)
    other, other_low = subtract_product(other, other_low, sine, sine_low, a, a_low)
    return one, one_low, other, other_low


@jit
def rotate_surely(states: Floats, root: Root, contexts: Floats, x: int, reward: float) -> float:
    """Add x x' to L L' and r x to L z; return what is left of the reward, whose square the least squares grow by."""
    z = rows_before(root.size)
    rest, rest_low, left, left_low = contexts[x : x + root.dim].copy(), np.zeros(root.dim), reward, 0.0
    for k in range(root.dim):
        a, a_low = factor_at(states, root, k, k)
        square, square_low = multiply(a, a_low, a, a_low)
        square, square_low = subtract_product(square, square_low, -rest[k], -rest_low[k], rest[k], rest_low[k])
        length, length_low = root_of(square, square_low)
        cosine, cosine_low = divide(a, a_low, length, length_low)
        sine, sine_low = divide(rest[k], rest_low[k], length, length_low)
        states[root.high + place_in(k, k)], states[root.low + place_in(k, k)] = length, length_low
        for i in range(k + 1, root.dim):
            high, low = root.high + place_in(i, k), root.low + place_in(i, k)
            states[high], states[low], rest[i], rest_low[i] = rotate(
                states[high], states[low], rest[i], rest_low[i], cosine, cosine_low, sine, sine_low
            )
        high, low = root.high + z + k, root.low + z + k
        states[high], states[low], left, left_low = rotate(
            states[high], states[low], left, left_low, cosine, cosine_low, sine, sine_low
        )
    return left


@jit
def inverse_diagonal(states: Floats, root: Root, into: int) -> None:
    """Write the diagonal of K^-1 among the states, from a place on."""
    unit = np.zeros(root.dim)
    for i in range(root.dim):
        unit[i] = 1.0
        solved, _ = solve_surely(states, root, unit, i)
        unit[i] = 0.0
        states[into + i] = (solved * solved).sum()


@jit
def weights_surely(states: Floats, root: Root) -> Floats:
    """Return the weights w (d,), L' w = z."""
    z = rows_before(root.size)
    weights, weights_low = np.empty(root.dim), np.empty(root.dim)
    for i in range(root.dim - 1, -1, -1):
        rest, rest_low = states[root.high + z + i], states[root.low + z + i]
        for j in range(i + 1, root.dim):
            factor, factor_low = factor_at(states, root, j, i)
            rest, rest_low = subtract_product(rest, rest_low, factor, factor_low, weights[j], weights_low[j])
        divisor, divisor_low = factor_at(states, root, i, i)
        weights[i], weights_low[i] = divide(rest, rest_low, divisor, divisor_low)
    return weights
