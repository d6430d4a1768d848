"""Theorem 4.1 as numbers: what not knowing how noisy rewards are has to cost for each log of the horizon.

The proofs, also for arms of unequal variances, are in docs/theory/proofs.md.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.errors import InputError
from banditune.tasks.task import Task
from banditune.validation import format_value

SLIGHT = 1e-8  # so small a gap^2 / variance that the series of log(1 + x) needs no third term


@dataclass(frozen=True, slots=True)
class Impossibility:
    """The two sides of Theorem 4.1 on a task with Gaussian rewards: regret as a multiple of log T, as T grows.

    Attributes
    ----------
    online : float
        At least this, for a policy that is consistent whatever the arms' means and variances, and is not told them.
    tuned : float
        At most this, for UCB with `alpha`, the same for all arms.
    alpha : float
        Twice the variance of the best arm (of the steadiest, if several are best).
    """

    online: float
    tuned: float
    alpha: float

    @property
    def ratio(self) -> float:
        """How many times more has to be paid online: above 1 where all variances are equal, which is Theorem 4.1.

        Where they differ it may be below 1, and then nothing is proved: one alpha for all arms can be worse than what
        a policy finds out for each. Infinite where the best arm does not vary at all, not a number where all arms are
        equally good.
        """
        if self.tuned > 0.0:
            return self.online / self.tuned
        return math.nan if self.online == 0.0 else math.inf


def impossibility(means: ArrayLike, variances: ArrayLike) -> Impossibility:
    """Return the two sides for arms with these means and variances: (n_arms,) each.

    With the gaps d to the best mean: the sum of 2 d / log(1 + d^2 / variance of the arm) against that of
    2 (variance of the best arm) / d.

    >>> sides = impossibility([0.5, 0.7], [0.01, 0.01])
    >>> round(sides.online, 4), round(sides.tuned, 4), round(sides.ratio, 2)
    (0.2485, 0.1, 2.49)
    >>> sides = impossibility([0.5, 0.7], [0.0001, 1.0])  # the best arm is noisy: one alpha for both does badly
    >>> round(sides.online, 4), round(sides.tuned, 4), sides.alpha
    (0.0667, 10.0, 2.0)
    """
    mean, variance = _numbers("means", means), _numbers("variances", variances)
    if mean.shape != variance.shape or mean.size == 0:
        raise InputError(f"each mean needs a variance, got shapes {mean.shape} and {variance.shape}")
    if (variance < 0.0).any():
        raise InputError(f"variances must not be negative, got {format_value(variance)}")
    gaps = mean.max() - mean
    worse = gaps > 0.0
    gap, spread, steadiest = gaps[worse], variance[worse], float(variance[~worse].min())
    # as the variance goes to nothing the online side does too, but slowly: the limits of floats stand for none
    limits = np.finfo(np.float64)
    with np.errstate(over="ignore"):
        signal = np.clip(gap * gap / np.maximum(spread, limits.tiny), limits.tiny, limits.max)
        online = np.where(signal > SLIGHT, 2.0 * gap / np.log1p(signal), 2.0 * spread / gap * (1.0 + signal / 2.0))
        tuned = 2.0 * steadiest / gap
    return Impossibility(float(online.sum()), float(tuned.sum()), 2.0 * steadiest)


def impossibility_of_task(task: Task) -> Impossibility:
    """Return the two sides for a task, as if its rewards were Gaussian with the variances that were observed.

    >>> impossibility_of_task(Task([[0.4, 0.6], [0.7, 0.9]])).ratio > 1.0
    True
    """
    return impossibility(task.means, task.variances)


def _numbers(name: str, given: ArrayLike) -> NDArray[np.float64]:
    numbers = np.asarray(given, dtype=np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise InputError(f"{name} must be finite numbers, one per arm; got {format_value(given)}")
    return numbers
