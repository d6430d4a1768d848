"""UCB with the alpha of the textbooks, UCB1; and with one that is tuned within the task, Syndicated and CDT."""

import math
from collections.abc import Sequence
from typing import ClassVar

from banditune.baselines.base import Baseline, Bounds, check_horizon
from banditune.baselines.weights import exp3_gamma
from banditune.errors import ParameterError
from banditune.kernels.simulator.rules import CDT as CDT_RULE
from banditune.kernels.simulator.rules import SYNDICATED, UCB
from banditune.kernels.simulator.state import FIRST, LEAST, MOST, SECOND, THETA, THIRD
from banditune.kernels.simulator.tuner_rules import POINT, next_candidate, next_point
from banditune.kernels.simulator.weight_rules import set_exp3_chances
from banditune.validation import finite_number, format_value, whole_number

GRID = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # the alphas of the paper's experiments
MOST_POINTS = 256  # that CDT keeps; some dozens are usual


class UCB1(Baseline):
    """UCB with alpha = 2: mean + sqrt(2 log t / pulls) (Auer, Cesa-Bianchi and Fischer, 2002).

    >>> policy = UCB1(2)
    >>> for reward in (0.0, 1.0, 1.0):
    ...     policy.update(policy.select(), reward)
    >>> policy.counts
    array([1, 2])
    """

    name: ClassVar[str] = "ucb1"
    knowledge: ClassVar[str] = "bounds of the rewards"
    kind: ClassVar[int] = UCB

    def __init__(self, n_arms: int, *, bounds: Bounds = (0.0, 1.0), seed: int = 0) -> None:
        super().__init__(n_arms, bounds=bounds, clipped=False, seed=seed)
        self.state.own[THETA] = math.sqrt(2.0)


class TuningBaseline(Baseline):
    """UCB whose alpha changes with the round, for rewards taken as 0 to 1; what is seen serves all values of it."""

    @property
    def alpha(self) -> float:
        """The alpha of the next round."""
        return float(self.state.own[THETA]) ** 2


class Syndicated(TuningBaseline):
    """EXP3 over candidates for alpha (Ding, Kang, Liu, Lee, Hsieh and Sharpnack, 2022), for one parameter.

    >>> policy = Syndicated(2, horizon=100, alphas=[0.1, 1.0])
    >>> policy.update(policy.select(), 1.0)
    """

    name: ClassVar[str] = "syndicated"
    knowledge: ClassVar[str] = "candidates for alpha, the horizon, bounds of the rewards"
    kind: ClassVar[int] = SYNDICATED
    needs_horizon: ClassVar[bool] = True

    def __init__(
        self, n_arms: int, *, horizon: int, alphas: Sequence[float] = GRID, bounds: Bounds = (0.0, 1.0), seed: int = 0
    ) -> None:
        candidates = [finite_number("alpha", alpha, least=0.0) for alpha in alphas]
        if not candidates:
            raise ParameterError("alphas must hold at least one candidate, got none")
        super().__init__(n_arms, bounds=bounds, n_rows=len(candidates), seed=seed)
        state, gamma = self.state, exp3_gamma(len(candidates), check_horizon(horizon, "Syndicated"))
        state.own[FIRST] = gamma
        state.table[:, POINT] = [math.sqrt(alpha) for alpha in candidates]
        set_exp3_chances(state.table, gamma)
        next_candidate(state.own, state.table, state.key)


class CDT(TuningBaseline):
    """Continuous dynamic tuning: a zooming algorithm over a range of alpha, with restarts (Kang, Hsieh and Lee, 2024).

    It plays sqrt(T) rounds at random, then in each round a sqrt(alpha) of the range: one that no other covers yet, or
    one chosen by Thompson sampling; every `epoch` rounds (4 T^(3/4) without it) it forgets all but the arms' rewards.
    """

    name: ClassVar[str] = "cdt"
    knowledge: ClassVar[str] = "a range for alpha, the horizon, bounds of the rewards"
    kind: ClassVar[int] = CDT_RULE
    needs_horizon: ClassVar[bool] = True

    def __init__(
        self,
        n_arms: int,
        *,
        horizon: int,
        alpha: tuple[float, float] = (0.0, 4.0),
        epoch: int | None = None,
        warm_up: int | None = None,
        bounds: Bounds = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        try:
            low, high = (finite_number("alpha", end, least=0.0) for end in alpha)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"alpha must be a range (low, high), got {format_value(alpha)}: {error}") from None
        if not low < high:
            raise ParameterError(f"the range of alpha must have low < high, got ({low!r}, {high!r})")
        super().__init__(n_arms, bounds=bounds, n_rows=MOST_POINTS, seed=seed)
        rounds = check_horizon(horizon, "CDT")
        state = self.state
        state.own[LEAST], state.own[MOST] = math.sqrt(low), math.sqrt(high)
        state.own[FIRST] = math.log(max(rounds, 2))
        state.own[SECOND] = math.ceil(4.0 * rounds**0.75) if epoch is None else whole_number("epoch", epoch, least=1)
        state.own[THIRD] = (
            math.ceil(math.sqrt(rounds)) if warm_up is None else whole_number("warm_up", warm_up, least=0)
        )
        next_point(state.own, state.table, state.key)
