"""The average of a step function over a neighbourhood, piece by piece."""

import math

from banditune.curves.step_function import StepFunction


def average_over(curve: StepFunction, x: float, reach: float) -> float:
    """The average from x / reach to x * reach, evenly in the logarithm, as far as the curve is known."""
    if x == 0.0:
        return curve(0.0)
    low, high = max(x / reach, curve.low), min(x * reach, curve.high)
    total = 0.0
    for left, right, value in zip(curve.edges[:-1], curve.edges[1:], curve.values, strict=True):
        first, last = max(left, low), min(right, high)
        if first < last:
            total += value * math.log(last / first)
    return total / math.log(high / low)
