"""What a comparison says: in words, as a figure and as a page."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from banditune.curves.palette import BEST, CURVE, INK, OTHERS, SOFT, TREND
from banditune.evaluation.intervals import NORMAL
from banditune.report.axes import Scale, draw_grid, draw_marks
from banditune.report.gains import MUCH_LONGER
from banditune.report.markup import clip, fold, paragraphs, place_figure, plain, section, table
from banditune.report.page import write_static_page
from banditune.report.svg import draw_dot, draw_line, draw_polyline, write_document, write_text
from banditune.report.wording import format_interval, format_number
from banditune.simulation.comparison_result import Comparison, Standing
from banditune.tasks.units import THOUSAND
from banditune.validation import format_count

ALIKE = 0.995  # from here on a ratio is 1 in two digits
MOST_NAMES = 5  # in a sentence


def describe_standing(standing: Standing) -> str:
    """Return the interval of what a policy lost more than the reference."""
    return f"{standing.interval.low:+.3g} to {standing.interval.high:+.3g}"


def shows_rates(compared: Comparison) -> bool:
    """Tell whether runs are so long that what is lost in a thousand rounds says more than what is lost in a run."""
    return not compared.loss.later and compared.horizon >= MUCH_LONGER * THOUSAND


def rate_of(standing: Standing, compared: Comparison) -> float:
    """Return what a policy lost in a thousand rounds."""
    return standing.regret * THOUSAND / compared.horizon


def advise(compared: Comparison) -> str:
    """Return which policy to use."""
    reference, first = compared.of(compared.reference), compared.standings[0]
    others = [each for each in compared.standings if each.name != compared.reference]
    better = [each for each in others if each.interval.high < 0.0]
    worse = [each for each in others if each.interval.low > 0.0 and not each.is_level]
    level = [each for each in compared.standings if each.is_level]
    text = f"{first.name} has the least {compared.level}: {first.regret:.4g}"
    if first.name != reference.name and reference.regret > 0.0:
        ratio = first.regret / reference.regret
        text += f", {'hardly below' if ratio > ALIKE else f'{ratio:.2g} times'} that of {reference.name}"
    text += "."
    if first.name == reference.name and first.regret > 0.0 and worse:
        times = f"{worse[0].regret / first.regret:.2g} times as high"
        text += f" The best policy that it clearly beats, {worse[0].name}, has a regret {times}."
    if better and better != [first] and not reference.is_level:
        text += f" Clearly better than {reference.name}: {_name_standings(better)}."
    if len(level) > 1:
        text += f" {_name_standings(level)} show no clear difference"
        text += f": take {compared.simplest}, the simplest of them to run." if compared.simplest is not None else "."
    return text


def _name_standings(standings: list[Standing]) -> str:
    """Return some names in a row; of very many, the first."""
    names = [standing.name for standing in standings]
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
    return names[0] if len(names) == 1 else f"{'; '.join(names[:-1])} and {names[-1]}"


def describe_knowledge(compared: Comparison) -> dict[str, list[str]]:
    """Return what policies know beforehand, and which of them."""
    found: dict[str, list[str]] = {}
    for standing in compared.standings:
        found.setdefault(standing.knowledge, []).append(standing.name)
    return found


def write_comparison_page(compared: Comparison, reading: Sequence[tuple[str, str]], seconds: float) -> str:
    """Return a comparison as a self-contained HTML document; `reading` says how the tasks were read."""
    best = compared.standings[0]
    drawn = place_figure(draw_comparison(compared), draw_comparison(compared, NARROW))
    knowledge = [[plain(what), clip("; ".join(names), 400)] for what, names in describe_knowledge(compared).items()]
    return write_static_page(
        kicker="Policies on held-out tasks",
        headline=f"{best.name} has the least {compared.level}: {format_number(best.regret)}",
        answer=paragraphs(advise(compared), _write_settings(compared), kind="lead"),
        sections=(
            section("Regret of every policy", f"{drawn}\n{_write_standings(compared)}"),
            fold("Prior knowledge", table("Prior knowledge", ["knows", "policies"], knowledge)),
        ),
        reading=reading,
        made=f"in {seconds:.1f} s, random seed {compared.seed}",
    )


def _write_settings(compared: Comparison) -> str:
    return (
        f"{format_count(compared.n_tasks, 'task')}, cross-validation with {format_count(compared.n_folds, 'fold')}: "
        f"on each fold, {compared.reference} uses what was learned from the other folds"
        f"{_describe_learned_range(compared)}. "
        f"Every policy has {format_count(compared.repetitions, 'run')} of {compared.units.count(compared.horizon)} "
        "on each task, with the same rewards."
    )


def _describe_learned_range(compared: Comparison) -> str:
    """Return between which values the parameter of the reference was learned."""
    name = compared.searched[compared.reference].parameter
    values = [each[name] for each in compared.learned[compared.reference]]
    return f", {name} from {format_number(min(values))} to {format_number(max(values))}"


def _write_standings(compared: Comparison) -> str:
    rate = [compared.units.per_thousand] if shows_rates(compared) else []
    head = [
        "",
        f"mean {compared.loss.measure}",
        *rate,
        "extra",
        "95% interval",
        "tasks: worse / equal / better",
        "mean rank",
    ]
    rows = [_write_standing(standing, compared) for standing in compared.standings]
    how = (
        "Equal split gives every arm the same share of the rounds, as most A/B tests do; its loss is computed, not "
        f"simulated. Extra is a policy's regret minus that of {compared.reference} on the same task, averaged over "
        "tasks; where its interval is above 0, the latter is better. Rank 1 is the best on a task. A policy that is "
        "given the horizon or bounds on the rewards knows more than one that is not; bounds are taken from all tasks."
    )
    return f"{table('Results', head, rows, kind='numbers')}\n{paragraphs(how, kind='note')}"


def _write_standing(standing: Standing, compared: Comparison) -> list[str]:
    if standing.name == compared.reference:
        extra, interval, counts = "", "", ""
    else:
        extra, interval = format_number(standing.extra), plain(format_interval(standing.interval))
        equal = compared.n_tasks - standing.worse - standing.better
        counts = f"{standing.worse:,} / {equal:,} / {standing.better:,}"
    rate = [format_number(rate_of(standing, compared))] if shows_rates(compared) else []
    return [
        clip(standing.name),
        format_number(standing.regret),
        *rate,
        extra,
        interval,
        counts,
        format_number(standing.rank),
    ]


TOP, RIGHT = 74, 40  # what is left free above and beside the dots
GROWTH, BOTTOM = 300, 56  # the heights of the second panel and of an axis
SHOWN = 6  # lines of the second panel besides the reference


@dataclass(frozen=True, slots=True)
class Layout:
    """How wide the figure is, and where names stand."""

    width: float
    row: float  # the height of a policy
    dots: float  # where the axis of the dots begins
    beside: bool  # whether names stand beside dots and lines, or above and beneath them
    title: int  # the size of its letters


WIDE, NARROW = Layout(980, 24, 300, True, 17), Layout(380, 38, 24, False, 13)


def draw_comparison(compared: Comparison, layout: Layout = WIDE) -> str:
    """Return the figure as a self-contained SVG document."""
    height_of_dots = TOP + layout.row * len(compared.standings) + BOTTOM
    title = f"{compared.measure[0].upper()}{compared.measure[1:]}{' on held-out tasks' * layout.beside}"
    design = f"{compared.n_tasks:,} tasks, cross-validation ({compared.n_folds} folds); bars are 95% intervals"
    names = _list_growing(compared)
    key = 0.0 if layout.beside else 18.0 * len(names)
    parts = [
        write_text(24, 30, title, size=layout.title, weight=600),
        write_text(24, 50, design, size=13 if layout.beside else 11, colour=SOFT),
        *_draw_dots(compared, layout),
        *_draw_growth(compared, names, height_of_dots + 30, layout),
    ]
    return write_document(title, layout.width, height_of_dots + 30 + GROWTH + BOTTOM + key, parts)


def _find_ends(standing: Standing) -> tuple[float, float]:
    return standing.regret - NORMAL * standing.error, standing.regret + NORMAL * standing.error


def _choose_colour(standing: Standing, compared: Comparison) -> str:
    if standing.name == compared.reference:
        return BEST
    return CURVE if standing.interval.high < 0.0 else TREND if standing.interval.low > 0.0 else SOFT


def _draw_dots(compared: Comparison, layout: Layout) -> list[str]:
    """Return every policy's mean regret with its interval, the least first."""
    spread = [end for standing in compared.standings for end in (standing.regret, *_find_ends(standing))]
    means = [standing.regret for standing in compared.standings]
    log = min(means) > 0.0 and max(means) > 5.0 * min(means)
    first, last = layout.dots, layout.width - RIGHT
    scale = Scale.around([value for value in spread if value > 0.0] or [1.0], first, last, log=log)
    bottom = TOP + layout.row * len(compared.standings)
    parts = draw_marks(scale, TOP - 6, bottom)
    for place, standing in enumerate(compared.standings):
        y, colour = TOP + layout.row * (place + (0.5 if layout.beside else 0.72)), _choose_colour(standing, compared)
        low, high = _find_ends(standing)
        weight = 600 if standing.name == compared.reference else 400
        x, above, anchor = (first - 14, -4, "end") if layout.beside else (first, 12, "start")
        parts += [
            write_text(x, y - above, standing.name[:44], anchor=anchor, weight=weight, colour=INK),
            draw_line(scale.at(low), y, scale.at(high), y, colour, 'stroke-width="2"'),
            draw_dot(scale.at(standing.regret), y, colour),
        ]
    label = f"{compared.level}{' (log scale)' * scale.log}"
    parts.append(write_text((first + last) / 2, bottom + 42, label, size=13, anchor="middle"))
    return parts


