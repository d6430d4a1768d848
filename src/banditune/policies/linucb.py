"""LinUCB: choose the arm with the highest weights . x + alpha sqrt(x' K^-1 x). Algorithm 4 of the paper."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.checks import finite_number, shown, whole_number
from banditune.contextual_task import ContextualTask
from banditune.curve_set import CurveSet
from banditune.errors import FileError, InputError, ParameterError, TaskError
from banditune.kernels.envelope import leader
from banditune.kernels.ridge_state import Ridge, empty_ridge, learn, set_index_lines
from banditune.kernels.ridge_sweep import Rounds, play_rounds, sweep_rounds
from banditune.policies.packing import of_kind, packed_rounds
from banditune.policies.parameter import Flag, Parameter, rounded_up
from banditune.reward_arrays import checked_numbers

MOST_ARMS, MOST_DIM = 10**6, 10**4


class LinUCB:
    """LinUCB with exploration `alpha`, online: one ridge regression for all arms, or with `disjoint` one for each.

    >>> policy = LinUCB(2, dim=1, alpha=0.5)
    >>> arm = policy.select([[0.1], [0.9]])  # the arm that is known less about
    >>> policy.update(arm, 1.0, [[0.1], [0.9]])
    >>> arm
    1
    """

    name: ClassVar[str] = "linucb"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "alpha": Parameter("alpha", default=1.0, least=0.0, scale="plain"),
        "ridge": Parameter("ridge", default=1.0, least=1e-9, scale="plain", searchable=False),
        "disjoint": Flag("disjoint", default=False),
    }
    packed: ClassVar[Any] = staticmethod(packed_rounds)

    def __init__(
        self, n_arms: int, dim: int, *, alpha: float = 1.0, ridge: float = 1.0, disjoint: bool = False
    ) -> None:
        self.n_arms = whole_number("n_arms", n_arms, least=1, most=MOST_ARMS)
        self.dim = whole_number("dim", dim, least=1, most=MOST_DIM)
        self.alpha = self.parameters["alpha"].value(alpha)
        self.ridge = self.parameters["ridge"].value(ridge)
        self.disjoint = bool(self.parameters["disjoint"].value(disjoint))
        self._state = empty_ridge(1, self.n_arms if self.disjoint else 1, self.dim, self.ridge)

    def select(self, contexts: ArrayLike) -> int:
        """The arm to choose; contexts are (n_arms, dim), or (dim,) where all arms share one and are disjoint."""
        lines = np.empty((self.n_arms, 7))
        set_index_lines(lines, self._state, 0, self._checked(contexts))
        return leader(lines, self.alpha, 1.0)

    def update(self, arm: int, reward: float, contexts: ArrayLike) -> None:
        """Learn what the arm gave; contexts as they were when it was chosen."""
        arm = whole_number("arm", arm, least=0, most=self.n_arms - 1)
        reward = finite_number("reward", reward)
        seen = self._checked(contexts)
        x = seen[arm if seen.shape[0] > 1 else 0]
        learn(self._state, 0, arm if self.disjoint else 0, x, reward)

    def to_json(self) -> str:
        """The policy with all it has learned, as text; `policy_from_json` makes the same decisions."""
        made = {"n_arms": self.n_arms, "dim": self.dim, "alpha": self.alpha, "ridge": self.ridge}
        known = {field: getattr(self._state, field)[0].tolist() for field in Ridge._fields}
        return json.dumps({"policy": self.name, **made, "disjoint": self.disjoint, **known})

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "LinUCB":
        """The policy from what `to_json` wrote."""
        try:
            policy = cls(**{name: state[name] for name in ("n_arms", "dim", "alpha", "ridge", "disjoint")})
            for field in Ridge._fields:
                kept, saved = getattr(policy._state, field)[0], np.array(state[field])
                if saved.shape != kept.shape or not np.isfinite(saved).all():
                    raise ValueError(f"{field} must be finite numbers of shape {kept.shape}")
                kept[:] = saved
        except (KeyError, TypeError, ValueError, InputError) as error:
            raise FileError(f"a saved LinUCB policy cannot be used: {error}") from None
        return policy

    @classmethod
    def default_range(cls, parameter: str, tasks: Iterable[ContextualTask]) -> tuple[float, float]:
        """From 0 to 2 spreads of the rewards, the spread rounded up to one digit."""
        spread = max(float(np.ptp(task.rewards)) for task in of_kind(tasks, ContextualTask))
        return 0.0, 2.0 * rounded_up(spread)

    @classmethod
    def game(
        cls, batch: list[Rounds], values: Mapping[str, float]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """The arms, the rewards and the loss so far of a game on the first task of a batch, each (T,)."""
        return play_rounds(batch[0], cls._n_models(batch[0], values), values["ridge"], values["alpha"])

    @classmethod
    def sweep(
        cls,
        batch: list[Rounds],
        horizons: Sequence[int],
        parameter: str,
        low: float,
        high: float,
        fixed: Mapping[str, float],
    ) -> tuple[list[CurveSet], NDArray[np.int64]]:
        """The exact losses of the tasks of a batch for every alpha in [low, high]: see `Policy.sweep`."""
        values = {name: fixed.get(name, known.default) for name, known in cls.parameters.items()}
        swept = [
            sweep_rounds(rounds, cls._n_models(rounds, values), values["ridge"], np.array(horizons), low, high)
            for rounds in batch
        ]
        sets = []
        for k in range(len(horizons)):
            parts = [(left[which == k], value[which == k]) for left, value, which, _ in swept]
            ends = np.cumsum([left.size for left, _ in parts])
            lefts, losses = (np.concatenate(columns) for columns in zip(*parts, strict=True))
            sets.append(CurveSet.tidied(low, high, lefts, losses, ends))
        return sets, np.array([histories for *_, histories in swept])

    @staticmethod
    def _n_models(rounds: Rounds, values: Mapping[str, float]) -> int:
        """How many regressions the arms of a task have; where one cannot tell the arms apart, that is refused."""
        n_arms = int(rounds.rewards.shape[1])
        if values["disjoint"]:
            return n_arms
        if rounds.contexts.shape[1] == 1 and n_arms > 1:
            raise TaskError("where all arms share a context, one regression cannot tell them apart: use disjoint=True")
        return 1

    def _checked(self, contexts: ArrayLike) -> NDArray[np.float64]:
        seen = checked_numbers(contexts, "contexts")
        if seen.shape == (self.dim,) and (self.disjoint or self.n_arms == 1):
            return seen[None, :]
        if seen.shape != (self.n_arms, self.dim):
            also = f" or ({self.dim},)" if self.disjoint else ""
            wanted = f"({self.n_arms}, {self.dim}){also}"
            raise ParameterError(f"contexts must have shape {wanted}, got {shown(np.shape(contexts))}")
        return seen
