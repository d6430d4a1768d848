"""When to end a test: in words, as a figure and as a page."""

from collections.abc import Sequence
from typing import NamedTuple

from banditune.curves.palette import BEST, CURVE, RANGE, SOFT
from banditune.curves.thinning import thin_curve
from banditune.policies.losses import ROLLOUT, choose_loss
from banditune.report.axes import Layout, Scale, draw_grid, list_corners
from banditune.report.gains import describe_difference, describe_remark
from banditune.report.markup import facts, paragraphs, place_figure, plain, section, table
from banditune.report.page import write_static_page
from banditune.report.svg import draw_dot, draw_line, draw_polyline, write_document, write_text
from banditune.report.wording import Words, describe_outside, format_span
from banditune.stopping.result import FIXED, FULL, ROLL, USUAL, Stopping
from banditune.validation import format_count

NO_TEST = (
    "The threshold keeps the loss low. It does not control false positives: the arm rolled out need not be "
    "significantly better."
)
MEANINGS = {
    FIXED: "ends every test at the one length with the least mean loss on the other folds",
    ROLL: "is the closed form of Feit and Berman (2019), with what the other folds say of rewards and arms",
    f"stop at {USUAL}": "ends a test when the leader is best with that probability",
    FULL: "is the horizon",
}


class EndedTests(NamedTuple):
    """What held-out tests lose that are ended by one rule, in words."""

    name: str
    remark: str  # how it compares with what was learned; "" for that itself
    difference: str
    level: str
    length: str


def choose_words(found: Stopping) -> Words:
    """Return how the loss of test and roll-out is spoken of."""
    return Words(choose_loss(ROLLOUT, max(1, found.rollout)), units=found.units)


def describe_rule(found: Stopping) -> str:
    """Say when to end a test, in a line."""
    return f"Stop when {found.rule.describe()}"


def describe_level(found: Stopping) -> str:
    """Return what is lost with the threshold on past tests, and over how many rounds."""
    words, units = choose_words(found), found.units
    measure = f"{words.measure[0].upper()}{words.measure[1:]}"
    return (
        f"{measure} {words.format(found.loss)} on past tests (threshold {found.threshold:.4g}), over "
        f"{units.count(found.rule.most)}, the test included, and {units.count(found.rollout)} after that."
    )


def describe_facts(found: Stopping) -> list[tuple[str, str]]:
    """Return the settings of the rule, and which thresholds are about as good."""
    units, rule, words = found.units, found.rule, choose_words(found)
    outside = describe_outside("threshold", found.threshold, found.within_one_se)
    near = "the least loss averaged over its neighbourhood"
    where = "on average over held-out tests" if found.held_out is not None else "the one there is"
    return [
        ("checked", f"every {units.count(rule.check_every)}, from {units.count(rule.least)} on"),
        ("best", f"thresholds {format_span(found.interval)}: all optimal"),
        ("recommended", f"{found.threshold:.4g} ({words.format(found.loss)}): {near}"),
        ("within 1 SE", f"{format_span(found.within_one_se)}: {outside}"),
        ("tests last", f"{found.lengths['learned']:,.0f} of {units.count(rule.most)}, {where}"),
    ]


def describe_held_out(found: Stopping, words: Words) -> str:
    """Return what the table of the rules holds."""
    assert found.held_out is not None
    return f"On held-out tests ({found.held_out.n_folds} folds), {words.measure}, and how long tests last on average"


def list_rules(found: Stopping, words: Words) -> list[EndedTests]:
    """Return what held-out tests lose, and how long they last, with what was learned and with each baseline."""
    rows = () if found.held_out is None else found.held_out.rows
    return [
        EndedTests(
            name=f"stop at {USUAL}" if row.name == USUAL else row.name,
            remark="" if row is rows[0] else describe_remark(rows[0].loss.mean, row, words),
            difference="" if row is rows[0] else describe_difference(row.extra, words),
            level=words.format(row.loss.mean),
            length=f"{found.lengths[row.name]:,.0f}",
        )
        for row in rows
    ]


