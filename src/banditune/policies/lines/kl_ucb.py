"""KL-UCB: the largest mean that the rewards so far do not contradict."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from banditune.kernels.lines.bonus import DIVERGENCE, LOGARITHM, NO_COIN, Bonus
from banditune.kernels.lines.kl_divergence import BERNOULLI, FAMILIES
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.lines.reward_settings import Bounds
from banditune.policies.parameters import Choice, Option, Parameter, Setting
from banditune.policies.updates import Updates


class KLUCB(LinePolicy):
    """KL-UCB with the level of its bound, `c`, to be tuned (Garivier and Cappé, 2011).

    Round t pulls the arm with the largest index, ties going to the lowest arm::

        the largest q with pulls * d(mean, q) <= c ln t

    where d is the Kullback-Leibler divergence between distributions of a family with these means. The first rounds pull
    every arm once. Two indices, as functions of `c`, cross at most once: so its loss is a step function, too.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    c : float, default 1.0
        The level of the bound, at least 0. 1 is by the book.
    family : {"bernoulli", "gaussian", "poisson", "exponential"}, default "bernoulli"
        The family of the rewards' distributions; normal ones have the variance 1. Bernoulli's divergence also serves
        any rewards from 0 to 1. Means that a family cannot have are taken as the nearest that it can.
    bounds : (low, high), default (0.0, 1.0)
        What of the rewards is taken as 0 and as 1.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = KLUCB(2, c=0.3)
    >>> for reward in (0.0, 1.0, 1.0):
    ...     policy.update(policy.select(), reward)
    >>> policy
    KLUCB(n_arms=2, c=0.3, pulls=3)
    """

    name: ClassVar[str] = "klucb"
    label: ClassVar[str] = "KL-UCB"
    index: ClassVar[str] = "the largest q with pulls * d(mean, q) <= c ln t"
    slowness: ClassVar[float] = 15.0
    parameters: ClassVar[Mapping[str, Setting]] = {
        "c": Parameter(
            "c", default=1.0, scale="root", usual=(1.0,), option=Option("range of the level of the bound", "0 to 2")
        ),
        "family": Choice(
            "family",
            default="bernoulli",
            choices=FAMILIES,
            option=Option(
                f"family of the rewards: {', '.join(FAMILIES)}; repeat it to select the best",
                "bernoulli",
                "values",
                metavar="NAME",
            ),
        ),
        "bounds": Bounds("bounds", default=(0.0, 1.0)),
    }
    knowledge: ClassVar[str] = "bounds of the rewards"
    is_unitless: ClassVar[bool] = True
    parts: ClassVar[Bonus] = Bonus(DIVERGENCE, BERNOULLI, LOGARITHM, NO_COIN)

    c: float
    family: str
    bounds: tuple[float, float]

    def __init__(
        self,
        n_arms: int,
        *,
        c: float = 1.0,
        family: str = "bernoulli",
        bounds: Sequence[float] = (0.0, 1.0),
        updates: Updates | None = None,
    ) -> None:
        super().__init__(n_arms, {"c": c, "family": family, "bounds": bounds}, updates=updates)

    @classmethod
    def make_bonus(cls, settings: Mapping[str, Any], horizon: int) -> Bonus:
        """Return the parts of its index: the family, and the bounds of the rewards."""
        low, high = settings["bounds"]
        return cls.parts._replace(width=FAMILIES.index(settings["family"]), low=low, span=high - low)
