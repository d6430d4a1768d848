"""Axes and lines of the pictures that need no drawing library."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from banditune.curves.palette import GRID, INK, PAPER, SOFT
from banditune.curves.thinning import Line
from banditune.report.markup import plain


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


HALO = f'paint-order="stroke" stroke="{PAPER}" stroke-opacity="0.8" stroke-width="3"'  # keeps text clear of lines
FONT = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"


def write_document(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    """Return a self-contained SVG document of some parts, on white."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="{FONT}" role="img">',
        f"<title>{plain(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def write_text(
    x: float, y: float, words: str, *, size: int = 12, colour: str = INK, anchor: str = "start", weight: int = 400
) -> str:
    """Words that begin, end or are centred at a place."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{colour}" '
        f'text-anchor="{anchor}" {HALO}>{plain(words)}</text>'
    )


def draw_line(x1: float, y1: float, x2: float, y2: float, colour: str, extra: str = "") -> str:
    """Return a straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {extra}/>'


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


def draw_polyline(points: Iterable[tuple[float, float]], colour: str, width: float, extra: str = "") -> str:
    """Return a line through points; those that are drawn at the place of the one before are left out."""
    places = " ".join(place for place, _ in groupby(f"{x:.1f},{y:.1f}" for x, y in points))
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width:g}" {extra}/>'


def draw_dot(x: float, y: float, colour: str) -> str:
    """Return a mark."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" stroke="{PAPER}" stroke-width="1.5"/>'
