"""The figure of a stopping rule: what past tests lose for every threshold."""

from banditune.curves.palette import BEST, CURVE, RANGE, SOFT
from banditune.curves.thinning import thin_curve
from banditune.report.axes import (
    Layout,
    Scale,
    draw_dot,
    draw_grid,
    draw_line,
    draw_polyline,
    write_document,
    write_text,
)
from banditune.report.wording import Words
from banditune.stopping.result import Stopping

TOP, BOTTOM, RIGHT = 70, 370, 30
BEYOND = 1.1  # times the last threshold at which something changes
TITLE = "What past tests lose for every threshold"


WIDE = Layout(860, 450, 78, 17, ((0, 12), (340, 12)))
NARROW = Layout(400, 468, 52, 14, ((0, 30), (0, 12)))


def draw_stopping(found: Stopping, words: Words, layout: Layout = WIDE) -> str:
    """Return the figure as a self-contained SVG document."""
    curve, best = found.curve, found.threshold
    last = max(float(curve.edges[-2]), best, found.within_one_se.low, 1.0)
    across = Scale(curve.low, min(BEYOND * last, curve.high), layout.left, layout.width - RIGHT, log=False)
    line = thin_curve(curve, curve.low, log=False, keep=best)
    margin = 0.06 * ((float(line.y.max()) - float(line.y.min())) or 1.0)
    up = Scale(float(line.y.min()) - margin, float(line.y.max()) + margin, BOTTOM, TOP, log=False)
    x, y = [across.at(value) for value in line.x.tolist()], [up.at(value) for value in line.y.tolist()]
    corners = [(at, level) for k, at in enumerate(x) for level in y[max(k - 1, 0) : k + 1]]
    low, high = (across.at(end) for end in found.within_one_se)
    at = across.at(best)
    parts = [
        write_text(24, 30, TITLE, size=layout.letters, weight=600),
        write_text(24, 50, words.measure, size=13 if layout is WIDE else 11, colour=SOFT),
        _fill(low, TOP, max(high - low, 1.5), BOTTOM - TOP),
        *draw_grid(across, up, "threshold"),
        draw_polyline(corners, CURVE, 1.6),
        draw_line(at, TOP, at, BOTTOM, BEST, 'stroke-dasharray="4 3"'),
        draw_dot(at, up.at(found.loss), BEST),
        *_draw_key(f"recommended: {best:.4g} loses {words.format(found.loss)}", layout),
    ]
    return write_document(TITLE, layout.width, layout.height, parts)


def _fill(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{RANGE}"/>'


def _draw_key(recommended: str, layout: Layout) -> list[str]:
    (x1, y1), (x2, y2) = ((layout.left + along, layout.height - above) for along, above in layout.key)
    return [
        draw_dot(x1 + 12, y1 - 4, BEST),
        write_text(x1 + 36, y1, recommended, colour=SOFT),
        _fill(x2, y2 - 12, 24, 14),
        write_text(x2 + 36, y2, "within one standard error of the best", colour=SOFT),
    ]
