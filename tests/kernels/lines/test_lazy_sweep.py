"""The sweep with rewards filled in on the way is the sweep that knew them all along."""

import numpy as np
import pytest

from banditune.kernels.lines.batch import Batch, task_tables, without_priors, workspace
from banditune.kernels.lines.lazy_sweep import learn_reward, play_round
from banditune.kernels.lines.sweep import advance_sweep, begin_sweep


def batch_of(streams: np.ndarray, weight: float) -> Batch:
    n_arms = streams.shape[0]
    batch = without_priors(streams, np.zeros(n_arms), np.array([0, n_arms]), 1.0)
    return batch._replace(priors=np.linspace(0.2, 0.6, n_arms), weight=weight) if weight else batch


@pytest.mark.parametrize("weight", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_rewards_filled_in_on_the_way_give_the_same_pieces(n_arms: int, weight: float) -> None:
    horizon = 40
    streams = np.random.default_rng(n_arms).integers(0, 4, (n_arms, horizon)) / 4
    batch = batch_of(streams, weight)
    tables = task_tables(batch, 0, workspace(batch))
    full, n_full, _ = advance_sweep(begin_sweep(tables, 0.0, 1.5), 1, tables, 1, horizon)
    blank = batch_of(np.full((n_arms, horizon), 77.0), weight)
    lazy_tables = task_tables(blank, 0, workspace(blank))
    sweep, n_pieces = begin_sweep(lazy_tables, 0.0, 1.5), 1
    needed, known = np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64)
    for t in range(1, horizon + 1):
        sweep, n_pieces = play_round(sweep, n_pieces, lazy_tables, t, needed)
        assert (needed - known).max() <= 1
        for arm in np.flatnonzero(needed > known):
            known[arm] += 1
            learn_reward(sweep, n_pieces, lazy_tables, arm, known[arm], streams[arm, known[arm] - 1])
    counts = [pieces.slots.counts[pieces.pieces.owner[:n]] for pieces, n in ((sweep, n_pieces), (full, n_full))]
    assert n_pieces == n_full
    assert sweep.pieces.left[: n_pieces + 1].tolist() == full.pieces.left[: n_full + 1].tolist()
    assert counts[0].tolist() == counts[1].tolist()
    assert needed.tolist() == counts[1].max(axis=0).tolist()
    for arm in range(n_arms):
        assert lazy_tables.means[arm, 1 : known[arm] + 1].tolist() == tables.means[arm, 1 : known[arm] + 1].tolist()
