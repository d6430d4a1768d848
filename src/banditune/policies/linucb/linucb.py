"""LinUCB: choose the arm with the highest weights . x + alpha sqrt(x' K^-1 x). Algorithm 4 of the paper."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from banditune.policies.exports import Export
from banditune.policies.linucb.exports import EXPORTS
from banditune.policies.linucb.policy import LinearPolicy
from banditune.policies.parameters import Option, Parameter, Setting
from banditune.policies.updates import Updates


class LinUCB(LinearPolicy):
    """LinUCB, a contextual bandit with exploration parameter `alpha` (Algorithm 4 of the paper).

    A round chooses the arm with the largest index, ties going to the lowest arm::

        x'theta + alpha sqrt(x' A^-1 x)

    where x is the context of the arm, A = ridge I + sum of x x' over the past choices, and theta = A^-1 (sum of
    reward x) their ridge regression: one for all arms or, with `disjoint`, one for each.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    dim : int
        The number of features of a context.
    alpha : float, default 1.0
        The exploration parameter, at least 0; `bt.tune` learns it.
    ridge : float, default 1.0
        The ridge penalty.
    disjoint : bool, default False
        Whether each arm has a regression of its own.
    scaling : {"none", "contexts"} or mapping, default "none"
        How contexts are scaled: not at all, each to unit length, or by feature with {"divide_by": [...]}.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round. Pending
        choices count in A under the root, not in theta; with `whole`, the policy does not change during a batch.

    Examples
    --------
    >>> policy = LinUCB(2, dim=1, alpha=0.5)
    >>> arm = policy.select([[0.1], [0.9]])  # the arm that is known less about
    >>> policy.update(arm, 1.0, [[0.1], [0.9]])
    >>> arm
    1
    >>> policy
    LinUCB(n_arms=2, dim=1, alpha=0.5)
    """

    name: ClassVar[str] = "linucb"
    index: ClassVar[str] = "x'theta + alpha sqrt(x' A^-1 x)"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "alpha": Parameter(
            "alpha",
            default=1.0,
            scale="plain",
            usual=(1.0, 0.1, 0.0),
            option=Option("range of alpha to search", "fits the scale of the rewards"),
        )
    }
    knowledge: ClassVar[str] = "alpha"
    exports: ClassVar[Mapping[str, Export]] = EXPORTS

    alpha: float

    def __init__(
        self,
        n_arms: int,
        dim: int,
        *,
        alpha: float = 1.0,
        ridge: float = 1.0,
        disjoint: bool = False,
        scaling: str | Mapping[str, Sequence[float]] = "none",
        updates: Updates | None = None,
    ) -> None:
        known: dict[str, Any] = {"ridge": ridge, "disjoint": disjoint, "scaling": scaling, "updates": updates}
        super().__init__(n_arms, dim, {"alpha": alpha} | known)
