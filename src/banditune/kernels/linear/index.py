"""The index of every arm as a line in alpha, and by how much it may be off."""

import math

import numpy as np

from banditune.kernels.jit import inline, jit
from banditune.kernels.linear import layout
from banditune.kernels.linear.exact_state import index_surely
from banditune.kernels.linear.layout import Shape
from banditune.kernels.lines.envelope import Lines
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.simd import dot, forms, rows_before

LOST = 2.0**-10  # the error from which nothing is known any more
CLOSE = 1e-9  # indices that differ by less than this times their sizes may be taken for equal
NO_DOUBT = -1  # in place of an arm
Bounds = Floats  # (n, 2) by how much a line's intercept and slope may be off


@inline
def index_of(
    arm: int, states: Floats, state: int, spreads: int, contexts: Floats, t: int, shape: Shape
) -> tuple[float, float]:
    """Return the parts of an arm's index in round t: weights . x by a state, sqrt(x' K^-1 x) by the spreads'."""
    x = layout.context_of(t, arm, shape)
    square, mean = forms(states, layout.regression_of(spreads, arm, shape), contexts, x, shape.size)
    if spreads != state:
        weights = layout.regression_of(state, arm, shape) + rows_before(shape.size)
        mean = dot(states, weights, contexts, x, shape.size)
    return mean, math.sqrt(square) if square > 0.0 else 0.0


@jit
def set_index_lines(
    lines: Lines, errors: Bounds, states: Floats, state: int, spreads: int, contexts: Floats, t: int, shape: Shape
) -> None:
    """Write the indices of all arms in round t, weights . x + alpha sqrt(x' K^-1 x), as lines in alpha.

    The roots go by the state of the spreads, which knows more contexts where rewards are late. Of states that have
    bounds, also by how much intercepts and slopes may be off: in plain floats, by nothing.
    """
    for arm in range(shape.n_arms):
        mean, spread = index_of(arm, states, state, spreads, contexts, t, shape)
        lines[arm, 0] = lines[arm, 5] = mean
        lines[arm, 2] = lines[arm, 6] = spread
        lines[arm, 1] = lines[arm, 3] = 0.0
        lines[arm, 4] = 1.0
    if is_doubtful(states, state, spreads, shape):
        set_sure_lines(lines, errors, states, state, spreads, contexts, t, shape)


@inline
def is_doubtful(states: Floats, state: int, spreads: int, shape: Shape) -> bool:
    """Tell whether indices by two states come with bounds."""
    return layout.has_bounds(states, state, shape) or layout.has_bounds(states, spreads, shape)


@jit
def set_sure_lines(
    lines: Lines, errors: Bounds, states: Floats, state: int, spreads: int, contexts: Floats, t: int, shape: Shape
) -> None:
    """Write what is in double-doubles of all arms' indices, and the bounds of all."""
    errors[:] = 0.0
    for arm in range(shape.n_arms):
        known, wide = layout.regression_of(state, arm, shape), layout.regression_of(spreads, arm, shape)
        x = layout.context_of(t, arm, shape)
        if layout.is_sure(states, known, shape):
            mean, mean_low, spread, spread_low = index_surely(states, layout.root_at(known, shape), contexts, x)
            lines[arm, 0], lines[arm, 1], lines[arm, 5] = mean, mean_low, mean
            errors[arm, 0], error = bounds_of(spread, states, known, shape)
            if wide == known:
                lines[arm, 2], lines[arm, 3], lines[arm, 6], errors[arm, 1] = spread, spread_low, spread, error
        if wide != known and layout.is_sure(states, wide, shape):
            _, _, spread, spread_low = index_surely(states, layout.root_at(wide, shape), contexts, x)
            lines[arm, 2], lines[arm, 3], lines[arm, 6] = spread, spread_low, spread
            _, errors[arm, 1] = bounds_of(spread, states, wide, shape)


@inline
def bounds_of(spread: float, states: Floats, known: int, shape: Shape) -> tuple[float, float]:
    """Bound by how much weights . x and the spread may be off, half of it for errors made in computing just these."""
    errors = layout.errors_of(known, shape)
    if spread == 0.0:  # of the context 0
        return 0.0, 0.0
    if states[errors + layout.SPREAD] >= LOST:
        return np.inf, np.inf
    return 2.0 * spread * states[errors + layout.MEAN], 2.0 * spread * states[errors + layout.SPREAD]


@inline
def is_right(lines: Lines, errors: Bounds, arm: int, other: int, alpha: float) -> bool:
    """Tell whether an arm's index cannot be lower than another's by more than CLOSE of their sizes.

    Where two lines have all bits in common, the arms are alike.
    """
    error = errors[arm, 0] + errors[other, 0] + alpha * (errors[arm, 1] + errors[other, 1])
    gap = (lines[arm, 5] - lines[other, 5]) + alpha * (lines[arm, 6] - lines[other, 6])
    size = abs(lines[arm, 5]) + abs(lines[other, 5]) + alpha * (abs(lines[arm, 6]) + abs(lines[other, 6]))
    alike = error < np.inf
    for part in range(4):
        alike = alike and bool(lines[arm, part] == lines[other, part])
    return alike or bool(error <= gap + CLOSE * size)


@jit
def first_doubt(lines: Lines, errors: Bounds, arm: int, low: float, high: float) -> int:
    """Find the first arm that may be better than the one chosen from alpha = low to high; NO_DOUBT if none.

    Gap, error and size are lines in alpha, so that what holds at both ends holds between them.
    """
    for other in range(lines.shape[0]):
        if other != arm and not (
            is_right(lines, errors, arm, other, low) and is_right(lines, errors, arm, other, high)
        ):
            return other
    return NO_DOUBT
