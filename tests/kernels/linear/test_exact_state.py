"""A ridge regression in double-doubles against one in fractions; also run uncompiled."""

import numpy as np
import pytest

from banditune.kernels.linear.index import set_index_lines
from banditune.kernels.linear.layout import clear_state, has_bounds, pad_contexts, shape_of, state_size
from banditune.kernels.linear.regression import learn
from tests.naive.linucb import ExactLinUCB


@pytest.mark.parametrize("size", [1e3, 1e8, 1e12])
@pytest.mark.parametrize("first", [1.0, 1e-6])  # the size of the first contexts beside that of the others
def test_index_is_within_its_bounds_of_the_exact_one(size: float, first: float) -> None:
    rng = np.random.default_rng(0)
    contexts, rewards = size * rng.normal(size=(8, 2, 5)), rng.normal(size=8)
    contexts[:3] *= first
    contexts[5] = contexts[4]
    shape, oracle = shape_of(2, 1, 2, 5), ExactLinUCB(2, 1.0, ridge=0.3, disjoint=False)
    states, scratch, flat = np.empty(state_size(shape)), np.empty(shape.size), pad_contexts(contexts, shape)
    lines, errors = np.empty((2, 7)), np.empty((2, 2))
    clear_state(states, 0, shape, 0.3)
    for t in range(8):
        set_index_lines(lines, errors, states, 0, 0, flat, t, shape)
        if has_bounds(states, 0, shape):
            for arm, parts in enumerate(oracle.parts(contexts[t])):
                for k, part in enumerate(parts):
                    off = abs(part - lines[arm, 2 * k] - lines[arm, 2 * k + 1])
                    assert off <= errors[arm, k] <= 1e-6 * max(lines[arm, 2], abs(part))
        learn(states, 0, t % 2, flat, t, rewards[t], shape, scratch)
        oracle.learn(t % 2, contexts[t, t % 2], rewards[t])
    assert has_bounds(states, 0, shape)
