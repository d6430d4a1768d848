"""Thompson sampling from a Gaussian posterior over all arms."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from banditune.policies.gaussian.policy import GaussianPolicy
from banditune.policies.gaussian.settings import list_parameters
from banditune.policies.parameters import Setting
from banditune.validation import whole_number


class GaussianTS(GaussianPolicy):
    """Thompson sampling with a Gaussian prior over arms that come back; `bt.tune` learns the prior and `theta`.

    As `bt.GaussianUCB`, but round t pulls the arm with the largest index::

        posterior mean + theta * (sample of the posterior - posterior mean)

    `theta` = 1 is Thompson sampling by the book; with a prior learned from past tasks it is known as meta-Thompson
    sampling (Kveton et al., 2021). The random numbers of a round are those of (seed, round, arm), whatever was pulled
    before: so `select` changes nothing, and the loss of a task is a step function of `theta`.

    Parameters
    ----------
    arms : int or sequence
        As for `bt.GaussianUCB`.
    seed : int, default 0
        The random seed: give every task one of its own.
    **settings
        As for `bt.GaussianUCB`: `prior_mean`, `prior_cov`, `noise`, `theta`, `horizon` and `prior`; and `schedule`, by
        default "constant": what theta is multiplied by in round t is then 1.

    Examples
    --------
    >>> policy = GaussianTS(["a", "b"], prior_mean=0.5, prior_cov=[[0.04, 0.03], [0.03, 0.04]], noise=0.01, seed=3)
    >>> policy.update(policy.select(), 0.1)
    >>> policy
    GaussianTS(n_arms=2, theta=1, prior='given', pulls=1)
    """

    name: ClassVar[str] = "gaussiants"
    index: ClassVar[str] = "posterior mean + theta * (sample of the posterior - posterior mean)"
    parameters: ClassVar[Mapping[str, Setting]] = list_parameters("constant")
    knowledge: ClassVar[str] = "past tasks"
    samples: ClassVar[bool] = True
    fitted_schedule: ClassVar[str] = "constant"
    is_randomised: ClassVar[bool] = True

    def __init__(self, arms: Any, *, seed: int = 0, **settings: Any) -> None:
        super().__init__(arms, **settings)
        self.seed = whole_number("seed", seed, least=0, most=2**64 - 1)

    @property
    def _key(self) -> np.uint64:
        return np.uint64(self.seed)

    def _state(self) -> dict[str, Any]:
        return super()._state() | {"seed": self.seed}

    @classmethod
    def _list_saved_arguments(cls) -> tuple[str, ...]:
        return (*super()._list_saved_arguments(), "seed")
