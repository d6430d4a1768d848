"""The state of a policy as compiled games take it."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.simulator.state import (
    ARM_WIDTH,
    CHOSEN,
    EXTRA,
    MEAN,
    OWN_WIDTH,
    PULLS,
    ROOT,
    ROUNDS,
    SCALE,
    SUM,
    SUM_LOW,
    THETA,
    UNPULLED,
    WEIGHT,
)
from banditune.kernels.simulator.state import UCB as UCB_RULE
from banditune.kernels.simulator.ucb_rule import set_expected
from banditune.policies.ucb.ucb import UCB
from banditune.rng import generator


class State(NamedTuple):
    """All that a policy goes by: see `kernels.memory`."""

    kind: int  # of its rule
    arms: NDArray[np.float64]  # (n, ARM_WIDTH)
    own: NDArray[np.float64]  # (OWN_WIDTH,)
    table: NDArray[np.float64]  # (rows, ARM_WIDTH) what it remembers beside its arms
    key: np.uint64  # of its random numbers


def new_state(kind: int, n_arms: int, n_rows: int, key: np.uint64) -> State:
    """The state before the first round, for rewards that are taken as they are."""
    own = np.zeros(OWN_WIDTH)
    own[SCALE], own[UNPULLED], own[CHOSEN] = 1.0, n_arms, -1.0
    return State(kind, np.zeros((n_arms, ARM_WIDTH)), own, np.zeros((n_rows, ARM_WIDTH)), key)


def key_of(seed: int, name: str) -> np.uint64:
    """The key of a policy's random numbers."""
    return generator(seed, "rival", name).integers(0, 2**64, dtype=np.uint64)


def ucb_state(policy: UCB) -> State:
    """The state of `bt.UCB` where it stands, with its priors."""
    state = new_state(UCB_RULE, policy.n_arms, 0, np.uint64(0))
    state.arms[:, PULLS] = policy.counts
    state.arms[:, [SUM, SUM_LOW]] = policy._sums
    pulled = policy.counts > 0
    state.arms[pulled, MEAN] = policy._sums[pulled, 0] / policy.counts[pulled]
    state.arms[pulled, ROOT] = 1.0 / np.sqrt(policy.counts[pulled])
    state.own[ROUNDS], state.own[UNPULLED] = policy.counts.sum(), (~pulled).sum()
    state.own[THETA] = math.sqrt(policy.alpha)
    if policy.prior_means is not None:
        state.own[WEIGHT] = policy.prior_weight
        state.arms[:, EXTRA] = policy.prior_means
        for arm in range(policy.n_arms):
            set_expected(state.arms, state.own, arm)
    return state


def copy_state(state: State) -> State:
    """The same state in arrays of its own."""
    return state._replace(arms=state.arms.copy(), own=state.own.copy(), table=state.table.copy())
