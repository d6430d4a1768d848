"""Choices of GP-UCB whose rewards are still to come count as if they gave what is expected."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt


@given(st.integers(0, 2**32), st.integers(0, 6), st.integers(1, 5))
def test_pending_choices_count_as_if_they_gave_what_is_expected(seed: int, before: int, pending: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.random((8, 2))
    late, imagined = (bt.GPUCB(points, noise=0.05, length_scale=0.4, center=0.3, scale=2.0) for _ in range(2))
    for _ in range(before):
        arm, reward = late.select(), float(rng.normal())
        late.update(arm, reward)
        imagined.update(arm, reward)
    for _ in range(pending):
        arm = late.select()
        assert arm == imagined.select()
        late.expect(arm)
        imagined.update(arm, imagined.means[arm])
    assert late.select() == imagined.select()
    saved = bt.policy_from_json(late.to_json())
    assert saved.select() == late.select()
    assert saved.to_json() == late.to_json()


def test_batch_has_different_points_and_is_settled() -> None:
    policy = bt.GPUCB([[0.0], [0.5], [1.0]], noise=0.1, length_scale=0.3)
    chosen = []
    for _ in range(3):
        chosen.append(policy.select())
        policy.expect(chosen[-1])
    assert sorted(chosen) == [0, 1, 2]
    policy.update(chosen[0], 1.0)
    policy.forget(chosen[1])
    assert policy.pending.sum() == 1
    with pytest.raises(bt.ParameterError, match="has no pending pull to forget"):
        policy.forget(chosen[1])
