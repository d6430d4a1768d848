"""Figures: one look for all, and how they are kept. Matplotlib is an extra, and imported when something is drawn."""

import importlib.util
import io
from typing import TYPE_CHECKING, Any

from banditune.io import write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which everybody tells apart
BLUE, ORANGE, GREEN, PINK, SKY, RED, BLACK, GREY = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#1f2933",
    "#7b8794",
)
LOOK: dict[Any, Any] = {
    "svg.fonttype": "path",
    "svg.hashsalt": "banditune",
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e7eb",
    "legend.frameon": False,
    "legend.fontsize": 11,
    "lines.linewidth": 2.2,
}
DOTS_AN_INCH = 110
MISSING = 'there are no figures, as Matplotlib is not installed: pip install "banditune[plot]"; all else is written'


def can_draw() -> bool:
    """Whether there is something to draw with."""
    return importlib.util.find_spec("matplotlib") is not None


def panels(rows: int, columns: int, *, size: tuple[float, float], **how: Any) -> "tuple[Figure, list[Axes]]":
    """A figure with its panels row by row, in inches; it knows of no window and no state that others share."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False, **how).flat)


def write_figure(draw: Any, findings: Any, folder: "Path", name: str) -> "list[Path]":
    """Draw what was found, in the look of all figures, as PNG and SVG."""
    import matplotlib as mpl

    with mpl.rc_context(LOOK):
        figure: Figure = draw(findings)
        written = []
        for form, how in (("png", {"dpi": DOTS_AN_INCH}), ("svg", {"metadata": {"Date": None}})):
            held = io.BytesIO()
            figure.savefig(held, format=form, **how)
            written.append(folder / f"{name}.{form}")
            write_bytes(written[-1], held.getvalue())
    return written


def with_band(axes: "Axes", x: Any, middle: Any, half: Any, colour: str, label: str | None = None, **how: Any) -> None:
    """A line with its interval."""
    axes.plot(x, middle, color=colour, label=label, **how)
    axes.fill_between(x, middle - half, middle + half, color=colour, alpha=0.18, lw=0)
