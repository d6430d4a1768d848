"""The regret as a function of alpha: a panel for each kind of tasks."""

from typing import TYPE_CHECKING

from banditune.experiments.alpha_curves.analysis import CurvesFindings
from banditune.experiments.machinery.pictures import panels
from banditune.experiments.machinery.shape_panels import draw_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: CurvesFindings) -> "Figure":
    """Two rows of three."""
    figure, all_axes = panels(2, 3, size=(12.5, 7.0))
    for axes, each, horizon in zip(all_axes, found.shapes, found.horizons, strict=True):
        draw_shape(axes, each)
        axes.set(title=each.name, ylabel=f"mean regret in {horizon} rounds")
    return figure
