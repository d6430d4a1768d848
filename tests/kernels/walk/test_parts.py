"""The parts of the walk, one by one: proofs, paths, edges and chains, against runs that are played."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.lines.batch import Batch, task_tables, workspace
from banditune.kernels.lines.index import REMAINING, SCHEDULES, TaskTables, room_for_lines
from banditune.kernels.lines.run import play_first_task
from banditune.kernels.walk.chain import Start, connect, empty_chain, hold_until
from banditune.kernels.walk.crossing import part
from banditune.kernels.walk.line_blocks import Ground, ahead, survey, value_of
from banditune.kernels.walk.path import count_back, play, play_to_meeting, round_of_pull
from banditune.kernels.walk.proof import FAILURE, NOWHERE, compare_after, holds
from banditune.kernels.watch import new_watch
from benchmarks.walk_agreement import draw_priors
from tests.kernels.lines.test_sweep import batch_of

pytestmark = [pytest.mark.usefixtures("uncompiled"), pytest.mark.filterwarnings("ignore::RuntimeWarning")]

HORIZON = 150


def ground_of(batch: Batch) -> tuple[TaskTables, Ground]:
    tables = task_tables(batch, 0, workspace(batch))
    return tables, survey(tables)


def counts_at(batch: Batch, theta: float, t: int) -> np.ndarray:
    """The counts of a run after t rounds; theta may be on either side of 0, as walks go."""
    arms, _, _ = play_first_task(new_watch(), batch, abs(theta))
    return np.bincount(arms[:t], minlength=batch.gaps.size)


def draw(seed: int) -> Batch:
    """A task with any schedule, with priors or without."""
    random = np.random.default_rng(seed)
    n_arms = int(random.integers(2, 6))
    streams = (random.random((n_arms, HORIZON)) < random.random((n_arms, 1))).astype(float)
    return draw_priors(batch_of(streams)._replace(schedule=seed % len(SCHEDULES)), random)


@given(seed=st.integers(0, 1000), t0=st.integers(10, HORIZON - 1), theta=st.floats(0.01, 1.5))
def test_what_is_proved_is_so(seed: int, t0: int, theta: float) -> None:
    """If the lemma says that runs end with some counts, those at both ends and between do."""
    batch = draw(seed)
    _, ground = ground_of(batch)
    theta *= ground.direction
    failure, low = np.zeros(FAILURE, np.int64), counts_at(batch, theta, t0)
    counts = counts_at(batch, theta, HORIZON)
    if holds(ground, low, t0, counts, HORIZON, theta, NOWHERE, False, failure) < theta:
        arm, blocked, pulls, missing = failure
        assert arm != blocked
        assert missing == counts[arm] - pulls > 0
        return
    end = holds(ground, low, t0, counts, HORIZON, ahead(theta, 0.1), theta, True, failure)
    for share in (0.0, 0.3, 0.7, 0.999):
        other = theta + share * (end - theta)
        if end > theta and (counts_at(batch, other, t0) == low).all():
            assert counts_at(batch, other, HORIZON).tolist() == counts.tolist()


def is_proved(ground: Ground, low: np.ndarray, t0: int, counts: np.ndarray, t: int, theta: float) -> bool:
    """Whether the counts are proved at theta and somewhat further on: that takes both ends."""
    failure, theta = np.zeros(FAILURE, np.int64), ground.direction * theta
    left = holds(ground, low, t0, counts, t, theta, NOWHERE, False, failure)
    return left == theta and holds(ground, low, t0, counts, t, ahead(theta, 0.001), theta, True, failure) > theta


def test_false_counts_are_never_proved() -> None:
    proved = [0] * len(SCHEDULES)
    for seed in range(90):
        batch = draw(seed)
        _, ground = ground_of(batch)
        low, counts = counts_at(batch, 0.3, 100), counts_at(batch, 0.3, HORIZON)
        proved[batch.schedule] += is_proved(ground, low, 100, counts, HORIZON, 0.3)
        for arm in range(counts.size):
            false = counts.copy()
            false[arm] -= 1
            false[arm - 1] += 1
            assert false[arm] < low[arm] or not is_proved(ground, low, 100, false, HORIZON, 0.3)
    assert min(proved) > 0


def test_walks_go_where_x_grows() -> None:
    """Along theta where the growth rises or stays, against it where it falls; lines are the same."""
    for schedule, direction in enumerate((1.0, 1.0, -1.0)):
        tables, ground = ground_of(batch_of(np.eye(2, 9))._replace(schedule=schedule))
        assert ground.direction == direction
        assert (np.diff(direction * tables.growth[1:]) >= 0.0).all()
        assert value_of(ground, 0, 4, direction * 3.0) == 0.25 + 3.0 / 2.0


def test_lines_with_priors_are_compared_without_rounding_error() -> None:
    """0.1 expected and 0.3 given, or the other way round, at a weight of 1: the same line, and one float beside it."""
    batch = batch_of(np.array([[0.3], [0.1], [np.nextafter(0.1, 1.0)]]))
    _, ground = ground_of(batch._replace(priors=np.array([0.1, 0.3, 0.3]), weight=1.0))
    assert compare_after(ground, 0, 1, 1) == 0.0
    assert compare_after(ground, 2, 1, 1) > 0.0 > compare_after(ground, 0, 2, 1)


def test_lines_that_tie_are_decided_by_the_order_of_the_arms() -> None:
    """With equal rewards the first arm is pulled first: one more pull of it, never of the second."""
    _, ground = ground_of(batch_of(np.ones((2, 9))))
    low = np.array([1, 1])
    assert is_proved(ground, low, 2, np.array([2, 1]), 3, 1.0)
    assert not is_proved(ground, low, 2, np.array([1, 2]), 3, 1.0)


@given(seed=st.integers(0, 1000), theta=st.floats(0.01, 1.5))
def test_a_path_is_that_of_the_run(seed: int, theta: float) -> None:
    batch = draw(seed)
    _, ground = ground_of(batch)
    arms, _, _ = play_first_task(new_watch(), batch, theta)
    n_arms = batch.gaps.size
    path, counts = np.zeros(HORIZON + 1, np.uint8), counts_at(batch, theta, n_arms)
    play(ground, path, counts, n_arms, HORIZON, ground.direction * theta)
    assert path[n_arms + 1 :].tolist() == arms[n_arms:].tolist()
    assert counts.tolist() == np.bincount(arms, minlength=n_arms).tolist()
    before = np.zeros(n_arms, np.int64)
    count_back(path, counts, HORIZON, 90, before)
    assert before.tolist() == np.bincount(arms[:90], minlength=n_arms).tolist()
    arm = int(arms[-1])
    assert round_of_pull(path, arm, 1, HORIZON, n_arms) == HORIZON
    assert round_of_pull(path, arm, HORIZON, HORIZON, n_arms) == n_arms


@pytest.mark.parametrize("schedule", range(len(SCHEDULES)))
def test_long_runs_of_one_arm_are_jumped_over(schedule: int) -> None:
    """A thousand pulls in a row, found by blocks, and a rival that comes back at the right round."""
    batch = batch_of(np.concatenate([np.ones((1, 3000)), np.zeros((1, 3000))]))._replace(schedule=schedule)
    _, ground = ground_of(batch)
    arms, _, _ = play_first_task(new_watch(), batch, 0.5)
    path, counts = np.zeros(3001, np.uint8), np.ones(2, np.int64)
    play(ground, path, counts, 2, 3000, ground.direction * 0.5)
    assert path[3:].tolist() == arms[2:].tolist()
    assert round_of_pull(path, 0, 1200, 3000, 2) == np.flatnonzero(arms == 0)[-1200] + 1


@pytest.mark.parametrize("seed", range(5))
def test_a_run_that_has_met_the_path_goes_on_like_it(seed: int) -> None:
    batch = draw(seed)
    _, ground = ground_of(batch)
    n_arms = batch.gaps.size
    path, counts = np.zeros(HORIZON + 1, np.uint8), counts_at(batch, 0.30, n_arms)
    play(ground, path, counts, n_arms, HORIZON, ground.direction * 0.30)
    other, apart = counts_at(batch, 0.32, 60), np.zeros(n_arms, np.int64)
    count_back(path, counts, HORIZON, 60, apart)
    apart[:] = other - apart
    met = play_to_meeting(ground, path, other, apart, 60, HORIZON, ground.direction * 0.32)
    assert other.tolist() == counts_at(batch, 0.32, met).tolist()
    if met < HORIZON:
        assert not apart.any()


def test_runs_part_where_the_sweep_cuts() -> None:
    """Arms with means 1 and 0 after one pull each: level in round 3 never, after 2 and 1 pulls where they cross."""
    batch = batch_of(np.array([[1.0] * 9, [0.0] * 9]))
    tables, _ = ground_of(batch)
    lines, states = room_for_lines(2, False), np.array([[4, 1]])
    edge, one, other = part(tables, lines, states, 0, 5, 0.1, 5.0)
    assert (one, other) == (0, 1)
    assert edge == pytest.approx(1.0 / (1.0 - 0.5) / np.sqrt(np.log(6.0)), rel=1e-14)
    assert part(tables, lines, states, 0, 5, 0.1, 0.2) == (0.2, 0, 0)
    falling, _ = ground_of(batch._replace(schedule=REMAINING))
    edge, one, other = part(falling, lines, states, 0, 5, -5.0, -0.1)
    assert (one, other) == (1, 0)
    assert -edge == pytest.approx(1.0 / (1.0 - 0.5) / np.sqrt(np.log(10.0 / 6.0)), rel=1e-14)
    assert part(falling, lines, states, 0, 5, -0.2, -0.1) == (-0.1, 0, 0)


@given(seed=st.integers(0, 1000), theta=st.floats(0.05, 1.0))
def test_a_chain_leads_to_where_runs_end(seed: int, theta: float) -> None:
    batch = draw(seed)
    _, ground = ground_of(batch)
    theta *= ground.direction
    n_arms = batch.gaps.size
    path, counts = np.zeros(HORIZON + 1, np.uint8), counts_at(batch, theta, 40)
    first = counts.copy()
    play(ground, path, counts, 40, HORIZON, theta)
    chain = empty_chain(n_arms)
    n_links = connect(ground, path, 40, Start(first, first, 40), counts, HORIZON, theta, ahead(theta, 0.05), chain, 0)
    if n_links < 0:
        return  # a tie, or nearly one
    assert chain.counts[n_links - 1].tolist() == counts.tolist()
    end = chain.until[:n_links].min()
    assert end > theta
    assert hold_until(chain, n_links, end)
    middle = (theta + end) / 2
    if (counts_at(batch, middle, 40) == first).all():
        assert counts_at(batch, middle, HORIZON).tolist() == counts.tolist()
