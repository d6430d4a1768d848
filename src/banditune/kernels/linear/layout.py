"""Where the numbers of a regression lie: states and contexts in flat arrays, in whole quads.

A regression is a row of numbers, so that a state is copied at once: K^-1, the weights, v, K, how worn they are by
steps; then six numbers on errors, the diagonal of K when it went over to double-doubles, and the low parts. Vectors and
matrices are filled up with zeros to whole quads. In double-doubles, L and z are in the place of K^-1 and the weights,
and the diagonal of K^-1 in that of v.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, jit
from banditune.kernels.linear.exact_state import Root
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.quads import QUAD
from banditune.kernels.numerics.simd import place_in, rows_before

# Numbers on errors: the square of that in plain floats; the sum of squared rewards; the steps in double-doubles. Where
# there were any, also the least sum of squares, the error of spreads relative to them, and that of means to spreads.
ERROR, REWARDS, STEPS, LEAST, SPREAD, MEAN, N_ERRORS = range(7)


class Shape(NamedTuple):
    """How many there are of what in a state or a round."""

    n_arms: int
    n_regressions: int  # as many as arms, or one for all
    n_contexts: int  # of a round: as many as arms, or one for all
    dim: int  # features
    size: int  # the same in whole quads


@inline
def shape_of(n_arms: int, n_regressions: int, n_contexts: int, dim: int) -> Shape:
    """Return the shape with the size of its vectors."""
    return Shape(n_arms, n_regressions, n_contexts, dim, -(-dim // QUAD) * QUAD)


@inline
def row_size(shape: Shape) -> int:
    """Return the numbers of a regression."""
    return plain_size(shape) + errors_size(shape) + rows_before(shape.size) + shape.size


@inline
def plain_size(shape: Shape) -> int:
    """Return the numbers of a regression in plain floats: K^-1, the weights, v, K and how worn they are."""
    return 2 * rows_before(shape.size) + 2 * shape.size + 1


@inline
def errors_size(shape: Shape) -> int:
    """Return the numbers on errors of a regression, with the diagonal of K when it went over to double-doubles."""
    return N_ERRORS + shape.size


@inline
def errors_of(known: int, shape: Shape) -> int:
    """Return where a regression that begins there has its numbers on errors."""
    return known + plain_size(shape)


@inline
def root_at(known: int, shape: Shape) -> Root:
    """Return where a regression that begins there has L and z."""
    return Root(known, errors_of(known, shape) + errors_size(shape), shape.size, shape.dim)


@inline
def is_sure(states: Floats, known: int, shape: Shape) -> bool:
    """Tell whether the regression that begins there has gone over to double-doubles."""
    return bool(states[errors_of(known, shape) + STEPS] > 0.0)


@inline
def state_size(shape: Shape) -> int:
    """Return the numbers of a state: its regressions, and whether any has gone over to double-doubles."""
    return shape.n_regressions * row_size(shape) + 1


@inline
def has_bounds(states: Floats, state: int, shape: Shape) -> bool:
    """Tell whether any regression of a state has gone over to double-doubles, whose indices come with bounds."""
    return bool(states[(state + 1) * state_size(shape) - 1] > 0.0)


@jit
def clear_state(states: Floats, state: int, shape: Shape, ridge: float) -> None:
    """Let a state have seen nothing."""
    first = state * state_size(shape)
    states[first : first + state_size(shape)] = 0.0
    for regression in range(shape.n_regressions):
        inverse = first + regression * row_size(shape)
        moments = inverse + rows_before(shape.size) + 2 * shape.size
        for i in range(shape.dim):
            states[inverse + place_in(i, i)] = 1.0 / ridge
            states[moments + place_in(i, i)] = ridge


@jit
def pad_contexts(contexts: Floats, shape: Shape) -> Floats:
    """Return contexts (T, n, d) one after the other, each in whole quads."""
    rounds = contexts.shape[0]
    flat = np.zeros(rounds * shape.n_contexts * shape.size)
    for t in range(rounds):
        for row in range(shape.n_contexts):
            first = (t * shape.n_contexts + row) * shape.size
            for i in range(shape.dim):
                flat[first + i] = contexts[t, row, i]
    return flat


@inline
def place_of(arm: int, places: int) -> int:
    """Return which of some regressions, contexts or rewards is the arm's: its own, or the one that there is."""
    return arm if places > 1 else 0


@inline
def regression_of(state: int, arm: int, shape: Shape) -> int:
    """Return where the arm's regression begins among the states."""
    return state * state_size(shape) + place_of(arm, shape.n_regressions) * row_size(shape)


@inline
def context_of(t: int, arm: int, shape: Shape) -> int:
    """Return where the arm's context of a round begins among the contexts."""
    return (t * shape.n_contexts + place_of(arm, shape.n_contexts)) * shape.size
