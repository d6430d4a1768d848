"""A panel with a mean loss over alpha."""

from typing import TYPE_CHECKING

from banditune.experiments.machinery.pictures import BLUE, GREEN, with_band
from banditune.experiments.machinery.shapes import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_shape(axes: "Axes", found: Shape) -> None:
    """The mean loss with its 95% interval, the plausible range and the best alpha."""
    axes.axvspan(*found.plausible, color="#cdeee2", lw=0)
    with_band(axes, found.alphas, found.mean, found.half, BLUE)
    axes.plot(found.best, found.loss, "o", color=GREEN, ms=9, zorder=5)
    words, place = rf"best: $\alpha$ = {found.best:.2g}", (found.best, found.loss)
    is_right = found.alphas[0] == 0.0 and found.best > 0.6 * found.alphas[-1]
    side, how = (-8, "right") if is_right else (10, "left")
    axes.annotate(words, place, (side, -20), textcoords="offset points", color=GREEN, ha=how)
    axes.set(xlabel=r"$\alpha$", xlim=(found.alphas[0], found.alphas[-1]), ylim=(0, None))
    if found.alphas[0] > 0.0:
        axes.set(xscale="log", xlabel=r"$\alpha$ (log scale)")
