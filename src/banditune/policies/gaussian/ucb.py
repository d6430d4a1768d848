"""Upper confidence bounds of a Gaussian posterior over all arms."""

from collections.abc import Mapping
from typing import Any, ClassVar

from banditune.policies.gaussian.policy import GaussianPolicy
from banditune.policies.gaussian.settings import list_parameters
from banditune.policies.parameters import Setting


class GaussianUCB(GaussianPolicy):
    """Upper confidence bounds with a Gaussian prior over arms that come back; `bt.tune` learns the prior and `theta`.

    The arms' means in a task are taken to be normal with the prior's means and covariances, and rewards to be normal
    around them with variance `noise`. Round t pulls the arm with the largest index, ties going to the lowest arm::

        posterior mean + theta * posterior sd * sqrt(ln t)

    There are no first rounds in which every arm is pulled once, and pulling one arm teaches about all that go with it.

    Parameters
    ----------
    arms : int or sequence
        The number of arms, or their names: `select` returns names then, and `update` takes them.
    prior_mean : array_like or mapping
        What each arm is expected to give, by position or by name; one number is the same for all.
    prior_cov : array_like
        The covariance matrix of the arms' means over tasks; numbers in a list are variances of independent arms.
    noise : float
        The variance of a reward around its arm's mean.
    theta : float, default 1.0
        The scale of exploration, at least 0.
    schedule : {"log", "constant", "remaining"}, default "log"
        How exploration goes with the round: theta times sqrt(ln t), 1, or sqrt(ln((T + 1) / t)).
    horizon : int, optional
        The number of rounds T that will be run, for the schedule "remaining".
    prior : GaussianPrior, optional
        All of prior_mean, prior_cov and noise, as `tuned.prior` has them; arms are found by name.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Attributes
    ----------
    counts : ndarray of int, shape (n_arms,)
        How often each arm was pulled.
    means, sds : ndarray, shape (n_arms,)
        What is known of the arms' means by now: the posterior's means and standard deviations.

    Examples
    --------
    >>> policy = GaussianUCB(["a", "b"], prior_mean=[0.5, 0.4], prior_cov=[[0.04, 0.03], [0.03, 0.04]], noise=0.01)
    >>> policy.select()
    'a'
    >>> policy.update("a", 0.1)
    >>> policy.means.round(3)  # b is expected to be worse, too
    array([0.18, 0.16])
    """

    name: ClassVar[str] = "gaussianucb"
    slowness: ClassVar[float] = 25.0  # with a prior that is fitted, in all its structures and folds
    index: ClassVar[str] = "posterior mean + theta * posterior sd * sqrt(ln t)"
    parameters: ClassVar[Mapping[str, Setting]] = list_parameters("log")
    knowledge: ClassVar[str] = "past tasks"
    samples: ClassVar[bool] = False
    fitted_schedule: ClassVar[str] = "remaining"

    @classmethod
    def describe_index(cls, params: Mapping[str, Any]) -> str:
        """Return the index with what the schedule puts in the place of ln t."""
        schedules = {"constant": "", "remaining": " * sqrt(ln((T + 1) / t))"}
        return cls.index.replace(" * sqrt(ln t)", schedules.get(params.get("schedule", "log"), " * sqrt(ln t)"))
