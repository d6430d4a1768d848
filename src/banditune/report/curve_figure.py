"""The figure of a tuning: the mean loss for every value of the parameter, what was learned, and what defaults cost.

Two steps: `curve_picture` computes what is to be seen, `svg` draws it. Written by hand because the core carries no
drawing library, and a step function needs none.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval, StepFunction
from banditune.report.axes import BEST, CURVE, DEFAULT, GRID, RANGE, SOFT, decades, document, dot, line, text, ticks
from banditune.report.wording import words_of
from banditune.tuning.result import Tuned
from banditune.validation import format_count

WIDTH, HEIGHT = 860, 440
LEFT, RIGHT, TOP, BOTTOM = 78, 30, 64, 62
COLUMNS = WIDTH - LEFT - RIGHT


@dataclass(frozen=True, slots=True, eq=False)
class CurvePicture:
    """What the figure shows. The horizontal axis is logarithmic: what matters spans several powers of ten."""

    title: str
    subtitle: str
    parameter: str
    measure: str
    verb: str  # what a value does with it
    x: tuple[float, float]  # the ends of the horizontal axis
    y: tuple[float, float]
    lowest: NDArray[np.float64]  # (COLUMNS,) the least value of the curve within each column of the picture
    highest: NDArray[np.float64]  # (COLUMNS,) and the largest
    within_one_se: Interval
    best: tuple[float, float]  # the learned value, and the measure with it
    defaults: Mapping[float, float]  # common defaults, and the measure with each


def curve_picture(tuned: Tuned, defaults: Mapping[float, float]) -> CurvePicture:
    """The picture of a result, beside the mean losses of common defaults."""
    best = tuned.params[tuned.parameter]
    left = left_end(tuned.curve, best, tuned.within_one_se)
    right = max(tuned.curve.high, *defaults, best) if defaults else tuned.curve.high
    words = words_of(tuned)
    lowest, highest = (words.sign * values for values in _columns(tuned.curve, left, right))
    if not words.lost:
        lowest, highest = highest, lowest
    shown = {value: words.sign * loss for value, loss in defaults.items()}
    values = np.array([*lowest, *highest, *shown.values()])
    values = values[np.isfinite(values)]
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    if not words.lost:
        low, high = float(values.min()), float(values.max())
    margin = 0.06 * ((high - low) or 1.0)
    return CurvePicture(
        title=f"{tuned.policy_class.__name__}: {tuned.parameter} = {best:.3g} {words.verb} {words.measure} "
        f"({_tasks(tuned)})",
        subtitle=_subtitle(tuned),
        parameter=tuned.parameter,
        measure=words.measure,
        verb="loses" if words.lost else "earns",
        x=(left, right),
        y=(low if low == 0.0 else low - margin, high + margin),
        lowest=lowest,
        highest=highest,
        within_one_se=tuned.within_one_se,
        best=(best, words.sign * tuned.loss),
        defaults=shown,
    )


def _tasks(tuned: Tuned) -> str:
    return format_count(tuned.n_tasks, "task" if tuned.replay is None else "log")


def _subtitle(tuned: Tuned) -> str:
    exact = f"exact for every {tuned.parameter}"
    if tuned.replay is None:
        return f"mean loss per task over {tuned.horizon:,} rounds, {exact}"
    return f"off-policy replay of {tuned.replay.events:,} events, {exact}"


def left_end(curve: StepFunction, best: float, within_one_se: Interval) -> float:
    """Where a logarithmic axis begins: a little left of everything that matters, within 12 powers of ten."""
    if curve.low > 0.0:
        return curve.low
    interesting = [value for value in (best, within_one_se.low) if value > 0.0]
    least = min(interesting, default=curve.high * 1e-3) / 10.0
    return float(max(min(least, curve.high * 1e-3), curve.high * 1e-12))


def _columns(curve: StepFunction, left: float, right: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the largest value within each column; nan where the curve is not known."""
    bounds = np.geomspace(left, right, COLUMNS + 1)
    lowest, highest = np.full(COLUMNS, np.nan), np.full(COLUMNS, np.nan)
    for k in range(COLUMNS):
        start, end = max(bounds[k], curve.low), min(bounds[k + 1], curve.high)
        if start < end:
            first = max(int(np.searchsorted(curve.edges, start, side="right")) - 1, 0)
            last = max(int(np.searchsorted(curve.edges, end, side="left")), first + 1)
            lowest[k], highest[k] = curve.values[first:last].min(), curve.values[first:last].max()
    return lowest, highest


def svg(picture: CurvePicture) -> str:
    """The picture as a self-contained SVG document."""
    place = _Place(picture)
    parts = [
        text(LEFT, 28, picture.title, size=17, weight=600),
        text(LEFT, 48, picture.subtitle, size=13, colour=SOFT),
        *_axes(picture, place),
        _draw_one_se_band(picture, place),
        *_curve(picture, place),
        *_defaults(picture, place),
        *_best(picture, place),
    ]
    return document(picture.title, WIDTH, HEIGHT, parts)


