"""Where the difference of two of GP-UCB's indices passes a tie: the float, and whether that is sure."""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.gp.cells import Verdict
from banditune.kernels.gp.exact_posterior import sure_posteriors
from banditune.kernels.gp.index import (
    NOISE,
    Asked,
    Indices,
    difference,
    is_within,
    noise_at,
    plain_indices,
    subtract_values,
    sure_indices,
    sure_indices_of,
)
from banditune.kernels.gp.posterior import Evidence, Prior
from banditune.kernels.jit import jit
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add_float

GUESSES = 12  # steps in plain floats towards an edge


@jit
def middle(low: float, high: float, free: int) -> float:
    """Return the middle of a cell in the scale of the free parameter."""
    if free == NOISE:
        return math.sqrt(low) * math.sqrt(high)
    half = 0.5 * (math.sqrt(low) + math.sqrt(high))
    return half * half


@jit
def distance(one: float, other: float, free: int) -> float:
    """Return how far two values lie apart in the scale of the free parameter, from the lower to the higher."""
    if free == NOISE:
        return math.log1p((other - one) / one)
    return (other - one) / (math.sqrt(one) + math.sqrt(other))


@jit
def move(value: float, step: float, free: int) -> float:
    """Return the value that lies so far away."""
    if free == NOISE:
        return value * math.exp(step)
    root = max(math.sqrt(value) + step, 0.0)
    return root * root


@jit
def guess_edge(
    prior: Prior, evidence: Evidence, asked: Asked, pair: Integers, level: float, low: float, high: float
) -> float:
    """Estimate where the difference of a pair passes a level in (low, high), in plain floats."""
    m, value = evidence.counted.places.size, middle(low, high, asked.free)
    room = np.empty(2 * m * (m + 2))
    for _ in range(GUESSES):
        seen = plain_indices(prior, evidence, asked, value, pair, room)
        gap, slope = difference(seen, 1, 0) - level, seen.slope[1] - seen.slope[0]
        step = -gap / slope if slope != 0.0 else 0.0
        guess = move(value, step, asked.free)
        if not low < guess < high:  # bisect between the value and the end that the step leads to
            guess = middle(value, high, asked.free) if step > 0.0 else middle(low, value, asked.free)
        if abs(guess - value) <= 1e-14 * value:
            break
        value = guess
    return value


@jit
def is_sure(seen: Indices, level: float, apart: float) -> bool:
    """Tell whether on which side of a level the difference of a pair is does not depend on rounding."""
    gap, rest = subtract_values(seen.values, 1, 0)
    off, _ = add_float(gap, rest, -level)
    sure: bool = abs(off) > seen.rounding[0] + seen.rounding[1] + apart
    return sure


@jit
def first_float(
    prior: Prior, evidence: Evidence, asked: Asked, pair: Integers, level: float, apart: float, low: float, high: float
) -> tuple[float, bool]:
    """Return the first float in (low, high] where the difference of a pair has passed a level; low if it does not.

    The difference rises, or falls, throughout [low, high]. Also whether that is sure, of indices that may be this far
    apart from what is computed besides rounding.
    """
    known, counted = sure_posteriors(prior.covariances, evidence, noise_at(asked, low), pair)
    seen = sure_indices_of(prior, asked, low, pair, known, counted)
    below, low_sure = is_within(seen.values, 1, 0, level), is_sure(seen, level, apart)
    if asked.free == NOISE:
        known, counted = sure_posteriors(prior.covariances, evidence, high, pair)
    seen = sure_indices_of(prior, asked, high, pair, known, counted)
    high_sure = is_sure(seen, level, apart)
    if is_within(seen.values, 1, 0, level) == below:
        return low, low_sure and high_sure
    value = guess_edge(prior, evidence, asked, pair, level, low, high)
    stride, steps = 1.0, 0
    while True:
        steps += 1
        if steps % 8 == 0:  # so that it ends whatever the slopes are worth
            value = middle(low, high, asked.free)
        if not low < value < high:
            value = middle(low, high, asked.free)
            if not low < value < high:
                value = 0.5 * (low + high)
                if not low < value < high:
                    return high, low_sure and high_sure
        if asked.free == NOISE:
            known, counted = sure_posteriors(prior.covariances, evidence, value, pair)
        seen = sure_indices_of(prior, asked, value, pair, known, counted)
        gap = difference(seen, 1, 0) - level
        if is_within(seen.values, 1, 0, level) == below:
            low, low_sure = value, is_sure(seen, level, apart)
        else:
            high, high_sure = value, is_sure(seen, level, apart)
        step = -gap / (seen.slope[1] - seen.slope[0])
        guess = move(value, step, asked.free)
        if abs(guess - value) <= 2.0 * (np.nextafter(value, math.inf) - value):  # a few floats on, until it is passed
            unit = (np.nextafter(value, math.inf) - value) * stride
            guess = value + unit if low == value else value - unit
            stride *= 4.0
        value = guess


class Edges(NamedTuple):
    """Where the choice may change in a cell, in order, and how far off that may be."""

    values: Floats
    blur: float  # in the scale of the free parameter, added up
    doubts: Floats  # (k, 2) intervals around those that may be off by a float or more


@jit
def find_edges(
    prior: Prior,
    evidence: Evidence,
    asked: Asked,
    points: Integers,
    verdict: Verdict,
    tie: float,
    low: float,
    high: float,
) -> Edges:
    """Return where the choice may change in [low, high): low, and each float where one of a pair passes the other."""
    n_pairs = verdict.pairs.shape[0]
    values, doubts = np.empty(n_pairs + 1), np.empty((2 * n_pairs, 2))
    values[0], size, blur, n_doubts = low, 1, 0.0, 0
    for p in range(n_pairs):
        pair = points[verdict.pairs[p]]
        edge, sure = first_float(prior, evidence, asked, pair, tie, verdict.apart, low, high)
        is_inside = low < edge < high
        if is_inside:
            place = size
            while values[place - 1] > edge:  # few of them are put in order one by one
                values[place] = values[place - 1]
                place -= 1
            values[place] = edge
            size += 1
            blur += blur_of(prior, evidence, asked, pair, verdict.apart, edge)
        if not sure:
            for at in (edge, edge if is_inside else high):  # if the ends are alike, either may be the one in doubt
                off = blur_of(prior, evidence, asked, pair, verdict.apart, at)
                doubts[n_doubts] = blur_around(at, off, asked.free, low, high)
                n_doubts += 1
    return Edges(values[:size].copy(), blur, doubts[:n_doubts].copy())


@jit
def blur_of(prior: Prior, evidence: Evidence, asked: Asked, pair: Integers, apart: float, edge: float) -> float:
    """Return how far off an edge may be, in the scale of the free parameter."""
    seen = sure_indices(prior, evidence, asked, edge, pair)
    off: float = (apart + seen.rounding[0] + seen.rounding[1]) / abs(seen.slope[1] - seen.slope[0])
    return off


@jit
def blur_around(value: float, off: float, free: int, low: float, high: float) -> tuple[float, float]:
    """Return what lies in [low, high] so far around a value, at least a float each way."""
    if not off < 1.0:
        return low, high
    start = min(move(value, -off, free), np.nextafter(value, -math.inf))
    end = max(move(value, off, free), np.nextafter(value, math.inf))
    return max(start, low), min(end, high)
