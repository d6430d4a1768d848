"""Sample sizes: the first that is enough, and what their proofs rest on."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.evaluation.complexity import pseudo_dimension_with_priors
from banditune.evaluation.sample_size import EXCESSES, bound_excess_by_compression
from tests.naive import complexity as naive
from tests.naive.certificates import cells
from tests.strategies import share


@share(50)
@given(st.floats(0.02, 0.9), st.floats(0.001, 0.5), st.floats(1, 1e6), st.sampled_from(sorted(EXCESSES)))
def test_a_sample_size_is_the_first_that_is_enough(epsilon, delta, complexity, method):
    n = bt.sample_size(epsilon=epsilon, delta=delta, complexity=complexity, bound=1.0, method=method)
    assert EXCESSES[method](n, delta, complexity) <= epsilon
    assert n == 3 or EXCESSES[method](n - 1, delta, complexity) > epsilon
    larger = bt.sample_size(epsilon=epsilon * 7, delta=delta, complexity=complexity, bound=7.0, method=method)
    assert abs(larger - n) <= 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0},
        {"delta": 0},
        {"complexity": 0.5},
        {"complexity": 0},
        {"complexity": None},
        {"method": "x"},
        {"epsilon": 1e-9},
        {"method": "pseudo-dimension"},
    ],
)
def test_wrong_sample_sizes_are_told(wrong):
    with pytest.raises(bt.ParameterError):
        bt.sample_size(**({"epsilon": 0.1, "delta": 0.05, "complexity": 30} | wrong))


def test_somebody_without_any_task_gets_a_number():
    huge = bt.dual_complexity_bound(bt.LinUCB, horizon=1000, n_arms=10).pieces
    assert huge == 10**999
    sizes = {method: bt.sample_size(epsilon=0.1, complexity=huge, method=method) for method in EXCESSES}
    assert sizes["compression"] < sizes["chaining"] < sizes["massart"] < sizes["paper"] < 10**7
    dimension = pseudo_dimension_with_priors(5, 100)
    size = bt.sample_size(epsilon=0.1, dimension=dimension, method="pseudo-dimension")
    assert size < bt.sample_size(epsilon=0.1, dimension=2 * dimension, method="pseudo-dimension") < 3 * size


def test_theorem_6_1_needs_no_logarithm_of_n():
    for n in (10**3, 10**6, 10**9):
        assert EXCESSES["chaining"](100 * n, 0.05, 30) == pytest.approx(EXCESSES["chaining"](n, 0.05, 30) / 10)
    for epsilon in (0.3, 0.1, 0.01):
        for complexity in (2, 30, 10**6):
            sizes = [bt.sample_size(epsilon=epsilon, complexity=complexity, method=m) for m in ("chaining", "massart")]
            assert sizes[0] < sizes[1]
    ratio = EXCESSES["paper"](10**12, 0.05, 30) / EXCESSES["paper"](10**6, 0.05, 30)
    assert ratio > 1.1e-3


@st.composite
def tied_curves(draw: st.DrawFn) -> list[bt.StepFunction]:
    """Curves of few values whose edges coincide so often that neighbouring cells tie."""
    curves = []
    for _ in range(draw(st.integers(1, 5))):
        inner = sorted(draw(st.sets(st.integers(1, 6), max_size=5)))
        values = draw(st.lists(st.integers(0, 2), min_size=len(inner) + 1, max_size=len(inner) + 1))
        curves.append(bt.StepFunction(np.array([0, *inner, 7]) / 7, np.array(values) / 2))
    return curves


@given(tied_curves())
def test_every_best_piece_has_a_name_that_two_tasks_give(curves):
    assert naive.kinds_of_names(curves, *naive.best_piece(curves))


def test_pieces_that_only_the_third_kind_of_name_names_do_exist():
    first = bt.StepFunction([0, 0.25, 0.5, 0.75, 1], [1.0, 0.0, 0.5, 1.0])
    second = bt.StepFunction([0, 0.5, 1], [0.5, 0.0])
    low, high = naive.best_piece([first, second])
    assert (low, high) == (0.25, 0.75)
    assert naive.kinds_of_names([first, second], low, high) == {"after"}


def heavy_population() -> tuple[list[bt.StepFunction], np.ndarray]:
    """One task in ten has 60 pieces, the others one or two; losses are coins. With the share of each curve."""
    rng = np.random.default_rng(0)
    curves = []
    for k in range(40):
        n_pieces = 60 if k < 4 else 2
        edges = np.sort(rng.random(n_pieces - 1))
        curves.append(bt.StepFunction([0.0, *edges, 1.0], ((np.arange(n_pieces) + k) % 2).astype(float)))
    return curves, np.full(40, 1 / 40)


def test_names_priced_by_the_mean_number_of_pieces_fail_no_more_often_than_they_say():
    curves, shares = heavy_population()
    pieces = np.array([curve.n_pieces for curve in curves])
    mean_pieces = float(pieces @ shares)
    n, delta, repetitions = 12, 0.4, 150
    rng = np.random.default_rng(1)
    # at every point of every cell of the population: the losses of its curves
    points = np.array(cells(curves))
    losses = np.array([curve(points) for curve in curves])  # (curves, cells)
    expected = shares @ losses
    starts = [np.searchsorted(points, curve.edges[:-1]) for curve in curves]
    stops = [np.append(np.searchsorted(points, curve.edges[1:-1]), points.size) for curve in curves]
    share_of_next = 1 / (1 + 2 * mean_pieces)
    price = math.log(n * n * mean_pieces / (share_of_next * delta))
    wrong = {"priced": 0, "for nothing": 0}
    for _ in range(repetitions):
        drawn = rng.integers(0, len(curves), n)
        total = losses[drawn].sum(axis=0)
        excess = []
        for j, k in np.ndindex(n, n):
            one, two = drawn[j], drawn[k]
            after = stops[two][np.searchsorted(stops[two], starts[one], side="right")]
            middle = (points[starts[one]] + np.append(points, 1.0)[after]) / 2
            value = np.searchsorted(points, middle, side="right") - 1
            set_aside = losses[one, value] + (losses[two, value] if j != k else 0.0)
            others = (total[value] - set_aside) / (n - (1 if j == k else 2))
            excess.append((expected[value] - others).max())
        most = max(excess)
        wrong["priced"] += most > math.sqrt(price / (2 * (n - 2)))
        wrong["for nothing"] += most > math.sqrt(math.log(1 / delta) / (2 * (n - 2)))
    assert wrong["priced"] <= delta * repetitions
    assert wrong["for nothing"] > delta * repetitions  # this population can tell


def test_the_shares_of_all_names_add_up_to_one_on_average_whatever_the_numbers_of_pieces():
    for shares, pieces in (((0.99, 0.01), (1, 2900)), ((0.5, 0.5), (3, 50))):
        mean, n = float(np.dot(shares, pieces)), 7
        share_of_next = 1 / (1 + 2 * mean)
        given_by_one = share_of_next / (n * n * mean)  # to each name of the first kind
        given_by_two = (1 - share_of_next) / 2 / (n * n * mean**2)  # to each of the others
        spent = n * n * mean * given_by_one + 2 * n * (n - 1) * mean**2 * given_by_two  # j and k are independent
        assert spent <= 1.0
        assert given_by_one == pytest.approx(given_by_two)
        assert math.log(1 / given_by_one) == pytest.approx(2 * math.log(n) + math.log(mean) + math.log(2 * mean + 1))
    assert bound_excess_by_compression(2568, 0.05, 30) <= 0.1
