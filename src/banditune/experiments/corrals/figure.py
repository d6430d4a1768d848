"""The corral experiments: regret over the rounds."""

from typing import TYPE_CHECKING

from banditune.experiments.corrals.analysis import CorralFindings, Panel
from banditune.experiments.machinery.figures import BLUE, GREEN, ORANGE, PINK, SKY, panels, with_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIRST = 20  # round
CORRALS = ((ORANGE, "-"), (ORANGE, "--"), (PINK, "-"), (PINK, "--"))
WAYS = {  # which of the ways of learning are drawn
    2: (SKY, "UCB, alpha learned on longer runs, over the continuum"),
    3: (GREEN, "UCB, alpha learned on runs of this length"),
    0: (BLUE, "UCB, alpha learned on the grid in 20 rounds (the paper)"),
}


def draw(found: CorralFindings) -> "Figure":
    """A panel for each arena, and one legend for all."""
    count = len(found.panels)
    columns = 2 if count == 4 else count
    rows = -(-count // columns)
    figure, all_axes = panels(rows, columns, size=(4.7 * columns + 0.4, 4.2 * rows + 1.0))
    for axes, panel in zip(all_axes, found.panels, strict=True):
        _draw(axes, panel)
    for axes in all_axes[::columns]:
        axes.set_ylabel("regret")
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, 2))
    return figure


def _draw(axes: "Axes", panel: Panel) -> None:
    late = panel.rounds >= FIRST
    lines = [(games, *look, games.name) for games, look in zip(panel.corrals, CORRALS, strict=True)]
    lines += [(panel.learned[k], colour, "-", label) for k, (colour, label) in WAYS.items()]
    for games, colour, style, label in lines:
        with_band(axes, panel.rounds[late], games.mean[late], games.half[late], colour, label, ls=style)
    axes.set(title=panel.name, xlabel="round", xscale="log", yscale="log")
    least = min(float(games.mean[late].min()) for games, *_ in lines)
    most = max(float((games.mean + games.half)[late].max()) for games, *_ in lines)
    axes.set_ylim(max(least / 2, most * 1e-6, 1e-3), most * 2)
    for line, (k, (colour, _)) in enumerate(sorted(WAYS.items())):
        words = rf"$\alpha$ = {panel.ways[k].alpha:.2g}, {panel.ways[k].name.split(', ')[1]}"
        place = (0.03, 0.97 - 0.07 * line)
        axes.annotate(words, place, xycoords="axes fraction", va="top", color=colour, fontsize=10)
