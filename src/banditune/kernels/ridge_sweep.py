"""The exact loss of LinUCB for every alpha of a range, and its game for one.

Contexts differ from round to round, so two games that ever chose differently never know the same again: nothing merges.
The range is therefore searched from left to right, one piece at a time. Where the leader changes within the piece, the
part right of there is set aside with what is known so far, and taken up again when the left part has been played out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.envelope import leader, leader_right_of, overtaken_at
from banditune.kernels.growth import enlarged
from banditune.kernels.jit import integer, jit
from banditune.kernels.ridge_state import (
    Ridge,
    copy_state,
    empty_ridge,
    learn,
    model_of,
    more_states,
    set_index_lines,
)


class Rounds(NamedTuple):
    """One contextual task: T rounds with n arms."""

    contexts: NDArray[np.float64]  # (T, n, d), or (T, 1, d) where all arms share them
    rewards: NDArray[np.float64]  # (T, n)
    costs: NDArray[np.float64]  # (T, n) what choosing the arm loses


class Shelf(NamedTuple):
    """Parts of the range that were set aside, the last one the leftmost: state k belongs to part k."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    round: NDArray[np.int64]  # the next to be played
    loss: NDArray[np.float64]  # so far


@jit
def play_rounds(
    rounds: Rounds, n_models: int, ridge: float, alpha: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """The arms chosen, the rewards received and the loss so far, each (T,)."""
    horizon, n_arms = rounds.rewards.shape
    states = empty_ridge(1, n_models, rounds.contexts.shape[2], ridge)
    lines = np.empty((n_arms, 7))
    arms, rewards, losses = np.empty(horizon, np.int64), np.empty(horizon), np.empty(horizon)
    loss = 0.0
    for t in range(horizon):
        set_index_lines(lines, states, 0, rounds.contexts[t])
        arm = leader(lines, alpha, 1.0)
        take(rounds, t, arm, states, 0)
        loss += rounds.costs[t, arm]
        arms[t], rewards[t], losses[t] = arm, rounds.rewards[t, arm], loss
    return arms, rewards, losses


@jit
def take(rounds: Rounds, t: int, arm: int, states: Ridge, state: int) -> None:
    """Let a state learn what an arm gave in a round."""
    x = rounds.contexts[t, model_of(arm, rounds.contexts.shape[1])]
    learn(states, state, model_of(arm, states.sums.shape[1]), x, rounds.rewards[t, arm])


@jit
def sweep_rounds(
    rounds: Rounds, n_models: int, ridge: float, horizons: NDArray[np.int64], low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], int]:
    """The loss for every alpha in [low, high] after each of the increasing horizons.

    Returns left edges and losses of pieces, which horizon each belongs to (those of one horizon are in order), and the
    number of histories.
    """
    n_arms = rounds.rewards.shape[1]
    capacity = 8
    states = empty_ridge(capacity, n_models, rounds.contexts.shape[2], ridge)
    shelf = Shelf(np.empty(capacity), np.empty(capacity), np.zeros(capacity, np.int64), np.zeros(capacity))
    shelf.low[0], shelf.high[0] = low, high
    lines = np.empty((n_arms, 7))
    left, value, which = np.empty(64), np.empty(64), np.empty(64, np.int64)
    n_parts, used, histories = integer(1), integer(0), integer(0)
    while n_parts > 0:
        part = n_parts - 1
        start, t, loss = shelf.low[part], shelf.round[part], shelf.loss[part]
        histories += 1
        while t < horizons[-1]:
            set_index_lines(lines, states, part, rounds.contexts[t])
            arm = leader_right_of(lines, start, 1.0)
            edge, by = overtaken_at(lines, arm, start, shelf.high[part], 1.0)
            if by != arm:  # the part right of the edge goes below, to be taken up later: this one moves on top of it
                if n_parts == capacity:
                    capacity *= 2
                    states = more_states(states, capacity)
                    shelf = Shelf(
                        enlarged(shelf.low, capacity),
                        enlarged(shelf.high, capacity),
                        enlarged(shelf.round, capacity),
                        enlarged(shelf.loss, capacity),
                    )
                copy_state(states, part, n_parts)
                shelf.low[n_parts], shelf.high[n_parts] = start, edge
                shelf.low[part], shelf.round[part], shelf.loss[part] = edge, t, loss
                part = n_parts
                n_parts += 1
            take(rounds, t, arm, states, part)
            loss += rounds.costs[t, arm]
            t += 1
            for k in range(horizons.size):
                if t == horizons[k]:
                    if used == left.size:
                        left, value, which = (
                            enlarged(left, 2 * used),
                            enlarged(value, 2 * used),
                            enlarged(which, 2 * used),
                        )
                    left[used], value[used], which[used] = start, loss, k
                    used += 1
        n_parts -= 1
    return left[:used].copy(), value[:used].copy(), which[:used].copy(), histories
