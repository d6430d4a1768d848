"""Swapped Gaussians: the mean regret over alpha."""

from typing import TYPE_CHECKING

from banditune.experiments.alpha_mixture.analysis import MixtureFindings
from banditune.experiments.machinery.pictures import BLUE, GREEN, panels, with_band

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: MixtureFindings) -> "Figure":
    """A panel for each mu, with the 95% interval and the best alpha."""
    figure, all_axes = panels(1, len(found.shapes), size=(3.6 * len(found.shapes), 3.8))
    for axes, each in zip(all_axes, found.shapes, strict=True):
        axes.axvspan(*each.plausible, color="#cdeee2", lw=0)
        with_band(axes, each.alphas, each.mean, each.half, BLUE)
        axes.plot(each.best, each.loss, "o", color=GREEN, ms=9, zorder=5)
        axes.annotate(
            f"best: {each.best:.2g}", (each.best, each.loss), (8, -16), textcoords="offset points", color=GREEN
        )
        axes.set(title=each.name.replace("mu", r"$\mu$"), xlabel=r"$\alpha$", xlim=(0, each.alphas[-1]))
        axes.set_ylim(bottom=0)
    all_axes[0].set_ylabel("mean regret in 100 rounds")
    return figure
