"""The mean over the worst share of curves, against sorting them between any two edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import StepFunction
from banditune.curves.tail_curves import TailCurves, count_largest, spread_losses
from tests.naive.tail import naive_tail, naive_tail_curve

SHARES = [0.05, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0]


@st.composite
def curves_of_few_values(draw: st.DrawFn) -> list[StepFunction]:
    """Some curves on [0, 1], with ties between values and between edges, and values of very different sizes."""
    few = st.sampled_from(draw(st.lists(st.floats(-1e6, 1e6) | st.floats(0, 1), min_size=1, max_size=5)))
    places = st.lists(st.sampled_from([k / 8 for k in range(1, 8)]) | st.floats(0.01, 0.99), max_size=6, unique=True)
    found = []
    for _ in range(draw(st.integers(1, 12))):
        edges = [0.0, *sorted(draw(places)), 1.0]
        values = draw(st.lists(few | st.floats(-10.0, 10.0), min_size=len(edges) - 1, max_size=len(edges) - 1))
        found.append(StepFunction(edges, values))
    return found


@given(curves_of_few_values(), st.sampled_from(SHARES))
def test_tail_is_the_mean_of_the_worst_at_every_point(curves: list[StepFunction], share: float) -> None:
    tail = TailCurves.of_set(CurveSet.of(curves), share).mean()
    left, values = naive_tail_curve(curves, share)
    assert tail.edges[:-1].tolist() == left
    assert tail.values.tolist() == values


@given(curves_of_few_values(), st.sampled_from(SHARES), st.data())
def test_tail_of_some_curves_is_that_of_these_alone(
    curves: list[StepFunction], share: float, data: st.DataObject
) -> None:
    some = np.array(data.draw(st.lists(st.booleans(), min_size=len(curves), max_size=len(curves)))) | (len(curves) == 1)
    some[0] |= not some.any()
    every = TailCurves.of_set(CurveSet.of(curves), share)
    alone = TailCurves.of_set(CurveSet.of([curve for curve, chosen in zip(curves, some, strict=True) if chosen]), share)
    assert every.mean(some) == alone.mean() == every.estimate_mean(some)
    assert every.find_least(some) == (alone.mean().argmin(), alone.mean().minimum())


@given(curves_of_few_values())
def test_whole_tail_is_the_mean(curves: list[StepFunction]) -> None:
    every = CurveSet.of(curves)
    assert TailCurves.of_set(every, 1.0).mean() == every.mean()


@given(st.lists(st.floats(-100.0, 100.0), min_size=1, max_size=30), st.sampled_from(SHARES))
def test_what_each_task_adds_has_the_mean_of_the_tail(losses: list[float], share: float) -> None:
    spread = spread_losses(np.array(losses), share)
    assert spread.mean() == pytest.approx(naive_tail(losses, share), abs=1e-9)


@given(curves_of_few_values(), st.sampled_from(SHARES))
def test_range_within_one_standard_error_is_from_the_first_to_the_last_such_point(
    curves: list[StepFunction], share: float
) -> None:
    every = TailCurves.of_set(CurveSet.of(curves), share)
    mean = every.mean()
    best = 0.5 * sum(mean.argmin())
    low, high = every.find_within_one_se(best)
    assert low <= best <= high
    edges = np.unique(np.concatenate([curve.edges for curve in curves]))
    n, at_best = len(curves), spread_losses(every.at(best), share)
    for x in 0.5 * (edges[:-1] + edges[1:]):
        extra = spread_losses(every.at(float(x)), share) - at_best
        error = extra.std(ddof=1) / np.sqrt(n) if n > 1 else 0.0
        if extra.mean() < error * (1 - 1e-6) - 1e-9:
            assert low <= x <= high
        elif not low <= x <= high:
            assert extra.mean() >= error * (1 - 1e-6) - 1e-9


def test_number_of_the_worst_is_rounded_up() -> None:
    assert [count_largest(0.1, n) for n in (1, 10, 11, 20, 30, 1000)] == [1, 1, 2, 2, 3, 100]
