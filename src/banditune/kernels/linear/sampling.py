"""Samples of what a regression knows: the slopes of LinTS, in the place of LinUCB's spreads."""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import jit
from banditune.kernels.linear.index import Bounds, set_index_lines
from banditune.kernels.linear.layout import Shape, context_of, row_size, state_size
from banditune.kernels.lines.bonus import COINS
from banditune.kernels.lines.envelope import Lines
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.counter_random import normal_quantile, random_bits, uniform
from banditune.kernels.numerics.simd import place_in, rows_before


class Sampler(NamedTuple):
    """The key of a policy's random numbers, and room for one sample; of a policy that draws none, no room."""

    key: np.uint64
    root: Floats  # (d, d)
    sample: Floats  # (d,)


def make_sampler(key: int, dim: int) -> Sampler:
    """Return a sampler for contexts of so many features."""
    return Sampler(np.uint64(key), np.empty((dim, dim)), np.empty(dim))


NO_SAMPLES = make_sampler(0, 0)  # one type for all policies: kernels are compiled once


@jit
def draw_sample(states: Floats, moments: int, shape: Shape, key: np.uint64, sampler: Sampler) -> None:
    """Draw a normal vector with the covariance K^-1: C'^-1 z, where K = C C' and z is standard normal.

    Where rounding leaves no root of K, that part of the sample is 0.
    """
    root, sample = sampler.root, sampler.sample
    for i in range(shape.dim):
        for j in range(i + 1):
            rest = states[moments + place_in(i, j)]
            for k in range(j):
                rest -= root[i, k] * root[j, k]
            if i == j:
                root[i, i] = math.sqrt(rest) if rest > 0.0 else np.inf
            else:
                root[i, j] = rest / root[j, j]
    for back in range(shape.dim):
        i = shape.dim - 1 - back
        rest = normal_quantile(uniform(key, i))
        for k in range(i + 1, shape.dim):
            rest -= root[k, i] * sample[k]
        sample[i] = rest / root[i, i]


@jit
def set_sampled_lines(
    lines: Lines,
    errors: Bounds,
    states: Floats,
    state: int,
    spreads: int,
    contexts: Floats,
    t: int,
    shape: Shape,
    sampler: Sampler,
    n_rounds: int,
) -> None:
    """Write the indices of all arms in round t as lines: LinUCB's, or after n_rounds rounds those of a sampler.

    The slope x . (a sample of the weights, less their mean) is a float by definition, and never off.
    """
    set_index_lines(lines, errors, states, state, spreads, contexts, t, shape)
    if sampler.sample.size > 0:
        round_key = random_bits(random_bits(sampler.key, COINS), n_rounds)
        for regression in range(shape.n_regressions):
            moments = (
                state * state_size(shape) + regression * row_size(shape) + rows_before(shape.size) + 2 * shape.size
            )
            draw_sample(states, moments, shape, random_bits(round_key, regression), sampler)
            for arm in range(shape.n_arms):
                if shape.n_regressions == 1 or arm == regression:
                    slope, x = 0.0, context_of(t, arm, shape)
                    for i in range(shape.dim):
                        slope += contexts[x + i] * sampler.sample[i]
                    lines[arm, 2] = lines[arm, 6] = slope
                    lines[arm, 3] = errors[arm, 1] = 0.0
