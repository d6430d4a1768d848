"""MOSS: a bonus that ends when an arm has had its share of the rounds."""

from collections.abc import Mapping
from typing import ClassVar

from banditune.kernels.lines.bonus import MINIMAX, NO_COIN, PRODUCT, Bonus
from banditune.kernels.lines.index import CONSTANT
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.parameters import Option, Parameter, Setting
from banditune.policies.updates import Updates


class MOSS(LinePolicy):
    """MOSS with the width of its bonus, `scale`, to be tuned (Audibert and Bubeck, 2009).

    Of T rounds with n arms, each pulls the arm with the largest index, ties going to the lowest arm::

        mean + scale sqrt(max(0, ln(T / (n pulls))) / pulls)

    so that an arm that has had its share of the rounds gets no bonus. The first rounds pull every arm once.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    scale : float, default 1.0
        The width of the bonus, at least 0, in units of the rewards. 1 is by the book for rewards from 0 to 1.
    horizon : int
        The number of rounds T that will be run.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = MOSS(2, scale=0.5, horizon=100)
    >>> for reward in (0.0, 1.0, 1.0):
    ...     policy.update(policy.select(), reward)
    >>> policy
    MOSS(n_arms=2, scale=0.5, horizon=100, pulls=3)
    """

    name: ClassVar[str] = "moss"
    index: ClassVar[str] = "mean + scale sqrt(max(0, ln(T / (n pulls))) / pulls)"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "scale": Parameter(
            "scale",
            default=1.0,
            usual=(1.0,),
            option=Option("range of the scale of the bonus", "fits the scale of the rewards"),
        )
    }
    knowledge: ClassVar[str] = "scale, the horizon"
    needs_horizon: ClassVar[bool] = True
    parts: ClassVar[Bonus] = Bonus(PRODUCT, MINIMAX, CONSTANT, NO_COIN)

    scale: float

    def __init__(
        self, n_arms: int, *, scale: float = 1.0, horizon: int | None = None, updates: Updates | None = None
    ) -> None:
        super().__init__(n_arms, {"scale": scale}, horizon=horizon, updates=updates)
