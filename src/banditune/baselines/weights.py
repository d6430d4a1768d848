"""Policies that keep a probability for each arm: EXP3 and Tsallis-INF."""

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from banditune.baselines.base import Baseline, Bounds, check_horizon
from banditune.errors import ParameterError
from banditune.kernels.simulator.rules import EXP3 as EXP3_RULE
from banditune.kernels.simulator.rules import TSALLIS_INF
from banditune.kernels.simulator.state import CHANCE, FIRST
from banditune.kernels.simulator.weight_rules import set_exp3_chances, set_tsallis_chances
from banditune.validation import finite_number


def exp3_gamma(n_rows: int, horizon: int) -> float:
    """Return the share of uniform draws that EXP3's bound is best with: min(1, sqrt(n log n / ((e - 1) T)))."""
    return min(1.0, math.sqrt(n_rows * math.log(n_rows) / ((math.e - 1.0) * horizon)))


class WeightedBaseline(Baseline):
    """A policy that draws an arm from probabilities."""

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each arm in the next round: (n_arms,)."""
        return self.state.arms[:, CHANCE].copy()


class EXP3(WeightedBaseline):
    """EXP3, for rewards that an adversary may choose (Auer, Cesa-Bianchi, Freund and Schapire, 2002).

    Without `gamma`, the one that its bound is best with for the horizon.
    """

    name: ClassVar[str] = "exp3"
    knowledge: ClassVar[str] = "the horizon, bounds of the rewards"
    kind: ClassVar[int] = EXP3_RULE
    needs_horizon: ClassVar[bool] = True

    def __init__(
        self,
        n_arms: int,
        *,
        horizon: int | None = None,
        gamma: float | None = None,
        bounds: Bounds = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        super().__init__(n_arms, bounds=bounds, seed=seed)
        if gamma is None:
            gamma = exp3_gamma(self.n_arms, check_horizon(horizon, "EXP3 without gamma"))
        if not 0.0 <= finite_number("gamma", gamma) <= 1.0:
            raise ParameterError(f"gamma must be from 0 to 1, got {gamma!r}")
        self.state.own[FIRST] = gamma
        set_exp3_chances(self.state.arms, gamma)


class TsallisINF(WeightedBaseline):
    """Tsallis-INF, good against stochastic and adversarial rewards alike (Zimmert and Seldin, 2021).

    With importance weighted losses; the learning rate is eta / sqrt(t).
    """

    name: ClassVar[str] = "tsallisinf"
    label: ClassVar[str] = "Tsallis-INF"
    knowledge: ClassVar[str] = "bounds of the rewards"
    kind: ClassVar[int] = TSALLIS_INF

    def __init__(self, n_arms: int, *, eta: float = 2.0, bounds: Bounds = (0.0, 1.0), seed: int = 0) -> None:
        super().__init__(n_arms, bounds=bounds, seed=seed)
        self.state.own[FIRST] = finite_number("eta", eta, least=1e-9)
        set_tsallis_chances(self.state.arms, self.state.own)
