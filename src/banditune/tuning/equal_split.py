"""Equal split, the baseline of most A/B tests: every arm gets the same share of the rounds."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.lines.run import recommend_after
from banditune.tasks.draws import draw_streams
from banditune.tasks.task import Task
from banditune.tuning.search import Search

EQUAL_SPLIT = "equal split"  # the name of the baseline that gives every arm the same share of the rounds


def split_losses(search: Search, tasks: Iterable[Any]) -> NDArray[np.float64] | None:
    """Return what each task is expected to lose if every arm gets the same share of the rounds: (tasks,), or None.

    Which arm is recommended at the end is found on the draws of the task, as in runs of a policy.
    """
    horizon = search.horizons[-1]
    if search.loss.later == 0.0:
        losses = [task.split_loss(horizon, search.loss.name) for task in tasks]
        return None if None in losses else np.array(losses, np.float64)
    return np.array([_split_and_recommend(search, task) for task in search.number_twins(tasks)])


def _split_and_recommend(search: Search, task: Task) -> float:
    """Return what an equal split loses on a task, with what the arm recommended then loses after it."""
    loss, horizon, gaps = search.loss, search.horizons[-1], task.means.max() - task.means
    draws = search.list_draws(task)
    streams = draw_streams(draws, horizon, search.seed).reshape(len(draws), task.n_arms, horizon)
    pulls = count_equally(task.n_arms, horizon)
    later = np.mean([gaps[recommend_of(each, pulls)] for each in streams])
    return float(loss.gaps * horizon * gaps.mean() + loss.later * later)


def count_equally(n_arms: int, rounds: int) -> NDArray[np.int64]:
    """Count the pulls of each arm in so many rounds, one arm after the other: (n_arms,).

    >>> count_equally(3, 7).tolist()
    [3, 2, 2]
    """
    return (rounds + n_arms - 1 - np.arange(n_arms)) // n_arms


def recommend_of(streams: NDArray[np.float64], pulls: NDArray[np.int64]) -> int:
    """Return the arm with the highest mean of the first pulls (n,) of streams (n, T), as a run with these would.

    All arms have as many pulls, so that these recommend none.

    >>> recommend_of(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([2, 1, 0]))
    0
    """
    received = [row[:n] for row, n in zip(streams, pulls.tolist(), strict=True)]
    return int(recommend_after(np.repeat(np.arange(pulls.size), pulls), np.concatenate(received), pulls.size, False))
