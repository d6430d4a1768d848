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
    """Each reading a line: how much less than the best point in every round gives."""
    figure, all_axes = panels(1, len(FUNCTIONS), size=(13.0, 5.4))
    for axes, (function, words) in zip(all_axes, FUNCTIONS.items(), strict=True):
        mine = [each for each in found.found if each.function == function]
        for each, (colour, style) in zip(mine, LOOKS, strict=False):
            _line(axes, each, colour, style)
        axes.set(title=words, xlabel=r"$\sigma^2$", xscale="log")
    all_axes[0].set_ylabel("reward in 20 rounds minus the most possible")
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _line(axes: "Axes", found: Noise, colour: str, style: str) -> None:
    """One reading."""
    below = found.mean - found.most_possible
    with_band(axes, found.noises, below, found.half, colour, found.reading, ls=style)
    axes.plot(found.best, found.reward - found.most_possible, "o", color=colour, ms=7)
