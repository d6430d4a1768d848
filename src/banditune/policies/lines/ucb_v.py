"""UCB-V: a bonus by the empirical variance of an arm's rewards."""

from collections.abc import Mapping
from typing import Any, ClassVar

from banditune.kernels.lines.bonus import BERNSTEIN, NO_COIN, ROOT, Bonus
from banditune.kernels.lines.index import LOG
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.lines.reward_settings import REWARD_RANGE
from banditune.policies.parameters import Number, Option, Parameter, Setting
from banditune.policies.updates import Updates


class UCBV(LinePolicy):
    """UCB-V with the scale of its bonus to be tuned (Audibert, Munos and Szepesvári, 2009).

    Round t pulls the arm with the largest index, ties going to the lowest arm::

        mean + scale (sqrt(2 v e / pulls) + 3 R e / pulls),    e = zeta ln t

    where v is the variance of the arm's rewards so far and R the width of the range that rewards lie in: the empirical
    Bernstein bound, at `scale` = 1. The first rounds pull every arm once.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    scale : float, default 1.0
        The scale of the bonus, at least 0.
    zeta : float, default 1.2
        How much surer the bound is as rounds go on.
    reward_range : float, default 1.0
        The width R of the range of the rewards; 0 leaves the second term out.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = UCBV(2, scale=0.1)
    >>> for reward in (0.0, 1.0, 1.0):
    ...     policy.update(policy.select(), reward)
    >>> policy
    UCBV(n_arms=2, scale=0.1, pulls=3)
    """

    name: ClassVar[str] = "ucbv"
    label: ClassVar[str] = "UCB-V"
    index: ClassVar[str] = "mean + scale (sqrt(2 v e / pulls) + 3 R e / pulls), e = zeta ln t"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "scale": Parameter(
            "scale", default=1.0, usual=(1.0,), option=Option("range of the scale of the bonus", "0 to 2")
        ),
        "zeta": Number("zeta", default=1.2, most=1e6),
        REWARD_RANGE.name: REWARD_RANGE,
    }
    knowledge: ClassVar[str] = "scale, the range of the rewards"
    is_unitless: ClassVar[bool] = True
    parts: ClassVar[Bonus] = Bonus(BERNSTEIN, ROOT, LOG, NO_COIN)

    scale: float
    zeta: float
    reward_range: float

    def __init__(
        self,
        n_arms: int,
        *,
        scale: float = 1.0,
        zeta: float = 1.2,
        reward_range: float = 1.0,
        updates: Updates | None = None,
    ) -> None:
        super().__init__(n_arms, {"scale": scale, "zeta": zeta, "reward_range": reward_range}, updates=updates)

    @classmethod
    def make_bonus(cls, settings: Mapping[str, Any], horizon: int) -> Bonus:
        """Return the parts of its index, with zeta and the range of the rewards."""
        return cls.parts._replace(power=float(settings["zeta"]), span=float(settings["reward_range"]))
