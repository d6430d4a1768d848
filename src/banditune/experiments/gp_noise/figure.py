"""GP-UCB's noise: total reward over sigma^2, a panel for each function."""

from typing import TYPE_CHECKING

from banditune.experiments.gp_noise.analysis import Noise, NoiseFindings
from banditune.experiments.gp_noise.settings import FUNCTIONS
from banditune.experiments.machinery.pictures import BLACK, BLUE, GREEN, ORANGE, PINK, RED, SKY, panels, with_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS = ((BLUE, "-"), (ORANGE, "-"), (GREEN, "-"), (BLACK, ":"), (PINK, "--"), (SKY, "-."), (RED, "--"))


def draw(found: NoiseFindings) -> "Figure":
    """Each reading a line, from the worst point in every round (0) to the best (1)."""
    figure, all_axes = panels(1, len(FUNCTIONS), size=(13.0, 5.4))
    for axes, (function, words) in zip(all_axes, FUNCTIONS.items(), strict=True):
        mine = [each for each in found.found if each.function == function]
        for each, (colour, style) in zip(mine, LOOKS, strict=False):
            _line(axes, each, colour, style)
        axes.set(title=words, xlabel=r"$\sigma^2$", xscale="log")
    all_axes[0].set_ylabel("total reward, from worst (0) to best (1)")
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _line(axes: "Axes", found: Noise, colour: str, style: str) -> None:
    """One reading."""
    share = (found.mean - found.least_possible) / found.span
    with_band(axes, found.noises, share, found.half / found.span, colour, found.reading, ls=style)
    axes.plot(found.best, (found.reward - found.least_possible) / found.span, "o", color=colour, ms=7)
