"""The figure of the benchmark: seconds against T, n and N, on logarithmic scales."""

import math
from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from banditune.curves import palette
from banditune.curves.palette import BLUE, GREEN, GREY, INK, RED, SOFT
from benchmarks.grids import GRID
from benchmarks.growth import Growth
from benchmarks.methods import METHODS, OURS
from benchmarks.timing import shown_seconds

LOOKS = dict(zip(METHODS, ((BLUE, "o"), (RED, "s"), (GREY, "^"), (GREEN, "D")), strict=True))  # markers: for grey print
WORDS = dict(
    zip(
        METHODS,
        (
            "exact sweep: ours, every alpha",
            "recursion: the paper's, every alpha",
            f"plain Python grid, {GRID.size} alphas",
            f"NumPy grid, {GRID.size} alphas",
        ),
        strict=True,
    )
)
NAMES = {"T": "rounds T", "n": "arms n", "N": "tasks N"}


def draw_growths(growths: Sequence[Growth], file: Path) -> None:
    """Write the panels side by side, on one scale of seconds, to a PNG or SVG file."""
    with plt.rc_context({"font.size": 11, "text.color": INK, "axes.edgecolor": SOFT, "xtick.color": INK}):
        figure, panels = plt.subplots(1, len(growths), figsize=(13.5, 5.4), sharey=True, layout="constrained")
        for axes, growth in zip(panels, growths, strict=True):
            draw_growth(axes, growth)
        panels[0].set_ylabel("time for all tasks, on one core")
        panels[0].yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: _short(shown_seconds(seconds))))
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False, fontsize=11.5)
        figure.savefig(file, dpi=150)
        plt.close(figure)


def draw_growth(axes: Axes, growth: Growth) -> Axes:
    """One panel: a line for each method, its fitted growth at its end."""
    for name, (colour, marker) in LOOKS.items():
        measured = [(x, y) for x, y in zip(growth.sizes, growth.seconds[name], strict=True) if not math.isnan(y)]
        x, y = zip(*measured, strict=True)
        width = 3.0 if name == OURS else 1.6
        axes.loglog(x, y, color=colour, marker=marker, markersize=6, linewidth=width, label=WORDS[name])
        fit = f"{growth.symbol}$^{{{growth.exponent(name):.1f}}}$"
        axes.annotate(fit, (x[-1], y[-1]), (9, 0), textcoords="offset points", va="center", color=colour)
    axes.set_xlim(growth.sizes[0] / 1.3, growth.sizes[-1] * (growth.sizes[-1] / growth.sizes[0]) ** 0.18)
    sizes = growth.sizes if growth.symbol == "n" else [size for size in growth.sizes if str(size).strip("0") == "1"]
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
    axes.set_xlabel(NAMES[growth.symbol])
    axes.set_title(growth.title.replace(": ", "\n"), loc="left", fontsize=11.5)
    axes.grid(visible=True, which="major", color=palette.GRID, linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _short(words: str) -> str:
    """A round number of seconds without its zeros after the point."""
    number, unit = words.split()
    return f"{float(number):g} {unit}"