def _list_growing(compared: Comparison) -> list[str]:
    """Return the reference and the best others, whose regret is shown over time."""
    return [compared.reference, *[each.name for each in compared.standings if each.name != compared.reference][:SHOWN]]


def _draw_growth(compared: Comparison, names: list[str], top: float, layout: Layout) -> list[str]:
    """Return how the regret of some policies grew with the rounds."""
    left, bottom = (90.0 if layout.beside else 48.0), top + GROWTH - 20
    right = layout.width - (270.0 if layout.beside else RIGHT)
    across = Scale(1.0, float(max(compared.rounds[-1], 2)), left, right, log=True)
    most = max(float(compared.curves[name].max()) for name in names)
    up = Scale.around([0.0, most], bottom, top + 30, log=False)
    parts = [write_text(24, top, "Regret over time, best policies", size=min(layout.title, 15), weight=600)]
    parts += draw_grid(across, up, f"{compared.units.rounds or 'round'} (log scale)", ",.0f")
    heights = _move_apart([up.at(float(compared.curves[name][-1])) for name in names], 16.0, bottom)
    for place, name in enumerate(names):
        colour = BEST if place == 0 else OTHERS[(place - 1) % len(OTHERS)]
        grown = zip(compared.rounds.tolist(), compared.curves[name].tolist(), strict=True)
        x, y = (right + 10, heights[place] + 4) if layout.beside else (left, bottom + 70 + 18 * place)
        parts += [
            draw_polyline(((across.at(t), up.at(y)) for t, y in grown), colour, 3 if place == 0 else 1.8),
            write_text(x, y, name[:44], colour=colour, weight=600 if place == 0 else 400),
        ]
    return parts


def _move_apart(heights: list[float], least: float, bottom: float) -> list[float]:
    """Return heights for labels, as near to these as lets no two come closer than `least`; none below the bottom."""
    found = list(heights)
    floor = bottom + least
    for k in np.argsort(heights)[::-1].tolist():
        floor = min(heights[k], floor - least)
        found[k] = floor
    return found
