"""Many tasks in a few arrays, each with what is expected of its arms."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.gaussian.posterior import Prior, make_prior
from banditune.kernels.jit import jit
from banditune.kernels.lines.feedback import IMMEDIATE, Feedback, find_shown_round
from banditune.kernels.lines.index import NOTHING, After, growth_of_rounds
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.double_double import add


class GaussianBatch(NamedTuple):
    """Tasks end to end; the arms of task k are the rows starts[k]:starts[k + 1]."""

    streams: Floats  # (all arms, T) the rewards each arm would give
    gaps: Floats  # (all arms,) what one pull costs
    starts: Integers  # (tasks + 1,)
    earned: float  # 1.0 if the rewards received count against the loss, else 0.0
    means: Floats  # (all arms,) the prior means
    covariances: Floats  # the prior covariances of each task's arms, row by row, all tasks end to end
    noise: float  # the variance of a reward around its arm's mean
    is_flat: bool  # whether nothing is expected of the arms
    schedule: int  # how the scale changes with the round
    keys: NDArray[np.uint64]  # (tasks,) of the random numbers of a policy that samples; else (0,)
    after: After = NOTHING  # what comes after the runs, its gaps (all arms,)
    feedback: Feedback = IMMEDIATE  # when rewards become known


class Tables(NamedTuple):
    """One task, and what is expected of its arms."""

    sums: Floats  # (n, T + 1, 2) the sum of an arm's first p rewards, high and low part
    growth: Floats  # (T + 1 or more,) how the scale changes with the round
    gaps: Floats  # (n,) what one pull costs
    earned: float
    prior: Prior
    key: np.uint64
    samples: bool
    after: After  # what comes after the run


@jit
def tabulate(batch: GaussianBatch, task: int) -> Tables:
    """Return the tables of one task of a batch."""
    first, last, place = batch.starts[task], batch.starts[task + 1], 0
    for before in range(task):
        place += (batch.starts[before + 1] - batch.starts[before]) ** 2
    n_arms, rounds = last - first, batch.streams.shape[1]
    sums = np.zeros((n_arms, rounds + 1, 2))
    for arm in range(n_arms):
        for p in range(rounds):
            reward = batch.streams[first + arm, p]
            sums[arm, p + 1, 0], sums[arm, p + 1, 1] = add(sums[arm, p, 0], sums[arm, p, 1], reward, 0.0)
    covariance = batch.covariances[place : place + n_arms * n_arms].reshape(n_arms, n_arms)
    means = batch.means[first:last]
    samples = batch.keys.size > 0
    key = batch.keys[task] if samples else np.uint64(0)
    prior = make_prior(means, covariance, batch.noise, batch.is_flat, samples)
    growth = growth_of_rounds(batch.schedule, float(rounds), find_shown_round(batch.feedback, rounds))
    after = After(batch.after.rounds, batch.after.gaps[first:last], batch.after.by_pulls)
    return Tables(sums, growth, batch.gaps[first:last], batch.earned, prior, key, samples, after)
