"""UCB-Tuned: UCB1 whose bonus shrinks with the variance of an arm's rewards."""

from collections.abc import Mapping
from typing import Any, ClassVar

from banditune.kernels.lines.bonus import CAPPED, NO_COIN, ROOT, Bonus
from banditune.kernels.lines.index import LOG
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.lines.reward_settings import REWARD_RANGE
from banditune.policies.parameters import Option, Parameter, Setting
from banditune.policies.updates import Updates


class UCBTuned(LinePolicy):
    """UCB-Tuned with the scale of its bonus to be tuned (Auer, Cesa-Bianchi and Fischer, 2002).

    Round t pulls the arm with the largest index, ties going to the lowest arm::

        mean + scale sqrt(ln t / pulls min(R^2 / 4, v + R^2 sqrt(2 ln t / pulls)))

    where v is the variance of the arm's rewards so far and R the width of the range that rewards lie in. The first
    rounds pull every arm once.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    scale : float, default 1.0
        The scale of the bonus, at least 0.
    reward_range : float, default 1.0
        The width R of the range of the rewards.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = UCBTuned(2, scale=0.5)
    >>> for reward in (0.0, 1.0, 1.0):
    ...     policy.update(policy.select(), reward)
    >>> policy
    UCBTuned(n_arms=2, scale=0.5, pulls=3)
    """

    name: ClassVar[str] = "ucbtuned"
    label: ClassVar[str] = "UCB-Tuned"
    index: ClassVar[str] = "mean + scale sqrt(ln t / pulls min(R^2 / 4, v + R^2 sqrt(2 ln t / pulls)))"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "scale": Parameter(
            "scale", default=1.0, usual=(1.0,), option=Option("range of the scale of the bonus", "0 to 2")
        ),
        REWARD_RANGE.name: REWARD_RANGE,
    }
    knowledge: ClassVar[str] = "scale, the range of the rewards"
    is_unitless: ClassVar[bool] = True
    parts: ClassVar[Bonus] = Bonus(CAPPED, ROOT, LOG, NO_COIN)

    scale: float
    reward_range: float

    def __init__(
        self, n_arms: int, *, scale: float = 1.0, reward_range: float = 1.0, updates: Updates | None = None
    ) -> None:
        super().__init__(n_arms, {"scale": scale, "reward_range": reward_range}, updates=updates)

    @classmethod
    def make_bonus(cls, settings: Mapping[str, Any], horizon: int) -> Bonus:
        """Return the parts of its index, with the range of the rewards."""
        return cls.parts._replace(span=float(settings["reward_range"]))
