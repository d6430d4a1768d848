"""Plans: the trend of a learning curve, and how many tasks it takes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.evaluation.plan import RATES, PowerLaw, _trend, forecast_certificate

SIZES = (1, 2, 4, 8, 16, 32, 64)


@given(st.floats(-5, 5), st.floats(0.1, 10), st.sampled_from(RATES.tolist()), st.floats(1e-3, 1))
def test_a_power_law_is_found_again_and_says_when_it_is_near_its_floor(floor, factor, rate, epsilon):
    law = PowerLaw(floor, factor, rate)
    noise = np.random.default_rng(0).normal(0.0, 1e-9, (10, len(SIZES)))
    noise -= noise.mean(axis=0)
    found = _trend(SIZES, np.array([law.at(n) for n in SIZES]) + noise)
    assert found == pytest.approx(law, rel=1e-4, abs=1e-6)
    needed = law.tasks_for(epsilon)
    assert law.at(needed) - floor <= epsilon * (1 + 1e-9)
    if needed > 1.0:
        assert law.at(0.99 * needed) - floor > epsilon


def test_a_curve_that_does_not_fall_needs_no_more_tasks():
    rising = np.random.default_rng(0).normal(np.arange(len(SIZES)), 0.1, (10, len(SIZES)))
    assert _trend(SIZES, rising).factor == 0.0
    assert _trend(SIZES, rising).tasks_for(0.1) == 1.0


def test_a_curve_that_is_the_same_from_any_tasks_is_level():
    assert _trend(SIZES, np.full((10, len(SIZES)), 2.2)) == PowerLaw(pytest.approx(2.2), 0.0, 1.0)


def test_the_foreseen_certificate_is_about_the_one_that_comes():
    problem = bt.problems.bernoulli(2)
    pilots = bt.tune(bt.UCB, problem.sample(200, 20), horizon=20, alpha=(0.0, 1.0))
    epsilon = 2.0
    plan = pilots.plan(epsilon)
    there = bt.tune(bt.UCB, problem.sample(plan.theory["certificate"], 20, seed=7), horizon=20, alpha=(0.0, 1.0))
    assert there.certificate().excess_bound == pytest.approx(epsilon, rel=0.5)
    assert plan.theory["certificate"] < plan.theory["compression"] < plan.theory["massart"] < plan.theory["paper"]


def test_wilder_losses_need_more_tasks():
    quiet, wild = np.full(20, 0.1), np.tile([0.0, 0.2], 10)
    assert forecast_certificate(quiet, 10.0, 0.05, 0.05) < forecast_certificate(wild, 10.0, 0.05, 0.05)


def test_a_plan_reads_the_tasks_as_pilots():
    tasks = bt.problems.bernoulli(2).sample(40, 50, seed=2)
    tuned = bt.tune(bt.UCB, tasks, horizon=50, alpha=(0.0, 1.0))
    plan = tuned.plan()
    assert plan.epsilon == pytest.approx(0.1 * tuned.loss)
    assert plan == tuned.plan()  # the same seed, the same plan
    assert plan.more == max(0, math.ceil(plan.needed) - 40)
    assert plan.complexity == bt.dual_complexity(tuned.curves)
    assert tuned.plan(bound=200.0).theory["paper"] > plan.theory["paper"]
    with pytest.raises(bt.InputError, match="at least 5 pilot tasks, got 3"):
        bt.tune(bt.UCB, tasks[:3], horizon=50, alpha=(0.0, 1.0)).plan()
    idle = [bt.Task([[1.0] * 5, [1.0] * 5], limits=(0, 1)) for _ in range(6)]
    with pytest.raises(bt.ParameterError, match="have no loss"):
        bt.tune(bt.UCB, idle, horizon=5, alpha=(0.0, 1.0)).plan()
