"""Table 1: how many pieces the loss of a task has."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from banditune.curves.palette import BLACK, BLUE, ORANGE
from banditune.evaluation.intervals import NORMAL
from banditune.experiments.machinery.claims import Agreement, Claim, PlusMinus, estimate_mean, judge
from banditune.experiments.machinery.experiment import Experiment, Findings, Results, Unit, divide
from banditune.experiments.machinery.figures import Figure, caption, panels
from banditune.experiments.machinery.shapes import sweep_unit


@dataclass(frozen=True, slots=True)
class Settings:
    """What is counted: UCB's alpha in [0, most] on tasks of two arms."""

    horizon: int
    most: float
    n_tasks: int
    a_unit: int


FULL = Settings(horizon=100, most=1.0, n_tasks=10_000, a_unit=2_500)
QUICK = Settings(horizon=100, most=1.0, n_tasks=400, a_unit=400)

N_RUNS = 10_000  # of the paper
SPREADS = (0.1, 0.2, 0.3, 0.5)
PAPER: Mapping[str, tuple[PlusMinus, ...]] = {  # a number for each spread
    "B": (PlusMinus(28.26, 1.05), PlusMinus(31.77, 1.24), PlusMinus(35.93, 1.40), PlusMinus(40.84, 1.57)),
    "U": (PlusMinus(20.03, 0.50), PlusMinus(20.53, 0.52), PlusMinus(19.79, 0.50), PlusMinus(19.63, 0.53)),
    "G": (PlusMinus(32.23, 1.20), PlusMinus(28.70, 1.01), PlusMinus(25.30, 0.85), PlusMinus(22.48, 0.68)),
}
FAMILIES = {"B": "Bernoulli", "U": "uniform", "G": "Gaussian"}


def units(settings: Settings) -> list[Unit]:
    """Return all units, family by family."""
    return [unit for family in FAMILIES for spread in SPREADS for unit in family_units(settings, family, spread)]


def family_units(settings: Settings, family: str, spread: float) -> list[Unit]:
    """Return the units of one cell of the table."""
    asked = {"tasks": f"{family}({spread})", "horizon": settings.horizon, "most": settings.most, "histories": True}
    return divide(f"{family}-{spread}", sweep_unit, settings.n_tasks, settings.a_unit, asked)


Counts = Mapping[str, tuple[PlusMinus, ...]]  # of each family, one for each spread

N_ARMS = 2
OVERLAP = "a cell: the paper's 95% interval and that of the pieces here (Definition 1) overlap"
BETWEEN = "between: the paper's number is above the pieces and below the histories, in all 12 cells"
TREND = "a trend: the paper's row goes from s = 0.1 to 0.5 in the direction of what is counted here, by interval"
SMALL = "small: even the histories are fewer than a millionth of 2^100"


@dataclass(frozen=True, slots=True)
class QdFindings(Findings):
    """What was counted; the numbers of a family are for each spread in turn."""

    spreads: tuple[float, ...]
    paper: Counts
    pieces: Counts
    histories: Counts


def analyse(settings: Settings, results: Results) -> QdFindings:
    """Count, and compare."""
    pieces, histories = {}, {}
    for family in FAMILIES:
        cells = [[results[unit.name] for unit in family_units(settings, family, spread)] for spread in SPREADS]
        pieces[family] = tuple(
            estimate_mean(np.concatenate([np.diff(part["starts"]) for part in cell])) for cell in cells
        )
        histories[family] = tuple(estimate_mean(np.concatenate([part["histories"] for part in cell])) for cell in cells)
    claims = [
        *(
            _cell(family, k, pieces[family][k], histories[family][k])
            for family in FAMILIES
            for k in range(len(SPREADS))
        ),
        _between(pieces, histories),
        *(_trend(what, counts) for what, counts in (("pieces", pieces), ("histories", histories))),
        _small(settings, histories),
        _spread(settings, pieces, histories),
    ]
    readings = (
        "The paper estimates the number of pieces of the loss without saying how it counts. Here the pieces are "
        "those of the loss as a function of alpha (Definition 1; neighbours differ), and the histories are the "
        "different runs visited by its recursion, which never merges them. Both are reported.",
        "s is a standard deviation: the table writes N(0.5, s^2).",
    )
    return QdFindings(tuple(claims), readings, SPREADS, PAPER, pieces, histories)


def _cell(family: str, k: int, pieces: PlusMinus, histories: PlusMinus) -> Claim:
    stated = PAPER[family][k]
    return Claim(
        f"{FAMILIES[family]}, s = {SPREADS[k]}",
        f"{stated.mean:.2f} ± {stated.half:.2f}",
        f"{pieces} pieces, {histories} histories",
        judge(stated.low <= pieces.high and pieces.low <= stated.high),
        OVERLAP,
    )


def _between(pieces: Counts, histories: Counts) -> Claim:
    inside = [
        few.mean < stated.mean < many.mean
        for family in FAMILIES
        for stated, few, many in zip(PAPER[family], pieces[family], histories[family], strict=True)
    ]
    words = f"between pieces and histories in {sum(inside)} of {len(inside)} cells"
    return Claim("where the numbers lie", "19.63 to 40.84", words, judge(all(inside)), BETWEEN)


def _trend(what: str, counts: Counts) -> Claim:
    stated = {family: _direction(PAPER[family]) for family in FAMILIES}
    found = {family: _direction(counts[family]) for family in FAMILIES}

    def words(each: Mapping[str, str]) -> str:
        return ", ".join(f"{FAMILIES[family]} {each[family]}" for family in FAMILIES)

    return Claim(f"from s = 0.1 to 0.5, {what}", words(stated), words(found), judge(stated == found), TREND)


def _direction(row: tuple[PlusMinus, ...]) -> str:
    first, last = row[0], row[-1]
    if first.high < last.low:
        return "rises"
    return "falls" if last.high < first.low else "flat"


def _spread(settings: Settings, pieces: Counts, histories: Counts) -> Claim:
    """Return how much one task differs from another, which the half widths of means tell."""

    def spreads(counts: Counts, n_tasks: int) -> str:
        found = [each.half / NORMAL * n_tasks**0.5 for row in counts.values() for each in row]
        return f"{min(found):.0f} to {max(found):.0f}"

    here = f"pieces {spreads(pieces, settings.n_tasks)}, histories {spreads(histories, settings.n_tasks)}"
    stated = f"{spreads(PAPER, N_RUNS)} (from its half widths)"
    return Claim("standard deviation over tasks", stated, here, Agreement.BEYOND, "")


def _small(settings: Settings, histories: Counts) -> Claim:
    most, bound = max(each.mean for row in histories.values() for each in row), float(N_ARMS) ** settings.horizon
    return Claim(
        "Q_D against the bound n^T",
        f"much smaller than {bound:.3g}",
        f"at most {most:.0f} (histories)",
        judge(most < 1e-6 * bound),
        SMALL,
    )


def draw(found: QdFindings) -> Figure:
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
    all_axes[0].set_ylabel("number in 100 rounds")
    all_axes[1].legend(loc="upper center")
    caption(
        figure, "Bars: 95% intervals of the means over 10,000 tasks, here and in the paper (often within the mark)."
    )
    return figure


EXPERIMENT: Experiment[Settings, QdFindings] = Experiment(
    "table-qd", "How many pieces has the loss of a task?", "Table 1, Appendix K", FULL, QUICK, units, analyse, draw
)