def write_stopping_page(found: Stopping, reading: Sequence[tuple[str, str]], seconds: float) -> str:
    """Return a stopping rule as a self-contained HTML document; `reading` says how the tests were read."""
    words = choose_words(found)
    drawn = place_figure(draw_stopping(found, words), draw_stopping(found, words, NARROW))
    how = (
        "The line is the mean loss of past tests for every threshold: a low one ends tests early, often with the wrong "
        "arm, a high one late. The dot is what is recommended; outside the shaded range, every threshold is worse than "
        "the best by more than one standard error."
    )
    sections = [section("Every threshold", f"{drawn}\n{paragraphs(how, kind='note')}\n{facts(describe_facts(found))}")]
    if found.held_out is not None:
        sections.insert(0, section("Comparison with other rules", _write_rules(found, words)))
    return write_static_page(
        kicker="When to stop a test",
        headline=describe_rule(found) if found.verdict.choice == "learned" else found.verdict.headline,
        answer=paragraphs(found.verdict.text, f"{describe_rule(found)}. {describe_level(found)}", NO_TEST, kind="lead"),
        sections=sections,
        reading=reading,
        made=f"in {seconds:.1f} s, random seed {found.seed}, from {format_count(found.n_tasks, 'test')}",
    )


def _write_rules(found: Stopping, words: Words) -> str:
    head = ["", words.loss.measure, f"{found.units.rounds or 'rounds'} of a test", "difference (95% interval)", ""]
    rows = [
        [plain(each.name), each.level, each.length, plain(each.difference), plain(each.remark)]
        for each in list_rules(found, words)
    ]
    how = "; ".join(f"{name} {meaning}" for name, meaning in MEANINGS.items())
    how = f"{how[0].upper()}{how[1:]}. Differences are from the learned threshold, paired by test."
    shown = table(describe_held_out(found, words), head, rows, kind="numbers")
    return f"{shown}\n{paragraphs(how, kind='note')}"


TOP, BOTTOM, RIGHT = 70, 370, 30
BEYOND = 1.1  # times the last threshold at which something changes
TITLE = "What past tests lose for every threshold"


WIDE = Layout(860, 450, 78, 17, ((0, 12), (340, 12)))
NARROW = Layout(400, 468, 52, 14, ((0, 30), (0, 12)))


def draw_stopping(found: Stopping, words: Words, layout: Layout = WIDE) -> str:
    """Return the figure as a self-contained SVG document."""
    curve, best = found.curve, found.threshold
    last = max(float(curve.edges[-2]), best, found.within_one_se.low, 1.0)
    across = Scale(curve.low, min(BEYOND * last, curve.high), layout.left, layout.width - RIGHT, log=False)
    line = thin_curve(curve, curve.low, log=False, keep=best)
    margin = 0.06 * ((float(line.y.max()) - float(line.y.min())) or 1.0)
    up = Scale(float(line.y.min()) - margin, float(line.y.max()) + margin, BOTTOM, TOP, log=False)
    low, high = (across.at(end) for end in found.within_one_se)
    at = across.at(best)
    parts = [
        write_text(24, 30, TITLE, size=layout.letters, weight=600),
        write_text(24, 50, words.measure, size=13 if layout is WIDE else 11, colour=SOFT),
        _fill(low, TOP, max(high - low, 1.5), BOTTOM - TOP),
        *draw_grid(across, up, "threshold"),
        draw_polyline(list_corners(line, across, up), CURVE, 1.6),
        draw_line(at, TOP, at, BOTTOM, BEST, 'stroke-dasharray="4 3"'),
        draw_dot(at, up.at(found.loss), BEST),
        *_draw_key(f"recommended: {best:.4g} loses {words.format(found.loss)}", layout),
    ]
    return write_document(TITLE, layout.width, layout.height, parts)


def _fill(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{RANGE}"/>'


def _draw_key(recommended: str, layout: Layout) -> list[str]:
    (x1, y1), (x2, y2) = ((layout.left + along, layout.height - above) for along, above in layout.key)
    return [
        draw_dot(x1 + 12, y1 - 4, BEST),
        write_text(x1 + 36, y1, recommended, colour=SOFT),
        _fill(x2, y2 - 12, 24, 14),
        write_text(x2 + 36, y2, "within one standard error of the best", colour=SOFT),
    ]
