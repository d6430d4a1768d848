"""Random numbers by counting: the same as in whole numbers, and distributed as they should be."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from banditune.kernels.numerics.counter_random import (
    NEAR_BETA,
    beta_number,
    beta_number_by,
    normal_quantile,
    random_bits,
    toss_ahead,
    uniform,
)
from tests.naive import baselines as naive


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**62))
def test_bits_are_those_of_whole_numbers(key: int, count: int) -> None:
    assert int(random_bits(np.uint64(key), count)) == naive.random_bits(key, count)
    u = uniform(np.uint64(key), count)
    assert u == naive.uniform(key, count)
    assert 0.0 < u < 1.0


@given(st.one_of(st.floats(1e-300, 1.0, exclude_max=True), st.sampled_from([2.0**-53, 1 - 2.0**-53, 0.5])))
def test_normal_quantile_is_that_of_the_standard_library(u: float) -> None:
    assert normal_quantile(u) == pytest.approx(NormalDist().inv_cdf(u), rel=1e-12, abs=1e-15)


def uniformity(sample: np.ndarray) -> float:
    """The p-value of Kolmogorov's and Smirnov's test that the sample is uniform."""
    ordered, places = np.sort(sample), np.arange(sample.size + 1) / sample.size
    distance = max(float(np.max(places[1:] - ordered)), float(np.max(ordered - places[:-1])))
    x = distance * math.sqrt(sample.size)
    return 2.0 * sum((-1) ** (k - 1) * math.exp(-2.0 * (k * x) ** 2) for k in range(1, 50))


def test_streams_are_uniform_and_unlike_each_other() -> None:
    along = np.array([uniform(np.uint64(7), k) for k in range(4000)])
    across = np.array([uniform(np.uint64(k), 7) for k in range(4000)])
    for sample in (along, across, (along + across) % 1.0, (along[1:] - along[:-1]) % 1.0):
        assert uniformity(sample) > 0.001
    assert abs(np.corrcoef(along, across)[0, 1]) < 4.0 / math.sqrt(4000)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.5, 0.5), (3.0, 1.0), (1.0, 5.0)])
def test_beta_numbers_have_their_distribution(a: float, b: float) -> None:
    """For these shapes the distribution function is elementary."""
    sample = np.array([beta_number(a, b, np.uint64(k)) for k in range(3000)])
    assert ((sample >= 0.0) & (sample <= 1.0)).all()
    if a == b == 0.5:
        probabilities = 2.0 / math.pi * np.arcsin(np.sqrt(sample))
    else:
        probabilities = sample**a if b == 1.0 else 1.0 - (1.0 - sample) ** b
    assert uniformity(probabilities) > 0.001


@given(st.floats(1e-3, 1e6), st.floats(1e-3, 1e6), st.integers(0, 2**64 - 1))
def test_beta_numbers_are_finite_for_any_shapes(a: float, b: float, key: int) -> None:
    assert 0.0 <= beta_number(a, b, np.uint64(key)) <= 1.0


@given(st.floats(0.5, 1e6), st.floats(0.5, 1e6), st.integers(0, 2**64 - 1))
@example(1.0, 1.0, 0)
@example(1e9, 2.0, 1)
def test_beta_numbers_by_tosses_are_the_same(a: float, b: float, key: int) -> None:
    """Whatever the shapes that share them; and nearly so where they are rounded otherwise."""
    own = np.uint64(key)
    tosses = np.array([[*toss_ahead(own, 0), *toss_ahead(own, 2)]])
    sample = beta_number(a, b, own)
    assert beta_number_by(tosses, 0, a, b, own, False) == sample
    assert abs(beta_number_by(tosses, 0, a, b, own, True) - sample) < NEAR_BETA
