"""banditune stop: when to end a test."""

import json
from typing import Annotated, Any, Optional

import typer

from banditune.cli.log_options import LogOptions, reads_logs
from banditune.cli.options import AsJson, Horizon, Logs, Seed, Unit, whole


@reads_logs
def stop(
    logs: Logs = None,
    rollout: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            parser=whole,
            metavar="M",
            help="Rounds after the longest test, all given to the arm that leads at its end.",
            show_default="ten times the horizon",
        ),
    ] = None,
    horizon: Horizon = None,
    statistic: Annotated[
        str,
        typer.Option(
            help="What is held against the threshold: the loss that the leader is expected to be behind the best arm, "
            "the probability that it is the best, or its gap to the closest arm."
        ),
    ] = "loss",
    every: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            parser=whole,
            metavar="N",
            help="Rounds from one look at the test to the next.",
            show_default="a fiftieth of the horizon",
        ),
    ] = None,
    least: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(parser=whole, metavar="N", help="Rounds before the first look.", show_default="as for --every"),
    ] = None,
    draws: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            parser=whole,
            metavar="N",
            help="Orders drawn for each test whose order or length is not recorded.",
            show_default="8",
        ),
    ] = None,
    seed: Seed = 0,
    unit: Unit = None,
    example: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME", help="Bundled tasks instead of a log: lcdb, or headlines.", show_default="headlines"
        ),
    ] = None,
    as_json: AsJson = False,
    *,
    reading: LogOptions,
) -> None:
    """Learn from past tests when to stop one that is followed by a roll-out.

    A test gives every arm the same share and is looked at now and then; it ends once its leader leads by more than a
    threshold, and the leader gets all rounds after that. The threshold with the least regret of test and roll-out is
    found exactly, and compared on held-out tests with the best fixed length, Test & Roll's and 95%.

    Example: banditune stop tests.csv --task test --arm headline --pulls views --successes clicks --rollout 100000
    """
    from dataclasses import replace

    from banditune.cli.output import share_bar
    from banditune.cli.past_tasks import past_tasks
    from banditune.policies.ucb.ucb import UCB
    from banditune.stopping.rule import STATISTICS
    from banditune.stopping.threshold import learn_threshold
    from banditune.validation import one_of, whole_number

    one_of("--statistic", statistic, STATISTICS)  # invalid options fail before a log is read
    for name, given in (("--rollout", rollout), ("--horizon", horizon), ("--every", every), ("--least", least)):
        if given is not None:
            whole_number(name, given, least=0 if name == "--rollout" else 1)
    bundled = example or (None if logs else "headlines")
    past = past_tasks(UCB, logs or [], reading.columns(), **reading.how, memory=reading.memory, example=bundled)
    rounds = past.horizon if horizon is None else horizon
    with share_bar("Running past tests") as share:
        found = learn_threshold(
            past.tasks,
            rollout=10 * rounds if rollout is None else rollout,
            horizon=rounds,
            statistic=statistic,
            check_every=every,
            least=least,
            draws=draws,
            seed=seed,
            progress=lambda done: share("Running past tests", done),
        )
    found = replace(found, units=past.name_units(unit))
    if as_json:
        typer.echo(json.dumps(found.summary(), indent=2))
    else:
        print_stopping(found)


def print_stopping(found: Any) -> None:
    """Print the verdict, then the rule and what it is compared with."""
    from rich.table import Table

    from banditune.cli.output import literal, terminal
    from banditune.report.wording import Words, describe_outside, format_span

    console, words = terminal(soft_wrap=True), Words("regret", units=found.units)
    units, rule = found.units, found.rule
    console.print(f"[bold]{literal(found.verdict.text)}[/]\n")
    console.print(
        f"[bold green]Stop when {rule.describe()}[/] (threshold {found.threshold:.4g}). Mean "
        f"{literal(units.measure('regret'))} {words.format(found.loss)}, over {literal(units.count(rule.most))}, of "
        f"which the test takes some, and {literal(units.count(found.rollout))} after that.\n"
    )
    facts = Table.grid(padding=(0, 2))
    facts.add_row("  looked at", literal(f"every {units.count(rule.check_every)}, from {units.count(rule.least)} on"))
    facts.add_row("  best", f"thresholds {format_span(found.interval)}: all optimal")
    near = "the least on average around it, which owes less to chance"
    facts.add_row("  recommended", f"{found.threshold:.4g} ({words.format(found.loss)}): {near}")
    outside = describe_outside("threshold", found.threshold, found.within_one_se)
    facts.add_row("  within 1 SE", f"{format_span(found.within_one_se)}: {outside}")
    facts.add_row("  tests last", literal(f"{found.lengths['learned']:,.0f} of {units.count(rule.most)}, on average"))
    console.print(facts)
    if found.held_out is not None:
        console.print(_list_baselines(found, words, console))
    console.print(
        "\n  The threshold keeps the loss low. It does not control false positives: the arm rolled out need not be "
        "significantly better."
    )
    console.print(f"\n{found.n_tasks:,} tests.")


def _list_baselines(found: Any, words: Any, console: Any) -> Any:
    """What held-out tests lose with the rule and without it; on a narrow terminal with fewer columns."""
    from rich.table import Table

    from banditune.cli.output import UNBOUNDED, literal
    from banditune.report.gains import describe_difference, describe_remark
    from banditune.stopping.result import USUAL

    measure = words.units.measure("mean regret of test and roll-out")
    rows = found.held_out.rows
    for heads in (("", "difference (95% interval)", "regret", "test"), ("difference (95% interval)", "regret", "test"),
                  ("regret", "test")):  # fmt: skip
        where = f"On held-out tests ({found.held_out.n_folds} folds), {measure}, and their mean length:"
        table = Table(box=None, padding=(0, 1), title=f"\n  {literal(where)}", title_justify="left", title_style="")
        for head in ("", "", *heads):
            table.add_column(head, justify="right" if head else "left", header_style="dim", no_wrap=True)
        for row in rows:
            first = row is rows[0]
            cells = {
                "": "" if first else describe_remark(rows[0].loss.mean, row, words),
                "difference (95% interval)": "" if first else describe_difference(row.extra, words),
                "regret": words.format(row.loss.mean),
                "test": f"{found.lengths[row.name]:,.0f}",
            }
            name = f"stop at {USUAL}" if row.name == USUAL else row.name
            table.add_row("", literal(name), *(cells[head] for head in heads))
        if console.measure(table, options=console.options.update(max_width=UNBOUNDED)).maximum <= console.width:
            break
    return table
