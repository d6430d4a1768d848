"""KL-UCB's theorem: two indices cross at most once, and only an arm with fewer pulls overtakes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.lines.kl_divergence import FAMILIES, divergence, excess, find_overtaking_level, index_distance
from tests.naive.lines import divergence as naive_divergence
from tests.naive.lines import root_of

LEVELS = [10.0 ** (k / 4 - 4) for k in range(24)]


def naive_index(family: str, mean: float, level: float) -> float:
    """The index, for Bernoulli as -log(1 - q)."""
    if family == "bernoulli":
        start = -math.log1p(-mean)
        return root_of(lambda s: naive_divergence(family, mean, -math.expm1(-s), s) - level, start, start + 99.0)
    return root_of(lambda q: naive_divergence(family, mean, q, 0.0) - level, mean, mean + 1e4)


means = st.integers(1, 99).map(lambda k: k / 100)


@pytest.mark.parametrize("family", FAMILIES)
@given(means, means, st.integers(1, 60), st.integers(1, 60))
def test_two_indices_cross_at_most_once_and_fewer_pulls_overtake(
    family: str, mean: float, lower: float, pulls: int, fewer: int
) -> None:
    if mean < lower:
        mean, lower = lower, mean
    leads = []
    for level in LEVELS:
        one, other = naive_index(family, mean, level / pulls), naive_index(family, lower, level / fewer)
        if abs(one - other) > 1e-7 * (abs(one) + abs(other)):
            leads.append((level, other > one))
    signs = [ahead for _, ahead in leads]
    if mean == lower or fewer >= pulls:
        assert all(ahead == (fewer < pulls) for ahead in signs)
        return
    assert signs == sorted(signs)  # behind first, then ahead
    at = find_overtaking_level(FAMILIES.index(family), mean, float(pulls), lower, float(fewer), mean - lower)
    assert all(ahead == (level >= at) for level, ahead in leads)


@pytest.mark.parametrize("family", FAMILIES)
@given(means, st.floats(1e-12, 20.0))
def test_index_is_where_the_divergence_reaches_the_level(family: str, mean: float, level: float) -> None:
    number = FAMILIES.index(family)
    level = min(level, 600.0 * (1.0 - mean))  # beyond, 1 - index underflows
    distance, rest = index_distance(number, mean, level)
    assert divergence(number, mean, distance, rest) == pytest.approx(level, rel=1e-9)
    assert distance > 0.0
    if family == "bernoulli":
        assert rest == pytest.approx(1.0 - mean - distance, abs=1e-15)


@given(st.floats(-0.999, 50.0))
def test_excess_keeps_all_digits(x: float) -> None:
    if abs(x) > 1e-3:
        assert excess(x) == pytest.approx(x - math.log1p(x), rel=1e-9)
    else:
        assert excess(x) == pytest.approx(x * x / 2 - x**3 / 3 + x**4 / 4, rel=1e-8)
