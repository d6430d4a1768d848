"""The folds of cross-validation: how many, and which tasks are in each."""

import numpy as np
from numpy.typing import NDArray

from banditune.rng import generator

N_FOLDS = 10  # of cross-validation, where no number is given
FEW_FOLDS = 5  # where each of them is a search of many lines


def assign_folds(n_tasks: int, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each task, (tasks,): at random, and of equal sizes but for one task.

    >>> assign_folds(7, 3, seed=0)
    array([0, 0, 2, 1, 0, 1, 2])
    """
    return generator(seed, "folds").permutation(n_tasks) % n_folds
