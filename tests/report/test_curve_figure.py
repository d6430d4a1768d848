"""The figure's data, and that it is a document."""

import math
from dataclasses import replace
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import banditune as bt
from banditune.curves.thinning import thin_curve
from banditune.report.axes import choose_decades, choose_ticks
from banditune.report.curve_figure import COLUMNS, LEFT, draw_curve, lay_out_curve
from tests.strategies import drawn_task


def some_result(high: float = 4.0, low: float = 0.0, loss: str = "regret") -> bt.Tuned:
    rng = np.random.default_rng(0)
    tasks = [drawn_task(rng, 3, 50, "bernoulli") for _ in range(30)]
    return bt.tune(bt.UCB, tasks, horizon=50, alpha=(low, high), loss=loss)


def test_line_is_the_curve_that_the_page_shows_too() -> None:
    tuned = some_result()
    picture = lay_out_curve(tuned, {1.0: tuned.curve(1.0), 2.0: tuned.curve(2.0)})
    shown = thin_curve(tuned.curve, picture.x[0], log=True, keep=tuned.alpha)
    assert (picture.curve.x == shown.x).all()
    assert (picture.curve.y == shown.y).all()
    assert picture.curve.y.min() == tuned.loss
    assert picture.best == (tuned.alpha, tuned.loss)


def test_steps_are_drawn_with_their_corners() -> None:
    tuned = some_result()
    picture = lay_out_curve(tuned, {})
    (drawn,) = ElementTree.fromstring(draw_curve(picture)).iter("{http://www.w3.org/2000/svg}polyline")
    points = [tuple(map(float, place.split(","))) for place in drawn.attrib["points"].split()]
    assert all(x == after or y == below for (x, y), (after, below) in pairwise(points))
    assert (points[0][0], points[-1][0]) == (LEFT, LEFT + COLUMNS)
    assert len({y for _, y in points}) > 10


@pytest.mark.parametrize(
    ("low", "high", "loss"), [(0.0, 4.0, "regret"), (0.5, 1.0, "regret"), (0.0, 1e-9, "reward"), (0.0, 1e12, "regret")]
)
def test_drawing_is_well_formed_and_within_its_frame(low: float, high: float, loss: str) -> None:
    tuned = some_result(high, low, loss)
    text = draw_curve(lay_out_curve(tuned, {1.0: 3.0, 2.0: 4.0}))
    root = ElementTree.fromstring(text)
    for circle in root.iter("{http://www.w3.org/2000/svg}circle"):
        assert 0 <= float(circle.attrib["cx"]) <= 860
        assert 0 <= float(circle.attrib["cy"]) <= 440
    assert "nan" not in text
    assert "script" not in text


@pytest.mark.parametrize("levels", [(3.4, 3.5), (1.0, 3.0), (0.2, 0.1)])
def test_labels_touch_neither_the_curve_nor_each_other(levels: tuple[float, float]) -> None:
    x = np.geomspace(1e-4, 4.0, 400)
    curve = bt.StepFunction(np.append(0.0, x), np.interp(np.log(x), np.log([1e-4, 0.003, 1.0, 4.0]), [3, 2.6, *levels]))
    tuned = some_result()
    tuned = replace(tuned, curve=curve, params={"alpha": 0.003}, within_one_se=bt.Interval(0.002, 0.005), loss=2.6)
    root = ElementTree.fromstring(draw_curve(lay_out_curve(tuned, {1.0: curve(1.0), 2.0: curve(2.0)}, split=3.6)))
    drawn = next(root.iter("{http://www.w3.org/2000/svg}polyline"))
    points = [tuple(map(float, place.split(","))) for place in drawn.attrib["points"].split()]
    boxes = [box_of(label) for label in root.iter("{http://www.w3.org/2000/svg}text") if "loses" in (label.text or "")]
    assert len(boxes) == 4  # alpha = 1, alpha = 2, what was learned, equal split
    for left, top, right, bottom in boxes:
        assert all(bottom < y or y < top for x, y in points if left <= x <= right)
    for one, other in combinations(boxes, 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]


def box_of(label: ElementTree.Element) -> tuple[float, float, float, float]:
    """About the room that a text takes: left, top, right, bottom."""
    x, y, size = (float(label.attrib[name]) for name in ("x", "y", "font-size"))
    width = 0.5 * size * len(label.text or "")
    left = x - width if label.attrib["text-anchor"] == "end" else x
    return left, y - size, left + width, y


def test_ticks_are_round_and_inside() -> None:
    assert choose_ticks(-0.3, 1.1) == [-0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert choose_ticks(0.0, 35.6) == [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0]
    assert choose_decades(1e-20, 1.0)[-1] == 1.0
    assert len(choose_decades(1e-20, 1.0)) <= 8
    for low, high in ((0.001, 0.0012), (-5e9, 7e9)):
        marks = choose_ticks(low, high)
        assert 2 <= len(marks) <= 12
        assert all(low - math.ulp(low) <= mark <= high for mark in marks)
