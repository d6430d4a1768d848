"""LinTS: Thompson sampling for contextual bandits with linear rewards."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from banditune.kernels.linear.run import Rounds
from banditune.kernels.linear.sampling import Sampler, make_sampler
from banditune.policies.batches import Terms
from banditune.policies.exports import Export
from banditune.policies.linucb.batches import batch_rounds
from banditune.policies.linucb.exports import write_contextualbandits, write_mabwiser
from banditune.policies.linucb.policy import LinearPolicy
from banditune.policies.parameters import Option, Parameter, Setting
from banditune.policies.updates import Updates
from banditune.tasks.contextual import ContextualTask
from banditune.validation import whole_number

EXPORTS = {
    "mabwiser": Export(  # a sample of N(weights, alpha^2 A^-1) for each arm
        lambda scale, ridge=1.0: {"alpha": scale, "l2_lambda": ridge},
        write_mabwiser("LinTS"),
        "The same distribution from the same history, drawn by other random numbers. For an arm that was never chosen "
        "it takes l2_lambda I as the inverse of itself: choose every arm once first. All arms share a context.",
    ),
    "contextualbandits": Export(  # a sample of N(weights . x, v_sq^2 x' A^-1 x) for each arm
        lambda scale, ridge=1.0: {"v_sq": scale, "lambda_": ridge},
        write_contextualbandits(
            "LinTS(len(arms), v_sq={v_sq!r}, lambda_={lambda_!r}, fit_intercept=False, sample_from='ci')"
        ),
        "The same distribution from the same history, drawn by other random numbers. Its v_sq is the scale, not its "
        "square, where samples are of predictions (sample_from='ci'); samples of coefficients spread far wider in "
        "version 0.3.30. An arm that was never chosen is not drawn: choose every arm once first. All arms share a "
        "context.",
    ),
}


class LinTS(LinearPolicy):
    """Thompson sampling with linear regressions, whose spread, `scale`, is to be tuned (Agrawal and Goyal, 2013).

    A round chooses the arm with the largest index, ties going to the lowest arm::

        x'theta + scale * x'(sample of N(0, A^-1))

    where x is the context of the arm, A = ridge I + sum of x x' over the past choices, and theta = A^-1 (sum of
    reward x) their ridge regression: one for all arms or, with `disjoint`, one for each. A round has one sample of each
    regression, drawn by the random seed and the number of the round.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    dim : int
        The number of features of a context.
    scale : float, default 1.0
        The spread of the samples, at least 0; `bt.tune` learns it.
    ridge, disjoint, scaling
        As for `bt.LinUCB`.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round. Samples
        go by the rewards that are known, a new one in every round; with `whole`, one in every batch.
    seed : int, default 0
        The random seed: give every task one of its own.

    Examples
    --------
    >>> policy = LinTS(2, dim=1, scale=0.5, seed=3)
    >>> arm = policy.select([[0.1], [0.9]])
    >>> policy.update(arm, 1.0, [[0.1], [0.9]])
    >>> policy
    LinTS(n_arms=2, dim=1, scale=0.5)
    """

    name: ClassVar[str] = "lints"
    index: ClassVar[str] = "x'theta + scale * x'(sample of N(0, A^-1))"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "scale": Parameter(
            "scale",
            default=1.0,
            usual=(1.0,),
            option=Option("range of the spread of samples", "fits the scale of the rewards"),
        )
    }
    knowledge: ClassVar[str] = "scale"
    task_types: ClassVar[tuple[type, ...]] = (ContextualTask,)
    is_randomised: ClassVar[bool] = True
    exports: ClassVar[Mapping[str, Export]] = EXPORTS

    scale: float

    def __init__(
        self,
        n_arms: int,
        dim: int,
        *,
        scale: float = 1.0,
        ridge: float = 1.0,
        disjoint: bool = False,
        scaling: str | Mapping[str, Sequence[float]] = "none",
        updates: Updates | None = None,
        seed: int = 0,
    ) -> None:
        known: dict[str, Any] = {"ridge": ridge, "disjoint": disjoint, "scaling": scaling, "updates": updates}
        super().__init__(n_arms, dim, {"scale": scale} | known)
        self.seed = whole_number("seed", seed, least=0, most=2**64 - 1)
        self.rounds = 0

    @property
    def next_turn(self) -> int:
        """The number of the next round, as its random numbers see it: also after arms have left."""
        return self.rounds + int(self.pending.sum()) + 1

    def _sampler(self) -> Sampler:
        return make_sampler(self.seed, self.dim)

    @classmethod
    def make_sampler(cls, rounds: Rounds) -> Sampler:
        """Return what runs on a task draw with."""
        return Sampler(rounds.key, *make_sampler(0, rounds.contexts.shape[2])[1:])

    def update(self, arm: int, reward: float, contexts: ArrayLike) -> None:
        """Learn from the reward of a choice: see `bt.LinUCB`."""
        super().update(arm, reward, contexts)
        self.rounds += 1

    def adopt(self, other: Any, arms: Sequence[int | None]) -> None:
        """Take over the regressions of another, and its rounds: see `bt.LinUCB`."""
        super().adopt(other, arms)
        self.rounds = other.rounds

    @classmethod
    def _list_saved_arguments(cls) -> tuple[str, ...]:
        return (*super()._list_saved_arguments(), "seed")

    def _save_extras(self) -> dict[str, Any]:
        return {"rounds": self.rounds}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Make the policy from what `to_json` wrote."""
        policy = super().from_state(state)
        policy.rounds = whole_number("rounds", state["rounds"], least=0)
        return policy

    @classmethod
    def make_batch(cls, tasks: Sequence[Any], terms: Terms) -> list[Rounds]:
        """Lay out contextual tasks, each with the key of its samples."""
        batch = batch_rounds(tasks, terms)
        keys = (np.uint64(task.address.key(terms.seed)) for task in tasks)
        return [rounds._replace(key=key) for rounds, key in zip(batch, keys, strict=True)]
