"""The mean over the worst share of the tasks, by its definition: sorted anew between any two edges."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from banditune.curves.step_function import StepFunction


def naive_tail(losses: Sequence[float], share: float) -> float:
    """The mean of the worst share of losses, rounded up to whole ones."""
    k = max(1, math.ceil(Fraction(share).limit_denominator(10**6) * len(losses)))
    return float(sum(map(Fraction, sorted(losses)[-k:]), Fraction(0))) / k


def naive_tail_curve(curves: Sequence[StepFunction], share: float) -> tuple[list[float], list[float]]:
    """Left edges and values of the mean of the worst share of curves, without equal neighbours."""
    edges = np.unique(np.concatenate([curve.edges[:-1] for curve in curves])).tolist()
    left: list[float] = []
    values: list[float] = []
    for edge in edges:
        value = naive_tail([curve(edge) for curve in curves], share)
        if not values or values[-1] != value:
            left.append(edge)
            values.append(value)
    return left, values
