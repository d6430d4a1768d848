"""The answer of a plan: for a person, for a machine, and as files."""

import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from banditune.cli.output import literal, terminal
from banditune.evaluation.plan import Plan
from banditune.io.files import write_texts
from banditune.report.plan_page import (
    UNKNOWN_LIMITS,
    describe_aim,
    describe_bounds,
    describe_need,
    describe_pilot,
    draw_plan,
    list_bounds,
    write_headline,
    write_plan_page,
)
from banditune.report.wording import Words
from banditune.tuning.results.tuned import Tuned


def summarize_plan(plan: Plan, tuned: Tuned, seconds: float) -> dict[str, object]:
    """Return the plan as one JSON object."""
    return {
        "epsilon": plan.epsilon,
        "delta": plan.delta,
        "n_pilot": plan.n_pilot,
        "needed": plan.needed,
        "needed_range": list(plan.needed_range),
        "more": plan.more,
        "excess_now": plan.excess_now,
        "trend": plan.trend._asdict(),
        "theory": dict(plan.theory),
        "loss_limits": None if plan.limits is None else list(plan.limits),
        "complexity": {"mean": plan.complexity.mean, "low": plan.complexity.low, "high": plan.complexity.high},
        "learning_curve": {
            "sizes": list(plan.learning.sizes),
            "losses": [each.mean for each in plan.learning.losses],
            "low": [each.low for each in plan.learning.losses],
            "high": [each.high for each in plan.learning.losses],
        },
        "policy": tuned.policy_class.name,
        "params": tuned.summary()["params"],
        "loss": tuned.loss,
        "horizon": tuned.horizon,
        "seed": plan.seed,
        "seconds": round(seconds, 3),
    }


def print_plan(plan: Plan, tuned: Tuned, words: Words, seconds: float, *, theory: bool) -> None:
    """Print how many tasks are enough, and by what."""
    console = terminal(soft_wrap=True)
    style = "bold green" if plan.more == 0 else "bold"
    console.print(f"[{style}]{write_headline(plan)}.[/]\n")
    console.print(f"  The aim: {literal(describe_aim(plan, tuned, words))}.")
    console.print(f"  {describe_pilot(plan)}: {describe_need(plan)}.")
    if theory and plan.theory:
        console.print(_list_bounds(plan))
    elif theory:
        console.print(f"\n  {UNKNOWN_LIMITS}")
    mean, low, high = plan.complexity.mean, plan.complexity.low, plan.complexity.high
    pieces = f"{mean:,.1f} pieces per task ({low:,.1f} to {high:,.1f})"
    console.print(f"\n{pieces}, {literal(words.units.count(tuned.horizon))}, {seconds:.1f} s.")


def _list_bounds(plan: Plan) -> Table:
    table = Table(box=None, padding=(0, 2), title_justify="left", title_style="", show_header=False)
    table.title = f"\n  Tasks that guarantee it for the least of the mean ({describe_bounds(plan)}):"
    for words, number in list_bounds(plan):
        table.add_row(f"  {words}", number)
    return table


def write_plan(
    folder: Path,
    plan: Plan,
    tuned: Tuned,
    words: Words,
    reading: Sequence[tuple[str, str]],
    seconds: float,
    *,
    theory: bool,
) -> list[Path]:
    """Write plan.json, plan.html and plan.svg, and return their paths."""
    texts = {
        "plan.json": json.dumps(summarize_plan(plan, tuned, seconds), indent=1) + "\n",
        "plan.html": write_plan_page(plan, tuned, words, reading, seconds, theory=theory),
        "plan.svg": draw_plan(plan, words.measure, words.sign),
    }
    return write_texts(folder, texts)
