"""Where values lie along an axis, and how axes are drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from banditune.curves.palette import GRID, SOFT
from banditune.curves.thinning import Line
from banditune.report.svg import draw_line, write_text


def choose_ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten within [low, high], about as many as asked.

    >>> choose_ticks(0.0, 4.0)
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    raw = (high - low) / max(about - 1, 1)
    unit = 10.0 ** math.floor(math.log10(raw))
    step = min((1, 2, 5, 10), key=lambda factor: abs(factor * unit - raw)) * unit
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12 - math.floor(math.log10(step))) for k in range(first, last + 1)]


def choose_decades(low: float, high: float, most: int = 8) -> list[float]:
    """Powers of ten within [low, high], at most so many.

    >>> choose_decades(0.002, 4.0)
    [0.01, 0.1, 1.0]
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    return [float(f"1e{k}") for k in range(last, first - 1, -stride)][::-1]


@dataclass(frozen=True, slots=True)
class Layout:
    """How large a figure is, and where its axis and the items of its key begin."""

    width: float
    height: float
    left: float
    letters: int  # the size of a title's
    key: tuple[tuple[float, float], ...]  # of each item: along the axis, above the bottom


@dataclass(frozen=True, slots=True)
class Scale:
    """Where the values from `low` to `high` lie along an axis, from `first` to `last` in the drawing."""

    low: float
    high: float
    first: float
    last: float
    log: bool

    @classmethod
    def around(cls, values: Sequence[float], first: float, last: float, *, log: bool) -> "Scale":
        """Return an axis with room for some values, and for zero if it is linear."""
        positive = [value for value in values if value > 0.0]
        log = log and bool(positive)
        low = min(positive) / 1.15 if log else min(0.0, *values)
        return cls(low, max(values) * 1.15 if max(values) > 0.0 else 1.0, first, last, log)

    def at(self, value: float) -> float:
        """Return the place of a value."""
        if self.log:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.first + (self.last - self.first) * min(max(share, 0.0), 1.0)

    def marks(self) -> list[float]:
        """Round values to put on the axis."""
        if not self.log:
            return choose_ticks(self.low, self.high)
        marks = choose_decades(self.low, self.high)
        if len(marks) < 3:
            marks = sorted({float(f"{factor}e{k}") for k in range(-12, 13) for factor in (1, 2, 5)})
        return [mark for mark in marks if self.low <= mark <= self.high]


def draw_grid(across: Scale, up: Scale, label: str, form: str = "g") -> list[str]:
    """Return lines at round heights, with their numbers on the left; below them numbers, and what they are of."""
    heights = [(mark, up.at(mark)) for mark in up.marks()]
    return [
        *(draw_line(across.first, y, across.last, y, GRID) for _, y in heights),
        *(write_text(across.first - 10, y + 4, f"{mark:g}", colour=SOFT, anchor="end") for mark, y in heights),
        draw_line(across.first, up.first, across.last, up.first, SOFT),
        *(write_text(across.at(x), up.first + 20, f"{x:{form}}", colour=SOFT, anchor="middle") for x in across.marks()),
        write_text((across.first + across.last) / 2, up.first + 44, label, size=13, anchor="middle"),
    ]


def draw_marks(scale: Scale, top: float, bottom: float) -> list[str]:
    """Return lines down at round values, with their numbers beneath."""
    parts = []
    for mark in scale.marks():
        x = scale.at(mark)
        number = write_text(x, bottom + 20, f"{mark:g}", colour=SOFT, anchor="middle")
        parts += [draw_line(x, top, x, bottom, GRID), number]
    return parts


def list_corners(line: Line, across: Scale, up: Scale) -> list[tuple[float, float]]:
    """Return the points in the drawing that a step function goes through."""
    x, y = [across.at(value) for value in line.x.tolist()], [up.at(value) for value in line.y.tolist()]
    return [(at, level) for k, at in enumerate(x) for level in y[max(k - 1, 0) : k + 1]]
