"""Table 1 as a figure: a panel for each family."""

from typing import TYPE_CHECKING

from banditune.experiments.machinery.pictures import BLACK, BLUE, ORANGE, panels
from banditune.experiments.table_qd.analysis import QdFindings
from banditune.experiments.table_qd.settings import FAMILIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: QdFindings) -> "Figure":
    """Pieces, the paper's numbers and histories against the spread of the tasks."""
    figure, all_axes = panels(1, 3, size=(11.5, 4.2), sharey=True)
    for axes, (family, words) in zip(all_axes, FAMILIES.items(), strict=True):
        for row, colour, mark, label in (
            (found.histories[family], ORANGE, "^", "distinct histories, here"),
            (found.paper[family], BLACK, "s", "the paper's Table 1"),
            (found.pieces[family], BLUE, "o", "pieces of the loss, here"),
        ):
            means, halves = [each.mean for each in row], [each.half for each in row]
            axes.errorbar(found.spreads, means, halves, color=colour, marker=mark, ms=7, capsize=4, label=label)
        axes.set(title=words, xlabel="spread s of the tasks", yscale="log", ylim=(5, 250), xlim=(0.06, 0.54))
        axes.set_xticks(found.spreads)
        axes.set_yticks([5, 10, 20, 50, 100, 200], ["5", "10", "20", "50", "100", "200"])
        axes.minorticks_off()
    all_axes[0].set_ylabel("number in 100 rounds (95% intervals)")
    all_axes[1].legend(loc="upper center")
    return figure
