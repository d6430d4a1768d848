"""The posterior, its slopes and bounds, and the proof of who wins: against plain linear algebra."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.gp.cells import bend, bound_moves, find_contenders
from banditune.kernels.gp.choices import Found, choose
from banditune.kernels.gp.edges import middle
from banditune.kernels.gp.exact_posterior import sure_posterior
from banditune.kernels.gp.incremental_posterior import learn, refer, reference_indices
from banditune.kernels.gp.index import (
    BONUS,
    NOISE,
    Asked,
    Indices,
    Values,
    leader_of,
    noise_at,
    plain_indices,
    sure_indices,
    tie_width,
)
from banditune.kernels.gp.posterior import Evidence, Observed, Prior, posterior
from banditune.kernels.gp.run import observe_again, reward_of
from banditune.kernels.watch import new_watch
from tests.strategies import share

pytestmark = [pytest.mark.usefixtures("uncompiled"), pytest.mark.filterwarnings("ignore::RuntimeWarning")]

EXAMPLES = 20


def drawn(seed: int) -> tuple[np.ndarray, Observed]:
    """Covariances of some points and a few observations of them, as often on a grid as not."""
    rng = np.random.default_rng(seed)
    points = rng.random((6, 2)) if seed % 2 else np.array([(x, y) for x in (0.0, 0.5, 1.0) for y in (0.0, 1.0)])
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    places = np.sort(rng.choice(6, size=rng.integers(0, 5), replace=False))
    counts = rng.integers(1, 4, size=places.size).astype(float)
    averages = rng.normal(size=places.size)
    return np.exp(-squares / 0.5), Observed(places, counts, averages, np.zeros(places.size))


def drawn_prior(seed: int) -> tuple[Prior, Observed]:
    """The same with prior means, as often 0 as not."""
    covariances, observed = drawn(seed)
    means = np.random.default_rng(seed).normal(size=6) if seed % 3 else np.zeros(6)
    return Prior(means, covariances), observed


def drawn_evidence(seed: int) -> tuple[Prior, Evidence]:
    """The same, as often with pulls that are pending as without."""
    prior, observed = drawn_prior(seed)
    if seed % 5 < 2:
        return prior, at_once(observed)
    rng, counts = np.random.default_rng(seed), np.zeros(6)
    counts[observed.places] = observed.counts
    counts += rng.integers(3, size=6)
    places = np.flatnonzero(counts)
    return prior, Evidence(observed, Observed(places, counts[places], rng.normal(size=places.size), places * 0.0), True)


def at_once(observed: Observed) -> Evidence:
    """No pulls are pending."""
    return Evidence(observed, observed, False)


def find_winners(prior: Prior, evidence: Evidence, asked: Asked, low: float, high: float) -> Found:
    """The choice from low to high, as the sweep asks for it."""
    value = middle(low, high, asked.free)
    known, counted = (refer(prior, seen, value, noise_at(asked, value)) for seen in (evidence.known, evidence.counted))
    return choose(new_watch(), prior, evidence, asked, known, counted, low, high)


def by_the_book(covariances: np.ndarray, observed: Observed, noise: float) -> tuple[np.ndarray, np.ndarray]:
    matrix = covariances[np.ix_(observed.places, observed.places)] + np.diag(noise / observed.counts)
    columns = covariances[observed.places]
    mean = columns.T @ np.linalg.solve(matrix, observed.averages)
    return mean, np.diag(covariances) - (columns * np.linalg.solve(matrix, columns)).sum(axis=0)


@given(st.integers(0, 10**6), st.floats(-7.0, 2.0))
@share(EXAMPLES)
def test_both_posteriors_and_their_slopes_are_those_of_the_book(seed: int, exponent: float) -> None:
    covariances, observed = drawn(seed)
    noise, points, step = math.exp(exponent), np.arange(6), 1e-4
    m = observed.places.size
    plain, strain = posterior(covariances, observed, noise, points, np.empty(2 * m * (m + 6)))
    sure = sure_posterior(covariances, observed, noise, points)
    mean, variance = by_the_book(covariances, observed, noise)
    later, earlier = (by_the_book(covariances, observed, noise * math.exp(by)) for by in (step, -step))
    for found, expected in (
        (plain.mean, mean),
        (sure.mean, mean),
        (1.0 - sure.lost, variance),
        (1.0 - plain.lost, variance),
    ):
        assert found == pytest.approx(expected, abs=1e-8)
    for found, k in ((plain.mean_slope, 0), (sure.mean_slope, 0), (plain.variance_slope, 1), (sure.variance_slope, 1)):
        assert found == pytest.approx((later[k] - earlier[k]) / (2.0 * step), abs=1e-5)
    assert strain.force >= 0.0


@given(st.integers(0, 10**6), st.floats(-7.0, 2.0))
@share(EXAMPLES)
def test_means_go_by_what_is_known_and_spreads_by_what_is_counted(seed: int, exponent: float) -> None:
    prior, evidence = drawn_evidence(seed)
    noise, points = math.exp(exponent), np.arange(6)
    found = sure_indices(prior, evidence, Asked(NOISE, 1.0, 2.0, False), noise, points)
    mean, _ = by_the_book(prior.covariances, evidence.known, noise)
    _, variance = by_the_book(prior.covariances, evidence.counted, noise)
    expected = prior.means + mean + 2.0 * np.sqrt(np.maximum(variance, 0.0))
    assert found.values.base + found.values.moved == pytest.approx(expected, abs=1e-6)


@given(st.integers(0, 10**6), st.floats(-5.0, 1.0), st.floats(0.01, 1.0), st.booleans())
@share(EXAMPLES)
def test_no_index_strays_further_than_its_bound(seed: int, exponent: float, reach: float, squared: bool) -> None:
    prior, evidence = drawn_evidence(seed)
    asked, noise, points = Asked(NOISE, 1.0, 2.0, squared), math.exp(exponent), np.arange(6)
    here = sure_indices(prior, evidence, asked, noise, points)
    for by in np.linspace(-reach, reach, 9):
        there = sure_indices(prior, evidence, asked, noise * math.exp(by), points)
        for k in range(6):
            off = there.values.moved[k] - here.values.moved[k] - by * here.slope[k]
            assert abs(off) <= 0.5 * bend(here, k, reach) * by * by + 1e-12


@given(st.integers(0, 10**6), st.floats(-20.0, 2.0))
@share(EXAMPLES)
def test_plain_floats_are_off_by_no_more_than_they_say(seed: int, exponent: float) -> None:
    prior, evidence = drawn_evidence(seed)
    m, points, asked = evidence.counted.places.size, np.arange(6), Asked(NOISE, 1.0, 2.0, False)
    plain = plain_indices(prior, evidence, asked, math.exp(exponent), points, np.empty(2 * m * (m + 6)))
    sure = sure_indices(prior, evidence, asked, math.exp(exponent), points)
    assert (np.abs(plain.values.moved - sure.values.moved) <= plain.rounding).all()


@given(st.integers(0, 10**6), st.floats(-20.0, 2.0), st.integers(0, 4), st.integers(0, 2))
@share(EXAMPLES)
def test_a_reference_is_off_by_no_more_than_it_says(seed: int, exponent: float, later: int, pending: int) -> None:
    prior, observed = drawn_prior(seed)
    asked, noise = Asked(NOISE, 1.0, 2.0, False), math.exp(exponent)
    known, rng = refer(prior, observed, noise, noise), np.random.default_rng(seed)
    sums = np.cumsum(np.pad(rng.normal(size=(6, 9)), ((0, 0), (1, 0))), axis=1)
    sums[observed.places, observed.counts.astype(int)] = observed.averages * observed.counts
    both = np.stack([sums, np.zeros_like(sums)], axis=-1)
    counted, evidence = known, at_once(observed)
    for k, place in enumerate(rng.integers(6, size=later + pending).tolist()):
        observed = observe_again(observed, place, both)
        count = int(observed.counts[np.searchsorted(observed.places, place)])
        counted = learn(prior, counted, place, reward_of(both, place, count))
        evidence = Evidence(evidence.known, observed, True)
        if k < later:
            known, evidence = counted, at_once(observed)
    here = reference_indices(prior, asked, known, counted, noise)
    sure = sure_indices(prior, evidence, asked, noise, np.arange(6))
    off = np.abs((here.values.moved - sure.values.moved) + (here.values.moved_low - sure.values.moved_low))
    assert (off <= here.rounding + sure.rounding).all()
    assert (np.abs(here.slope - sure.slope) <= 4.0 * (here.rounding + sure.rounding) + 1e-9).all()


@pytest.mark.parametrize("length_scale", [0.1, 0.2])
def test_points_that_hardly_differ_are_told_by_the_tie_rule(length_scale: float) -> None:
    rng = np.random.default_rng(1)
    points = np.array([(x, y, z) for x in np.linspace(0, 1, 6) for y in np.linspace(0, 1, 5) for z in (0.0, 0.3, 1.0)])
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    prior = Prior(np.zeros(len(points)), np.exp(-0.5 * squares / length_scale**2))
    observed = Observed(np.array([0, 30]), np.ones(2), rng.normal(size=2), np.zeros(2))
    asked, everywhere = Asked(NOISE, 1.0, 3.0, False), np.arange(len(points))
    found = find_winners(prior, at_once(observed), asked, 1e-4, 100.0)
    assert (found.doubts[:, 1] - found.doubts[:, 0] <= 1e-12 * found.doubts[:, 1]).all()
    beside = [float(np.nextafter(edge, 0.0)) for edge in found.left[1:]]
    for value in [*found.left.tolist(), *beside, *np.geomspace(1e-4, 100.0, 20).tolist()]:
        there = sure_indices(prior, at_once(observed), asked, value, everywhere)
        chosen = found.arm[np.searchsorted(found.left, value, side="right") - 1]
        assert chosen == leader_of(there.values, tie_width(prior, observed))


@given(st.integers(0, 10**6), st.sampled_from([NOISE, BONUS]), st.booleans(), st.sampled_from([0.3, 3.0]))
@share(EXAMPLES)
def test_winners_are_the_choice_at_every_value(seed: int, free: int, squared: bool, width: float) -> None:
    prior, evidence = drawn_evidence(seed)
    asked, low, high = Asked(free, 0.1, width, squared), 1e-3, 4.0
    found = find_winners(prior, evidence, asked, low, high)
    assert found.doubts.size == 0
    tie, rng = tie_width(prior, evidence.known), np.random.default_rng(seed)
    beside = [float(np.nextafter(edge, 0.0)) for edge in found.left[1:]]
    for value in [*found.left.tolist(), *beside, *np.exp(rng.uniform(math.log(low), math.log(high), 8)).tolist()]:
        there = sure_indices(prior, evidence, asked, value, np.arange(6))
        chosen = found.arm[np.searchsorted(found.left, value, side="right") - 1]
        assert chosen == leader_of(there.values, tie)


def test_who_is_within_a_tie_is_told_by_more_digits_than_plain_floats_have() -> None:
    """On a square of four points of which one was tried twice, spreads of the others differ by about a tie."""
    corners = np.array([(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)])
    squares = ((corners[:, None] - corners[None]) ** 2).sum(axis=2)
    prior, everywhere = Prior(np.zeros(4), np.exp(-0.5 * squares / 0.3**2)), np.arange(4)
    observed = Observed(everywhere, np.array([2.0, 1.0, 1.0, 1.0]), np.zeros(4), np.zeros(4))
    asked, tie = Asked(NOISE, 1.0, 1.5, False), tie_width(prior, observed)
    found = find_winners(prior, at_once(observed), asked, 1e-10, 100.0)
    for value in np.geomspace(1e-6, 1e-2, 80).tolist():
        if not any(low <= value <= high for low, high in found.doubts.tolist()):
            there = sure_indices(prior, at_once(observed), asked, value, everywhere)
            assert found.arm[np.searchsorted(found.left, value, side="right") - 1] == leader_of(there.values, tie)


def test_a_point_left_out_for_a_tie_comes_back_where_that_proves_nothing() -> None:
    """The second point is above the first by a fifth of a tie, and the choice where only the first is a tie too low."""
    places = np.array(
        [
            (0.23307011269531375, 0.037562937932177576),
            (0.09847775327024899, 0.7019773867892866),
            (0.2869406982081314, 0.8706193446746041),
            (0.8747166050875168, 0.9617822903221298),
            (0.01113415316411348, 0.3921672831691676),
        ]
    )
    covariances = np.exp(-np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2)) / 0.1)
    prior, everywhere = Prior(np.zeros(5), covariances), np.arange(5)
    observed = Observed(everywhere, np.array([2.0, 1.0, 1.0, 1.0, 1.0]), np.zeros(5), np.zeros(5))
    asked, tie = Asked(NOISE, 1.0, 4.23, True), tie_width(prior, observed)
    found = find_winners(prior, at_once(observed), asked, 1e-10, 1e-6)
    for value in np.geomspace(1e-7, 4e-7, 80).tolist():
        if not any(low <= value <= high for low, high in found.doubts.tolist()):
            there = sure_indices(prior, at_once(observed), asked, value, everywhere)
            assert found.arm[np.searchsorted(found.left, value, side="right") - 1] == leader_of(there.values, tie)


@given(st.integers(0, 10**6), st.floats(-20.0, 2.0), st.floats(5.0, 12.0))
@share(EXAMPLES)
def test_far_points_are_told_apart_by_all_digits_of_how_little_they_were_moved(
    seed: int, exponent: float, away: float
) -> None:
    rng = np.random.default_rng(seed)
    points = np.append(rng.random(3), away + rng.random(3))
    covariances = np.exp(-0.5 * (points[:, None] - points[None]) ** 2)
    observed = Observed(np.arange(3), np.ones(3), rng.normal(size=3), np.zeros(3))
    noise, far = math.exp(exponent), np.array([3, 4, 5])
    prior, asked = Prior(np.zeros(6), covariances), Asked(NOISE, 1.0, 2.0, False)
    found = sure_indices(prior, at_once(observed), asked, noise, far)
    with mp.workdps(80):
        matrix = mp.matrix(covariances[:3, :3].tolist()) + mp.mpf(noise) * mp.eye(3)
        inverse = matrix**-1
        moved = []
        for k in far:
            column = mp.matrix(covariances[:3, k].tolist())
            mean = (column.T * inverse * mp.matrix(observed.averages.tolist()))[0]
            moved.append(mean + 2 * (mp.sqrt(1 - (column.T * inverse * column)[0]) - 1))
        for k, expected in enumerate(moved):
            carried = mp.mpf(found.values.moved[k]) + mp.mpf(found.values.moved_low[k])
            assert abs(carried - expected) <= found.rounding[k] <= 1e-12 * max(abs(each) for each in moved)


def test_points_are_left_out_only_if_all_digits_of_their_bases_say_so() -> None:
    low = 2.0**-51  # of the base: what plain floats do not see
    values = Values(np.array([4.0, 4.0]), np.array([-low, 0.0]), np.array([1.2e-15, 0.0]), np.zeros(2))
    seen = Indices(values, np.zeros(2), np.zeros((2, 3)), np.zeros(2))
    tie = 1e-15  # 1.2e-15 - 4.4e-16 is less
    assert find_contenders(seen, bound_moves(seen, 0.1), 0.1, tie).tolist() == [0, 1]
    apart = Indices(values._replace(base_low=np.zeros(2)), np.zeros(2), np.zeros((2, 3)), np.zeros(2))
    assert find_contenders(apart, bound_moves(apart, 0.1), 0.1, tie).tolist() == [0]
