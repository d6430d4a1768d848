"""What all baselines have in common."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.kernels.simulator import state as at
from banditune.kernels.simulator.rules import choose, learn
from banditune.kernels.simulator.state import State, new_state
from banditune.policies.base import OnlinePolicy, RewardScale
from banditune.policies.counting_policy import MOST_ARMS
from banditune.rng import generator
from banditune.tasks.arrays import check_reward
from banditune.validation import finite_number, format_value, whole_number

Bounds = tuple[float, float]


class Baseline(OnlinePolicy):
    """A policy that is not tuned, online: `select` an arm, `update` with what it gave.

    `select` changes nothing: what is drawn depends on the seed and the round alone. `knowledge` says what the policy
    needs to know beforehand.
    """

    kind: ClassVar[int]  # its rule's number in the simulator
    takes_bounds: ClassVar[bool] = True  # whether it can be told the bounds of the rewards

    def __init__(
        self, n_arms: int, *, bounds: Bounds | None = None, clipped: bool = True, n_rows: int = 0, seed: int = 0
    ) -> None:
        self.n_arms = whole_number("n_arms", n_arms, least=1, most=MOST_ARMS)
        self.seed = whole_number("seed", seed, least=0)
        self.state: State = new_state(self.kind, self.n_arms, n_rows, key_of(self.seed, self.label))
        if bounds is not None:
            set_bounds(self.state.own, bounds, clipped)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each arm was pulled: (n_arms,)."""
        return self.state.arms[:, at.PULLS].astype(np.int64)

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean reward of each arm so far, as it is taken; nan for an arm not yet pulled."""
        return np.where(self.state.arms[:, at.PULLS] > 0, self.state.arms[:, at.MEAN], np.nan)

    @classmethod
    def start(cls, n_arms: int, *, horizon: int, seed: int, **settings: Any) -> "Baseline":
        """Make the baseline for a new run."""
        return cls(n_arms, seed=seed, **({"horizon": horizon} if cls.uses_horizon(settings) else {}) | settings)

    @classmethod
    def list_settings(cls, scale: RewardScale) -> dict[str, dict[str, Any]]:
        """Return what it knows of the rewards."""
        return {cls.label: {"bounds": scale.bounds} if cls.takes_bounds else {}}

    def to_json(self) -> str:
        """Return the policy with all that it has learned as JSON text, for `bt.policy_from_json`."""
        arrays = {name: getattr(self.state, name).tolist() for name in ("arms", "own", "table")}
        return json.dumps({"policy": self.name, "seed": self.seed, "key": int(self.state.key)} | arrays)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Make the policy from what `to_json` wrote."""
        policy = cls.__new__(cls)
        policy.seed = whole_number("seed", state["seed"], least=0)
        arms = check_rows("arms", state["arms"])
        policy.n_arms = whole_number("the number of arms", len(arms), least=1, most=MOST_ARMS)
        own, table = check_own(state["own"]), check_rows("table", state["table"])
        if not (-1.0 <= own[at.CHOSEN] < max(len(table), len(arms)) and 0.0 <= own[at.ROWS] <= len(table)):
            raise ParameterError("own must point into the arms and the table")
        policy.state = State(cls.kind, arms, own, table, np.uint64(whole_number("key", state["key"], least=0)))
        return policy

    def simulator_state(self) -> State:
        """Return the state from which the compiled simulator goes on."""
        return self.state

    def select(self) -> int:
        """Return the arm to pull next."""
        return choose(*self.state)

    def update(self, arm: int, reward: float) -> None:
        """Learn what a pull of the arm gave."""
        learn(*self.state, check_arm(arm, self.n_arms), check_reward("reward", reward))


def key_of(seed: int, label: str) -> np.uint64:
    """Return the key of a policy's random numbers."""
    return generator(seed, "rival", label).integers(0, 2**64, dtype=np.uint64)


def set_bounds(own: NDArray[np.float64], bounds: Bounds, clipped: bool) -> None:
    """Take rewards from low to high as 0 to 1; what lies outside is clipped, if it is to be."""
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise ParameterError(f"bounds must be (low, high), got {format_value(bounds)}") from None
    low, high = finite_number("the low bound", low), finite_number("the high bound", high)
    if not low < high:
        raise ParameterError(f"bounds must have low < high, got ({low!r}, {high!r})")
    own[at.LOW], own[at.SCALE], own[at.CLIPPED] = low, 1.0 / (high - low), float(clipped)


def check_rows(name: str, saved: object) -> NDArray[np.float64]:
    """Check rows of a saved state: (n, ARM_WIDTH)."""
    rows = np.array(saved, np.float64).reshape(-1, at.ARM_WIDTH)
    if not np.isfinite(rows).all() or (rows[:, at.PULLS] < 0.0).any():
        raise ParameterError(f"{name} must hold finite numbers, and pulls of at least 0")
    return rows


def check_own(saved: object) -> NDArray[np.float64]:
    """Check the numbers of a saved state that are not of its arms: (OWN_WIDTH,)."""
    own = np.array(saved, np.float64)
    if own.shape != (at.OWN_WIDTH,) or not np.isfinite(own).all() or own[at.ROUNDS] < 0.0:
        raise ParameterError(f"own must hold {at.OWN_WIDTH} finite numbers, got {format_value(saved)}")
    return own


def check_arm(arm: object, n_arms: int) -> int:
    """Return the number of an arm."""
    number = whole_number("arm", arm, least=0)
    if number >= n_arms:
        raise ParameterError(f"arm must be less than n_arms ({n_arms}), got {number}")
    return number


def check_horizon(horizon: object, what: str) -> int:
    """Check the horizon, which a baseline needs."""
    if horizon is None:
        raise ParameterError(f"{what} needs the horizon, got None")
    return whole_number("horizon", horizon, least=1)
