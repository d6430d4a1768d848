"""Thompson sampling for rates, with Beta posteriors whose spread is tuned."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from banditune.errors import ParameterError
from banditune.kernels.lines.bonus import NO_COIN, POSTERIOR, UNIT, Bonus
from banditune.kernels.lines.index import CONSTANT
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.lines.reward_settings import LEARNED, Bounds, RatePrior
from banditune.policies.parameters import Option, Parameter, Setting
from banditune.policies.piece_bounds import ComplexityBound, TaskSize, bound_lines
from banditune.policies.updates import Updates


class BetaThompson(LinePolicy):
    """Thompson sampling with Beta posteriors, whose spread, `stretch`, is to be tuned.

    Each round pulls the arm with the largest index::

        posterior mean + stretch * (sample of the posterior - posterior mean)

    The prior of each arm's rate is Beta(a, b), and the rewards so far, between 0 and 1, count as that much of a success
    each. `stretch` = 1 is Thompson sampling by the book; past tasks usually ask for less. There are no first rounds in
    which every arm is pulled once.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    stretch : float, default 1.0
        What the deviation of a sample from the mean is multiplied with, at least 0.
    prior : (a, b), "uniform" or "learned", default "uniform"
        The prior: Beta(1, 1), two numbers, or in `bt.tune` one that is fitted to the tasks' rates.
    bounds : (low, high), default (0.0, 1.0)
        Where rewards lie; they are taken as 0 to 1.
    seed : int, default 0
        The random seed: give every task one of its own.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = BetaThompson(2, stretch=0.5, seed=3)
    >>> policy.update(policy.select(), 1.0)
    >>> policy
    BetaThompson(n_arms=2, stretch=0.5, pulls=1)
    """

    name: ClassVar[str] = "betathompson"
    label: ClassVar[str] = "Thompson (Beta)"
    index: ClassVar[str] = "posterior mean + stretch * (sample of the posterior - posterior mean)"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "stretch": Parameter(
            "stretch", default=1.0, usual=(1.0,), option=Option("range of the stretch of posterior samples", "0 to 2")
        ),
        "prior": RatePrior(
            "prior",
            default=(1.0, 1.0),
            option=Option("prior of the rates: uniform, or learned from the tasks", "uniform", "value", metavar="NAME"),
        ),
        "bounds": Bounds("bounds", default=(0.0, 1.0)),
    }
    knowledge: ClassVar[str] = "bounds of the rewards, a prior"
    is_randomised: ClassVar[bool] = True
    is_unitless: ClassVar[bool] = True
    parts: ClassVar[Bonus] = Bonus(POSTERIOR, UNIT, CONSTANT, NO_COIN)

    stretch: float
    prior: tuple[float, float]
    bounds: tuple[float, float]

    def __init__(
        self,
        n_arms: int,
        *,
        stretch: float = 1.0,
        prior: str | Sequence[float] = "uniform",
        bounds: Sequence[float] = (0.0, 1.0),
        seed: int = 0,
        updates: Updates | None = None,
    ) -> None:
        super().__init__(n_arms, {"stretch": stretch, "prior": prior, "bounds": bounds}, seed=seed, updates=updates)

    @classmethod
    def make_bonus(cls, settings: Mapping[str, Any], horizon: int) -> Bonus:
        """Return the parts of its index, with the prior and the bounds of the rewards."""
        if settings["prior"] == LEARNED:
            raise ParameterError('prior="learned" is fitted to past tasks by bt.tune; a run needs two numbers (a, b)')
        (low, high), (a, b) = settings["bounds"], settings["prior"]
        return cls.parts._replace(low=low, span=high - low, successes=a, failures=b)

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Theorem 7.1, without first rounds: indices are lines that depend on the counts and on the round."""
        return ComplexityBound(bound_lines(size, starts_with_each=False), size.horizon**size.n_arms, "7.1")
