"""Certificates from their definitions: every name, every sign, every bet."""

import itertools
import math

import mpmath
import numpy as np

import banditune as bt
from banditune.evaluation.certificate_bounds import Learned


def divergence(p: float, q: float) -> mpmath.mpf:
    p, q = mpmath.mpf(p), mpmath.mpf(q)
    first = p * mpmath.log(p / q) if p > 0 else 0
    second = (1 - p) * mpmath.log((1 - p) / (1 - q)) if p < 1 else 0
    return first + second


def cells(curves: list[bt.StepFunction]) -> list[float]:
    """A point of every part of the range on which no curve changes."""
    return sorted({float(edge) for curve in curves for edge in curve.edges[:-1]})


def largest_signed_sum(curves: list[bt.StepFunction], signs: list[float], middle: float) -> float:
    return max(
        math.fsum(sign * (curve(x) - middle) for sign, curve in zip(signs, curves, strict=True)) for x in cells(curves)
    )


def names(learned: Learned, next_weight: float) -> list[tuple[int, int, float]]:
    """All names of the best piece: the two tasks and the weight."""
    curves = list(learned.curves)
    n = len(curves)
    found = []
    for begins, ends in itertools.product(range(n), repeat=2):
        for left in curves[begins].edges[:-1]:
            to_the_right = [float(edge) for edge in curves[ends].edges[1:] if edge > left]
            for c, right in enumerate(to_the_right, start=1):
                if (left, right) == (learned.piece.low, learned.piece.high):
                    weight = (1 - next_weight) * next_weight ** (c - 1) / (n * n * curves[begins].n_pieces)
                    found.append((begins, ends, weight))
    return found


def weight_of_all_names(curves: list[bt.StepFunction], next_weight: float) -> float:
    n, total = len(curves), 0.0
    for begins, ends in itertools.product(range(n), repeat=2):
        for left in curves[begins].edges[:-1]:
            for c, _ in enumerate((edge for edge in curves[ends].edges[1:] if edge > left), start=1):
                total += (1 - next_weight) * next_weight ** (c - 1) / (n * n * curves[begins].n_pieces)
    return total


def most_won(
    above: np.ndarray, below: np.ndarray, ratio: float, goal: float, side: int, boldest: float, least_below: float = 0.0
) -> float:
    """The log of the most a gambler has ever had who bets that the ratio is larger (side 1) or smaller (-1)."""
    wealth, most = 0.0, -math.inf
    seen_above = seen_below = squares = 0.0
    n = len(above)
    for t, (a, b) in enumerate(zip(above, below, strict=True)):
        spread = 0.25 if t == 0 else (0.25 + squares) / (1 + t)
        stake = math.sqrt(2 * goal / (n * spread))
        at_risk = ratio if side > 0 else 1 - ratio * least_below  # the most that a bet of 1 can lose
        stake = min(stake, boldest / at_risk if at_risk > 0 else math.inf)
        wealth += math.log1p(stake * side * (a - ratio * b))
        most = max(most, wealth)
        seen_above, seen_below = seen_above + a, seen_below + b
        guess = (0.5 + seen_above) / (1 + seen_below)
        squares += (a - guess * b) ** 2
    return most
