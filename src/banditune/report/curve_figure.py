"""The figure of a tuning: the mean loss for every value of the parameter, what was learned, and what usual values cost.

Two steps: `lay_out_curve` computes what is to be seen, `draw_curve` draws it. Written by hand because the core carries
no drawing library, and a step function needs none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.curves.palette import BEST, BEST_TEXT, CURVE, RANGE, SOFT, TREND, TREND_TEXT
from banditune.curves.step_function import Interval, StepFunction
from banditune.curves.thinning import Line, thin_curve
from banditune.report.axes import Scale, draw_grid, list_corners
from banditune.report.svg import draw_dot, draw_line, draw_polyline, write_document, write_text
from banditune.report.wording import Words, choose_words
from banditune.tuning.results.tuned import Tuned
from banditune.validation import format_count

GAP = 4.0  # between a label and what it must not touch
STEP = 2.0  # between the heights that are tried
CHARACTER = 0.56  # the mean width of one, in units of the size of the letters; a little more than most fonts have


class Box(NamedTuple):
    """A part of a drawing, in which heights grow downwards."""

    left: float
    top: float
    right: float
    bottom: float


class Labels:
    """The room that is left for labels in a frame."""

    def __init__(self, frame: Box) -> None:
        self.frame = frame
        self.taken: list[Box] = []

    def keep_clear(self, boxes: Iterable[Box]) -> None:
        """Let no later label touch these."""
        self.taken += boxes

    def place(self, words: str, x: float, y: float, *, size: int, anchor: str, weight: int = 400) -> Box:
        """Take the room for some words that begin or end at x, at the free height that is nearest to y.

        Where everything is taken, they stand at y.

        >>> labels = Labels(Box(0.0, 0.0, 100.0, 100.0))
        >>> labels.keep_clear([Box(0.0, 50.0, 100.0, 50.0)])  # a line through the middle
        >>> labels.place("label", 10.0, 55.0, size=10, anchor="start").top
        35.0
        """
        width = (1.06 if weight > 500 else 1.0) * CHARACTER * size * len(words)
        left, right = (x, x + width) if anchor == "start" else (x - width, x)
        room = self.frame.bottom - self.frame.top - size
        offsets = sorted(np.arange(-room, room + STEP, STEP).tolist(), key=abs)
        taken = np.array(self.taken).reshape(-1, 4)
        near = taken[(taken[:, 0] <= right + GAP) & (taken[:, 2] >= left - GAP)]
        tried = (Box(left, y + offset - size, right, y + offset) for offset in [0.0, *offsets])
        wanted = Box(left, y - size, right, y)
        found = next((box for box in tried if self._is_free(box, near)), wanted)
        self.taken.append(found)
        return found

    def _is_free(self, box: Box, near: NDArray[np.float64]) -> bool:
        """Tell whether a box lies within the frame and touches nothing above or below it: near (boxes, 4)."""
        if box.top < self.frame.top or box.bottom > self.frame.bottom:
            return False
        return bool(((near[:, 1] > box.bottom + GAP) | (near[:, 3] < box.top - GAP)).all())


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
    curve: Line  # the measure for every value that was searched
    within_one_se: Interval
    best: tuple[float, float]  # the learned value, and the measure with it
    usual: Mapping[float, float]  # usual values, and the measure with each
    split: float | None = None  # the measure with an equal split of the rounds, if it is known


def lay_out_curve(
    tuned: Tuned, usual: Mapping[float, float], words: Words | None = None, split: float | None = None
) -> CurvePicture:
    """Return the picture of a result, beside the mean losses of usual values and of equal split.

    `words` say how losses are spoken of.
    """
    best = tuned.recommended[tuned.parameter]
    left = choose_left_end(tuned.curve, best, tuned.within_one_se)
    right = max(tuned.curve.high, *usual, best) if usual else tuned.curve.high
    words = words or choose_words(tuned)
    thinned = thin_curve(tuned.curve, left, log=True, keep=best)
    curve = replace(thinned, y=words.sign * thinned.y)
    shown = {value: words.sign * loss for value, loss in usual.items()}
    equally = [] if split is None else [words.sign * split]
    values = [*curve.y.tolist(), *shown.values(), *equally, *([0.0] if words.lost else [])]
    low, high = min(values), max(values)
    margin = 0.06 * ((high - low) or 1.0)
    size = format_count(tuned.n_tasks, "task" if tuned.replay is None else "log")
    return CurvePicture(
        title=f"{tuned.policy_class.__name__}: {_write_title(tuned, best, words)} ({size})",
        subtitle=_write_subtitle(tuned, words),
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


def _write_title(tuned: Tuned, best: float, words: Words) -> str:
    """Return what the picture is of."""
    value = f"{tuned.parameter} = {best:.3g}"
    return f"{value} {words.verb} {words.measure}" if tuned.smoothed is None else f"{words.measure}, least near {value}"


def _write_subtitle(tuned: Tuned, words: Words) -> str:
    exact = tuned.search.free_parameter.describe_precision()
    if tuned.replay is None:
        return f"mean loss per task over {words.units.count(tuned.horizon)}, {exact}"
    return f"off-policy replay of {tuned.replay.events:,} events, {exact}"


def choose_left_end(curve: StepFunction, best: float, within_one_se: Interval) -> float:
    """Return where a logarithmic axis begins: a little left of everything that matters, within 12 powers of ten."""
    if curve.low > 0.0:
        return curve.low
    interesting = [value for value in (best, within_one_se.low) if value > 0.0]
    least = min(interesting, default=curve.high * 1e-3) / 10.0
    return float(max(min(least, curve.high * 1e-3), curve.high * 1e-12))


def draw_curve(picture: CurvePicture) -> str:
    """Return the picture as a self-contained SVG document."""
    across = Scale(*picture.x, LEFT, LEFT + COLUMNS, log=True)
    place = _Place(across, Scale(*picture.y, HEIGHT - BOTTOM, TOP, log=False))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    x1, x2 = (across.at(end) for end in picture.within_one_se)
    width = max(x2 - x1, 1.5)
    measure = write_text(20, middle, picture.measure, size=13, anchor="middle")
    corners = list_corners(picture.curve, *place)
    labels = Labels(Box(LEFT, TOP, LEFT + COLUMNS, HEIGHT - BOTTOM))
    labels.keep_clear(Box(*np.sort((here, there), axis=0).ravel()) for here, there in pairwise(corners))
    dots = (place.at(*dot) for dot in (picture.best, *picture.usual.items()))
    labels.keep_clear(Box(x - 5, y - 5, x + 5, y + 5) for x, y in dots)
    return write_document(
        picture.title,
        WIDTH,
        HEIGHT,
        [
            write_text(LEFT, 28, picture.title, size=17, weight=600),
            write_text(LEFT, 48, picture.subtitle, size=13, colour=SOFT),
            *draw_grid(*place, picture.parameter),
            f'<g transform="rotate(-90 20 {middle:.1f})">{measure}</g>',
            f'<rect x="{x1:.1f}" y="{TOP}" width="{width:.1f}" height="{HEIGHT - TOP - BOTTOM}" fill="{RANGE}"/>',
            draw_polyline(corners, CURVE, 1.6),
            *_draw_split(picture, place, labels),
            *_draw_best(picture, place, labels),
            *_draw_usual(picture, place, labels),
        ],
    )


class _Place(NamedTuple):
    """Where values lie in the drawing."""

    across: Scale
    up: Scale

    def at(self, value: float, level: float) -> tuple[float, float]:
        """Return the place of a point."""
        return self.across.at(value), self.up.at(level)


def _draw_split(picture: CurvePicture, place: _Place, labels: Labels) -> list[str]:
    """Return a line at what an equal split of the rounds loses, whatever the parameter."""
    if picture.split is None:
        return []
    y = place.up.at(picture.split)
    labels.keep_clear([Box(LEFT, y, LEFT + COLUMNS, y)])
    words = f"equal split {picture.verb} {picture.split:.3g}"
    label = labels.place(words, LEFT + 8, y - 6, size=13, anchor="start")
    return [
        draw_line(LEFT, y, LEFT + COLUMNS, y, SOFT, 'stroke-dasharray="2 3"'),
        write_text(LEFT + 8, label.bottom, words, size=13, colour=SOFT),
    ]


def _draw_best(picture: CurvePicture, place: _Place, labels: Labels) -> list[str]:
    value, level = picture.best
    x, y = place.at(value, level)
    side, anchor = (-1, "end") if x > LEFT + COLUMNS / 2 else (1, "start")
    words = f"learned: {value:.3g} {picture.verb} {level:.3g}"
    labels.keep_clear([Box(x, TOP, x, HEIGHT - BOTTOM)])
    label = labels.place(words, x + 12 * side, y - 12, size=13, anchor=anchor, weight=600)
    return [
        _draw_one_se_label(picture, place, labels),
        draw_line(x, TOP, x, HEIGHT - BOTTOM, BEST, 'stroke-dasharray="4 3"'),
        draw_dot(x, y, BEST),
        write_text(x + 12 * side, label.bottom, words, size=13, colour=BEST_TEXT, anchor=anchor, weight=600),
    ]


def _draw_one_se_label(picture: CurvePicture, place: _Place, labels: Labels) -> str:
    """Return the name of the band: beside it, or within where it leaves no room."""
    low, high = (place.across.at(end) for end in picture.within_one_se)
    words, room = "within one standard error", 190
    if LEFT + COLUMNS - high > room:
        x, anchor = high + 6, "start"
    elif low - LEFT > room:
        x, anchor = low - 6, "end"
    else:
        x, anchor = low + 6, "start"
    y = TOP + 16 if place.up.at(picture.best[1]) > TOP + 60 else HEIGHT - BOTTOM - 10
    label = labels.place(words, x, y, size=12, anchor=anchor)
    return write_text(x, label.bottom, words, colour=BEST_TEXT, anchor=anchor)


def _draw_usual(picture: CurvePicture, place: _Place, labels: Labels) -> list[str]:
    """Label the usual values beside their dots or, where there is no room, beneath or above, with a line."""
    parts = []
    width = 8 * max((len(_describe_usual(picture, *each)) for each in picture.usual.items()), default=0)
    on_right = place.across.at(min(picture.usual, default=1.0)) - LEFT > width
    side, anchor = (-1, "end") if on_right else (1, "start")
    for value, level in sorted(picture.usual.items(), reverse=not on_right):  # a label crosses no later one's line
        x, y = place.at(value, level)
        words = _describe_usual(picture, value, level)
        box = labels.place(words, x - 4 * side, y + 24, size=13, anchor=anchor)
        near = box.top - 1 if box.top > y else box.bottom + 3
        labels.keep_clear([Box(x, min(y, near), x, max(y, near))])
        parts += [
            draw_line(x, y, x, near, TREND),
            draw_dot(x, y, TREND),
            write_text(x - 4 * side, box.bottom, words, size=13, colour=TREND_TEXT, anchor=anchor),
        ]
    return parts


def _describe_usual(picture: CurvePicture, value: float, level: float) -> str:
    return f"{picture.parameter} = {value:g} {picture.verb} {level:.3g}"
