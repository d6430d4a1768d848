"""Explore-then-commit: every arm equally often, then the best of them to the end."""

from collections.abc import Mapping
from typing import Any, ClassVar

from banditune.kernels.lines.bonus import COMMIT, NO_COIN, UNIT, Bonus
from banditune.kernels.lines.index import CONSTANT
from banditune.policies.ab_platforms import split_equally
from banditune.policies.exports import Export
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.parameters import Option, Setting, WholeParameter
from banditune.policies.piece_bounds import ComplexityBound, TaskSize
from banditune.policies.updates import Updates

MOST_SEARCHED = 1000.5  # pulls of each arm, where no range is given: up to 1,000


class ExploreThenCommit(LinePolicy):
    """Explore-then-commit with the pulls of each arm, `pulls`, to be tuned.

    It pulls the arms in turn until each was pulled `pulls` times, then to the end the arm whose mean was highest by
    then, ties going to the lowest arm. With fewer rounds than that it is an A/B test.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    pulls : int, default 10
        How often each arm is pulled before the best is chosen, at least 1.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = ExploreThenCommit(2, pulls=1)
    >>> for reward in (0.0, 1.0, 0.0):
    ...     policy.update(policy.select(), reward)
    >>> policy.select()
    1
    >>> policy
    ExploreThenCommit(n_arms=2, pulls=1, pulled=3)
    """

    name: ClassVar[str] = "explorethencommit"
    label: ClassVar[str] = "explore then commit"
    index: ClassVar[str] = "the arms in turn until each was pulled `pulls` times, then the highest mean by then"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "pulls": WholeParameter(
            "pulls",
            default=10,
            least=1.0,
            most=1e9,
            usual=(10.0,),
            option=Option("range of the pulls of each arm before the best is chosen", "1 to 1000"),
        )
    }
    knowledge: ClassVar[str] = "pulls"
    is_unitless: ClassVar[bool] = True
    parts: ClassVar[Bonus] = Bonus(COMMIT, UNIT, CONSTANT, NO_COIN)
    exports: ClassVar[Mapping[str, Export]] = {
        "vw": Export(  # uniform for the first so many rounds, then greedy
            lambda pulls: {"pulls": pulls},
            "# as many actions as you have, and pulls times as many rounds\n"
            "K=3\nvw --cb_explore $K --first $(({pulls!r} * K)) -d log.vw\n",
            "The same length of exploration; its actions are drawn in it, not taken in turn, and it goes on learning "
            "what is greedy after it.",
        ),
        "growthbook": split_equally(
            "exploratory stage", "GrowthBook does not commit but goes on with Thompson sampling, and keeps 1% for each."
        ),
        "statsig": split_equally(
            "explorationWindow", "Autotune does not commit but goes on with Thompson sampling until winnerThreshold."
        ),
    }

    pulls: int

    def __init__(self, n_arms: int, *, pulls: int = 10, updates: Updates | None = None) -> None:
        super().__init__(n_arms, {"pulls": pulls}, updates=updates)

    def __repr__(self) -> str:
        return f"ExploreThenCommit(n_arms={self.n_arms}, pulls={self.pulls}, pulled={self.counts.sum()})"

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """Return a range that covers most runs: beyond the horizon over the arms nothing changes."""
        return 1.0, MOST_SEARCHED

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Return one piece for each number of pulls that fits into a run, and one for those that do not."""
        pieces = max(1, (size.horizon - 1) // size.n_arms + 1)
        return ComplexityBound(pieces, pieces, "")
