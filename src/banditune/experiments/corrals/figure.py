"""The corral experiments: regret over the rounds."""

from typing import TYPE_CHECKING

from banditune.experiments.corrals.analysis import CorralFindings, Panel
from banditune.experiments.machinery.pictures import BLUE, GREEN, ORANGE, PINK, panels, with_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIRST = 20  # round
CORRALS = ((ORANGE, "-"), (ORANGE, "--"), (PINK, "-"), (PINK, "--"))


def draw(found: CorralFindings) -> "Figure":
    """A panel for each arena, and one legend for all."""
    count = len(found.panels)
    columns = 2 if count == 4 else count
    rows = -(-count // columns)
    figure, all_axes = panels(rows, columns, size=(4.6 * columns + 0.4, 4.0 * rows + 1.0))
    for axes, panel in zip(all_axes, found.panels, strict=True):
        _draw(axes, panel)
    for axes in all_axes[::columns]:
        axes.set_ylabel("regret")
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _draw(axes: "Axes", panel: Panel) -> None:
    late = panel.rounds >= FIRST
    lines = [
        *((games, colour, style, games.name) for games, (colour, style) in zip(panel.corrals, CORRALS, strict=True)),
        (panel.learned[-1], GREEN, "-", "UCB, alpha learned in games of this length"),
        (panel.learned[0], BLUE, "-", "UCB, alpha learned on the grid in 20 rounds (the paper)"),
    ]
    for games, colour, style, label in lines:
        with_band(axes, panel.rounds[late], games.mean[late], games.half[late], colour, label, ls=style)
    axes.set(title=panel.name, xlabel="round", xscale="log", yscale="log")
    least = min(float(games.mean[late].min()) for games, *_ in lines)
    most = max(float((games.mean + games.half)[late].max()) for games, *_ in lines)
    axes.set_ylim(max(least / 2, most * 1e-6, 1e-3), most * 1.5)
    words = rf"$\alpha$: {panel.ways[0].alpha:g}, {panel.ways[-1].alpha:.2g}"
    axes.annotate(words, (0.03, 0.95), xycoords="axes fraction", va="top")
