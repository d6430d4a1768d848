"""Thompson sampling for rewards with normal noise, where nothing is known of the arms beforehand."""

from collections.abc import Mapping
from typing import ClassVar

from banditune.kernels.lines.bonus import NORMAL, PRODUCT, ROOT, Bonus
from banditune.kernels.lines.index import CONSTANT
from banditune.policies.base import RewardScale
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.parameters import Option, Parameter, Setting
from banditune.policies.updates import Updates


class GaussianThompson(LinePolicy):
    """Thompson sampling with normal posteriors, whose spread is to be tuned (Agrawal and Goyal, 2013).

    Each round pulls the arm with the largest sample of its mean::

        mean + scale normal / sqrt(pulls)

    where `normal` is a standard normal number of the round and the arm, and `scale` the standard deviation that a
    reward is taken to have around its arm's mean. The first rounds pull every arm once. For arms that come back in task
    after task, `bt.GaussianTS` learns a prior.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    scale : float, default 1.0
        The standard deviation of a reward, at least 0.
    seed : int, default 0
        The random seed: give every task one of its own.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = GaussianThompson(2, scale=0.5, seed=3)
    >>> policy.update(policy.select(), 1.0)
    >>> policy
    GaussianThompson(n_arms=2, scale=0.5, pulls=1)
    """

    name: ClassVar[str] = "gaussianthompson"
    label: ClassVar[str] = "Thompson (Gaussian)"
    index: ClassVar[str] = "mean + scale normal / sqrt(pulls)"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "scale": Parameter(
            "scale",
            default=1.0,
            usual=(1.0,),
            option=Option("range of the standard deviation of a reward", "fits the scale of the rewards"),
        )
    }
    knowledge: ClassVar[str] = "the rewards' standard deviation"
    is_randomised: ClassVar[bool] = True
    parts: ClassVar[Bonus] = Bonus(PRODUCT, ROOT, CONSTANT, NORMAL)

    scale: float

    def __init__(self, n_arms: int, *, scale: float = 1.0, seed: int = 0, updates: Updates | None = None) -> None:
        super().__init__(n_arms, {"scale": scale}, seed=seed, updates=updates)

    @classmethod
    def unit_of(cls, scale: RewardScale) -> float:
        """Return the standard deviation of a reward, by which the usual value is meant."""
        return scale.sd
