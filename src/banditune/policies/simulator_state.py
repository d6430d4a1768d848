"""The state of a policy as the compiled simulator takes it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.simulator.state import ARM_WIDTH, CHOSEN, OWN_WIDTH, SCALE, UNPULLED
from banditune.rng import generator


class State(NamedTuple):
    """All that a policy goes by: see `kernels.simulator.state`."""

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


def copy_state(state: State) -> State:
    """The same state in arrays of its own."""
    return state._replace(arms=state.arms.copy(), own=state.own.copy(), table=state.table.copy())
