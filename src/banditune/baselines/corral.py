"""Corrals: policies that learn which of several bases to follow, within one task."""

import copy
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from banditune.baselines.base import Bounds, check_own, check_rows, key_of, set_bounds
from banditune.baselines.ucb import GRID
from banditune.errors import ParameterError
from banditune.kernels.numerics.counter_random import uniform
from banditune.kernels.simulator import state as at
from banditune.kernels.simulator.corral_rules import (
    CORRAL,
    LIMIT,
    PASSED,
    RATE,
    STOCHASTIC_CORRAL,
    WEIGHT,
    corral_learn,
    set_stochastic_chances,
)
from banditune.kernels.simulator.state import CorralState, State, draw_row, scale_reward
from banditune.policies.base import OnlinePolicy, RewardScale
from banditune.policies.comparison_entries import Entry, entry
from banditune.policies.registry import restore_policy
from banditune.policies.ucb.ucb import UCB
from banditune.rng import derive_seed
from banditune.tasks.arrays import check_reward
from banditune.validation import finite_number, format_names, format_value, one_of, whole_number, yes_or_no

FEEDBACKS = ("own", "importance")
MADE_WITH = ("horizon", "seed", "feedback", "restarts", "eta")  # what is saved of that; the rest is in its numbers


class Base(Protocol):
    """Anything that can be followed."""

    def select(self) -> int:
        """Return the arm to pull next."""

    def update(self, arm: int, reward: float) -> None:
        """Learn what a pull of the arm gave."""


