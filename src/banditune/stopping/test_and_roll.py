"""Test & Roll (Feit and Berman, 2019): how long a test of two arms should be that is followed by a roll-out.

The arms' means are drawn from a normal distribution, rewards vary normally around them, and a population of N is
divided into a test of n for each arm and a roll-out of the better one. Equation 10 of the paper is the n with the
largest expected profit. For more than two arms it has no closed form; n for each arm is taken from the same equation.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from banditune.tasks.task import Task
from banditune.validation import finite_number

LEAST_SPREAD = 1e-6  # of the noise: where past tests do not show that arms differ at all


class Spread(NamedTuple):
    """How rewards vary: around their arm's mean, and the means of the arms of a test."""

    noise: float
    prior: float


def find_test_size(population: float, noise: float, prior_sd: float) -> float:
    """Return the number of rounds of each of two arms in a test with the largest expected profit.

    Parameters
    ----------
    population : float
        The rounds of test and roll-out together.
    noise : float
        The standard deviation of a reward around its arm's mean.
    prior_sd : float
        The standard deviation of the means of arms.

    Examples
    --------
    >>> round(find_test_size(100_000, noise=0.5, prior_sd=0.03))
    2435
    """
    ratio = (finite_number("noise", noise, least=0.0) / finite_number("prior_sd", prior_sd, least=1e-300)) ** 2
    whole = finite_number("population", population, least=0.0)
    return math.sqrt(whole / 4.0 * ratio + (0.75 * ratio) ** 2) - 0.75 * ratio


def estimate_spread(tasks: Sequence[Task]) -> Spread:
    """Estimate from past tests how rewards and the means of arms vary; sampling errors of the means are taken off."""
    variances = np.concatenate([task.variances for task in tasks])
    errors = np.concatenate([task.variances / np.maximum(task.lengths, 1) for task in tasks])
    between = [float(task.means.var(ddof=1)) for task in tasks if task.n_arms > 1]
    noise = math.sqrt(float(variances.mean()))
    prior = max((float(np.mean(between)) if between else 0.0) - float(errors.mean()), 0.0)
    return Spread(noise, max(math.sqrt(prior), LEAST_SPREAD * noise, 1e-300))
