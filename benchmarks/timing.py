"""Seconds that a shared machine disturbs as little as possible, and how to print them."""

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

R = TypeVar("R")
Clock = Callable[[], float]


def time_call(call: Callable[[], R], clock: Clock = time.perf_counter) -> tuple[float, R]:
    """How long a call took, and what it returned."""
    start = clock()
    result = call()
    return clock() - start, result


def best_of(
    calls: Mapping[str, Callable[[], R]], repetitions: int, budget: float, clock: Clock = time.perf_counter
) -> tuple[dict[str, float], dict[str, R]]:
    """The least seconds of each call, and what it returned.

    The calls take turns, so that noise hits all alike; each is made once, and again while it stays within `budget`
    seconds in all.
    """
    least = dict.fromkeys(calls, float("inf"))
    spent = dict.fromkeys(calls, 0.0)
    results: dict[str, R] = {}
    for repetition in range(repetitions):
        for name, call in calls.items():
            if repetition == 0 or spent[name] + least[name] <= budget:
                seconds, results[name] = time_call(call, clock)
                least[name] = min(least[name], seconds)
                spent[name] += seconds
    return least, results


def shown_seconds(seconds: float) -> str:
    """Three digits and a unit.

    >>> shown_seconds(0.0001234), shown_seconds(12.345)
    ('123 µs', '12.3 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size:
            return f"{seconds / size:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds / 1e-9:.0f} ns"