class AnyCorral(OnlinePolicy):
    """What both corrals have in common.

    In each round one base is drawn, and the arm it selects is pulled. `feedback="own"` shows the reward to that base
    alone; `"importance"` shows every base the reward over its probability if it was drawn, else 0, as the theory has
    it. `bounds` are those of the rewards. With `restarts`, a base starts afresh when its probability has halved; they
    are part of the theory, and left out in the experiments of both papers.
    """

    knowledge: ClassVar[str] = "bases, the horizon, bounds of the rewards"
    kind: ClassVar[int]
    needs_horizon: ClassVar[bool] = True

    def __init__(
        self, bases: Sequence[Base], horizon: int, *, seed: int, feedback: str, bounds: Bounds, restarts: bool
    ) -> None:
        self.bases: list[Any] = list(bases) if isinstance(bases, Iterable) else []
        for k, base in enumerate(self.bases):
            if isinstance(base, type) or not (hasattr(base, "select") and hasattr(base, "update")):
                raise ParameterError(
                    f"bases[{k}] must be a policy with select() and update(), got {format_value(base)}"
                )
        if not self.bases:
            raise ParameterError(f"bases must be a list of at least one policy, got {format_value(bases)}")
        if len(numbers := {base.n_arms for base in self.bases if hasattr(base, "n_arms")}) > 1:
            raise ParameterError(f"bases must all have the same number of arms, got {format_names(sorted(numbers))}")
        self.horizon = whole_number("horizon", horizon, least=1)
        self.seed = whole_number("seed", seed, least=0)
        self.feedback = one_of("feedback", feedback, FEEDBACKS)
        self.restarts = yes_or_no("restarts", restarts)
        self.key = key_of(self.seed, self.label)
        self.own = np.zeros(at.OWN_WIDTH)
        set_bounds(self.own, bounds, clipped=True)
        self.rows = np.zeros((len(self.bases), at.ARM_WIDTH))
        self.rows[:, WEIGHT] = self.rows[:, at.CHANCE] = 1.0 / len(self.bases)
        self._fresh = copy.deepcopy(self.bases) if self.restarts else []
        self._selected: list[int] | None = None  # the arm of each base that has been asked, in the present round

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_bases={len(self.bases)}, horizon={self.horizon})"

    @classmethod
    def start(
        cls, n_arms: int, *, horizon: int, seed: int, bases: Sequence[Entry] | None = None, **settings: Any
    ) -> "AnyCorral":
        """Make the corral for a new run, over entries; without any, over UCBs with the paper's ten alphas."""
        if bases is None:
            low, high = settings.get("bounds", (0.0, 1.0))
            bases = [entry(UCB, alpha=alpha * (high - low) ** 2) for alpha in GRID]
        started = [base.start_on(0, n_arms, horizon, derive_seed(seed, "base", k)) for k, base in enumerate(bases)]
        return cls(started, horizon, seed=seed, **settings)

    @classmethod
    def list_settings(cls, scale: RewardScale) -> dict[str, dict[str, Any]]:
        """Return both kinds of feedback."""
        return {f"{cls.label}, {each} feedback": {"bounds": scale.bounds, "feedback": each} for each in FEEDBACKS}

    def simulator_state(self) -> CorralState | None:
        """Return the state from which the compiled simulator goes on; None if a base has none, or they differ."""
        states = [base.simulator_state() for base in self.bases if isinstance(base, OnlinePolicy)]
        bases = [state for state in states if isinstance(state, State)]
        if len(bases) < len(self.bases) or len({state.table.shape for state in bases}) > 1:
            return None
        kinds, arms, own, tables, keys = (list(parts) for parts in zip(*bases, strict=True))
        how = (self.kind, self.feedback == "importance", self.restarts, self.rows, self.own, self.key)
        of_bases = (np.array(kinds), np.stack(arms), np.stack(own), np.stack(tables), np.array(keys, np.uint64))
        return CorralState(*how, *of_bases)

    def to_json(self) -> str:
        """Return the corral and its bases with all that they have learned as JSON text, for `bt.policy_from_json`."""
        for base in self.bases:
            if not isinstance(base, OnlinePolicy):
                raise ParameterError(f"a corral is saved with bases that are policies, got {format_value(base)}")
        made = {name: getattr(self, name) for name in MADE_WITH}
        made |= {"own": self.own.tolist(), "rows": self.rows.tolist()}
        bases, fresh = ([json.loads(base.to_json()) for base in each] for each in (self.bases, self._fresh))
        return json.dumps({"policy": self.name, **made, "bases": bases, "fresh": fresh})

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Make the corral from what `to_json` wrote."""
        bases, fresh = ([restore_policy(each) for each in state[name]] for name in ("bases", "fresh"))
        corral = cls(bases, **{name: state[name] for name in MADE_WITH})
        own, rows = check_own(state["own"]), check_rows("rows", state["rows"])
        if len(rows) != len(bases) or len(fresh) != (len(bases) if corral.restarts else 0):
            raise ParameterError(f"rows and fresh must be as many as the {len(bases)} bases")
        corral.own, corral.rows, corral._fresh = own, rows, fresh
        return corral

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each base in the next round: (M,)."""
        return self.rows[:, at.CHANCE].copy()

    @property
    def current_base(self) -> int:
        """The base that is followed in the next round."""
        return draw_row(self.rows, at.CHANCE, uniform(self.key, int(self.own[at.ROUNDS])))

    def select(self) -> int:
        """Return the arm to pull next: that of the base that was drawn."""
        followed = self.current_base
        if self._selected is None:
            self._selected = [
                base.select() if self.feedback == "importance" or k == followed else -1
                for k, base in enumerate(self.bases)
            ]
        return self._selected[followed]

    def update(self, arm: int, reward: float) -> None:
        """Learn what a pull of the selected arm gave."""
        selected = self.select()
        if arm != selected:
            raise ParameterError(f"arm must be the selected one, {selected}; got {format_value(arm)}")
        assert self._selected is not None
        reward, followed = check_reward("reward", reward), self.current_base
        value = scale_reward(self.own, reward)
        for k, base in enumerate(self.bases):
            if self.feedback == "importance":
                seen = value / float(self.rows[k, at.CHANCE]) if k == followed else 0.0
                base.update(self._selected[k], seen)
            elif k == followed:
                base.update(selected, reward)
        passed = self.rows[:, PASSED].copy()
        corral_learn(self.kind, self.rows, self.own, followed, 1.0 - value)
        self._selected = None
        if self.restarts:
            for k in np.flatnonzero(self.rows[:, PASSED] > passed).tolist():
                self.bases[k] = copy.deepcopy(self._fresh[k])


def corral_entry(corral: type[AnyCorral], bases: Sequence[Entry], *, name: str | None = None, **settings: Any) -> Entry:
    """Make an entry of a corral over other entries."""
    label = name or f"{corral.label}, {settings.get('feedback', FEEDBACKS[0])} feedback"
    return entry(corral, name=label, bases=tuple(bases), **settings)


