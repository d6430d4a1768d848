"""Boltzmann-Gumbel exploration: softmax whose temperature falls with an arm's own pulls."""

from collections.abc import Mapping
from typing import ClassVar

from banditune.kernels.lines.bonus import GUMBEL, PRODUCT, ROOT, Bonus
from banditune.kernels.lines.index import CONSTANT
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.parameters import Option, Parameter, Setting
from banditune.policies.updates import Updates


class BoltzmannGumbel(LinePolicy):
    """Boltzmann-Gumbel exploration with its `scale` to be tuned (Cesa-Bianchi, Gentile, Lugosi and Neu, 2017).

    Each round pulls the arm with the largest index::

        mean + scale Gumbel / sqrt(pulls)

    where `Gumbel` is a standard Gumbel number of the round and the arm. The first rounds pull every arm once.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    scale : float, default 1.0
        The scale of exploration, at least 0; in the paper C.
    seed : int, default 0
        The random seed: give every task one of its own.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = BoltzmannGumbel(2, scale=0.5, seed=3)
    >>> policy.update(policy.select(), 1.0)
    >>> policy
    BoltzmannGumbel(n_arms=2, scale=0.5, pulls=1)
    """

    name: ClassVar[str] = "boltzmanngumbel"
    label: ClassVar[str] = "Boltzmann-Gumbel"
    index: ClassVar[str] = "mean + scale Gumbel / sqrt(pulls)"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "scale": Parameter(
            "scale",
            default=1.0,
            usual=(1.0,),
            option=Option("range of the scale of the Gumbel numbers", "fits the scale of the rewards"),
        )
    }
    knowledge: ClassVar[str] = "scale"
    is_randomised: ClassVar[bool] = True
    parts: ClassVar[Bonus] = Bonus(PRODUCT, ROOT, CONSTANT, GUMBEL)

    scale: float

    def __init__(self, n_arms: int, *, scale: float = 1.0, seed: int = 0, updates: Updates | None = None) -> None:
        super().__init__(n_arms, {"scale": scale}, seed=seed, updates=updates)
