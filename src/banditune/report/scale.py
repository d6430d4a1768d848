"""Where values lie along an axis of a picture."""

import math
from collections.abc import Sequence

from banditune.report.ticks import decades, ticks


class Scale:
    """Where values lie along an axis that is logarithmic if they span powers of ten, else linear."""

    def __init__(self, values: Sequence[float], first: float, last: float, *, log: bool) -> None:
        positive = [value for value in values if value > 0.0]
        self.log = log and bool(positive)
        self.low = min(positive) / 1.15 if self.log else min(0.0, *values)
        self.high = max(values) * 1.15 if max(values) > 0.0 else 1.0
        self._first, self._last = first, last

    def at(self, value: float) -> float:
        """The place of a value."""
        if self.log:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self._first + (self._last - self._first) * min(max(share, 0.0), 1.0)

    def marks(self) -> list[float]:
        """Round values to put on the axis."""
        if not self.log:
            return ticks(self.low, self.high)
        marks = decades(self.low, self.high)
        if len(marks) < 3:
            marks = sorted({float(f"{factor}e{k}") for k in range(-12, 13) for factor in (1, 2, 5)})
        return [mark for mark in marks if self.low <= mark <= self.high]
