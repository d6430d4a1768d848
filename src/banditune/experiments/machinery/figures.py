"""Figures: one look for all, and how they are kept. Matplotlib is an extra, and imported when something is drawn."""

import importlib.util
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from banditune.curves.palette import GREY, GRID
from banditune.io.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:
    Axes = Figure = Any

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
    "grid.color": GRID,
    "legend.frameon": False,
    "legend.fontsize": 11,
    "lines.linewidth": 2.2,
}
DOTS_AN_INCH = 170
MOST_SHARE = 3.0  # half / mean, up to which a band on a logarithmic axis grows: a factor of 20
MISSING = 'there are no figures, as Matplotlib is not installed: pip install "banditune[plot]"; all else is written'


def can_draw() -> bool:
    """Tell whether there is something to draw with."""
    return importlib.util.find_spec("matplotlib") is not None


def panels(rows: int, columns: int, *, size: tuple[float, float], **how: Any) -> tuple[Figure, list[Axes]]:
    """Return a figure with its panels row by row, in inches; it knows of no window and no state that others share."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False, **how).flat)


def write_figure(draw: Any, findings: Any, folder: Path, name: str) -> list[Path]:
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


def with_band(axes: Axes, x: Any, middle: Any, half: Any, colour: str, label: str | None = None, **how: Any) -> None:
    """Draw a line with its interval; a logarithmic axis must be set before.

    There the interval is that of the logarithm, from middle / e^s to middle * e^s with s = half / middle: the same to
    first order, and never below 0.
    """
    low, high = find_band(np.asarray(middle, float), np.asarray(half, float), is_log=axes.get_yscale() == "log")
    axes.plot(x, middle, color=colour, label=label, **how)
    axes.fill_between(x, low, high, color=colour, alpha=0.18, lw=0)


def find_band(middle: Any, half: Any, *, is_log: bool) -> tuple[Any, Any]:
    """Return the lower and the upper end of a band: around the means, or around their logarithms.

    >>> find_band(np.array([2.0]), np.array([1.0]), is_log=False)
    (array([1.]), array([3.]))
    >>> low, high = find_band(np.array([2.0]), np.array([4.0]), is_log=True)
    >>> (low * high).round(12), high.round(2)
    (array([4.]), array([14.78]))
    """
    if not is_log:
        return middle - half, middle + half
    share = np.divide(half, middle, out=np.zeros_like(half), where=middle > 0.0)
    factor = np.exp(np.minimum(share, MOST_SHARE))
    return middle / factor, middle * factor


def caption(figure: Figure, words: str) -> None:
    """Say below the panels what the bands, bars and marks are: above the legend there, if there is one."""
    if figure.legends:
        figure.legends[-1].set_title(words)
        figure.legends[-1].get_title().set(color=GREY, fontsize=10.5)
    else:
        figure.supxlabel(words, fontsize=10.5, color=GREY)
