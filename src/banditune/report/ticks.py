"""Round numbers to put on an axis."""

import math


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten within [low, high], about as many as asked.

    >>> ticks(0.0, 4.0)
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    raw = (high - low) / max(about - 1, 1)
    unit = 10.0 ** math.floor(math.log10(raw))
    step = min((1, 2, 5, 10), key=lambda factor: abs(factor * unit - raw)) * unit
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12 - math.floor(math.log10(step))) for k in range(first, last + 1)]


def decades(low: float, high: float, most: int = 8) -> list[float]:
    """Powers of ten within [low, high], at most so many.

    >>> decades(0.002, 4.0)
    [0.01, 0.1, 1.0]
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    return [float(f"1e{k}") for k in range(last, first - 1, -stride)][::-1]
