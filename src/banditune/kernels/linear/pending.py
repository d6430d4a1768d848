"""Rewards that are late: the rounds of which they are still to come, and the states that know of these.

Where pending pulls count, a run has two states. One is what is known, for weights . x; the other has also taken in the
contexts of pending pulls, for spreads: K needs no rewards, and 0 stands in their place. A regression of which no pull
is pending is the same in both.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, jit
from banditune.kernels.linear.layout import Shape, clear_state, place_of, regression_of, row_size, state_size
from banditune.kernels.linear.regression import learn
from banditune.kernels.lines.feedback import Feedback, count_known_after, is_immediate
from banditune.kernels.numerics.arrays import Floats, Integers, enlarge_rows


class Pending(NamedTuple):
    """The pulls of runs and what they wait for, a row for each run."""

    counts: Integers  # (rows, n) pulls of each arm
    known: Integers  # (rows, n) those whose rewards are known
    arms: Integers  # (rows, m) the arms of the last rounds that counted: of round k, from 0, at k % m
    rounds: Integers  # (rows, m) and these rounds among all


@inline
def count_states(feedback: Feedback) -> int:
    """Return how many states a run has."""
    return 2 if feedback.counts_pending != 0 and (feedback.batch > 1 or feedback.delay > 0) else 1


@inline
def count_waiting(feedback: Feedback, horizon: int) -> int:
    """Return how many rounds may wait for their rewards at once, at most."""
    return 0 if is_immediate(feedback) else min(horizon, feedback.batch + feedback.delay)


@jit
def run_size(feedback: Feedback, horizon: int, shape: Shape) -> int:
    """Return the numbers of a run: its states, its pulls, and the rounds that it waits for."""
    return count_states(feedback) * state_size(shape) + 2 * shape.n_arms + 2 * count_waiting(feedback, horizon)


@jit
def make_pending(feedback: Feedback, rows: int, n_arms: int, horizon: int) -> Pending:
    """Room for so many runs; none is needed where all rewards are known at once."""
    waiting = count_waiting(feedback, horizon)
    if waiting == 0:
        rows = n_arms = 0
    counts, known = np.zeros((rows, n_arms), np.int64), np.zeros((rows, n_arms), np.int64)
    return Pending(counts, known, np.zeros((rows, waiting), np.int64), np.zeros((rows, waiting), np.int64))


@jit
def enlarge_pending(pending: Pending, rows: int) -> Pending:
    """Return the same runs with room for more."""
    return Pending(
        enlarge_rows(pending.counts, rows),
        enlarge_rows(pending.known, rows),
        enlarge_rows(pending.arms, rows),
        enlarge_rows(pending.rounds, rows),
    )


@jit
def copy_pending(pending: Pending, row: int, into: int) -> None:
    """Copy what a run waits for."""
    pending.counts[into], pending.known[into] = pending.counts[row], pending.known[row]
    pending.arms[into], pending.rounds[into] = pending.arms[row], pending.rounds[row]


@jit
def begin_run(states: Floats, pending: Pending, feedback: Feedback, row: int, shape: Shape, ridge: float) -> None:
    """Let a run have seen nothing."""
    n_states = count_states(feedback)
    for k in range(n_states):
        clear_state(states, n_states * row + k, shape, ridge)
    if not is_immediate(feedback):
        pending.counts[row] = pending.known[row] = 0


@jit
def expect_and_settle(
    states: Floats,
    pending: Pending,
    feedback: Feedback,
    row: int,
    arm: int,
    contexts: Floats,
    t: int,
    rewards: Floats,
    shape: Shape,
    scratch: Floats,
) -> None:
    """Count a pull of an arm in round t of a run; then learn the rewards that become known, in the order of rounds."""
    n_states, n_waiting = count_states(feedback), pending.arms.shape[1]
    known, spreads = n_states * row, n_states * row + n_states - 1
    counted = 0  # rounds of the run before this one
    for each in range(shape.n_arms):
        counted += pending.counts[row, each]
    pending.arms[row, counted % n_waiting], pending.rounds[row, counted % n_waiting] = arm, t
    pending.counts[row, arm] += 1
    if spreads != known:
        learn(states, spreads, arm, contexts, t, 0.0, shape, scratch)
    first, last = count_known_after(feedback, counted), count_known_after(feedback, counted + 1)
    for k in range(first, last):
        settled, then = pending.arms[row, k % n_waiting], pending.rounds[row, k % n_waiting]
        reward = rewards[then, place_of(settled, rewards.shape[1])]
        learn(states, known, settled, contexts, then, reward, shape, scratch)
        pending.known[row, settled] += 1
        waits = k < counted if shape.n_regressions == 1 else pending.known[row, settled] < pending.counts[row, settled]
        if spreads != known and not waits:
            copy_regression(states, known, spreads, settled, shape)


@jit
def copy_regression(states: Floats, state: int, into: int, arm: int, shape: Shape) -> None:
    """Copy an arm's regression from a state into another."""
    one, other = regression_of(state, arm, shape), regression_of(into, arm, shape)
    for k in range(row_size(shape)):
        states[other + k] = states[one + k]
