"""What LinUCB knows: one ridge regression for all arms, or one for each.

Of a regression on rewards r with contexts x, K = ridge I + sum x x' and v = sum r x are kept, with the inverse of K and
the weights K^-1 v. Inverse and weights are updated by a rank-one step with each context. Such a step loses digits, the
more the larger 1 + x' K^-1 x is by which it shrinks the inverse; when that adds up to too much, they are computed
afresh from K and v. What is known depends on the history alone, so run, sweep and online policy have the same bits.

How much a step may cost is added up. What counts is the error E of the inverse beside the inverse itself, the norm of
K^1/2 E K^1/2: so much, relatively, x' K^-1 x is off at most, and later steps never enlarge it. Rounding the inverse in
a step to K costs at most u sum_i K^-1_ii K_ii, which no scaling of features changes. Before that would be too much for
plain floats, a regression goes over to roots in double-doubles (`exact_state`), for good, and its indices have bounds.
"""

import math

import numpy as np

from banditune.kernels.jit import inline, jit
from banditune.kernels.linear import layout
from banditune.kernels.linear.exact_state import begin_surely, inverse_diagonal, rotate_surely, weights_surely
from banditune.kernels.linear.index import LOST
from banditune.kernels.linear.layout import Shape
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.quads import QUAD
from banditune.kernels.numerics.simd import add_outer, dot, place_in, project, rows_before

WORN_OUT = 1e5  # steps are worth 100 at least, so that there are a thousand at most before a fresh start
A_STEP = 100.0

# What roundings cost adds up as that of independent ones does, in squares; the factors are for the many of one step.
PLAIN, SURE = 8.0 * 2.0**-53, 64.0 * 2.0**-104
AFRESH = 8.0 * PLAIN  # of computing all from K and v, sums of many terms
TRUSTED = 2.0**-31  # the error up to which plain floats are used


@jit
def learn(
    states: Floats, state: int, arm: int, contexts: Floats, t: int, reward: float, shape: Shape, scratch: Floats
) -> None:
    """Add an arm's context of round t and its reward to its regression; scratch (size,) is overwritten."""
    size, known, x = shape.size, layout.regression_of(state, arm, shape), layout.context_of(t, arm, shape)
    if layout.is_sure(states, known, shape):
        learn_surely(states, known, contexts, x, reward, shape)
        return
    weights = known + rows_before(size)
    sums, moments = weights + size, weights + 2 * size
    project(states, known, contexts, x, size, scratch)
    square = dot(scratch, 0, contexts, x, size)
    grown = max(1.0 + square, 1.0)
    worn, errors = moments + rows_before(size), layout.errors_of(known, shape)
    states[worn] += A_STEP + grown
    is_worn_out = states[worn] >= WORN_OUT
    inflation, apart = strain(states, known, contexts, x, shape)
    if is_worn_out:
        error = (AFRESH * inflation) ** 2
    else:  # K^-1 x and x' K^-1 x are off as well, and so is what they take from the inverse
        cost = PLAIN * inflation * (1.0 + apart * (grown - 1.0) / (grown * grown))
        error = states[errors + layout.ERROR] + cost * cost
    if not error <= TRUSTED * TRUSTED:
        states[(state + 1) * layout.state_size(shape) - 1] = 1.0
        go_over(states, known, shape)
        learn_surely(states, known, contexts, x, reward, shape)
        return
    states[errors + layout.ERROR] = error
    states[errors + layout.REWARDS] += reward * reward
    for i in range(size):
        states[sums + i] += reward * contexts[x + i]
    add_outer(states, moments, contexts, x, size, 1.0)
    if is_worn_out and refresh(states, known, shape):
        states[worn] = 0.0
        return
    surprise = (reward - dot(states, weights, contexts, x, size)) / grown
    shrink = 1.0 / math.sqrt(grown)
    for i in range(size):
        states[weights + i] += scratch[i] * surprise
        scratch[i] *= shrink
    add_outer(states, known, scratch, 0, size, -1.0)


@inline
def strain(states: Floats, known: int, contexts: Floats, x: int, shape: Shape) -> tuple[float, float]:
    """Sum K^-1_ii (K_ii + x_i^2) and K^-1_ii x_i^2, with the inverse before a step to x, and K after it."""
    moments = known + rows_before(shape.size) + 2 * shape.size
    grown = apart = 0.0
    for quad in range(0, shape.size, QUAD):
        for k in range(0, QUAD, 2):  # two at a time, as a sum waits for the one before
            i, place = quad + k, rows_before(quad) + QUAD * (quad + k) + k
            after = place + QUAD + 1
            one, other = states[known + place], states[known + after]
            grown += one * states[moments + place] + other * states[moments + after]
            apart += one * contexts[x + i] * contexts[x + i] + other * contexts[x + i + 1] * contexts[x + i + 1]
    return grown + apart, apart


