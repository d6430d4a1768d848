"""Table 1: pieces and histories of each family, beside the paper's numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from banditune.experiments.machinery.claims import Agrees, Claim, judged
from banditune.experiments.machinery.experiment import Results
from banditune.experiments.machinery.plus_minus import PlusMinus, estimated
from banditune.experiments.table_qd.definition import family_units
from banditune.experiments.table_qd.settings import FAMILIES, N_RUNS, PAPER, SPREADS, Settings
from banditune.guarantees.estimates import NORMAL

Counts = Mapping[str, tuple[PlusMinus, ...]]  # of each family, one for each spread

N_ARMS = 2
OVERLAP = "a cell: the paper's 95% interval and that of the pieces here (Definition 1) overlap"
BETWEEN = "between: the paper's number is above the pieces and below the histories, in all 12 cells"
TREND = "a trend: the paper's row goes from s = 0.1 to 0.5 in the direction of what is counted here, by interval"
SMALL = "small: even the histories are fewer than a millionth of 2^100"


@dataclass(frozen=True, slots=True)
class QdFindings:
    """What was counted; the numbers of a family are for each spread in turn."""

    claims: tuple[Claim, ...]
    readings: tuple[str, ...]
    spreads: tuple[float, ...]
    paper: Counts
    pieces: Counts
    histories: Counts


def analyse(settings: Settings, results: Results) -> QdFindings:
    """Count, and compare."""
    pieces, histories = {}, {}
    for family in FAMILIES:
        cells = [[results[unit.name] for unit in family_units(settings, family, spread)] for spread in SPREADS]
        pieces[family] = tuple(estimated(np.concatenate([np.diff(part["starts"]) for part in cell])) for cell in cells)
        histories[family] = tuple(estimated(np.concatenate([part["histories"] for part in cell])) for cell in cells)
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
        "The paper estimates the number of pieces of the loss, and does not say how it counted. Here the pieces are "
        "those of the loss as a function of alpha (Definition 1; neighbours differ), and the histories are the "
        "different games that its recursion visits, which it never merges. Both are shown; neither is bent.",
        "s is a standard deviation: the table writes N(0.5, s^2).",
    )
    return QdFindings(tuple(claims), readings, SPREADS, PAPER, pieces, histories)


def _cell(family: str, k: int, pieces: PlusMinus, histories: PlusMinus) -> Claim:
    stated = PAPER[family][k]
    return Claim(
        f"{FAMILIES[family]}, s = {SPREADS[k]}",
        f"{stated.mean:.2f} ± {stated.half:.2f}",
        f"{pieces} pieces, {histories} histories",
        judged(stated.low <= pieces.high and pieces.low <= stated.high),
        OVERLAP,
    )


def _between(pieces: Counts, histories: Counts) -> Claim:
    inside = [
        few.mean < stated.mean < many.mean
        for family in FAMILIES
        for stated, few, many in zip(PAPER[family], pieces[family], histories[family], strict=True)
    ]
    words = f"between pieces and histories in {sum(inside)} of {len(inside)} cells"
    return Claim("where the numbers lie", "19.63 to 40.84", words, judged(all(inside)), BETWEEN)


def _trend(what: str, counts: Counts) -> Claim:
    stated = {family: _direction(PAPER[family]) for family in FAMILIES}
    found = {family: _direction(counts[family]) for family in FAMILIES}

    def words(each: Mapping[str, str]) -> str:
        return ", ".join(f"{FAMILIES[family]} {each[family]}" for family in FAMILIES)

    return Claim(f"from s = 0.1 to 0.5, {what}", words(stated), words(found), judged(stated == found), TREND)


def _direction(row: tuple[PlusMinus, ...]) -> str:
    first, last = row[0], row[-1]
    if first.high < last.low:
        return "rises"
    return "falls" if last.high < first.low else "flat"


def _spread(settings: Settings, pieces: Counts, histories: Counts) -> Claim:
    """How much one task differs from another, which the half widths of means tell."""

    def spreads(counts: Counts, n_tasks: int) -> str:
        found = [each.half / NORMAL * n_tasks**0.5 for row in counts.values() for each in row]
        return f"{min(found):.0f} to {max(found):.0f}"

    here = f"pieces {spreads(pieces, settings.n_tasks)}, histories {spreads(histories, settings.n_tasks)}"
    stated = f"{spreads(PAPER, N_RUNS)} (from its half widths)"
    return Claim("standard deviation over tasks", stated, here, Agrees.BEYOND, "")


def _small(settings: Settings, histories: Counts) -> Claim:
    most, bound = max(each.mean for row in histories.values() for each in row), float(N_ARMS) ** settings.horizon
    return Claim(
        "Q_D beside the bound n^T",
        f"much smaller than {bound:.3g}",
        f"at most {most:.0f} (histories)",
        judged(most < 1e-6 * bound),
        SMALL,
    )
