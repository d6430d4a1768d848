"""banditune plan: how many tasks are enough?"""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.table import Table

from banditune.cli.log_options import LogOptions, reads_logs
from banditune.cli.options import AlphaRange, AsJson, Bound, Horizon, Logs, Seed, Unit, Workers, pair, read_workers
from banditune.cli.output import literal, terminal
from banditune.evaluation.plan import Plan
from banditune.io.files import write_text
from banditune.report.plan_figure import draw_plan, write_headline
from banditune.report.plan_page import (
    UNKNOWN_LIMITS,
    describe_aim,
    describe_bounds,
    describe_need,
    describe_pilot,
    list_bounds,
    write_plan_page,
)
from banditune.report.wording import Words
from banditune.tuning.tuned import Tuned


def summarize_plan(plan: Plan, tuned: Tuned, seconds: float) -> dict[str, object]:
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
    pieces = f"{plan.complexity.mean:.1f} pieces per task ({plan.complexity.low:.1f} to {plan.complexity.high:.1f})"
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
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]


@reads_logs
def plan(
    logs: Logs = None,
    epsilon: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            metavar="E",
            help="Acceptable excess loss of a new task over the best alpha.",
            show_default="a tenth of the mean loss",
        ),
    ] = None,
    delta: Annotated[float, typer.Option(metavar="D", help="Probability that a bound fails.")] = 0.05,
    bound: Bound = None,
    horizon: Horizon = None,
    alpha: AlphaRange = None,
    seed: Seed = 0,
    workers: Workers = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="DIR", help="Write plan.json, plan.html and the figure plan.svg to this folder."),
    ] = None,
    theory: Annotated[
        bool, typer.Option("--theory", help="Also say how many tasks bounds need for a guarantee: very many.")
    ] = False,
    unit: Unit = None,
    as_json: AsJson = False,
    *,
    reading: LogOptions,
) -> None:
    """Estimate how many tasks are needed, from a few pilot tasks.

    The learning curve of the pilot tasks is extrapolated to the tasks needed for an excess loss of epsilon. With
    --theory, bounds say how many tasks guarantee it with probability at least 1 - delta.

    Example: banditune plan pilots.csv --task test --arm headline --pulls views --successes clicks --epsilon 0.5
    """
    from functools import partial

    from banditune.cli.output import LOADING, progress_bar, reject_file, say, share_bar
    from banditune.cli.past_tasks import past_tasks
    from banditune.cli.plan import print_plan, summarize_plan, write_plan
    from banditune.evaluation.certificate import check_delta, loss_limits
    from banditune.evaluation.plan import check_epsilon
    from banditune.interruption import Threads
    from banditune.io.files import make_folder
    from banditune.policies.ucb.ucb import UCB
    from banditune.report.wording import choose_words
    from banditune.tuning.question import Question
    from banditune.tuning.tune import tune

    started = time.perf_counter()
    # invalid options fail before a log is read
    limits = None if alpha is None else pair("--alpha", alpha)
    given = {} if limits is None else {"alpha": limits}
    Question.of(UCB, given, horizon=horizon, loss="regret", seed=seed, extend=True).check()
    check_delta(delta, "--delta")
    if epsilon is not None:
        check_epsilon(epsilon, "--epsilon")
    if bound is not None:
        loss_limits(bound, None, loss="regret", horizon=1)
    n_threads = read_workers(workers)
    if out is not None:
        reject_file(out)
    past = past_tasks(UCB, logs or [], reading.columns(), **reading.how, memory=reading.memory)
    bar = progress_bar("Sweeping past tasks", len(past.tasks), LOADING)
    with bar as progress, Threads(n_threads) as pool:
        tuned = tune(
            UCB,
            past.tasks,
            horizon=past.horizon if horizon is None else horizon,
            alpha=limits or UCB.default_range("alpha", past.tasks),
            seed=seed,
            executor=pool,
            progress=progress,
        )
    tuned = tuned.smooth()  # what is planned for is what a study would recommend
    with share_bar("Planning") as shared:
        found = tuned.plan(epsilon, delta, bound, progress=partial(shared, "Computing the learning curve"))
    seconds = time.perf_counter() - started
    words = choose_words(tuned, past.name_units(unit))
    if out is not None:
        written = write_plan(make_folder(out), found, tuned, words, past.reading, seconds, theory=theory)
        say(f"wrote {', '.join(map(str, written))}")
    if as_json:
        typer.echo(json.dumps(summarize_plan(found, tuned, seconds), indent=2))
    else:
        print_plan(found, tuned, words, seconds, theory=theory)
