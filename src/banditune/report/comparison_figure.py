"""The figure of a comparison: what every policy lost, and how the losses grew."""

from dataclasses import dataclass

import numpy as np

from banditune.curves.palette import BEST, CURVE, GRID, INK, OTHERS, SOFT, TREND
from banditune.evaluation.intervals import NORMAL
from banditune.report.axes import Scale, draw_dot, draw_grid, draw_line, draw_polyline, write_document, write_text
from banditune.simulation.comparison_result import Comparison, Standing

TOP, RIGHT = 74, 40  # what is left free above and beside the dots
GROWTH, BOTTOM = 300, 56  # the heights of the second panel and of an axis
SHOWN = 6  # lines of the second panel besides the reference


@dataclass(frozen=True, slots=True)
class Layout:
    """How wide the figure is, and where names stand."""

    width: float
    row: float  # the height of a policy
    dots: float  # where the axis of the dots begins
    beside: bool  # whether names stand beside dots and lines, or above and beneath them
    title: int  # the size of its letters


WIDE, NARROW = Layout(980, 24, 300, True, 17), Layout(380, 38, 24, False, 13)


def draw_comparison(compared: Comparison, layout: Layout = WIDE) -> str:
    """Return the figure as a self-contained SVG document."""
    height_of_dots = TOP + layout.row * len(compared.standings) + BOTTOM
    title = f"{compared.measure[0].upper()}{compared.measure[1:]}{' on held-out tasks' * layout.beside}"
    design = f"{compared.n_tasks:,} tasks, cross-validation ({compared.n_folds} folds); bars are 95% intervals"
    names = _list_growing(compared)
    key = 0.0 if layout.beside else 18.0 * len(names)
    parts = [
        write_text(24, 30, title, size=layout.title, weight=600),
        write_text(24, 50, design, size=13 if layout.beside else 11, colour=SOFT),
        *_draw_dots(compared, layout),
        *_draw_growth(compared, names, height_of_dots + 30, layout),
    ]
    return write_document(title, layout.width, height_of_dots + 30 + GROWTH + BOTTOM + key, parts)


def _find_ends(standing: Standing) -> tuple[float, float]:
    return standing.regret - NORMAL * standing.error, standing.regret + NORMAL * standing.error


def _choose_colour(standing: Standing, compared: Comparison) -> str:
    if standing.name == compared.reference:
        return BEST
    return CURVE if standing.interval.high < 0.0 else TREND if standing.interval.low > 0.0 else SOFT


def _draw_dots(compared: Comparison, layout: Layout) -> list[str]:
    """Return every policy's mean regret with its interval, the least first."""
    spread = [end for standing in compared.standings for end in (standing.regret, *_find_ends(standing))]
    means = [standing.regret for standing in compared.standings]
    log = min(means) > 0.0 and max(means) > 5.0 * min(means)
    first, last = layout.dots, layout.width - RIGHT
    scale = Scale.around([value for value in spread if value > 0.0] or [1.0], first, last, log=log)
    bottom = TOP + layout.row * len(compared.standings)
    parts = []
    for mark in scale.marks():
        x = scale.at(mark)
        parts += [
            draw_line(x, TOP - 6, x, bottom, GRID),
            write_text(x, bottom + 20, f"{mark:g}", colour=SOFT, anchor="middle"),
        ]
    for place, standing in enumerate(compared.standings):
        y, colour = TOP + layout.row * (place + (0.5 if layout.beside else 0.72)), _choose_colour(standing, compared)
        low, high = _find_ends(standing)
        weight = 600 if standing.name == compared.reference else 400
        x, above, anchor = (first - 14, -4, "end") if layout.beside else (first, 12, "start")
        parts += [
            write_text(x, y - above, standing.name[:44], anchor=anchor, weight=weight, colour=INK),
            draw_line(scale.at(low), y, scale.at(high), y, colour, 'stroke-width="2"'),
            draw_dot(scale.at(standing.regret), y, colour),
        ]
    label = f"{compared.level}{' (log scale)' * scale.log}"
    parts.append(write_text((first + last) / 2, bottom + 42, label, size=13, anchor="middle"))
    return parts


def _list_growing(compared: Comparison) -> list[str]:
    """Return the reference and the best others, whose regret is shown over time."""
    return [compared.reference, *[each.name for each in compared.standings if each.name != compared.reference][:SHOWN]]


def _draw_growth(compared: Comparison, names: list[str], top: float, layout: Layout) -> list[str]:
    """Return how the regret of some policies grew with the rounds."""
    left, bottom = (90.0 if layout.beside else 48.0), top + GROWTH - 20
    right = layout.width - (270.0 if layout.beside else RIGHT)
    across = Scale(1.0, float(max(compared.rounds[-1], 2)), left, right, log=True)
    most = max(float(compared.curves[name].max()) for name in names)
    up = Scale.around([0.0, most], bottom, top + 30, log=False)
    parts = [write_text(24, top, "Regret over time, best policies", size=min(layout.title, 15), weight=600)]
    parts += draw_grid(across, up, f"{compared.units.rounds or 'round'} (log scale)", ",.0f")
    heights = _move_apart([up.at(float(compared.curves[name][-1])) for name in names], 16.0, bottom)
    for place, name in enumerate(names):
        colour = BEST if place == 0 else OTHERS[(place - 1) % len(OTHERS)]
        grown = zip(compared.rounds.tolist(), compared.curves[name].tolist(), strict=True)
        x, y = (right + 10, heights[place] + 4) if layout.beside else (left, bottom + 70 + 18 * place)
        parts += [
            draw_polyline(((across.at(t), up.at(y)) for t, y in grown), colour, 3 if place == 0 else 1.8),
            write_text(x, y, name[:44], colour=colour, weight=600 if place == 0 else 400),
        ]
    return parts


def _move_apart(heights: list[float], least: float, bottom: float) -> list[float]:
    """Return heights for labels, as near to these as lets no two come closer than `least`; none below the bottom."""
    found = list(heights)
    floor = bottom + least
    for k in np.argsort(heights)[::-1].tolist():
        floor = min(heights[k], floor - least)
        found[k] = floor
    return found
