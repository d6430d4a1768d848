"""Sums of step functions in exact fractions: from the definition, piece by piece."""

from collections.abc import Sequence
from fractions import Fraction

from banditune import StepFunction


def exact_sums(curves: Sequence[StepFunction]) -> list[tuple[float, Fraction]]:
    """Where the pieces of the sum begin, and its value on each."""
    edges = sorted({float(edge) for curve in curves for edge in curve.edges[:-1]})
    return [(edge, sum(Fraction(curve(edge)) for curve in curves)) for edge in edges]


def mean_values(curves: Sequence[StepFunction], at: Sequence[float]) -> list[float]:
    """The mean at some points: the exact sum, rounded, divided by the number of curves."""
    return [float(sum(Fraction(curve(x)) for curve in curves)) / len(curves) for x in at]


def find_within_one_se(curves: Sequence[StepFunction], best: float) -> tuple[float, float]:
    """From the first to the last piece on which the mean difference to the best is within its standard error."""
    edges = [edge for edge, _ in exact_sums(curves)] + [curves[0].high]
    kept = []
    for k, edge in enumerate(edges[:-1]):
        differences = [Fraction(curve(edge)) - Fraction(curve(best)) for curve in curves]
        total = sum(differences)
        if total <= 0 or total**2 <= sum(each**2 for each in differences):
            kept.append((edge, edges[k + 1]))
    return kept[0][0], kept[-1][1]
