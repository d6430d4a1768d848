"""Games of online policies: compiled where the policy is one of ours, else round by round."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.interruption import call_watched
from banditune.kernels.reward_source import Source, reward_at
from banditune.kernels.rival_game import play_alone, play_corral
from banditune.kernels.ucb_rule import log_roots
from banditune.policies.ucb import UCB
from banditune.rivals.corral import AnyCorral
from banditune.rivals.rival import Rival
from banditune.rivals.state import State, copied, ucb_state

MOST_TABLED = 2**21  # rounds: 16 megabytes


def pulls_of(policy: Any, source: Source, rounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each arm was pulled after each of the increasing rounds: (rounds, n_arms).

    A policy of ours is left as it was; any other is played with, and ends where the game ends.
    """
    pulls = np.zeros((rounds.size, source.kinds.size), np.int64)
    state = _state_of(policy)
    if state is not None:
        call_watched(play_alone, *copied(state), _growth(int(rounds[-1])), *source, rounds, pulls)
    elif not (isinstance(policy, AnyCorral) and _corral_pulls(policy, source, rounds, pulls)):
        online_pulls(policy, source, rounds, pulls)
    return pulls


def online_pulls(policy: Any, source: Source, rounds: NDArray[np.int64], pulls: NDArray[np.int64]) -> None:
    """Fill the pulls of a game that is played with `select` and `update`."""
    counts, t = np.zeros(source.kinds.size, np.int64), 0
    for check, until in enumerate(rounds.tolist()):
        for _ in range(until - t):
            arm = policy.select()
            policy.update(arm, reward_at(arm, int(counts[arm]), *source))
            counts[arm] += 1
        t = until
        pulls[check] = counts


def _growth(rounds: int) -> NDArray[np.float64]:
    """sqrt(log t) for at least so many rounds, or as many as are tabled."""
    return _tabled(min(1 << rounds.bit_length(), MOST_TABLED))


@lru_cache(maxsize=32)  # as many as there are powers of two
def _tabled(rounds: int) -> NDArray[np.float64]:
    return log_roots(rounds)


def _state_of(policy: Any) -> State | None:
    """The state of a policy that a compiled game can play; None if it is of another kind."""
    if isinstance(policy, Rival):
        return policy.state
    return ucb_state(policy) if type(policy) is UCB else None


def _corral_pulls(corral: AnyCorral, source: Source, rounds: NDArray[np.int64], pulls: NDArray[np.int64]) -> bool:
    """Fill the pulls of a corral's game, if all of its bases can be compiled together; False if they cannot."""
    bases = [state for state in map(_state_of, corral.bases) if state is not None]
    if len(bases) < len(corral.bases) or len({state.table.shape for state in bases}) > 1:
        return False
    call_watched(
        play_corral,
        corral.kind,
        corral.feedback == "importance",
        corral.restarts,
        corral.rows.copy(),
        corral.own.copy(),
        corral.key,
        np.array([state.kind for state in bases]),
        np.stack([state.arms for state in bases]),
        np.stack([state.own for state in bases]),
        np.stack([state.table for state in bases]),
        np.array([state.key for state in bases], np.uint64),
        *source,
        rounds,
        pulls,
    )
    return True
