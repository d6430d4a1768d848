"""The field of a comparison: every baseline, with the knowledge of the tasks that it needs."""

from collections.abc import Sequence

import numpy as np

from banditune.baselines.base import Bounds
from banditune.baselines.corral import Corral, StochasticCorral
from banditune.baselines.entries import Entry, corral_entry, entry
from banditune.baselines.indices import KLUCB, UCB1, UCBV, Moss, UCBTuned
from banditune.baselines.sampling import BetaThompson, EpsilonGreedy, ExploreThenCommit, GaussianThompson
from banditune.baselines.tuners import CDT, GRID, Syndicated
from banditune.baselines.weights import EXP3, TsallisINF
from banditune.policies.parameters import round_up
from banditune.policies.ucb.ucb import UCB
from banditune.tasks.task import Task
from banditune.tuning.search import searchable


def field(tasks: Sequence[Task]) -> list[Entry]:
    """Every baseline for tasks like these: bounds and spread of the rewards are taken from all of them.

    The corrals are over UCBs with the paper's ten alphas, for rewards that are taken as 0 to 1.
    """
    bounds, sd = reward_bounds(tasks), reward_sd(tasks)
    square = (bounds[1] - bounds[0]) ** 2
    grid = [entry(UCB, alpha=alpha * square) for alpha in GRID]
    bounded = (UCB1, UCBTuned, UCBV, KLUCB, Moss, BetaThompson, TsallisINF, EXP3, CDT, Syndicated)
    return [
        *(entry(UCB, alpha=alpha) for alpha in searchable(UCB, "alpha").usual),
        *(entry(baseline, name=baseline.name, bounds=bounds) for baseline in bounded),
        entry(GaussianThompson, name=GaussianThompson.name, sd=sd),
        entry(EpsilonGreedy, name=EpsilonGreedy.name),
        entry(ExploreThenCommit, name=ExploreThenCommit.name),
        *(
            corral_entry(corral, grid, bounds=bounds, feedback=feedback)
            for corral in (Corral, StochasticCorral)
            for feedback in ("own", "importance")
        ),
    ]


def reward_bounds(tasks: Sequence[Task]) -> Bounds:
    """The least and the largest reward of all tasks; where all rewards are one number, an interval of width 1 from it.

    >>> reward_bounds([Task([[0.2, 0.9]]), Task([[0.1], [0.4]])])
    (0.1, 0.9)
    """
    ranges = [task.reward_range for task in tasks]
    low, high = min(each.low for each in ranges), max(each.high for each in ranges)
    return (low, high) if low < high else (low, low + round_up(0.0))


def reward_sd(tasks: Sequence[Task]) -> float:
    """The standard deviation of a reward around its arm's mean in its task, over all arms that gave several; 1 if 0.

    >>> reward_sd([Task([[0.0, 1.0], [2.0, 2.0]])])
    0.5
    """
    pulls, variances = (np.concatenate([getattr(task, name) for task in tasks]) for name in ("lengths", "variances"))
    several = pulls > 1
    variance = float(np.mean((variances * pulls)[several] / (pulls[several] - 1))) if several.any() else 0.0
    return float(np.sqrt(variance)) or 1.0
