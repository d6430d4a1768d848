"""Swapped Gaussians: the mean regret over alpha."""

from typing import TYPE_CHECKING

from banditune.experiments.alpha_mixture.analysis import MixtureFindings
from banditune.experiments.machinery.pictures import panels
from banditune.experiments.machinery.shape_panels import draw_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: MixtureFindings) -> "Figure":
    """A panel for each mu."""
    figure, all_axes = panels(1, len(found.shapes), size=(3.4 * len(found.shapes), 3.9))
    for axes, each in zip(all_axes, found.shapes, strict=True):
        draw_shape(axes, each)
        axes.set(title=each.name.replace("mu", r"$\mu$"))
    all_axes[0].set_ylabel("mean regret in 100 rounds")
    return figure
