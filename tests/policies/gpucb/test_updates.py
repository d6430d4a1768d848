"""GP-UCB with rewards in batches or late: means go by rewards that are known, spreads by all choices."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from tests.policies.gpucb.cases import GPUCBBetaCase, GPUCBNoiseCase, naive_gpucb_arms
from tests.strategies import share

late_updates = st.one_of(
    st.builds(bt.Batches, st.integers(2, 5), whole=st.booleans()), st.builds(bt.Delay, st.integers(1, 4))
)


@pytest.mark.parametrize("case", [GPUCBNoiseCase(), GPUCBBetaCase()], ids=str)
def test_curves_and_runs_are_those_of_the_book_while_rewards_are_pending(case: GPUCBNoiseCase) -> None:
    @share(20)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        task = data.draw(case.tasks()).extend(8)
        fixed = data.draw(case.settings(task)) | {"updates": data.draw(late_updates)}
        searched: dict[str, Any] = {case.parameter: case.bounds}
        curve = bt.loss_curve(case.policy, task, horizon=8, **searched, **fixed)
        low, high = case.bounds
        beside = [float(np.nextafter(edge, low)) for edge in curve.edges[1:4]]
        inside = [*curve.edges[1:4].tolist(), *beside] if curve.proof.unproved == 0.0 else []
        drawn = np.random.default_rng(data.draw(st.integers(0, 2**32))).uniform(0.0, 1.0, 4) ** 4
        for value in [*(low + (high - low) * drawn).tolist(), *inside]:
            given_value = case.given(value)
            played = bt.play(case.policy, task, horizon=8, **fixed, **given_value)
            assert curve(value) == played.loss
            if value not in inside:  # there the last digit of the bonus counts
                assert played.arms.tolist() == naive_gpucb_arms(task, 8, **fixed, **given_value)

    holds()


def test_batch_that_is_not_whole_is_spread_over_points() -> None:
    points, rng = np.linspace(0.0, 1.0, 9)[:, None], np.random.default_rng(0)
    task = bt.Task(rng.random((9, 8)), points=points)
    spread, whole = (
        bt.play(bt.GPUCB, task, horizon=8, noise=0.1, length_scale=0.2, updates=bt.Batches(4, whole=each)).arms
        for each in (False, True)
    )
    assert len(set(spread[:4].tolist())) == 4
    assert len(set(whole[:4].tolist())) == len(set(whole[4:].tolist())) == 1


def test_points_are_owed_their_burn_in() -> None:
    task = bt.Task(np.random.default_rng(0).random((3, 9)), points=[[0.0], [0.1], [0.2]])
    updates = bt.Batches(2, burn_in=2)
    assert bt.play(bt.GPUCB, task, horizon=9, updates=updates).arms[:6].tolist() == [0, 1, 2, 0, 1, 2]
    curve = bt.loss_curve(bt.GPUCB, task, horizon=6, noise=(0.01, 1.0), updates=updates)
    assert curve.n_pieces == 1


def test_rewards_are_collected_one_after_the_other() -> None:
    with pytest.raises(bt.ParameterError, match="updates cannot be given"):
        bt.collect(bt.GPUCB, lambda arm: 0.0, points=[[0.0], [1.0]], horizon=2, noise=(0.1, 1.0), updates=bt.Batches(2))


def test_policy_is_tuned_for_batches_and_handed_over_with_them() -> None:
    rng, points = np.random.default_rng(1), np.linspace(0.0, 1.0, 6)[:, None]
    tasks = [bt.Task(rng.random((6, 8)), points=points) for _ in range(3)]
    tuned = bt.tune(bt.GPUCB, tasks, horizon=8, noise=(0.01, 1.0), length_scale=0.3, updates=bt.Batches(4))
    policy = tuned.policy(points=points)
    assert policy.updates == bt.Batches(4)
    assert bt.policy_from_json(policy.to_json()).updates == bt.Batches(4)
