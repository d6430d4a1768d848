"""What LinUCB knows: one ridge regression for all arms, or one for each, and the index of every arm as a line.

Of a regression on rewards r with contexts x, K = ridge I + sum x x' and v = sum r x are kept, with the inverse of K and
the weights K^-1 v. Inverse and weights are updated by a rank-one step with each context. Such a step loses digits, the
more the larger 1 + x' K^-1 x is by which it shrinks the inverse; when that adds up to too much, they are computed
afresh from K and v. What is known depends on the history alone, so game, sweep and online policy have the same bits.

A regression is a row of numbers, so that a state is copied at once: K^-1, the weights, v, K, and how worn they are by
steps. Vectors and matrices are filled up with zeros to whole quads.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.envelope import Lines
from banditune.kernels.jit import inline, jit
from banditune.kernels.quads import QUAD, add_outer, dot, forms, place_in, project, rows_before

WORN_OUT = 1e5  # steps are worth 100 at least, so that there are a thousand at most before a fresh start
A_STEP = 100.0

Floats = NDArray[np.float64]  # flat: states one after the other, or the contexts of all rounds


class Shape(NamedTuple):
    """How many there are of what in a state or a round."""

    n_arms: int
    n_regressions: int  # as many as arms, or one for all
    n_contexts: int  # of a round: as many as arms, or one for all
    dim: int  # features
    size: int  # the same in whole quads


@inline
def shape_of(n_arms: int, n_regressions: int, n_contexts: int, dim: int) -> Shape:
    """The shape with the size of its vectors."""
    return Shape(n_arms, n_regressions, n_contexts, dim, -(-dim // QUAD) * QUAD)


@inline
def row_size(shape: Shape) -> int:
    """The numbers of a regression."""
    return 2 * rows_before(shape.size) + 2 * shape.size + 1


@inline
def state_size(shape: Shape) -> int:
    """The numbers of a state."""
    return shape.n_regressions * row_size(shape)


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
def filled_up(contexts: NDArray[np.float64], shape: Shape) -> Floats:
    """Contexts (T, n, d) one after the other, each in whole quads."""
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
    """Which of some regressions, contexts or rewards is the arm's: its own, or the one that there is."""
    return arm if places > 1 else 0


@inline
def regression_of(state: int, arm: int, shape: Shape) -> int:
    """Where the arm's regression begins among the states."""
    return (state * shape.n_regressions + place_of(arm, shape.n_regressions)) * row_size(shape)


@inline
def context_of(t: int, arm: int, shape: Shape) -> int:
    """Where the arm's context of a round begins among the contexts."""
    return (t * shape.n_contexts + place_of(arm, shape.n_contexts)) * shape.size


@inline
def index_of(arm: int, states: Floats, state: int, contexts: Floats, t: int, shape: Shape) -> tuple[float, float]:
    """The two parts of an arm's index in round t, weights . x and sqrt(x' K^-1 x)."""
    known, x = regression_of(state, arm, shape), context_of(t, arm, shape)
    square, mean = forms(states, known, contexts, x, shape.size)
    return mean, math.sqrt(square) if square > 0.0 else 0.0


@jit
def set_index_lines(lines: Lines, states: Floats, state: int, contexts: Floats, t: int, shape: Shape) -> None:
    """Write the indices of all arms in round t, weights . x + alpha sqrt(x' K^-1 x), as lines in alpha."""
    for arm in range(shape.n_arms):
        mean, spread = index_of(arm, states, state, contexts, t, shape)
        lines[arm, 0] = lines[arm, 5] = mean
        lines[arm, 2] = lines[arm, 6] = spread
        lines[arm, 1] = lines[arm, 3] = 0.0
        lines[arm, 4] = 1.0


@jit
def learn(
    states: Floats, state: int, arm: int, contexts: Floats, t: int, reward: float, shape: Shape, scratch: Floats
) -> None:
    """Add an arm's context of round t and its reward to its regression; scratch (size,) is overwritten."""
    size, known, x = shape.size, regression_of(state, arm, shape), context_of(t, arm, shape)
    weights = known + rows_before(size)
    sums, moments = weights + size, weights + 2 * size
    for i in range(size):
        states[sums + i] += reward * contexts[x + i]
    add_outer(states, moments, contexts, x, size, 1.0)
    project(states, known, contexts, x, size, scratch)
    grown = max(1.0 + dot(scratch, 0, contexts, x, size), 1.0)
    worn = moments + rows_before(size)
    states[worn] += A_STEP + grown
    if states[worn] >= WORN_OUT and refreshed(states, known, shape):
        states[worn] = 0.0
        return
    surprise = (reward - dot(states, weights, contexts, x, size)) / grown
    shrink = 1.0 / math.sqrt(grown)
    for i in range(size):
        states[weights + i] += scratch[i] * surprise
        scratch[i] *= shrink
    add_outer(states, known, scratch, 0, size, -1.0)


@jit
def refreshed(states: Floats, known: int, shape: Shape) -> bool:
    """Compute the inverse and the weights of the regression that begins there afresh, if its K can be inverted."""
    weights = known + rows_before(shape.size)
    sums, moments = weights + shape.size, weights + 2 * shape.size
    matrix = np.empty((shape.dim, shape.dim))
    for i in range(shape.dim):
        for j in range(shape.dim):
            matrix[i, j] = states[moments + place_in(i, j)]
    inverse = inverted(matrix)
    if inverse.size == 0:
        return False
    for i in range(shape.dim):
        states[weights + i] = 0.0
        for j in range(shape.dim):
            states[known + place_in(i, j)] = inverse[i, j]
            states[weights + i] += inverse[i, j] * states[sums + j]
    return True


@jit
def inverted(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of a positive definite matrix (d, d), by its Cholesky factor; empty where rounding leaves none."""
    dim = matrix.shape[0]
    lower = np.zeros((dim, dim))  # matrix = lower lower'
    for i in range(dim):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= lower[i, k] * lower[j, k]
            if i == j and not rest > 0.0:
                return np.empty((0, 0))
            lower[i, j] = math.sqrt(rest) if i == j else rest / lower[j, j]
    root = np.zeros((dim, dim))  # of the inverse: lower^-1, so that the inverse is root' root
    for j in range(dim):
        for i in range(j, dim):
            rest = 1.0 if i == j else 0.0
            for k in range(j, i):
                rest -= lower[i, k] * root[k, j]
            root[i, j] = rest / lower[i, i]
    inverse = np.empty((dim, dim))
    for i in range(dim):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, dim):
                total += root[k, i] * root[k, j]
            inverse[i, j] = inverse[j, i] = total
    return inverse
