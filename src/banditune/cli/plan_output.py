"""The answer of a plan: for a person, for a machine, and as files."""

import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from banditune.cli.output import terminal
from banditune.evaluation.plan import Plan
from banditune.io import write_text
from banditune.report.plan_figure import plan_svg
from banditune.report.wording import roughly, words_of
from banditune.tuning.result import Tuned
from banditune.validation import format_count

PROMISES = {
    "certificate": "data-dependent certificate, for losses spread like these",
    "compression": "compression bound, for any losses",
    "massart": "Massart's lemma",
    "paper": "Theorem 6.2 of the paper",
}


def summary(plan: Plan, tuned: Tuned, seconds: float) -> dict[str, object]:
    """The plan as one JSON object."""
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
        "params": dict(tuned.params),
        "loss": tuned.loss,
        "horizon": tuned.horizon,
        "seed": plan.seed,
        "seconds": round(seconds, 3),
    }


def answer(plan: Plan, tuned: Tuned, seconds: float) -> None:
    """Print how many tasks are enough, and by what."""
    console = terminal(soft_wrap=True)
    aim = f"be within [bold]{plan.epsilon:.3g}[/] of the loss of the best {tuned.parameter}"
    share = f"{plan.epsilon / abs(tuned.loss):.0%} of today's mean loss {tuned.loss:.4g}" if tuned.loss else ""
    console.print(f"To {aim} on new tasks{f' ({share})' if share else ''}:\n")
    console.print(f"  By the learning curve of {format_count(plan.n_pilot, 'pilot task')}: {_by_trend(plan)}")
    if plan.theory:
        _print_theory(console, plan)
    else:
        console.print("\n  Bounds with a guarantee need the largest possible loss: give --bound or --reward-range.")
    pieces = f"{plan.complexity.mean:.1f} pieces per task ({plan.complexity.low:.1f} to {plan.complexity.high:.1f})"
    console.print(f"\n{pieces}, {format_count(tuned.horizon, 'round')}, {seconds:.1f} s.")


def _by_trend(plan: Plan) -> str:
    low, high = plan.needed_range
    between = f"90% range {roughly(low)} to {roughly(high)}"
    if plan.more == 0:
        now = f"their excess loss over the limit of the trend is {plan.excess_now:.2g}"
        return f"[bold green]these are likely enough[/]; {now}."
    return f"[bold green]about {roughly(plan.needed)} tasks[/] ({between}), {roughly(plan.more)} more than available."


def _print_theory(console: Console, plan: Plan) -> None:
    table = Table(box=None, padding=(0, 2), title_justify="left", title_style="", show_header=False)
    assert plan.limits is not None
    sure = f"with probability at least {1.0 - plan.delta:.4g}, losses from {plan.limits.low:g} to {plan.limits.high:g}"
    table.title = f"\n  Tasks that guarantee it ({sure}):"
    for method, words in PROMISES.items():
        table.add_row(f"  {words}", f"{plan.theory[method]:,}")
    console.print(table)


def write_plan(folder: Path, plan: Plan, tuned: Tuned, seconds: float) -> list[Path]:
    """Write plan.json and plan.svg, and return their paths."""
    words = words_of(tuned)
    texts = {
        "plan.json": json.dumps(summary(plan, tuned, seconds), indent=1) + "\n",
        "plan.svg": plan_svg(plan, words.measure, words.sign),
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]
