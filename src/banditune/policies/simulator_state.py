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


class CorralState(NamedTuple):
    """All that a corral goes by, and the states of its M bases."""

    kind: int
    importance: bool  # whether every base sees the reward over its probability
    restarts: bool
    rows: NDArray[np.float64]  # (M, ARM_WIDTH)
    own: NDArray[np.float64]  # (OWN_WIDTH,)
    key: np.uint64
    base_kinds: NDArray[np.int64]  # (M,)
    base_arms: NDArray[np.float64]  # (M, n, ARM_WIDTH)
    base_own: NDArray[np.float64]  # (M, OWN_WIDTH)
    base_tables: NDArray[np.float64]  # (M, rows, ARM_WIDTH)
    base_keys: NDArray[np.uint64]  # (M,)


def new_state(kind: int, n_arms: int, n_rows: int, key: np.uint64) -> State:
    """Return the state before the first round, for rewards that are taken as they are."""
    own = np.zeros(OWN_WIDTH)
    own[SCALE], own[UNPULLED], own[CHOSEN] = 1.0, n_arms, -1.0
    return State(kind, np.zeros((n_arms, ARM_WIDTH)), own, np.zeros((n_rows, ARM_WIDTH)), key)


def key_of(seed: int, label: str) -> np.uint64:
    """Return the key of a policy's random numbers."""
    return generator(seed, "rival", label).integers(0, 2**64, dtype=np.uint64)
