"""One run of LinUCB, and its choice in a round: with full information, or replayed on a log.

In a log only the reward of the logged arm is known: a run that chooses it counts the round and learns from it, any
other passes it over. A choice that cannot be made with certainty ends the run.
"""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import integer, jit
from banditune.kernels.linear.index import NO_DOUBT, Bounds, first_doubt, is_doubtful, is_right
from banditune.kernels.linear.layout import pad_contexts, place_of, shape_of, state_size
from banditune.kernels.linear.pending import begin_run, count_states, expect_and_settle, make_pending
from banditune.kernels.linear.regression import learn
from banditune.kernels.linear.sampling import Sampler, set_sampled_lines
from banditune.kernels.lines.envelope import Lines, leader
from banditune.kernels.lines.feedback import Feedback, find_owed_arm, find_shown_round, is_immediate
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.watch import Watch, is_stopped

ALL_KNOWN = -1  # in place of a logged arm, where the rewards of all arms are known
PASSED = -1  # the choice of a run in a round that it passes over
UNSURE = -3  # a choice that cannot be made with certainty


class Rounds(NamedTuple):
    """One contextual task: T rounds with n arms; m is n, or 1 in a log."""

    n_arms: int
    contexts: Floats  # (T, n, d), or (T, 1, d) where all arms share them
    rewards: Floats  # (T, m)
    costs: Floats  # (T, m) what choosing the arm loses
    logged: Integers  # (T,) the one arm whose reward is known, or ALL_KNOWN
    worst: float  # what the worst reward of a log costs, whether it is among these rounds or not
    key: np.uint64 = np.uint64(0)  # of the random numbers of a policy that samples


@jit
def play_rounds(
    watch: Watch, rounds: Rounds, n_regressions: int, ridge: float, alpha: float, sampler: Sampler, feedback: Feedback
) -> tuple[Integers, Floats, Floats]:
    """Return arms chosen (PASSED if a round is not counted), rewards received and the loss so far, (T,) each.

    The first arm that is UNSURE ends the run.
    """
    n_arms, seen, rewards, costs, logged, _, _ = rounds
    shape = shape_of(n_arms, n_regressions, seen.shape[1], seen.shape[2])
    contexts, horizon = pad_contexts(seen, shape), logged.size
    n_states = count_states(feedback)
    states, pending = np.empty(n_states * state_size(shape)), make_pending(feedback, 1, n_arms, horizon)
    begin_run(states, pending, feedback, 0, shape, ridge)
    lines, errors, scratch = np.empty((n_arms, 7)), np.empty((n_arms, 2)), np.empty(shape.size)
    arms, received, losses = np.empty(horizon, np.int64), np.zeros(horizon), np.empty(horizon)
    loss, n_counted = 0.0, 0
    for t in range(horizon):
        if is_stopped(watch):
            break
        arm = integer(-1)
        if not is_immediate(feedback):
            arm = find_owed_arm(feedback, pending.counts, pending.known, 0, False, n_counted + 1)
        if arm < 0:
            before = find_shown_round(feedback, n_counted + 1) - 1
            set_sampled_lines(lines, errors, states, 0, n_states - 1, contexts, t, shape, sampler, before)
            arm = leader(lines, alpha, 1.0)
            doubtful = is_doubtful(states, 0, n_states - 1, shape)
            if doubtful and not is_certain(lines, errors, arm, logged[t], alpha, alpha):
                arms[t] = UNSURE
                break
        arms[t] = PASSED
        if logged[t] in (arm, ALL_KNOWN):
            column = place_of(arm, rewards.shape[1])
            if is_immediate(feedback):
                learn(states, 0, arm, contexts, t, rewards[t, column], shape, scratch)
            else:
                expect_and_settle(states, pending, feedback, 0, arm, contexts, t, rewards, shape, scratch)
            loss += costs[t, column]
            arms[t], received[t] = arm, rewards[t, column]
            n_counted += 1
        losses[t] = loss
    return arms, received, losses


@jit
def is_certain(lines: Lines, errors: Bounds, arm: int, logged: int, low: float, high: float) -> bool:
    """Tell whether an arm is surely chosen from low to high; in a log, that it is above the logged one will do."""
    if logged in (arm, ALL_KNOWN):
        return first_doubt(lines, errors, arm, low, high) == NO_DOUBT
    return is_right(lines, errors, arm, logged, low) and is_right(lines, errors, arm, logged, high)