@jit
def go_over(states: Floats, known: int, shape: Shape) -> None:
    """Let a regression go over to double-doubles; of what it has learned so far, the roundings of K and v remain."""
    errors, sums = layout.errors_of(known, shape), known + rows_before(shape.size) + shape.size
    moments, root = sums + shape.size, layout.root_at(known, shape)
    begin_surely(states, moments, sums, root)
    inverse_diagonal(states, root, sums)
    if states[errors + layout.ERROR] > 0.0:  # else nothing has been learned
        states[errors + layout.LEAST] = states[errors + layout.REWARDS]
        for i in range(shape.dim):
            states[errors + layout.N_ERRORS + i] = states[moments + place_in(i, i)]


@jit
def learn_surely(states: Floats, known: int, contexts: Floats, x: int, reward: float, shape: Shape) -> None:
    """Learn in double-doubles; when too little would be left of what is known, that is noted and no more is learned.

    Each step's roundings are as good as changes of contexts and rewards, by a unit of the roots of K_ii and of the sum
    of squared rewards; those before it went over, as changes of K and v. By what these do to an index it is bounded.
    """
    errors, diagonal = layout.errors_of(known, shape), known + rows_before(shape.size) + shape.size
    moments, root = diagonal + shape.size, layout.root_at(known, shape)
    states[errors + layout.STEPS] += 1.0
    states[errors + layout.REWARDS] += reward * reward
    add_outer(states, moments, contexts, x, shape.size, 1.0)
    unit = SURE * math.sqrt(states[errors + layout.STEPS])
    now, before = inflations(states, known, shape)
    if not (unit * math.sqrt(now) + AFRESH * before < LOST and states[errors + layout.SPREAD] < LOST):
        states[errors + layout.SPREAD] = 1.0
        return
    states[errors + layout.LEAST] += rotate_surely(states, root, contexts, x, reward) ** 2
    inverse_diagonal(states, root, diagonal)
    now, before = inflations(states, known, shape)
    rewards = math.sqrt(states[errors + layout.REWARDS])
    weights = weights_surely(states, root)
    terms, terms_before = rewards, rewards
    for i in range(shape.dim):
        terms += abs(weights[i]) * math.sqrt(states[moments + place_in(i, i)])
        terms_before += abs(weights[i]) * math.sqrt(states[errors + layout.N_ERRORS + i])
    states[errors + layout.SPREAD] = unit * math.sqrt(now) + AFRESH * before
    states[errors + layout.MEAN] = unit * (math.sqrt(now * states[errors + layout.LEAST]) + terms)
    states[errors + layout.MEAN] += AFRESH * math.sqrt(before) * terms_before


@inline
def inflations(states: Floats, known: int, shape: Shape) -> tuple[float, float]:
    """Return the sum of K^-1_ii K_ii, in double-doubles; with K as it is, and as it was when they were gone over to."""
    errors, diagonal = layout.errors_of(known, shape), known + rows_before(shape.size) + shape.size
    moments = diagonal + shape.size
    now = before = 0.0
    for i in range(shape.dim):
        now += states[diagonal + i] * states[moments + place_in(i, i)]
        before += states[diagonal + i] * states[errors + layout.N_ERRORS + i]
    return now, before


@jit
def largest_feature(states: Floats, shape: Shape) -> float:
    """Return how large the features are at most that the first state has learned from, by the diagonals of K."""
    largest = 0.0
    for regression in range(shape.n_regressions):
        moments = regression * layout.row_size(shape) + rows_before(shape.size) + 2 * shape.size
        for i in range(shape.dim):
            largest = max(largest, states[moments + place_in(i, i)])
    return math.sqrt(largest)


@jit
def refresh(states: Floats, known: int, shape: Shape) -> bool:
    """Compute the inverse and the weights of the regression that begins there afresh, if its K can be inverted."""
    weights = known + rows_before(shape.size)
    sums, moments = weights + shape.size, weights + 2 * shape.size
    matrix = np.empty((shape.dim, shape.dim))
    for i in range(shape.dim):
        for j in range(shape.dim):
            matrix[i, j] = states[moments + place_in(i, j)]
    inverse = invert(matrix)
    if inverse.size == 0:
        return False
    for i in range(shape.dim):
        states[weights + i] = 0.0
        for j in range(shape.dim):
            states[known + place_in(i, j)] = inverse[i, j]
            states[weights + i] += inverse[i, j] * states[sums + j]
    return True


@jit
def invert(matrix: Floats) -> Floats:
    """Invert a positive definite matrix (d, d) by its Cholesky factor; empty where rounding leaves none."""
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
