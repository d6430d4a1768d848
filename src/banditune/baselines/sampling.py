"""Policies that draw at random: Thompson sampling and epsilon-greedy; and explore-then-commit."""

import math
from typing import ClassVar

from banditune.baselines.base import Baseline, Bounds, check_horizon
from banditune.errors import ParameterError
from banditune.kernels.simulator.rules import BETA_SAMPLING, EPSILON_GREEDY, EXPLORE_THEN_COMMIT
from banditune.kernels.simulator.state import FIRST, SECOND
from banditune.validation import finite_number, whole_number, yes_or_no


class BetaThompson(Baseline):
    """Thompson sampling with a Beta(a, b) prior for each arm's mean.

    A reward between 0 and 1 counts as that much of a success and the rest of a failure.

    >>> policy = BetaThompson(2, seed=3)
    >>> policy.select() == policy.select()
    True
    """

    name: ClassVar[str] = "betathompson"
    label: ClassVar[str] = "Thompson (Beta)"
    knowledge: ClassVar[str] = "bounds of the rewards, a prior"
    kind: ClassVar[int] = BETA_SAMPLING

    def __init__(
        self, n_arms: int, *, a: float = 1.0, b: float = 1.0, bounds: Bounds = (0.0, 1.0), seed: int = 0
    ) -> None:
        super().__init__(n_arms, bounds=bounds, seed=seed)
        self.state.own[FIRST] = finite_number("a", a, least=1e-3)
        self.state.own[SECOND] = finite_number("b", b, least=1e-3)


class EpsilonGreedy(Baseline):
    """Any arm with probability epsilon, else the best so far; with `decay`, epsilon n / t in round t."""

    name: ClassVar[str] = "epsilongreedy"
    label: ClassVar[str] = "epsilon-greedy"
    knowledge: ClassVar[str] = "epsilon"
    kind: ClassVar[int] = EPSILON_GREEDY
    takes_bounds: ClassVar[bool] = False

    def __init__(self, n_arms: int, *, epsilon: float = 0.1, decay: bool = False, seed: int = 0) -> None:
        super().__init__(n_arms, seed=seed)
        self.state.own[FIRST] = finite_number("epsilon", epsilon, least=0.0)
        self.state.own[SECOND] = float(yes_or_no("decay", decay))
        if not decay and epsilon > 1.0:
            raise ParameterError(f"epsilon must be a probability from 0 to 1, got {epsilon!r}")


class ExploreThenCommit(Baseline):
    """Every arm `pulls` times in turn, then the best of them to the end.

    Without `pulls`, (T / n)^(2/3) (log T)^(1/3) of the horizon T, which is right up to a constant when nothing is known
    of the gaps.
    """

    name: ClassVar[str] = "explorethencommit"
    label: ClassVar[str] = "explore then commit"
    knowledge: ClassVar[str] = "the horizon"
    kind: ClassVar[int] = EXPLORE_THEN_COMMIT
    takes_bounds: ClassVar[bool] = False
    needs_horizon: ClassVar[bool] = True

    def __init__(self, n_arms: int, *, horizon: int | None = None, pulls: int | None = None, seed: int = 0) -> None:
        super().__init__(n_arms, seed=seed)
        if pulls is None:
            rounds = check_horizon(horizon, "explore-then-commit without pulls")
            pulls = math.ceil((rounds / n_arms) ** (2.0 / 3.0) * math.log(max(rounds, 2)) ** (1.0 / 3.0))
            pulls = max(1, min(pulls, rounds // n_arms))
        self.state.own[FIRST] = whole_number("pulls", pulls, least=1)
