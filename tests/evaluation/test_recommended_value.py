"""What a study recommends: the least of the mean loss, averaged over a neighbourhood."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.curves.step_function import StepFunction
from banditune.evaluation import recommended_value
from banditune.evaluation.recommended_value import (
    FEW_TASKS,
    REACH,
    find_best_neighbourhood,
    make_average,
    reach_of,
    recommend,
    recommend_about,
)
from banditune.policies.parameters import Parameter
from tests.naive.recommendation import average_over

ALPHA = bt.UCB.parameters["alpha"]
assert isinstance(ALPHA, Parameter)


@st.composite
def curves(draw: st.DrawFn) -> StepFunction:
    low = draw(st.sampled_from([0.0, 0.01, 1.0]))
    widths = draw(st.lists(st.sampled_from([0.001, 0.1, 0.5, 2.0]), min_size=1, max_size=12))
    values = draw(st.lists(st.integers(0, 4), min_size=len(widths), max_size=len(widths)))
    return StepFunction(low + np.append(0.0, np.cumsum(widths)), np.array(values, float))


def test_the_least_numbers_there_are_have_no_others_around_them() -> None:
    least = 5e-324
    curve = StepFunction([0.0, least, 2 * least, 1.0], [3.0, 1.0, 2.0])
    assert make_average(curve, 1.2)(np.array([0.0, least])).tolist() == [3.0, 1.0]
    assert find_best_neighbourhood(curve, 1.2).low > 0.0


@given(curves(), st.floats(0.0, 1.0), st.sampled_from([1.5, 2.25]))
def test_the_average_around_a_point_is_that_of_its_pieces(curve: StepFunction, share: float, reach: float) -> None:
    x = curve.low + share * (curve.high - curve.low)
    found = float(make_average(curve, reach)(np.array([x]))[0])
    assert found == pytest.approx(average_over(curve, x, reach), abs=1e-9)


@given(curves(), st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30), st.sampled_from([1.5, 2.25]))
def test_no_point_has_a_lower_average(curve: StepFunction, shares: list[float], reach: float) -> None:
    low, high = find_best_neighbourhood(curve, reach)
    best = max(average_over(curve, x, reach) for x in (low, 0.5 * (low + high), high))
    others = (curve.low + share * (curve.high - curve.low) for share in shares)
    assert all(average_over(curve, x, reach) >= best - 1e-9 for x in others)


@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.sampled_from([1.1, 1.5, 2.25]))
def test_places_that_are_left_out_change_nothing(seed: int, n_pieces: int, reach: float) -> None:
    """Of curves with many pieces, most places are not looked at."""
    random = np.random.default_rng(seed)
    edges = np.append(random.choice([0.0, 1e-3]), 2e-3 + np.cumsum(np.exp(random.uniform(-9.0, 0.0, n_pieces))))
    values = np.log(edges[1:]) ** 2 + random.choice([0.0, 0.1, 1.0]) * random.normal(0.0, 1.0, n_pieces)
    curve = StepFunction(edges, random.choice([np.round(values), values]))
    found = find_best_neighbourhood(curve, reach)
    with pytest.MonkeyPatch.context() as patch:
        every = np.concatenate(([curve.low, curve.high], curve.edges * reach, curve.edges / reach))
        every = every[(every >= curve.low) & (every <= curve.high)]
        patch.setattr(recommended_value, "choose_points", lambda *_: every)
        assert find_best_neighbourhood(curve, reach) == found


@given(curves())
def test_a_recommended_value_is_no_edge(curve: StepFunction) -> None:
    value = recommend(ALPHA, curve, 10)
    assert curve.low <= value <= curve.high
    assert value not in curve.edges


@given(curves(), st.sampled_from([5, 100]))
def test_what_is_recommended_about_has_hardly_a_higher_average(curve: StepFunction, n_tasks: int) -> None:
    reach = reach_of(ALPHA, n_tasks, 4)
    quick, exact = recommend_about(ALPHA, curve, n_tasks, 4), find_best_neighbourhood(curve, reach)
    least = min(average_over(curve, x, reach) for x in exact)
    assert average_over(curve, quick, reach) <= least + 0.05 * np.ptp(curve.values) + 1e-9


def test_a_lucky_piece_is_not_recommended() -> None:
    curve = StepFunction([0.0, 0.1, 1.0, 3.0, 3.001, 4.0], [3.0, 1.0, 2.0, 0.5, 4.0])
    assert tuple(curve.argmin()) == (3.0, 3.001)
    assert 0.1 < recommend(ALPHA, curve, 10) < 1.0


def test_a_neighbourhood_is_measured_in_the_scale_of_the_index() -> None:
    assert reach_of(ALPHA, FEW_TASKS, 20) == REACH**2  # the index is affine in the root of alpha
    alpha = bt.LinUCB.parameters["alpha"]
    assert isinstance(alpha, Parameter)
    assert reach_of(alpha, FEW_TASKS, 20) == REACH


@given(curves())
def test_with_ever_more_tasks_it_is_the_least_itself(curve: StepFunction) -> None:
    value = recommend(ALPHA, curve, 10**15)
    assert curve(value) == curve.minimum()


def test_a_neighbourhood_narrows_with_the_cube_root_of_the_number_of_tasks() -> None:
    reaches = [np.log(reach_of(ALPHA, n, 20)) for n in (FEW_TASKS, 8 * FEW_TASKS, 64 * FEW_TASKS)]
    assert reaches == pytest.approx([reaches[0], reaches[0] / 2, reaches[0] / 4])
    assert reach_of(ALPHA, 3, 20) == reach_of(ALPHA, FEW_TASKS, 20)
    assert reach_of(ALPHA, 80, 1) == reach_of(ALPHA, 40, 2) == reach_of(ALPHA, 10, 100)


def test_tune_returns_the_least_itself_and_a_study_what_it_recommends() -> None:
    tasks = bt.problems.bernoulli(3).sample(30, 100)
    tuned, found = bt.tune(bt.UCB, tasks, horizon=100), bt.study(bt.UCB, tasks, horizon=100).tuned
    assert tuned.params == tuned.recommended == found.params
    assert tuned.interval.low <= tuned.alpha <= tuned.interval.high
    assert tuned.curve(tuned.alpha) == tuned.loss
    assert found.recommended == {**found.params, "alpha": recommend(ALPHA, found.curve, 30)}
    assert found.policy(n_arms=3).alpha == found.recommended["alpha"] != found.alpha


def test_cross_validation_measures_what_is_recommended() -> None:
    tasks = bt.problems.bernoulli(3).sample(30, 100)
    found = bt.study(bt.UCB, tasks, horizon=100, folds=3)
    assert found.held_out is not None
    for k, value in enumerate(found.held_out.values):
        seen = found.held_out.fold != k
        assert value == recommend(ALPHA, found.curves.mean(seen), int(seen.sum()))
        assert (found.held_out.learned[~seen] == found.curves.at(value)[~seen]).all()
    assert found.verdict.text.startswith(f"Use alpha = {found.tuned.recommended['alpha']:.4g}")
