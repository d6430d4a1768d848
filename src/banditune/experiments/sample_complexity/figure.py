"""How many tasks it takes: regret on test tasks, and the error, over the number of training tasks."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banditune.experiments.machinery.pictures import BLACK, BLUE, ORANGE, panels
from banditune.experiments.sample_complexity.analysis import ComplexityFindings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: ComplexityFindings) -> "Figure":
    """A column for each kind of tasks: above as the paper shows it, below the error alone."""
    count = len(found.kinds)
    figure, all_axes = panels(2, count, size=(3.5 * count, 6.6), sharex=True)
    for axes, kind in zip(all_axes[:count], found.kinds, strict=True):
        axes.errorbar(found.sizes, kind.regret, kind.regret_half, color=BLUE, marker="o", capsize=3, label="learned")
        axes.axhline(kind.least, color=BLACK, lw=1.4, ls=":", label="best alpha")
        axes.axhline(kind.default, color=ORANGE, lw=1.6, ls="--", label="alpha = 1")
        axes.set(title=kind.name, xscale="log", ylim=(0, None))
    for axes, kind in zip(all_axes[count:], found.kinds, strict=True):
        axes.errorbar(found.sizes, kind.error, kind.error_half, color=BLUE, marker="o", capsize=3)
        axes.set(xscale="log", yscale="log", xlabel="training tasks N", ylim=_decades(kind.error))
        words = f"slope {kind.slope.mean:.2f} ± {kind.slope.half:.2f}"
        axes.annotate(words, (0.95, 0.93), xycoords="axes fraction", ha="right", va="top")
    all_axes[0].set_ylabel("regret on test tasks")
    all_axes[count].set_ylabel("error: regret above the least")
    all_axes[0].legend(loc="lower left")
    return figure


def _decades(values: NDArray[np.float64]) -> tuple[float, float]:
    """Powers of ten around some positive values."""
    logs = np.log10(np.maximum(values, 1e-12))
    return float(10.0 ** np.floor(logs.min())), float(10.0 ** np.ceil(logs.max() + 0.1))
