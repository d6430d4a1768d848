"""The tasks the benchmarks run on, drawn from addresses so that every run times the same ones."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.lines.batch import Batch, without_priors
from banditune.rng import generator
from banditune.tasks.task import Task

BLOCK = 10_000  # tasks drawn at once
ANY_RATES, CLICK_RATES = (0.0, 1.0), (0.01, 0.05)  # how often a Bernoulli arm may pay


def bernoulli_batch(
    n_arms: int, horizon: int, n_tasks: int, *, seed: int = 0, rates: tuple[float, float] = ANY_RATES
) -> Batch:
    """Arms that pay 1 at a rate drawn uniformly from a range, else 0."""
    random = generator(seed, "bernoulli", n_arms)
    means = random.uniform(*rates, (n_tasks, n_arms))
    return batch_of((random.random((n_tasks, n_arms, horizon)) < means[:, :, None]).astype(np.float64), means)


def gaussian_batch(n_arms: int, horizon: int, n_tasks: int, *, seed: int = 0, spread: float = 1.0) -> Batch:
    """Arms with normal rewards of one standard deviation around means drawn uniformly from [0, 1]."""
    random = generator(seed, "gaussian", n_arms)
    means = random.random((n_tasks, n_arms))
    return batch_of(random.normal(means[:, :, None], spread, (n_tasks, n_arms, horizon)), means)


def batch_of(rewards: NDArray[np.float64], means: NDArray[np.float64]) -> Batch:
    """Rewards (tasks, n, T) as the kernels take them; the loss is the regret, so only differences of means count."""
    n_tasks, n_arms, horizon = rewards.shape
    gaps = means.max(axis=1, keepdims=True) - means
    starts = np.arange(0, n_tasks * n_arms + 1, n_arms)
    return without_priors(rewards.reshape(-1, horizon), gaps.reshape(-1), starts, 0.0)


def first_rounds(batch: Batch, horizon: int) -> Batch:
    """The same tasks with shorter runs."""
    return batch._replace(streams=np.ascontiguousarray(batch.streams[:, :horizon]))


def first_arms(batch: Batch, n_arms: int) -> Batch:
    """The same tasks with fewer arms; all tasks must have equally many."""
    n_tasks, horizon = batch.starts.size - 1, batch.streams.shape[1]
    kept = batch.gaps.reshape(n_tasks, -1)[:, :n_arms]
    return batch_of(batch.streams.reshape(n_tasks, -1, horizon)[:, :n_arms], -kept)


def bernoulli_tasks(
    n_arms: int, horizon: int, n_tasks: int, *, seed: int = 0, rates: tuple[float, float] = ANY_RATES
) -> Iterator[Task]:
    """As many tasks as wanted, never more than a block of them in memory."""
    for first in range(0, n_tasks, BLOCK):
        batch = bernoulli_batch(n_arms, horizon, min(BLOCK, n_tasks - first), seed=seed + first, rates=rates)
        for rewards in batch.streams.reshape(-1, n_arms, horizon):
            yield Task(rewards)