class _Place:
    """Where values lie in the drawing."""

    def __init__(self, picture: CurvePicture) -> None:
        self._x, self._y = picture.x, picture.y

    def across(self, value: float) -> float:
        low, high = self._x
        share = math.log(max(value, low) / low) / math.log(high / low)
        return LEFT + COLUMNS * min(max(share, 0.0), 1.0)

    def up(self, value: float) -> float:
        low, high = self._y
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)


def _axes(picture: CurvePicture, place: _Place) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, LEFT + COLUMNS
    parts = []
    for value in ticks(*picture.y):
        y = place.up(value)
        parts += [line(LEFT, y, right, y, GRID), text(LEFT - 10, y + 4, f"{value:g}", colour=SOFT, anchor="end")]
    for value in decades(*picture.x):
        x = place.across(value)
        parts += [
            line(x, bottom, x, bottom + 5, SOFT),
            text(x, bottom + 20, f"{value:g}", colour=SOFT, anchor="middle"),
        ]
    parts.append(line(LEFT, bottom, right, bottom, SOFT))
    parts.append(text((LEFT + right) / 2, HEIGHT - 16, picture.parameter, size=13, anchor="middle"))
    middle = (TOP + bottom) / 2
    label = text(20, middle, picture.measure, size=13, anchor="middle")
    parts.append(f'<g transform="rotate(-90 20 {middle:.1f})">{label}</g>')
    return parts


def _draw_one_se_band(picture: CurvePicture, place: _Place) -> str:
    x1, x2 = place.across(picture.within_one_se.low), place.across(picture.within_one_se.high)
    width = max(x2 - x1, 1.5)
    return f'<rect x="{x1:.1f}" y="{TOP}" width="{width:.1f}" height="{HEIGHT - TOP - BOTTOM}" fill="{RANGE}"/>'


def _curve(picture: CurvePicture, place: _Place) -> list[str]:
    points = []
    for k in range(COLUMNS):
        if np.isfinite(picture.lowest[k]):
            x = LEFT + k + 0.5
            points.append(f"{x:.1f},{place.up(picture.lowest[k]):.1f}")
            if picture.highest[k] != picture.lowest[k]:
                points.append(f"{x:.1f},{place.up(picture.highest[k]):.1f}")
    return [f'<polyline points="{" ".join(points)}" fill="none" stroke="{CURVE}" stroke-width="1.6"/>']


def _defaults(picture: CurvePicture, place: _Place) -> list[str]:
    """The common defaults, labelled left of their dots if there is room, one under the other where they meet."""
    parts = []
    floor = -math.inf
    for value, level in sorted(picture.defaults.items(), key=lambda item: -item[1]):
        x, y = place.across(value), place.up(level)
        floor = max(y + 4, floor + 16)
        words = f"{picture.parameter} = {value:g} {picture.verb} {level:.3g}"
        has_room = x - LEFT > 8 * len(words)
        side, anchor = (-1, "end") if has_room else (1, "start")
        parts += [dot(x, y, DEFAULT), text(x + 12 * side, floor, words, size=13, colour="#a64700", anchor=anchor)]
    return parts


def _best(picture: CurvePicture, place: _Place) -> list[str]:
    value, level = picture.best
    x, y = place.across(value), place.up(level)
    right_half = x > LEFT + COLUMNS / 2
    side, anchor = (-1, "end") if right_half else (1, "start")
    words = f"learned: {value:.3g} {picture.verb} {level:.3g}"
    return [
        _draw_one_se_label(picture, place),
        line(x, TOP, x, HEIGHT - BOTTOM, BEST, 'stroke-dasharray="4 3"'),
        dot(x, y, BEST),
        text(
            x + 12 * side, _above(picture, place, x, side * 8 * len(words)), words,
            size=13, colour="#00674a", anchor=anchor, weight=600,
        ),
    ]  # fmt: skip


def _draw_one_se_label(picture: CurvePicture, place: _Place) -> str:
    """The name of the band: beside it, or within where it leaves no room."""
    low, high = (place.across(end) for end in picture.within_one_se)
    room = 110
    if LEFT + COLUMNS - high > room:
        x, anchor = high + 6, "start"
    elif low - LEFT > room:
        x, anchor = low - 6, "end"
    else:
        x, anchor = low + 6, "start"
    y = TOP + 16 if place.up(picture.best[1]) > TOP + 60 else HEIGHT - BOTTOM - 10
    return text(x, y, "within one standard error", colour="#00674a", anchor=anchor)


def _above(picture: CurvePicture, place: _Place, x: float, reach: float) -> float:
    """A height at which a label from x to x + reach is clear of the curve."""
    first, last = sorted((x - LEFT, x + reach - LEFT))
    highest = picture.highest[max(int(first), 0) : int(last) + 1]
    known = highest[np.isfinite(highest)]
    return place.up(float(known.max())) - 12 if known.size else place.up(picture.best[1]) - 12
