"""What a plan says: in words, as a figure and as a page."""

import math
from collections.abc import Sequence

import numpy as np

from banditune.curves.palette import BEST, CURVE, RANGE, SOFT, TREND
from banditune.evaluation.plan import Plan
from banditune.report.axes import Layout, Scale, draw_grid
from banditune.report.markup import paragraphs, place_figure, plain, section, table
from banditune.report.page import write_static_page
from banditune.report.svg import draw_dot, draw_line, draw_polyline, write_document, write_text
from banditune.report.wording import Words, format_number, format_roughly
from banditune.tuning.results.tuned import Tuned
from banditune.validation import format_count

BOUNDS = {
    "certificate": "data-dependent certificate, for losses spread like these",
    "compression": "compression bound, for any losses",
    "chaining": "Theorem 6.1 of the paper, by chaining",
    "massart": "Massart's lemma",
    "paper": "Theorem 6.2 of the paper",
}
UNKNOWN_LIMITS = "Bounds with a guarantee need the largest possible loss: give --bound or --reward-range."


def describe_aim(plan: Plan, tuned: Tuned, words: Words) -> str:
    """Return what the tasks are to be enough for."""
    lost = tuned.loss if words.lost else 0.0  # rewards have no zero that shares could be of
    share = f" ({plan.epsilon / lost:.0%} of {words.format(lost)}, the {words.measure})" if lost else ""
    return f"within {format_number(plan.epsilon, 3)} of the loss of the best {tuned.parameter} on new tasks{share}"


def describe_pilot(plan: Plan) -> str:
    """Say whose learning curve it is."""
    of = "what is recommended" if plan.learning.smooth else "the least of the mean"
    return f"By the learning curve of {of}, from {format_count(plan.n_pilot, 'pilot task')}"


def describe_need(plan: Plan) -> str:
    """Return how many tasks are needed, by the trend of the learning curve."""
    low, high = plan.needed_range
    if plan.more == 0:
        excess = format_number(plan.excess_now, 2)
        return f"these are likely enough; their excess loss over the limit of the trend is {excess}"
    between = f"90% range {format_roughly(low)} to {format_roughly(high)}"
    return f"about {format_roughly(plan.needed)} tasks ({between}), {format_roughly(plan.more)} more than available"


def list_bounds(plan: Plan) -> list[tuple[str, str]]:
    """Return how many tasks guarantee it, by each method."""
    return [(words, f"{plan.theory[method]:,}") for method, words in BOUNDS.items() if method in plan.theory]


def describe_bounds(plan: Plan) -> str:
    """Return what the numbers of tasks that guarantee it are worth."""
    assert plan.limits is not None
    low, high = plan.limits
    return f"with probability at least {1.0 - plan.delta:.4g}, for losses from {low:g} to {high:g}"


def write_plan_page(
    plan: Plan, tuned: Tuned, words: Words, reading: Sequence[tuple[str, str]], seconds: float, *, theory: bool
) -> str:
    """Return a plan as a self-contained HTML document; with `theory`, also with what bounds say."""
    measure, sign = words.measure, words.sign
    drawn = place_figure(draw_plan(plan, measure, sign), draw_plan(plan, measure, sign, NARROW))
    need = describe_need(plan)
    pilots = f"{describe_pilot(plan)}: {need}."
    value = "what is recommended" if plan.learning.smooth else "the least"
    how = (
        f"Dots: the loss on held-out tasks with {value} of some of the pilot tasks, averaged over random splits. The "
        "dashed trend is a power law fitted to them, and leads to the loss of the best value; the shaded strip is the "
        "aim."
    )
    sections = [section("The learning curve", f"{drawn}\n{paragraphs(how, kind='note')}")]
    if theory:
        sections.append(section("What theory guarantees", _write_theory(plan)))
    return write_static_page(
        kicker="How many tasks are enough?",
        headline=write_headline(plan),
        answer=paragraphs(f"The aim: {describe_aim(plan, tuned, words)}.", pilots, kind="lead"),
        sections=sections,
        reading=reading,
        made=f"in {seconds:.1f} s, random seed {plan.seed}",
    )


def _write_theory(plan: Plan) -> str:
    if not plan.theory:
        return paragraphs(UNKNOWN_LIMITS)
    rows = [[plain(words), number] for words, number in list_bounds(plan)]
    caption = f"Tasks that guarantee it for the least of the mean, {describe_bounds(plan)}"
    return table(caption, ["by", "tasks"], rows, kind="numbers")


TOP, BOTTOM, RIGHT = 96, 390, 40
BEYOND = 30.0  # times the pilot tasks: as far as the trend is drawn if it needs no more


WIDE = Layout(900, 470, 90, 17, ((0, 12), (224, 12), (340, 12)))
NARROW = Layout(400, 510, 52, 14, ((0, 48), (0, 30), (0, 12)))


