"""The corral experiments: who is ahead, what other ways of learning give on the same tasks, and the figure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banditune.curves.palette import BLUE, GREEN, ORANGE, PINK, SKY
from banditune.evaluation.intervals import student
from banditune.experiments.corrals.runs import (
    CORRAL_NAMES,
    Way,
    arena_further,
    arena_tests,
    learn_alphas,
    list_recorded_rounds,
)
from banditune.experiments.corrals.settings import Arena, Settings
from banditune.experiments.machinery.claims import (
    Agreement,
    Claim,
    PlusMinus,
    beyond,
    estimate_difference,
    estimate_mean,
    judge,
    judge_sign,
)
from banditune.experiments.machinery.experiment import Findings, Results
from banditune.experiments.machinery.figures import Axes, Figure, caption, find_band, panels, with_band
from banditune.validation import format_names

LEARNED = (
    "learned alpha: it is the paper's; undecided where the training tasks show no clear difference between the two "
    "(paired, 95%), or between any two values of the grid"
)
AHEAD = (
    "ahead: of each of the four corrals (two algorithms, two kinds of feedback), by its regret minus ours with a 95% "
    "interval above 0, both paired by test task and with ours measured on the further tasks (Welch), which show what "
    "is rare; no, if one of these is below 0; else undecided"
)


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The regret of one policy over the rounds."""

    name: str
    final: NDArray[np.float64]  # (tasks,)
    mean: NDArray[np.float64]  # (rounds,)
    half: NDArray[np.float64]  # (rounds,) the half width of its 95% interval
    sd: NDArray[np.float64]  # (rounds,) over the tasks


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """What happened in one arena."""

    name: str
    n_test: int
    rounds: NDArray[np.int64]
    ways: tuple[Way, ...]  # how alpha was learned; the paper's way first
    learned: tuple[Runs, ...]  # the runs of each way, on the further tasks: many more than corrals are run on
    corrals: tuple[Runs, ...]  # on the test tasks
    n_further: int
    ahead: Mapping[str, Mapping[str, PlusMinus]]  # rounds -> corral -> its regret minus ours, the paper's way
    grid: Mapping[str, PlusMinus]  # alpha -> the regret after all rounds
    further: tuple[PlusMinus, ...]  # the regret of each way after all rounds, on the further tasks


@dataclass(frozen=True, slots=True)
class CorralFindings(Findings):
    """All arenas."""

    panels: tuple[Panel, ...]


def analyse(settings: Settings, results: Results) -> CorralFindings:
    """Return the paper's claims, then what goes beyond them, arena by arena."""
    claims: list[Claim] = []
    more: list[Claim] = []
    panels = []
    for arena in settings.arenas:
        ways = learn_alphas(settings, arena, results)
        tests = arena_tests(settings, arena, results)
        ucb = np.array([results[unit.name]["ucb"] for unit in tests])  # (tasks, alphas, rounds)
        corrals = np.array([results[unit.name]["corrals"] for unit in tests])
        alphas, rounds = list(tests[0].arguments["alphas"]), list_recorded_rounds(arena)
        ours = ucb[:, alphas.index(ways[0].alpha)]
        if arena.learned is not None:
            claims.append(_describe_learned_value(arena, ways[0], len(settings.grid)))
        further = _further(settings, arena, results)
        ahead = {}
        for t in arena.checked:
            at = rounds.index(t)
            mine, many, theirs = ours[:, at], further[ways[0].alpha][:, at], corrals[:, :, at]
            ahead[t] = {name: estimate_mean(theirs[:, k] - mine) for k, name in enumerate(CORRAL_NAMES)}
            apart = {name: estimate_difference(theirs[:, k], many) for k, name in enumerate(CORRAL_NAMES)}
            claims.append(_ahead(arena, t, mine, many, theirs.mean(axis=0).tolist(), ahead[t], apart))
        on_grid = {alpha: ucb[:, alphas.index(alpha), -1] for alpha in settings.grid}
        final = {alpha: regret[:, -1] for alpha, regret in further.items()}
        more += _grid_claims(arena, on_grid)
        more += [_way(arena, way, final[way.alpha], final[ways[0].alpha]) for way in ways]
        panels.append(
            Panel(
                name=arena.name,
                n_test=settings.n_test,
                rounds=np.array(rounds),
                ways=ways,
                learned=tuple(_runs(way.name, further[way.alpha]) for way in ways),
                n_further=settings.n_further,
                corrals=tuple(_runs(name, corrals[:, k]) for k, name in enumerate(CORRAL_NAMES)),
                ahead={str(t): each for t, each in ahead.items()},
                further=tuple(estimate_mean(final[way.alpha]) for way in ways),
                grid={f"{alpha:g}": estimate_mean(final) for alpha, final in on_grid.items()},
            )
        )
    return CorralFindings((*claims, *more), _readings(settings), tuple(panels))


def _runs(name: str, regret: NDArray[np.float64]) -> Runs:
    """Return the runs of a policy, from its regret (tasks, rounds)."""
    sd = regret.std(axis=0, ddof=1)
    half = student(len(regret) - 1) * sd / np.sqrt(len(regret))
    return Runs(name, regret[:, -1], regret.mean(axis=0), half, sd)


def _describe_learned_value(arena: Arena, way: Way, n_grid: int) -> Claim:
    agrees = judge(way.alpha == arena.learned)
    none_apart = len(way.alike) == n_grid
    if none_apart or (agrees is Agreement.NO and arena.learned in way.alike):
        agrees = Agreement.UNDECIDED
    here = f"{way.alpha:g} (no clear difference: {format_names(f'{alpha:g}' for alpha in way.alike)})"
    return Claim(f"{arena.name}: learned on the grid", f"{arena.learned:g}", here, agrees, LEARNED)


def _ahead(
    arena: Arena,
    rounds: int,
    mine: NDArray[np.float64],
    many: NDArray[np.float64],
    theirs: list[float],
    paired: Mapping[str, PlusMinus],
    apart: Mapping[str, PlusMinus],
) -> Claim:
    nearest = min(paired, key=lambda name: paired[name].mean)
    here = (
        f"ours {mine.mean():,.4g}, on {many.size} further tasks {estimate_mean(many)}; CORRAL {theirs[0]:,.4g} (own), "
        f"{theirs[1]:,.4g} (importance); stochastic corral {theirs[2]:,.4g}, {theirs[3]:,.4g}; {paired[nearest]} less "
        f"than the nearest ({nearest}), {apart[nearest]} by the further tasks"
    )
    agrees = judge_sign(*paired.values(), *apart.values())
    return Claim(f"{arena.name}: regret after {rounds:,} rounds", "ours ahead", here, agrees, AHEAD)


def _further(settings: Settings, arena: Arena, results: Results) -> dict[float, NDArray[np.float64]]:
    """Return what each learned alpha lost on the further test tasks: (tasks, rounds) each."""
    units = arena_further(settings, arena, results)
    regret = np.concatenate([results[unit.name]["regret"] for unit in units])
    return {alpha: regret[:, k] for k, alpha in enumerate(units[0].arguments["alphas"])}


def _way(arena: Arena, way: Way, final: NDArray[np.float64], ours: NDArray[np.float64]) -> Claim:
    here = f"alpha = {way.alpha:.3g}: regret {estimate_mean(final)} in {arena.rounds:,} rounds"
    if final is not ours:
        extra = estimate_mean(final - ours)
        words = f"{extra} more" if extra.mean > 0.0 else f"{replace(extra, mean=-extra.mean)} less"
        here += f", {words} than the paper's way; median {np.median(final):.3g}"
    else:
        here += f", the paper's way; median {np.median(final):.3g}"
    return beyond(f"{arena.name}: learned from {way.name}, on {final.size} further tasks", here)


def _grid_claims(arena: Arena, on_grid: Mapping[float, NDArray[np.float64]]) -> list[Claim]:
    """Return the grid's best on the test tasks, and the paper's own value."""
    best = min(on_grid, key=lambda alpha: float(on_grid[alpha].mean()))
    here = f"{best:g}: regret {estimate_mean(on_grid[best])} in {arena.rounds:,} rounds"
    claims = [beyond(f"{arena.name}: best of the grid on the test tasks", here)]
    if arena.learned is not None:
        claims.append(
            beyond(
                f"{arena.name}: alpha = {arena.learned:g}, as the paper has it",
                f"regret {estimate_mean(on_grid[arena.learned])}",
            )
        )
    return claims


def _readings(settings: Settings) -> tuple[str, ...]:
    readings = [
        "N(mean, x): x is a variance in the paper's notation, while its words suggest a standard deviation; both "
        "are run.",
        'What the bases of a corral observe is not stated: with "own" feedback, the base that was followed gets the '
        'reward; with "importance" feedback, every base gets reward / probability, or 0. Both are run.',
        f"{settings.n_test} test tasks, the paper has 5. CORRAL's step size is sqrt(M / T), the larger of the two in "
        "its Theorem 5 (the other needs a bound on the bases' regret, and did worse in trials); stochastic corral's "
        "is 1 / sqrt(t). No restarts, as in the paper. Both know the number of rounds. Rewards outside 0 to 1 are "
        "clipped to 0 or 1 in a corral's own losses.",
    ]
    if any(arena.tasks == "cifar10" for arena in settings.arenas):
        readings.append(
            "CIFAR-10: networks trained for this library, smaller than the paper's; the first 20 rewards of an arm "
            "are its networks in random order, later ones normal with their mean and standard deviation. CIFAR-100 "
            "(the paper learned 0.5): not run, as there were no images."
        )
    return tuple(readings)


FIRST = 20  # round
CORRALS = ((ORANGE, "-"), (ORANGE, "--"), (PINK, "-"), (PINK, "--"))
WAYS = {  # which of the ways of learning are drawn; where two learn nearly the same alpha, both are seen
    2: (SKY, "-", "UCB, alpha learned on longer runs, over the continuum"),
    3: (GREEN, "-.", "UCB, alpha learned on runs of this length"),
    0: (BLUE, "-", "UCB, alpha learned on the grid in 20 rounds (the paper)"),
}


def draw(found: CorralFindings) -> Figure:
    """Return a panel for each arena, and one legend for all."""
    count = len(found.panels)
    columns = 2 if count == 4 else count
    rows = -(-count // columns)
    figure, all_axes = panels(rows, columns, size=(4.7 * columns + 0.4, 4.2 * rows + 1.3))
    for axes, panel in zip(all_axes, found.panels, strict=True):
        _draw(axes, panel)
    for axes in all_axes[::columns]:
        axes.set_ylabel("regret")
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=min(columns, 2))
    first = found.panels[0]
    caption(
        figure,
        f"Means over tasks with their 95% intervals, around the logarithm. UCB: {first.n_further} tasks; corrals: "
        f"{first.n_test} tasks.",
    )
    return figure


def _draw(axes: Axes, panel: Panel) -> None:
    late = panel.rounds >= FIRST
    lines = [(runs, *look, runs.name) for runs, look in zip(panel.corrals, CORRALS, strict=True)]
    lines += [(panel.learned[k], *look) for k, look in WAYS.items()]
    axes.set(title=panel.name, xlabel="round", xscale="log", yscale="log")
    for runs, colour, style, label in lines:
        with_band(axes, panel.rounds[late], runs.mean[late], runs.half[late], colour, label, ls=style)
    least = min(float(runs.mean[late].min()) for runs, *_ in lines)
    most = max(float(find_band(runs.mean[late], runs.half[late], is_log=True)[1].max()) for runs, *_ in lines)
    axes.set_ylim(max(least / 2, most * 1e-6, 1e-3), most * 2)
    for line, (k, (colour, *_)) in enumerate(sorted(WAYS.items())):
        words = rf"$\alpha$ = {panel.ways[k].alpha:.2g}, {panel.ways[k].name.split(', ')[1]}"
        place = (0.03, 0.97 - 0.07 * line)
        axes.annotate(words, place, xycoords="axes fraction", va="top", color=colour, fontsize=10)
