"""Runs and sweeps of LinUCB's kernels with late rewards; small enough to be run uncompiled as well."""

import numpy as np
import pytest

import banditune as bt
from banditune.kernels.linear.run import ALL_KNOWN, Rounds, play_rounds
from banditune.kernels.linear.sampling import NO_SAMPLES, make_sampler
from banditune.kernels.linear.sweep import ALL_SURE, sweep_rounds
from banditune.kernels.numerics.arrays import read_only
from banditune.kernels.watch import new_watch

KINDS = [bt.Batches(3), bt.Batches(3, whole=True), bt.Delay(2, burn_in=1), bt.Updates(floor=0.2)]


@pytest.mark.parametrize("samples", [False, True])
@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("updates", KINDS, ids=repr)
def test_sweep_has_the_losses_of_runs(updates: bt.Updates, is_log: bool, samples: bool) -> None:
    rng = np.random.default_rng(1)
    contexts, rewards = rng.normal(size=(12, 3, 2)), rng.normal(size=(12, 1 if is_log else 3))
    logged = rng.integers(3, size=12) if is_log else np.full(12, ALL_KNOWN)
    rounds = Rounds(3, read_only(contexts), read_only(rewards), read_only(-rewards), read_only(logged), 9.0)
    sampler = make_sampler(7, 2) if samples else NO_SAMPLES
    feedback = updates.to_feedback(is_randomised=samples)
    for most_runs in (2, 100):
        how = 3, 1.0, np.array([5, 12]), 0.0, 2.0, most_runs, sampler, feedback
        pieces, _, unsure = sweep_rounds(new_watch(), rounds, *how)
        assert unsure == ALL_SURE
        for k, horizon in enumerate((5, 12)):
            left = pieces.left[pieces.horizon == k]
            middles = 0.5 * (left + np.append(left[1:], 2.0))
            losses = [play_rounds(new_watch(), rounds, 3, 1.0, x, sampler, feedback)[2] for x in middles.tolist()]
            assert pieces.loss[pieces.horizon == k].tolist() == [each[horizon - 1] for each in losses]
