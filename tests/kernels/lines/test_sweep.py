"""The sweep against a sweep of naive games on a fine grid."""

import numpy as np
import pytest

from banditune.kernels.lines.batch import Batch, task_tables, without_priors, workspace
from banditune.kernels.lines.run import play_first_task
from banditune.kernels.lines.sweep import FIRST_ROOM, advance_sweep, begin_sweep, sweep_batch
from banditune.kernels.watch import new_watch
from tests.naive.ucb import naive_arms


def batch_of(streams: np.ndarray, earned: float = 0.0) -> Batch:
    means = streams.mean(axis=1)
    gaps, starts = (means.max() - means) * (1.0 - earned), np.array([0, streams.shape[0]])
    return without_priors(streams, gaps, starts, earned)


@pytest.mark.parametrize("n_arms", [1, 2, 3, 7])
def test_sweep_and_game_and_naive_game_are_one(n_arms: int) -> None:
    rng = np.random.default_rng(n_arms)
    streams = rng.integers(0, 3, (n_arms, 14)) / 3
    batch = batch_of(streams)
    left, values, ends, histories = sweep_batch(new_watch(), batch, np.array([6, 14]), 0.0, 2.0)
    assert histories[0] >= ends[0, 1] - ends[0, 0]
    for theta in rng.uniform(0.0, 2.0, 12):
        arms, rewards, losses = play_first_task(new_watch(), batch, theta)
        assert arms.tolist() == naive_arms(streams.tolist(), 14, theta**2)
        assert rewards.tolist() == [streams[arm, list(arms[:t]).count(arm)] for t, arm in enumerate(arms)]
        for k, horizon in enumerate((6, 14)):
            first = 0 if k == 0 else ends[0, 0]
            piece = first + np.searchsorted(left[first : ends[0, k]], theta, side="right") - 1
            assert values[piece] == losses[horizon - 1]


def test_tasks_of_a_batch_do_not_disturb_each_other() -> None:
    rng = np.random.default_rng(3)
    blocks = [rng.random((n, 20)) for n in (3, 1, 5)]
    gaps = [block.mean(axis=1).max() - block.mean(axis=1) for block in blocks]
    together = without_priors(np.concatenate(blocks), np.concatenate(gaps), np.array([0, 3, 4, 9]), 0.0)
    left, values, ends, histories = sweep_batch(new_watch(), together, np.array([20]), 0.0, 1.0)
    start = 0
    for k, block in enumerate(blocks):
        alone = sweep_batch(new_watch(), batch_of(block), np.array([20]), 0.0, 1.0)
        assert alone[0].tolist() == left[start : ends[k, 0]].tolist()
        assert alone[1].tolist() == values[start : ends[k, 0]].tolist()
        assert alone[3][0] == histories[k]
        start = ends[k, 0]


def test_room_grows_with_the_number_of_pieces() -> None:
    """Far more pieces than the sweep makes room for at first."""
    streams = (np.random.default_rng(0).random((3, 400)) < 0.5).astype(float)
    batch = batch_of(streams)
    left, values, _, _ = sweep_batch(new_watch(), batch, np.array([400]), 0.0, 2.0)
    assert left.size > 2 * FIRST_ROOM
    for piece in range(0, left.size - 1, 17):
        middle = (left[piece] + left[piece + 1]) / 2
        assert play_first_task(new_watch(), batch, middle)[2][-1] == values[piece]


def test_room_is_for_pieces_and_not_for_arms() -> None:
    """Memory would grow with the square of the number of arms if there were a state for each of them."""
    batch = batch_of(np.random.default_rng(1).random((400, 2)))
    tables = task_tables(batch, 0, workspace(batch))
    sweep, n_pieces, _ = advance_sweep(begin_sweep(tables, 0.0, 2.0), 1, tables, 1, 2)
    assert n_pieces == 1
    assert sweep.slots.counts.shape == (FIRST_ROOM, 400)


def test_a_round_that_cuts_into_more_pieces_than_there_is_room_for_is_played_again() -> None:
    """Priors make one round cut the whole range into as many pieces as there are arms."""
    n_arms = 3 * FIRST_ROOM
    steps = np.arange(n_arms)
    streams = np.random.default_rng(2).random((n_arms, 3))
    batch = batch_of(streams)._replace(priors=-(steps**2.0), weight=1.0, slopes=2.0 * steps, rise=0.0)
    left, values, _, histories = sweep_batch(new_watch(), batch, np.array([1]), 0.0, float(n_arms))
    assert histories[0] == n_arms
    assert left.tolist() == [0.0, *(steps[:-1] + 0.5)]
    assert values.tolist() == batch.gaps.tolist()
