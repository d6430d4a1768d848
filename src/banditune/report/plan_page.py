"""What a plan says in words, and its page."""

from collections.abc import Sequence

from banditune.evaluation.plan import Plan
from banditune.report.markup import paragraphs, place_figure, plain, section, table
from banditune.report.plan_figure import NARROW, draw_plan, write_headline
from banditune.report.static_page import write_static_page
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
    """Whose learning curve it is."""
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
