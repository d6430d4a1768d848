"""Numbers of pieces, covers and names of pieces from their definitions."""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import banditune as bt


def count_categories(horizon: int, n_arms: int, n_values: int) -> int:
    """One more than the ways to give a round, two different numbers of pulls and two sums of rewards."""
    ways = 0
    for t in range(n_arms + 1, horizon + 1):
        for a, b in itertools.combinations(range(1, t), 2):
            rest = t - 1 - a - b  # pulls of the other arms
            if rest == 0 if n_arms == 2 else rest >= n_arms - 2:
                ways += ((n_values - 1) * a + 1) * ((n_values - 1) * b + 1)
    return 1 + ways


def count_vectors(pulls: int, n_arms: int, least: int) -> int:
    """In how many ways the pulls are shared by the arms, each with the least number or more."""
    return sum(sum(shared) == pulls for shared in itertools.product(range(least, pulls + 1), repeat=n_arms))


def count_corners(lines: Sequence[tuple[Any, Any]]) -> int:
    """At how many numbers above 0 the highest of some lines, intercept and slope of each, changes."""
    at, corners = 0, 0
    leader = max(lines)
    while True:
        steeper = [line for line in lines if line[1] > leader[1]]
        if not steeper:
            return corners
        # the first to overtake; of several the steepest
        crossing = {line: (leader[0] - line[0]) / (line[1] - leader[1]) for line in steeper}
        leader = min(steeper, key=lambda line: (crossing[line], -line[1]))
        corners += crossing[leader] > at
        at = crossing[leader]


def cover(curves: Sequence[bt.StepFunction], radius: float) -> int:
    """How many balls a walk along the range takes: a new one whenever too many curves have changed since the last."""
    points = sorted({float(edge) for curve in curves for edge in curve.edges[:-1]})
    rows = np.array([[curve(x) for curve in curves] for x in points])
    centre, balls = rows[0], 1
    for row in rows[1:]:
        if np.mean((row - centre) ** 2) > radius**2:
            centre, balls = row, balls + 1
    return balls


def best_piece(curves: Sequence[bt.StepFunction]) -> tuple[float, float]:
    """The first piece of least mean, cells of the very same mean put together."""
    edges = sorted({float(edge) for curve in curves for edge in curve.edges})
    means = [sum(Fraction(float(curve(x))) for curve in curves) for x in edges[:-1]]
    first = means.index(min(means))
    last = first
    while last + 1 < len(means) and means[last + 1] == means[first]:
        last += 1
    return edges[first], edges[last + 1]


def kinds_of_names(curves: Sequence[bt.StepFunction], low: float, high: float) -> set[str]:
    """By which kinds of names of the proof a piece can be named."""
    begins = [[float(edge) for edge in curve.edges[:-1]] for curve in curves]
    ends = [[float(edge) for edge in curve.edges[1:]] for curve in curves]
    kinds = set()
    for j, k in itertools.product(range(len(curves)), repeat=2):
        if low not in begins[j]:
            continue
        if min(end for end in ends[k] if end > low) == high:
            kinds.add("next")
        if j != k and high in ends[k]:
            kinds.add("end")
        for end in ends[k]:
            if j != k and low < end < high and min(each for each in ends[j] if each > end) == high:
                kinds.add("after")
    return kinds