class Corral(AnyCorral):
    """CORRAL (Agarwal, Luo, Neyshabur and Schapire, 2017): online mirror descent with the log barrier over bases.

    It is a baseline: a bandit over policies, which tunes alpha online. gamma is 1 / T, beta is e^(1 / log T).

    Parameters
    ----------
    bases : sequence of policies
        M policies with `select` and `update`, such as UCB with several alphas.
    horizon : int
        The number of rounds T.
    seed : int, default 0
        The random seed.
    feedback : {"own", "importance"}, default "own"
        Whether the base that was followed learns the reward, or every base an importance-weighted one.
    eta : float, optional
        The step size; by default sqrt(M / T).
    base_regret : float, optional
        R of Theorem 5 there, for a step size of min(1 / (40 R log T), sqrt(M / T)).
    bounds : (low, high), default (0.0, 1.0)
        The range of the rewards.
    restarts : bool, default False
        Whether a base is restarted when its probability falls.

    Examples
    --------
    >>> import banditune as bt
    >>> corral = Corral([bt.UCB(2, alpha=a) for a in (0.1, 1.0)], horizon=100)
    >>> corral.update(corral.select(), 1.0)
    """

    name: ClassVar[str] = "corral"
    label: ClassVar[str] = "CORRAL"
    kind: ClassVar[int] = CORRAL

    def __init__(
        self,
        bases: Sequence[Base],
        horizon: int,
        *,
        seed: int = 0,
        feedback: str = "own",
        eta: float | None = None,
        base_regret: float | None = None,
        bounds: Bounds = (0.0, 1.0),
        restarts: bool = False,
    ) -> None:
        super().__init__(bases, horizon, seed=seed, feedback=feedback, bounds=bounds, restarts=restarts)
        n_bases, log_horizon = len(self.bases), math.log(max(self.horizon, 2))
        if eta is None:
            eta = math.sqrt(n_bases / self.horizon)
            if base_regret is not None:
                eta = min(eta, 1.0 / (40.0 * finite_number("base_regret", base_regret, least=1e-9) * log_horizon))
        elif base_regret is not None:
            raise ParameterError("give eta or base_regret, not both")
        self.eta = finite_number("eta", eta, least=1e-12)
        self.own[at.FIRST], self.own[at.SECOND] = 1.0 / self.horizon, math.exp(1.0 / log_horizon)
        self.rows[:, RATE], self.rows[:, LIMIT] = self.eta, 2.0 * n_bases


class StochasticCorral(AnyCorral):
    """The corral for stochastic bandits (Arora, Marinov and Mohri, 2021): Tsallis-INF over bases.

    The step size in round t is eta / sqrt(t), times beta for every time a base's probability has halved below
    1 / (5 M).

    Parameters
    ----------
    bases, horizon, seed, feedback, bounds, restarts
        As in `bt.Corral`.
    eta : float, default 1.0
        The step size.
    beta : float, optional
        The factor; by default e^(1 / log(T)^2).

    Examples
    --------
    >>> import banditune as bt
    >>> corral = StochasticCorral([bt.UCB(2, alpha=a) for a in (0.1, 1.0)], horizon=100)
    >>> corral.update(corral.select(), 1.0)
    >>> corral
    StochasticCorral(n_bases=2, horizon=100)
    """

    name: ClassVar[str] = "stochasticcorral"
    label: ClassVar[str] = "stochastic corral"
    kind: ClassVar[int] = STOCHASTIC_CORRAL

    def __init__(
        self,
        bases: Sequence[Base],
        horizon: int,
        *,
        seed: int = 0,
        feedback: str = "own",
        eta: float = 1.0,
        beta: float | None = None,
        bounds: Bounds = (0.0, 1.0),
        restarts: bool = False,
    ) -> None:
        super().__init__(bases, horizon, seed=seed, feedback=feedback, bounds=bounds, restarts=restarts)
        log_horizon = math.log(max(self.horizon, 2))
        self.eta = finite_number("eta", eta, least=1e-12)
        self.own[at.SECOND] = math.exp(log_horizon**-2) if beta is None else finite_number("beta", beta, least=1.0)
        self.rows[:, RATE], self.rows[:, LIMIT] = self.eta, 5.0 * len(self.bases)
        set_stochastic_chances(self.rows, self.own)
