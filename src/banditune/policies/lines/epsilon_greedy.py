"""Epsilon-greedy: any arm with probability epsilon, else the best so far."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.kernels.lines.bonus import EXPLORE, NO_COIN, POWER, UNIT, Bonus
from banditune.policies.exports import Export, write_script
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.parameters import Number, Option, Parameter, Setting
from banditune.policies.piece_bounds import ComplexityBound, TaskSize
from banditune.policies.updates import Updates

OTHER_NUMBERS = "The same probabilities from the same history, drawn by other random numbers."
VW_DIFFERS = f"{OTHER_NUMBERS} What is greedy is decided by its regression, and it does not begin with every arm once."


class EpsilonGreedy(LinePolicy):
    """Epsilon-greedy with the probability of exploration, `epsilon`, to be tuned.

    Round t pulls::

        a random arm with probability epsilon / t^decay, else the highest mean

    ties going to the lowest arm. The probability is compared with a random number of the round, between 0 and 1. The
    first rounds pull every arm once.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    epsilon : float, default 0.1
        The probability of exploration, at least 0; with `decay` it may be above 1.
    decay : float, default 0.0
        How fast exploration falls: 0 not at all, 1 as 1 / t.
    seed : int, default 0
        The random seed: give every task one of its own.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = EpsilonGreedy(2, epsilon=0.05, seed=3)
    >>> policy.update(policy.select(), 1.0)
    >>> policy
    EpsilonGreedy(n_arms=2, epsilon=0.05, pulls=1)
    """

    name: ClassVar[str] = "epsilongreedy"
    label: ClassVar[str] = "epsilon-greedy"
    index: ClassVar[str] = "a random arm with probability epsilon / t^decay, else the highest mean"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "epsilon": Parameter(
            "epsilon",
            default=0.1,
            usual=(0.1,),
            option=Option("range of epsilon to search; with --decay it may exceed 1", "0 to 1"),
        ),
        "decay": Number(
            "decay",
            default=0.0,
            most=10.0,
            option=Option("epsilon is divided by t^decay; repeat it to select the best", "0", "values", float, "P"),
        ),
    }
    knowledge: ClassVar[str] = "epsilon"
    is_randomised: ClassVar[bool] = True
    is_unitless: ClassVar[bool] = True
    parts: ClassVar[Bonus] = Bonus(EXPLORE, UNIT, POWER, NO_COIN)
    exports: ClassVar[Mapping[str, Export]] = {
        "mabwiser": Export(
            lambda epsilon: {"epsilon": epsilon},
            write_script(
                "from mabwiser.mab import MAB, LearningPolicy",
                """\
mab = MAB(arms, LearningPolicy.EpsilonGreedy(epsilon={epsilon!r}))
mab.fit(arms, [pull(arm) for arm in arms])  # every arm once
for _ in range(100):
    arm = mab.predict()
    mab.partial_fit([arm], [pull(arm)])
""",
            ),
            OTHER_NUMBERS,
        ),
        "river": Export(
            lambda epsilon: {"epsilon": epsilon},
            write_script(
                "from river import bandit",
                """\
policy = bandit.EpsilonGreedy(epsilon={epsilon!r}, decay=0.0, burn_in=1, seed=0)
for _ in range(100):
    arm = policy.pull(arms)
    policy.update(arm, pull(arm))
""",
            ),
            f"{OTHER_NUMBERS} Its decay is another than ours: leave it at 0.",
        ),
        "vowpalwabbit": Export(
            lambda epsilon: {"epsilon": epsilon},
            """\
from vowpalwabbit import Workspace

model = Workspace("--cb_explore 3 --epsilon {epsilon!r}")  # as many actions as you have
""",
            VW_DIFFERS,
        ),
        "vw": Export(
            lambda epsilon: {"epsilon": epsilon},
            "vw --cb_explore_adf --epsilon {epsilon!r} --dsjson -d decisions.json\n",
            VW_DIFFERS,
        ),
    }

    epsilon: float
    decay: float

    def __init__(
        self, n_arms: int, *, epsilon: float = 0.1, decay: float = 0.0, seed: int = 0, updates: Updates | None = None
    ) -> None:
        super().__init__(n_arms, {"epsilon": epsilon, "decay": decay}, seed=seed, updates=updates)

    def choice_probabilities(self, *contexts: Any) -> NDArray[np.float64]:
        """Return p / n for each arm, p = epsilon / t^decay, and 1 - p more for the best; 1 in the first rounds."""
        p = 0.0 if self.owes_arm() else min(1.0, self.epsilon * float(self.next_round) ** -self.decay)
        return p / self.n_arms + (1.0 - p) * self.mark_best()

    @classmethod
    def check_settings(cls, given: Mapping[str, Any]) -> None:
        """Reject a probability above 1, also as the end of a range."""
        epsilon, decay = given.get("epsilon"), given.get("decay", 0.0)
        if isinstance(epsilon, tuple | float | int) and max(np.atleast_1d(epsilon)) > 1.0 and not np.any(decay):
            raise ParameterError(f"epsilon must be a probability from 0 to 1 without decay, got {epsilon!r}")

    @classmethod
    def check_export(cls, params: Mapping[str, Any]) -> None:
        """Reject a probability that falls, which other libraries let fall otherwise."""
        if params.get("decay", 0.0) != 0.0:
            raise ParameterError("other libraries let epsilon fall in other ways: only decay=0 can be converted")

    @classmethod
    def make_bonus(cls, settings: Mapping[str, Any], horizon: int) -> Bonus:
        """Return the parts of its index, with the power by which exploration falls."""
        return cls.parts._replace(power=float(settings["decay"]))

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """Return every probability."""
        return 0.0, 1.0

    @classmethod
    def adapt_range(cls, limits: tuple[float, float], settings: Mapping[str, Any], horizon: int) -> tuple[float, float]:
        """Return, with decay, a range up to where every round explores, for the largest if there are several."""
        return limits[0], max(limits[1], float(horizon) ** float(np.max(settings.get("decay", 0.0))))

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Bound them by the rounds: each after the first ones cuts the range once, whatever was pulled before."""
        pieces = max(1, size.horizon - size.n_arms + 1)
        return ComplexityBound(pieces, pieces, "")
