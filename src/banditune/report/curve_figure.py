"""The figure of a tuning: the mean loss for every value of the parameter, what was learned, and what usual values cost.

Two steps: `curve_picture` computes what is to be seen, `svg` draws it. Written by hand because the core carries no
drawing library, and a step function needs none.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.curves.display import BEST, CURVE, RANGE, TREND
from banditune.curves.step_function import Interval, StepFunction
from banditune.curves.thinning import Line, thin_curve
from banditune.report.axes import SOFT, Scale, document, dot, grid, line, polyline, text
from banditune.report.wording import Words, words_of
from banditune.tuning.result import Tuned
from banditune.validation import format_count

WIDTH, HEIGHT = 860, 440
LEFT, RIGHT, TOP, BOTTOM = 78, 30, 64, 62
COLUMNS = WIDTH - LEFT - RIGHT
ROOM = 20  # the height that a label takes beneath a curve that runs on beside it


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
    curve: Line  # the measure for every value that was searched
    within_one_se: Interval
    best: tuple[float, float]  # the learned value, and the measure with it
    usual: Mapping[float, float]  # usual values, and the measure with each
    split: float | None = None  # the measure with an equal split of the rounds, if it is known


def curve_picture(
    tuned: Tuned, usual: Mapping[float, float], words: Words | None = None, split: float | None = None
) -> CurvePicture:
    """The picture of a result, beside the mean losses of usual values and of equal split.

    `words` say how losses are spoken of.
    """
    best = tuned.recommended[tuned.parameter]
    left = left_end(tuned.curve, best, tuned.within_one_se)
    right = max(tuned.curve.high, *usual, best) if usual else tuned.curve.high
    words = words or words_of(tuned)
    thinned = thin_curve(tuned.curve, left, log=True, keep=best)
    curve = replace(thinned, y=words.sign * thinned.y)
    shown = {value: words.sign * loss for value, loss in usual.items()}
    equally = [] if split is None else [words.sign * split]
    values = [*curve.y.tolist(), *shown.values(), *equally, *([0.0] if words.lost else [])]
    low, high = min(values), max(values)
    margin = 0.06 * ((high - low) or 1.0)
    return CurvePicture(
        title=f"{tuned.policy_class.__name__}: {_title(tuned, best, words)} ({_tasks(tuned)})",
        subtitle=_subtitle(tuned, words),
        parameter=tuned.parameter,
        measure=words.measure,
        verb="loses" if words.lost else "earns",
        x=(left, right),
        y=(low if low == 0.0 else low - margin, high + margin),
        curve=curve,
        within_one_se=tuned.within_one_se,
        best=(best, words.sign * (tuned.loss if tuned.smoothed is None else tuned.curve(tuned.smoothed))),
        usual=shown,
        split=equally[0] if equally else None,
    )


def _title(tuned: Tuned, best: float, words: Words) -> str:
    """What the picture is of."""
    value = f"{tuned.parameter} = {best:.3g}"
    return f"{value} {words.verb} {words.measure}" if tuned.smoothed is None else f"{words.measure}, least near {value}"


def _tasks(tuned: Tuned) -> str:
    return format_count(tuned.n_tasks, "task" if tuned.replay is None else "log")


def _subtitle(tuned: Tuned, words: Words) -> str:
    exact = f"exact for every {tuned.parameter}"
    if tuned.replay is None:
        return f"mean loss per task over {words.units.count(tuned.horizon)}, {exact}"
    return f"off-policy replay of {tuned.replay.events:,} events, {exact}"


def left_end(curve: StepFunction, best: float, within_one_se: Interval) -> float:
    """Where a logarithmic axis begins: a little left of everything that matters, within 12 powers of ten."""
    if curve.low > 0.0:
        return curve.low
    interesting = [value for value in (best, within_one_se.low) if value > 0.0]
    least = min(interesting, default=curve.high * 1e-3) / 10.0
    return float(max(min(least, curve.high * 1e-3), curve.high * 1e-12))


def svg(picture: CurvePicture) -> str:
    """The picture as a self-contained SVG document."""
    across = Scale(*picture.x, LEFT, LEFT + COLUMNS, log=True)
    place = _Place(across, Scale(*picture.y, HEIGHT - BOTTOM, TOP, log=False))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    measure = text(20, middle, picture.measure, size=13, anchor="middle")
    parts = [
        text(LEFT, 28, picture.title, size=17, weight=600),
        text(LEFT, 48, picture.subtitle, size=13, colour=SOFT),
        *grid(*place, picture.parameter),
        f'<g transform="rotate(-90 20 {middle:.1f})">{measure}</g>',
        _draw_one_se_band(picture, place),
        _curve(picture, place),
        *_draw_split(picture, place),
        *_draw_usual(picture, place),
        *_best(picture, place),
    ]
    return document(picture.title, WIDTH, HEIGHT, parts)


class _Place(NamedTuple):
    """Where values lie in the drawing."""

    across: Scale
    up: Scale


def _draw_one_se_band(picture: CurvePicture, place: _Place) -> str:
    x1, x2 = place.across.at(picture.within_one_se.low), place.across.at(picture.within_one_se.high)
    width = max(x2 - x1, 1.5)
    return f'<rect x="{x1:.1f}" y="{TOP}" width="{width:.1f}" height="{HEIGHT - TOP - BOTTOM}" fill="{RANGE}"/>'


def _curve(picture: CurvePicture, place: _Place) -> str:
    x = [place.across.at(value) for value in picture.curve.x.tolist()]
    y = [place.up.at(value) for value in picture.curve.y.tolist()]
    corners = ((at, level) for k, at in enumerate(x) for level in y[max(k - 1, 0) : k + 1])
    return polyline(corners, CURVE, 1.6)


def _draw_split(picture: CurvePicture, place: _Place) -> list[str]:
    """A line at what an equal split of the rounds loses, whatever the parameter."""
    if picture.split is None:
        return []
    y = place.up.at(picture.split)
    words = f"equal split {picture.verb} {picture.split:.3g}"
    return [
        line(LEFT, y, LEFT + COLUMNS, y, SOFT, 'stroke-dasharray="2 3"'),
        text(LEFT + 8, y - 6, words, size=13, colour=SOFT),
    ]


def _draw_usual(picture: CurvePicture, place: _Place) -> list[str]:
    """The usual values, labelled left of their dots if there is room, one under the other where they meet."""
    parts = []
    floor = -math.inf
    for value, level in sorted(picture.usual.items(), key=lambda item: -item[1]):
        x, y = place.across.at(value), place.up.at(level)
        words = f"{picture.parameter} = {value:g} {picture.verb} {level:.3g}"
        has_room = x - LEFT > 8 * len(words)
        side, anchor = (-1, "end") if has_room else (1, "start")
        lowest = _find_levels(picture, place, x, side * 8 * len(words)).min()
        beside = y + 4 if abs(place.up.at(float(lowest)) - y) > ROOM else place.up.at(float(lowest)) + ROOM
        floor = max(beside, floor + 16)
        parts += [dot(x, y, TREND), text(x + 12 * side, floor, words, size=13, colour="#a64700", anchor=anchor)]
    return parts


def _best(picture: CurvePicture, place: _Place) -> list[str]:
    value, level = picture.best
    x, y = place.across.at(value), place.up.at(level)
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
    low, high = (place.across.at(end) for end in picture.within_one_se)
    room = 110
    if LEFT + COLUMNS - high > room:
        x, anchor = high + 6, "start"
    elif low - LEFT > room:
        x, anchor = low - 6, "end"
    else:
        x, anchor = low + 6, "start"
    y = TOP + 16 if place.up.at(picture.best[1]) > TOP + 60 else HEIGHT - BOTTOM - 10
    return text(x, y, "within one standard error", colour="#00674a", anchor=anchor)


def _above(picture: CurvePicture, place: _Place, x: float, reach: float) -> float:
    """A height at which a label from x to x + reach is clear of the curve."""
    return place.up.at(float(_find_levels(picture, place, x, reach).max())) - 12


def _find_levels(picture: CurvePicture, place: _Place, x: float, reach: float) -> NDArray[np.float64]:
    """What the curve is from x to x + reach of the drawing."""
    first, last = sorted((x, x + reach))
    starts = np.array([place.across.at(value) for value in picture.curve.x.tolist()])
    begin = max(int(np.searchsorted(starts, first, side="right")) - 1, 0)
    return picture.curve.y[begin : max(int(np.searchsorted(starts, last, side="right")), begin + 1)]
