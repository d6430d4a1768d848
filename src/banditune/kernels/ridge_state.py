"""What LinUCB knows: one ridge regression for all arms, or one for each, and the index of every arm as a line.

Of a regression on rewards r with contexts x, K = ridge I + sum x x' and v = sum r x are kept, with the inverse of K and
the weights K^-1 v. The inverse is updated by a rank-one step with each context, and computed afresh from K after every
so many updates: what is known depends on the history alone, so a game, a sweep and an online policy have the same bits.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.envelope import Lines
from banditune.kernels.jit import inline, jit

REFRESHED_EVERY = 256  # updates of a regression


class Ridge(NamedTuple):
    """The regressions of some states side by side: state s has row s of each array; m is 1 or the number of arms."""

    moments: NDArray[np.float64]  # (states, m, d, d) K
    inverses: NDArray[np.float64]  # (states, m, d, d) K^-1
    sums: NDArray[np.float64]  # (states, m, d) v
    weights: NDArray[np.float64]  # (states, m, d) K^-1 v
    updates: NDArray[np.int64]  # (states, m)


@jit
def empty_ridge(n_states: int, n_models: int, dim: int, ridge: float) -> Ridge:
    """Regressions that have seen nothing."""
    shape = (n_states, n_models, dim)
    moments, inverses = np.zeros((*shape, dim)), np.zeros((*shape, dim))
    for i in range(dim):
        moments[:, :, i, i] = ridge
        inverses[:, :, i, i] = 1.0 / ridge
    return Ridge(moments, inverses, np.zeros(shape), np.zeros(shape), np.zeros((n_states, n_models), np.int64))


@inline
def model_of(arm: int, n_models: int) -> int:
    """The regression that speaks for an arm, or the row of the contexts that is the arm's."""
    return arm if n_models > 1 else 0


@jit
def set_index_lines(lines: Lines, ridge: Ridge, state: int, contexts: NDArray[np.float64]) -> None:
    """Write every arm's index, weights . x + alpha sqrt(x' K^-1 x), as a line in alpha; contexts (n or 1, d)."""
    dim = contexts.shape[1]
    for arm in range(lines.shape[0]):
        model = model_of(arm, ridge.sums.shape[1])
        x = contexts[model_of(arm, contexts.shape[0])]
        inverse, weights = ridge.inverses[state, model], ridge.weights[state, model]
        mean = square = 0.0
        for i in range(dim):
            mean += weights[i] * x[i]
            row = 0.0
            for j in range(dim):
                row += inverse[i, j] * x[j]
            square += row * x[i]
        spread = math.sqrt(square) if square > 0.0 else 0.0
        lines[arm, 0] = lines[arm, 5] = mean
        lines[arm, 2] = lines[arm, 6] = spread
        lines[arm, 1] = lines[arm, 3] = 0.0
        lines[arm, 4] = 1.0


@jit
def learn(ridge: Ridge, state: int, model: int, x: NDArray[np.float64], reward: float) -> None:
    """Add a context (d,) and its reward to a regression."""
    dim = x.size
    moments, inverse = ridge.moments[state, model], ridge.inverses[state, model]
    sums, weights = ridge.sums[state, model], ridge.weights[state, model]
    projected = np.zeros(dim)
    square = 0.0
    for i in range(dim):
        sums[i] += reward * x[i]
        for j in range(dim):
            moments[i, j] += x[i] * x[j]
            projected[i] += inverse[i, j] * x[j]
        square += projected[i] * x[i]
    ridge.updates[state, model] += 1
    if ridge.updates[state, model] % REFRESHED_EVERY == 0:
        invert(moments, inverse)
    else:
        for i in range(dim):
            for j in range(dim):
                inverse[i, j] -= projected[i] * projected[j] / (1.0 + square)
    for i in range(dim):
        weights[i] = 0.0
        for j in range(dim):
            weights[i] += inverse[i, j] * sums[j]


@jit
def invert(matrix: NDArray[np.float64], inverse: NDArray[np.float64]) -> None:
    """Write the inverse of a positive definite matrix (d, d), by its Cholesky factor; exactly symmetric."""
    dim = matrix.shape[0]
    lower = np.zeros((dim, dim))  # matrix = lower lower'
    for i in range(dim):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= lower[i, k] * lower[j, k]
            lower[i, j] = math.sqrt(rest) if i == j else rest / lower[j, j]
    root = np.zeros((dim, dim))  # of the inverse: lower^-1, so that the inverse is root' root
    for j in range(dim):
        for i in range(j, dim):
            rest = 1.0 if i == j else 0.0
            for k in range(j, i):
                rest -= lower[i, k] * root[k, j]
            root[i, j] = rest / lower[i, i]
    for i in range(dim):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, dim):
                total += root[k, i] * root[k, j]
            inverse[i, j] = inverse[j, i] = total


@jit
def copy_state(ridge: Ridge, source: int, target: int) -> None:
    """Make one state as another."""
    ridge.moments[target] = ridge.moments[source]
    ridge.inverses[target] = ridge.inverses[source]
    ridge.sums[target] = ridge.sums[source]
    ridge.weights[target] = ridge.weights[source]
    ridge.updates[target] = ridge.updates[source]


@jit
def more_states(ridge: Ridge, n_states: int) -> Ridge:
    """The same states with room for more."""
    larger = empty_ridge(n_states, ridge.sums.shape[1], ridge.sums.shape[2], 1.0)
    old = ridge.sums.shape[0]
    larger.moments[:old] = ridge.moments
    larger.inverses[:old] = ridge.inverses
    larger.sums[:old] = ridge.sums
    larger.weights[:old] = ridge.weights
    larger.updates[:old] = ridge.updates
    return larger