def draw_plan(plan: Plan, measure: str, sign: float = 1.0, layout: Layout = WIDE) -> str:
    """Draw the figure as an SVG document of its own; losses are drawn as sign times themselves, so named."""
    learning, trend = plan.learning, plan.trend
    furthest = max(BEYOND * plan.n_pilot, min(2.0 * plan.needed, 1e4 * plan.n_pilot))
    across = Scale(1.0, furthest, layout.left, layout.width - RIGHT, log=True)
    seen = [value for each in learning.losses for value in (each.low, each.high) if math.isfinite(value)]
    ends = [sign * value for value in (*seen, trend.floor, trend.floor + 1.5 * plan.epsilon)]
    room = 0.06 * (max(ends) - min(ends))
    up = Scale(min(ends) - room, max(ends) + room, BOTTOM, TOP, log=False)
    parts = [
        write_text(24, 32, "How many tasks are enough?", size=layout.letters, weight=600),
        *([write_text(24, 53, write_headline(plan), size=13, colour=SOFT)] if layout is WIDE else []),
        *draw_grid(across, up, "training tasks (log scale)", ",.0f"),
        write_text(layout.left, TOP - 14, f"{measure} on held-out tasks", size=13),
        *_draw_target(plan, across, up, sign),
    ]
    band = [(size, each) for size, each in zip(learning.sizes, learning.losses, strict=True) if math.isfinite(each.low)]
    outline = [(n, e.low) for n, e in band] + [(n, e.high) for n, e in reversed(band)]
    points = " ".join(f"{across.at(n):.1f},{up.at(sign * y):.1f}" for n, y in outline)
    parts.append(f'<polygon points="{points}" fill="{CURVE}" fill-opacity="0.15"/>')
    ahead = np.geomspace(1.0, furthest, 120)
    path = ((across.at(n), up.at(sign * trend.at(n))) for n in ahead.tolist())
    parts.append(draw_polyline(path, TREND, 2, 'stroke-dasharray="6 4"'))
    parts += [
        draw_dot(across.at(size), up.at(sign * each.mean), CURVE)
        for size, each in zip(learning.sizes, learning.losses, strict=True)
    ]
    parts += _draw_key(layout)
    return write_document("How many tasks are enough?", layout.width, layout.height, parts)


def write_headline(plan: Plan) -> str:
    """Return how many tasks are enough, in a line."""
    aim = f"for an excess loss of at most {format_number(plan.epsilon, 3)}"
    if plan.needed <= plan.n_pilot:
        return f"The {plan.n_pilot:,} pilot tasks are likely enough {aim}"
    return f"About {format_roughly(plan.needed)} tasks are needed {aim}; there are {plan.n_pilot:,}"


def _draw_target(plan: Plan, across: Scale, up: Scale, sign: float) -> list[str]:
    """Draw the strip within epsilon of where the trend leads, the pilot tasks, and the range of those needed."""
    edges = sorted((up.at(sign * plan.trend.floor), up.at(sign * (plan.trend.floor + plan.epsilon))))
    width, height = across.last - across.first, edges[1] - edges[0]
    parts = [f'<rect x="{across.first}" y="{edges[0]:.1f}" width="{width}" height="{height:.1f}" fill="{RANGE}"/>']
    x = across.at(plan.n_pilot)
    parts += [
        draw_line(x, TOP, x, BOTTOM, SOFT, 'stroke-dasharray="2 3"'),
        write_text(x + 6, TOP + 12, f"{plan.n_pilot:,} pilot tasks", colour=SOFT),
    ]
    if plan.needed > plan.n_pilot and plan.needed <= across.high:
        x, low, high = (across.at(n) for n in (plan.needed, *plan.needed_range))
        parts += [
            draw_line(low, BOTTOM - 8, high, BOTTOM - 8, BEST, 'stroke-width="3"'),
            draw_line(x, TOP, x, BOTTOM, BEST, 'stroke-width="1.5"'),
            write_text(x - 6, TOP + 30, f"{format_roughly(plan.needed)} needed", colour=BEST, weight=600, anchor="end"),
        ]
    return parts


def _draw_key(layout: Layout) -> list[str]:
    (x1, y1), (x2, y2), (x3, y3) = ((layout.left + along, layout.height - above) for along, above in layout.key)
    return [
        draw_dot(x1 + 6, y1 - 4, CURVE),
        write_text(x1 + 36, y1, "measured, with 95% interval", colour=SOFT),
        draw_line(x2, y2 - 4, x2 + 28, y2 - 4, TREND, 'stroke-width="2" stroke-dasharray="6 4"'),
        write_text(x2 + 36, y2, "trend", colour=SOFT),
        f'<rect x="{x3}" y="{y3 - 12}" width="24" height="14" fill="{RANGE}"/>',
        write_text(x3 + 36, y3, "within epsilon of the limit of the trend", colour=SOFT),
    ]
