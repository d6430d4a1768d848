"""Thompson sampling."""

from typing import ClassVar

from banditune.baselines.base import Baseline, Bounds
from banditune.kernels.simulator.rules import BETA_SAMPLING
from banditune.kernels.simulator.state import FIRST, SECOND
from banditune.validation import finite_number


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
