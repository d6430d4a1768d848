"""How many pieces a task's loss has: the derandomized dual complexity of Definition 1."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import StepFunction
from banditune.evaluation.intervals import estimate


@dataclass(frozen=True, slots=True)
class DualComplexity:
    """An estimate of Q_D, the mean number of pieces of a task's loss, with its 95% interval."""

    mean: float  # pieces of a curve
    low: float
    high: float  # infinite where there is only one curve
    n_curves: int


def dual_complexity(curves: Iterable[StepFunction]) -> DualComplexity:
    """Estimate Q_D, the mean number of pieces of a task's loss (Definition 1 of the paper).

    Parameters
    ----------
    curves : iterable of StepFunction
        The loss curves of some tasks.

    Returns
    -------
    DualComplexity
        `mean`, and `low` and `high` of its 95% interval.

    Examples
    --------
    >>> dual_complexity([StepFunction([0, 1, 2], [3, 4]), StepFunction([0, 0.5, 1, 2], [0, 1, 0])]).mean
    2.5
    """
    listed = curves if isinstance(curves, CurveSet) else CurveSet.of(curves)
    found = estimate(listed.n_pieces.astype(np.float64))
    return DualComplexity(found.mean, max(1.0, found.low), found.high if len(listed) > 1 else math.inf, len(listed))
