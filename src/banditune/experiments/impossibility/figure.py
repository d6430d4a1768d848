"""Theorem 4.1: regret over the rounds, with the two sides of the theorem."""

from typing import TYPE_CHECKING

import numpy as np

from banditune.experiments.impossibility.analysis import BEST, RIGHT, ImpossibilityFindings
from banditune.experiments.machinery.pictures import BLACK, BLUE, GREEN, ORANGE, PINK, RED, SKY, panels, with_band

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {RIGHT: GREEN, BEST: BLUE, "UCB-Tuned": PINK, "UCB-V": SKY, "stochastic corral": RED}
FIRST = 10  # round


def draw(found: ImpossibilityFindings) -> "Figure":
    """A panel for each variance."""
    figure, all_axes = panels(1, len(found.prices), size=(13.5, 5.4), sharey=True)
    for axes, price in zip(all_axes, found.prices, strict=True):
        late = price.rounds >= FIRST
        rounds = price.rounds[late]
        for name, paid in price.paid.items():
            with_band(axes, rounds, paid.mean[late], paid.half[late], COLOURS.get(name, ORANGE), name)
        logs = np.log(rounds)
        axes.plot(rounds, price.online * logs, color=BLACK, ls="--", lw=1.6, label="theorem: online, at least")
        axes.plot(rounds, price.tuned * logs, color=BLACK, ls=":", lw=2, label="theorem: right alpha, at most")
        axes.set(title=f"variance {price.variance:g}: ratio {price.online / price.tuned:.3g}", xlabel="round T")
        axes.set(xscale="log", yscale="log", ylim=(0.1, None))
    all_axes[0].set_ylabel("regret")
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure
