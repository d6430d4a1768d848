"""Learned priors on the page: prior means beside alpha, and a Gaussian prior with pictures of what it expects."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.palette import BEST, INK, PAPER, SOFT, TREND
from banditune.policies.gaussian.prior import GaussianPrior
from banditune.report.axes import Scale, draw_marks
from banditune.report.findings import Findings
from banditune.report.markup import chart, clip, paragraphs, place_figure, plain, section, table
from banditune.report.svg import draw_dot, draw_line, write_document, write_text
from banditune.report.wording import Words, format_interval, format_number
from banditune.tuning.priors.fitted_prior import ALONE, FittedArm, FittedPrior
from banditune.tuning.priors.line_search import PriorFindings
from banditune.validation import format_count

SE, SD = "within one standard error", "standard deviation over tasks"
NO_PRIOR = "no prior helps on these tasks: chosen"
MEANS = (
    "An arm starts from its prior mean (dot) instead of one initial pull. Outside the bar, a value is worse by more "
    "than one standard error, all else being equal; diamonds are the arms' mean observed rewards. Only the order and "
    "the distances matter: arms that are rarely best may lie anywhere below those that are tried first. An arm that "
    "no past task had starts from the highest prior mean."
)
CORRELATION = (
    "Correlated arms are placed next to each other. Where an arm does worse in a task than expected, arms correlated "
    "with it are expected to do worse, too, without being pulled. Prior and observed means differ where the tasks that "
    "lack an arm were easier or harder than others."
)
MOST_ARMS = 40  # that a picture shows
WIDTH, ROW, NAMES, TOP, BOTTOM = 760.0, 24.0, 250.0, 62.0, 56.0
LONGEST = 34  # letters of a name
CELL, WITH_NUMBERS = 30.0, 22.0  # the size of a cell at most, and from which on it holds its number
LIGHT, DARK, AGAINST = (0xF1, 0xF6, 0xFB), (0x08, 0x45, 0x8C), (0xB8, 0x4A, 0x00)  # no, full and negative correlation
STEP = 0.1  # to which the end of the colours is rounded


def write_ways_to_learn(found: Findings, priors: PriorFindings) -> str:
    """Alpha alone, priors by means, priors and alpha together: on held-out tasks."""
    words = found.words
    head = ["", f"{words.measure}, held-out tasks", "standard error", f"{words.measure}, training tasks", ""]
    rows = [
        [
            plain(each.name),
            format_number(words.sign * each.held_out) if priors.n_folds else "not measured",
            format_number(each.error) if priors.n_folds else "",
            format_number(words.sign * each.loss),
            "chosen" if each.name == priors.chosen else "",
        ]
        for each in priors.candidates
    ]
    return "\n".join((paragraphs(_describe_selection(priors)), table("Ways to learn", head, rows, kind="numbers")))


def _describe_selection(priors: PriorFindings) -> str:
    """Return how a way to learn was chosen."""
    if priors.n_folds == 0:
        return "No cross-validation: there were too few tasks, or too little time."
    ended = "" if priors.finished else " The search was interrupted; this is the best result so far."
    return (
        "With one prior mean per arm, overfitting is possible. So each way to learn was evaluated by "
        f"cross-validation ({format_count(priors.n_folds, 'part')}); the best one was selected and fitted to all "
        f"tasks. {priors.n_lines:,} lines were searched exactly.{ended}"
    )


def write_prior_means(found: Findings) -> str:
    """Return what was learned of each arm; empty if nothing was."""
    if found.priors is None or not found.priors.arms:
        return ""
    content = "\n".join(
        (
            paragraphs(MEANS),
            f"<figure>{chart('priors', 'prior means of the arms with the ranges within one standard error')}</figure>",
            _write_arms(found.priors.arms, SE, lambda each: plain(format_interval(each.within_one_se))),
        )
    )
    return section("Learned priors", content)


def write_prior(fitted: FittedPrior, prior: GaussianPrior, words: Words) -> str:
    """Return the section on a Gaussian prior: what was compared, what is expected of arms, which go together."""
    parts = [paragraphs(_describe_choice(fitted)), _write_structures(fitted, words)]
    if fitted.arms:
        few = "" if len(fitted.arms) <= MOST_ARMS else f" {MOST_ARMS} of {len(fitted.arms):,} are drawn."
        parts += [paragraphs(_describe_arms(fitted, prior) + few), place_figure(draw_means(fitted.arms))]
        if prior.structure not in ("independent", "exchangeable") and len(fitted.arms) > 1:
            parts += [place_figure(draw_correlation(prior)), paragraphs(CORRELATION, kind="note")]
        parts.append(_write_arms(fitted.arms, SD, lambda each: format_number(each.sd)))
    return section("Priors over arms", "\n".join(parts))


def _describe_choice(fitted: FittedPrior) -> str:
    how = (
        f"The tasks were divided into {fitted.n_folds} folds. For each structure of the prior and five levels of the "
        "noise, the prior was fitted to all folds but one, and every theta was tried on that one. "
    )
    if not fitted.helps:
        return how + "None of them is better than alpha alone: nothing is expected of arms."
    return how + f"The {fitted.chosen} prior loses least on held-out tasks; it was then fitted to all tasks."


def _write_structures(fitted: FittedPrior, words: Words) -> str:
    head = ["", f"{words.measure}, held-out tasks", "standard error", "theta", "noise times", ""]
    rows = []
    for each in fitted.candidates:
        chosen = each.name == fitted.chosen
        alone = each.name == ALONE
        rows.append(
            [
                plain(f"alpha alone, {format_number(fitted.alpha)}" if alone else f"{each.name} prior"),
                "not measured" if math.isnan(each.held_out) else format_number(words.sign * each.held_out),
                "" if math.isnan(each.error) else format_number(each.error),
                "" if alone else format_number(each.theta),
                "" if alone else format_number(each.noise_factor),
                (NO_PRIOR if alone else "chosen") if chosen else "",
            ]
        )
    return table("Structures of the prior", head, rows, kind="numbers")


def _describe_arms(fitted: FittedPrior, prior: GaussianPrior) -> str:
    best = max(fitted.arms, key=lambda each: each.mean)
    population = prior.population
    return (
        f"{best.arm} has the highest prior mean, {format_number(best.mean)} (standard deviation "
        f"{format_number(best.sd)}). An arm that no past task had has the prior mean "
        f"{format_number(population.mean)} (standard deviation {format_number(math.sqrt(population.variance))})."
    )


def _write_arms(arms: Iterable[Any], title: str, describe: Callable[[Any], str]) -> str:
    """Return what was learned of each arm; one of the columns is described under a title."""
    head = ["", "prior mean", title, "mean observed reward", "number of tasks"]
    rows = [
        [
            clip(str(each.arm)),
            format_number(each.mean),
            describe(each),
            format_number(each.observed),
            f"{each.n_tasks:,}",
        ]
        for each in sorted(arms, key=lambda each: -each.mean)
    ]
    return table("Arms, highest prior mean first", head, rows, kind="numbers")


def draw_means(arms: Sequence[FittedArm]) -> str:
    """Draw what is expected of each arm, the highest first; bars are one standard deviation over tasks to each side."""
    shown = sorted(arms, key=lambda each: -each.mean)[:MOST_ARMS]
    ends = [end for each in shown for end in (each.mean - each.sd, each.mean + each.sd, each.observed)]
    low, high = min(ends), max(ends)
    room = 0.04 * (high - low) or 1.0
    scale = Scale(low - room, high + room, NAMES, WIDTH - 30.0, log=False)
    bottom = TOP + ROW * len(shown)
    title = "Prior of each arm in a new task"
    parts = [
        write_text(16, 26, title, size=15, weight=600),
        write_text(
            16,
            46,
            "dot: prior mean; bar: one standard deviation over tasks; diamond: mean observed reward",
            colour=SOFT,
        ),
    ]
    parts += draw_marks(scale, TOP - 4, bottom)
    for place, each in enumerate(shown):
        y = TOP + ROW * (place + 0.5)
        start, end = scale.at(each.mean - each.sd), scale.at(each.mean + each.sd)
        said = f"{each.arm}: {each.mean:.4g}, standard deviation {each.sd:.2g}, {each.n_tasks:,} tasks"
        parts += [
            f"<g><title>{plain(said)}</title>",
            write_text(NAMES - 14, y + 4, _shorten(each.arm), anchor="end"),
            draw_line(start, y, end, y, BEST, 'stroke-width="7" stroke-linecap="round" stroke-opacity="0.28"'),
            draw_dot(scale.at(each.mean), y, BEST),
            _draw_diamond(scale.at(each.observed), y),
            "</g>",
        ]
    parts.append(write_text((NAMES + WIDTH - 30) / 2, bottom + 42, "reward", size=13, anchor="middle"))
    return write_document(title, WIDTH, bottom + BOTTOM, parts)


def draw_correlation(prior: GaussianPrior) -> str:
    """Draw the correlations of the arms, those that go together side by side."""
    correlation = prior.correlation
    order = order_arms(correlation)
    if len(order) > MOST_ARMS:  # those that vary most
        kept = set(np.argsort(-prior.sd, kind="stable")[:MOST_ARMS].tolist())
        order = [k for k in order if k in kept]
    n = len(order)
    cell = min(CELL, (WIDTH - NAMES - 30.0) / n)
    between = [correlation[i, j] for i in order for j in order if i != j] or [0.0]
    lowest = max(0.0, np.floor(min(between) / STEP) * STEP)
    title = "Which arms rise and fall together from task to task"
    parts = [
        write_text(16, 26, title, size=15, weight=600),
        write_text(16, 46, "correlation of the arms' means", colour=SOFT),
    ]
    parts += _draw_colour_key(lowest, min(between) < 0.0)
    for row, i in enumerate(order):
        y = TOP + cell * row
        parts.append(write_text(NAMES - 10, y + cell / 2 + 4, _shorten(prior.arms[i]), anchor="end"))
        for column, j in enumerate(order):
            value, x = float(correlation[i, j]), NAMES + cell * column
            said = f"{_shorten(prior.arms[i])} and {_shorten(prior.arms[j])}: {value:.2f}"
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{cell - 1:.1f}" height="{cell - 1:.1f}" rx="2" '
                f'fill="{_choose_colour(value, lowest)}"><title>{plain(said)}</title></rect>'
            )
            if cell >= WITH_NUMBERS and i != j:
                parts.append(_write_number(x + cell / 2, y + cell / 2 + 3, value, lowest))
    return write_document(title, WIDTH, TOP + cell * n + 20.0, parts)


def order_arms(correlation: NDArray[np.float64]) -> list[int]:
    """Order arms by their angle in the plane of the first two eigenvectors (Friendly, 2002), from the widest gap on."""
    n = len(correlation)
    if n < 3:
        return list(range(n))
    _, vectors = np.linalg.eigh(correlation)
    first, second = vectors[:, -1], vectors[:, -2]
    angles = np.arctan2(second, first if first.sum() >= 0.0 else -first)
    order = np.argsort(angles, kind="stable")
    gaps = np.diff(np.append(angles[order], angles[order[0]] + 2.0 * np.pi))
    begin = int(np.argmax(gaps)) + 1
    return [int(k) for k in np.roll(order, -begin)]


def _draw_diamond(x: float, y: float) -> str:
    return f'<path d="M{x:.1f} {y - 4.5:.1f}l4.5 4.5l-4.5 4.5l-4.5 -4.5z" fill="{TREND}"/>'


def _share(value: float, lowest: float) -> float:
    return min(max((value - lowest) / (1.0 - lowest), 0.0), 1.0) if value >= 0.0 else min(-value, 1.0)


def _choose_colour(value: float, lowest: float) -> str:
    """Return a colour: blue for a positive correlation, orange for a negative one, light for none."""
    share, end = _share(value, lowest), DARK if value >= 0.0 else AGAINST
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(LIGHT, end, strict=True))


def _write_number(x: float, y: float, value: float, lowest: float) -> str:
    ink = PAPER if _share(value, lowest) > 0.5 else INK
    shown, place = f"{value:.2f}".replace("0.", ".", 1), f'x="{x:.1f}" y="{y:.1f}" text-anchor="middle"'
    return f'<text {place} font-size="9" fill="{ink}" style="stroke:none">{shown}</text>'


def _draw_colour_key(lowest: float, has_negative: bool) -> list[str]:
    """Return the colours with their numbers."""
    values = np.linspace(-1.0 if has_negative else lowest, 1.0, 24)
    left, width = WIDTH - 250.0, 160.0 / 24
    parts = [
        f'<rect x="{left + width * k:.1f}" y="36" width="{width + 0.3:.1f}" height="12" '
        f'fill="{_choose_colour(float(value), lowest)}"/>'
        for k, value in enumerate(values)
    ]
    low, high = f"{values[0]:.2g}", "1"
    return [
        write_text(left - 6, 46, low, colour=SOFT, anchor="end"),
        *parts,
        write_text(left + 168, 46, high, colour=SOFT),
    ]


def _shorten(arm: object) -> str:
    name = str(arm)
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
