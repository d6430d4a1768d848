"""UCB1: UCB with the alpha of the textbooks."""

import math
from typing import ClassVar

from banditune.baselines.base import Baseline, Bounds
from banditune.kernels.simulator.rules import UCB
from banditune.kernels.simulator.state import THETA


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
