"""Bounds on the number of pieces that need no task: never below what tasks have, and counted right."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.evaluation.complexity import pseudo_dimension_of_pieces, pseudo_dimension_with_priors
from banditune.evaluation.sample_size import chain_dimension, chain_pieces
from banditune.kernels.lines.index import SCHEDULES
from banditune.policies.base import Policy
from banditune.policies.gaussian.prior import GaussianPrior
from banditune.policies.parameters import Parameter
from banditune.policies.piece_bounds import TaskSize, bound_categories, bound_lines
from banditune.policies.registry import find_tunable_policies
from tests.naive import complexity as naive
from tests.naive.certificates import largest_signed_sum
from tests.naive.gaussian import NaiveGaussian
from tests.strategies import share


@given(st.integers(2, 4), st.integers(1, 14), st.integers(1, 4))
def test_categories_are_counted_one_by_one(n_arms, horizon, n_values):
    assert bound_categories(TaskSize(horizon, n_arms, n_values)) == naive.count_categories(horizon, n_arms, n_values)


@pytest.mark.parametrize(("n_arms", "horizon"), [*itertools.product((1, 2, 3, 4), (1, 2, 5, 8))])
def test_count_vectors_are_counted_one_by_one(n_arms, horizon):
    for least in (0, 1):
        vectors = sum(naive.count_vectors(t, n_arms, least) for t in range(n_arms * least, horizon))
        bound = bound_lines(TaskSize(horizon, n_arms), starts_with_each=least == 1)
        assert bound == 1 + (n_arms - 1) * vectors


def test_where_tasks_have_different_numbers_of_arms_the_most_arms_need_not_have_the_largest_bound():
    bounds = [bt.dual_complexity_bound(bt.UCB, horizon=5, n_arms=n).pieces for n in (2, 3, 4, 5)]
    assert bounds == [7, 9, 4, 1]
    rng = np.random.default_rng(0)
    for n_arms in (2, 3, 4, 5):
        task = bt.Task(rng.normal(size=(n_arms, 5)))
        assert bt.loss_curve(bt.UCB, task, horizon=5, alpha=(0.0, 100.0), loss="reward").n_pieces <= max(bounds)


@share(60)
@given(st.integers(2, 3), st.integers(4, 9), st.integers(2, 3), st.data())
def test_no_task_of_ucb_has_more_pieces(n_arms, horizon, n_values, data):
    values = st.integers(0, n_values - 1).map(float)
    rewards = [data.draw(st.lists(values, min_size=horizon, max_size=horizon)) for _ in range(n_arms)]
    size = {"horizon": horizon, "n_arms": n_arms}
    bounds = [
        bt.dual_complexity_bound(bt.UCB, **size),
        bt.dual_complexity_bound(bt.UCB, **size, n_values=n_values),
    ]
    curve = bt.loss_curve(bt.UCB, bt.Task(rewards), horizon=horizon, alpha=(0.0, 1e6), loss="reward")
    assert curve.n_pieces <= min(each.pieces for each in bounds)
    assert bounds[1].pieces <= bounds[1].paper
    priors = data.draw(st.lists(st.floats(0, 2), min_size=n_arms, max_size=n_arms))
    primed = bt.loss_curve(
        bt.UCB, bt.Task(rewards), horizon=horizon, alpha=(0.0, 1e6), prior_means=priors, loss="reward"
    )
    assert primed.n_pieces <= bt.dual_complexity_bound(bt.UCB, **size, prior_means=priors).pieces


@share(15)
@given(st.integers(0, 2**31), st.integers(2, 3), st.integers(1, 6))
def test_no_task_of_linucb_has_more_pieces(seed, n_arms, horizon):
    rng = np.random.default_rng(seed)
    task = bt.ContextualTask(rng.normal(size=(horizon, n_arms, 2)), rng.normal(size=(horizon, n_arms)))
    bound = bt.dual_complexity_bound(bt.LinUCB, horizon=horizon, n_arms=n_arms)
    curve = bt.loss_curve(bt.LinUCB, task, horizon=horizon, alpha=(0.0, 50.0), loss="reward")
    assert curve.n_pieces <= bound.pieces <= bound.paper


@share(10)
@given(st.integers(0, 2**31), st.sampled_from(["std", "variance"]))
def test_no_task_of_gp_ucb_has_more_pieces(seed, bonus):
    rng = np.random.default_rng(seed)
    n_arms, horizon = 4, 5
    task = bt.Task(rng.normal(size=(n_arms, horizon)), points=rng.random((n_arms, 1)))
    size = {"horizon": horizon, "n_arms": n_arms}
    bound = bt.dual_complexity_bound(bt.GPUCB, **size, bonus=bonus)
    asked = {"horizon": horizon, "loss": "reward", "length_scale": 0.3, "bonus": bonus}
    assert bt.loss_curve(bt.GPUCB, task, noise=(1e-3, 10.0), **asked).n_pieces <= bound.pieces < bound.paper
    if bonus == "std":
        lines = bt.dual_complexity_bound(bt.GPUCB, **size, parameter="beta")
        assert bt.loss_curve(bt.GPUCB, task, beta=(0.0, 5.0), **asked).n_pieces <= lines.pieces


@share(20)
@given(st.integers(0, 2**31), st.booleans(), st.booleans(), st.sampled_from(SCHEDULES))
def test_no_task_of_a_gaussian_policy_has_more_pieces(seed, samples, is_flat, schedule):
    rng = np.random.default_rng(seed)
    n_arms, horizon = int(rng.integers(2, 4)), int(rng.integers(1, 6))
    task = bt.Task(rng.normal(size=(n_arms, horizon)))
    spread = rng.normal(size=(n_arms, n_arms))
    prior: dict[str, Any] = {"prior": GaussianPrior.flat(0.5)}
    if not is_flat:
        prior = {
            "prior_mean": rng.normal(size=n_arms).tolist(),
            "prior_cov": (spread @ spread.T).tolist(),
            "noise": 0.5,
        }
    policy = bt.GaussianTS if samples else bt.GaussianUCB
    asked = {"horizon": horizon, "theta": (0.0, 1e6), "schedule": schedule, "loss": "reward"}
    curve = bt.loss_curve(policy, task, **asked, **prior)
    oracle = NaiveGaussian(task, horizon, 1.0, schedule=schedule, **prior, key=task.address.key(0) if samples else None)
    bound = bt.dual_complexity_bound(policy, horizon=horizon, n_arms=n_arms, **prior)
    # every corner of every envelope, one count vector after the other; those that no run comes to, too
    corners = sum(
        naive.count_corners(oracle.lines([arm for arm in range(n_arms) for _ in range(counts[arm])]))
        for counts in itertools.product(range(horizon), repeat=n_arms)
        if sum(counts) < horizon and (not is_flat or 0 not in counts)
    )
    assert curve.n_pieces <= 1 + corners <= bound.pieces


def test_a_gaussian_policy_without_a_prior_is_bounded_as_ucb_is():
    size = {"horizon": 50, "n_arms": 3}
    ucb = bt.dual_complexity_bound(bt.UCB, **size)
    clicks = bt.dual_complexity_bound(bt.UCB, **size, n_values=2)
    for prior in ("flat", GaussianPrior.flat(0.1)):
        assert bt.dual_complexity_bound(bt.GaussianUCB, **size, prior=prior) == ucb
        assert bt.dual_complexity_bound(bt.GaussianUCB, **size, prior=prior, n_values=2) == clicks
        assert (
            bt.dual_complexity_bound(bt.GaussianTS, **size, prior=prior, n_values=2) == ucb
        )  # samples tell arms apart
    assert bt.dual_complexity_bound(bt.GaussianUCB, **size).pieces == bound_lines(
        TaskSize(50, 3), starts_with_each=False
    )


def test_every_policy_that_can_be_tuned_has_a_bound_for_each_of_its_parameters():
    for policy in find_tunable_policies().values():
        for name, known in policy.parameters.items():
            if isinstance(known, Parameter):
                assert bt.dual_complexity_bound(policy, horizon=20, n_arms=3, parameter=name).pieces > 1


def test_theorem_7_2_grows_like_the_fifth_power_of_the_horizon_and_not_with_the_arms():
    for n_arms in (3, 10, 40):
        for horizon, n_values in ((50, 2), (200, 5)):
            bound = bound_categories(TaskSize(horizon, n_arms, n_values))
            assert bound <= n_values**2 * horizon**5
    few, many = (bound_categories(TaskSize(400, n, 2)) for n in (3, 40))
    assert many < few
    assert bt.dual_complexity_bound(bt.UCB, horizon=400, n_arms=40, n_values=2).pieces == many


def test_a_policy_or_a_parameter_without_a_bound_says_so():
    with pytest.raises(bt.ParameterError, match="no parameter gamma"):
        bt.dual_complexity_bound(bt.UCB, horizon=10, n_arms=2, gamma=1.0)
    with pytest.raises(bt.ParameterError, match="parameter"):
        bt.dual_complexity_bound(bt.UCB, horizon=10, n_arms=2, parameter="schedule")
    with pytest.raises(bt.ParameterError, match="horizon"):
        bt.dual_complexity_bound(bt.UCB, horizon=0, n_arms=2)
    with pytest.raises(bt.ParameterError, match="no bound on the number of pieces is known for scale"):
        Policy.bound_pieces("scale", TaskSize(10, 2), {})  # of one made elsewhere


@pytest.mark.parametrize("pieces", [1, 2, 3, 10, 4852, 10**40])
def test_the_pseudo_dimension_is_the_last_that_the_pieces_allow(pieces):
    m = pseudo_dimension_of_pieces(pieces)
    assert 2**m <= m * (pieces - 1) + 1
    assert 2 ** (m + 1) > (m + 1) * (pieces - 1) + 1


def test_half_spaces_have_no_more_sign_vectors_than_the_dimension_with_priors_takes():
    # what decides a run with priors: an affine function of (root alpha, prior means) for each pair, pulls and round
    n_arms, horizon = 2, 3
    decided = {
        (t, i, j, a, b)
        for t in range(1, horizon + 1)
        for i, j in itertools.combinations(range(n_arms), 2)
        for a, b in itertools.product(range(t), repeat=2)
        if a + b <= t - 1
    }
    assert len(decided) == math.comb(n_arms, 2) * math.comb(horizon + 2, 3)
    assert (
        pseudo_dimension_with_priors(2, 10)
        < pseudo_dimension_with_priors(2, 1000)
        < pseudo_dimension_with_priors(9, 1000)
    )
    assert pseudo_dimension_with_priors(1, 50) == 0


@st.composite
def step_functions(draw: st.DrawFn) -> list[bt.StepFunction]:
    """Curves with values from 0 to 1, some of whose edges coincide."""
    curves = []
    for _ in range(draw(st.integers(2, 12))):
        inner = sorted(draw(st.sets(st.integers(1, 31), max_size=8)))
        values = draw(st.lists(st.integers(0, 4), min_size=len(inner) + 1, max_size=len(inner) + 1))
        curves.append(bt.StepFunction(np.array([0, *inner, 32]) / 32, np.array(values) / 4))
    return curves


@given(step_functions(), st.floats(0.05, 1.0))
def test_a_walk_along_the_range_covers_all_losses_with_few_balls(curves, radius):
    pieces = np.mean([curve.n_pieces for curve in curves])
    assert naive.cover(curves, radius) <= 1.0 + (pieces - 1.0) / radius**2


@share(30)
@given(step_functions())
def test_the_rademacher_complexity_is_below_what_chaining_says(curves):
    n, pieces = len(curves), float(np.mean([curve.n_pieces for curve in curves]))
    signs = itertools.islice(itertools.product((-1.0, 1.0), repeat=n), 256)
    complexity = np.mean([largest_signed_sum(curves, list(row), 0.5) for row in signs]) / n if n <= 8 else 0.0
    assert complexity <= chain_pieces(pieces) / math.sqrt(n) + 1e-12


def test_constants_of_chaining_grow_like_roots_of_logarithms():
    assert chain_pieces(1) == chain_dimension(0) == 0.0
    huge = 10**400  # no float
    assert chain_pieces(huge) == pytest.approx(0.5 * math.sqrt(2 * math.log(huge)), rel=0.15)
    assert chain_pieces(1000) < chain_pieces(10**6) < 2 * chain_pieces(1000)
    assert chain_dimension(400) == pytest.approx(2 * chain_dimension(100), rel=0.05)
