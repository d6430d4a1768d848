"""The answer of a tuning, for a person; for a machine, `Study.summary` has it."""

import math

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from banditune.cli.output import UNBOUNDED, literal, terminal
from banditune.curves.step_function import Interval
from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.guarantees import Guarantees
from banditune.evaluation.recommended_value import reach_of
from banditune.report.gains import LEVELS, describe_difference, has_rate, list_gains
from banditune.report.learned_prior import NO_PRIOR
from banditune.report.wording import (
    Words,
    choose_words,
    describe_doubts,
    describe_draws,
    describe_horizon,
    describe_merging,
    describe_outside,
    describe_proof,
    describe_racing,
    describe_rollout,
    describe_saving,
    describe_settings,
    describe_skipped_work,
    describe_vacuous,
    format_span,
    is_at_an_end,
)
from banditune.tasks.costs import describe_costs
from banditune.tuning.families import Families
from banditune.tuning.priors.fitted_prior import ALONE, FittedPrior
from banditune.tuning.priors.line_search import PriorFindings
from banditune.tuning.results.study_result import Study, describe_unseen
from banditune.tuning.results.tuned import Tuned
from banditune.validation import format_count

SHOWN_ARMS = 8


def print_study(found: Study) -> None:
    """Print the verdict, then the answer as a few lines that a person understands."""
    console = terminal(soft_wrap=True)
    tuned, words = found.tuned, choose_words(found.tuned, found.units)
    name, best = tuned.parameter, tuned.params[tuned.parameter]
    if found.families is not None:
        console.print(f"[bold]{literal(found.families.text)}[/]\n")
        console.print(_list_families(found.families, words))
        console.print()
    if found.held_out is not None and tuned.curve.n_pieces > 1:
        chosen = "" if found.families is None else f"{found.families.chosen}: "
        console.print(f"[bold]{literal(chosen + found.verdict.text)}[/]\n")
    flat = f"[bold green]All values of {name}[/] have the same"
    least = flat if tuned.curve.n_pieces == 1 else f"[bold green]{name} = {best:.4g}[/] {words.verb} the"
    headline = f"{least} {literal(words.measure)}: {words.format(tuned.loss)}"
    length = literal(describe_horizon(tuned, words, chosen=found.chose_horizon))
    console.print(f"{headline}{f' over {length}' if tuned.replay is None else ''}.\n")
    console.print(_list_facts(found, words))
    for warning in _list_warnings(tuned):
        console.print(f"\n  [yellow]{literal(warning)}[/]")
    if found.held_out is not None:
        console.print(_fit_held_out_table(found.held_out, words, tuned.horizon, console))
        if words.lost:
            console.print(f"\n  {LEVELS}")
    if found.guarantees is not None:
        console.print(_list_guarantees(found.guarantees, name, words))
    if (fitted := tuned.find(FittedPrior)) is not None:
        console.print(_list_structures(fitted, words))
        if fitted.arms:
            console.print(_list_arms(fitted))
    if (searched := tuned.find(PriorFindings)) is not None:
        console.print(_list_ways(searched, words))
        if searched.arms:
            console.print(_list_priors(searched))
        if not searched.finished:
            console.print("\n  [yellow]The search was interrupted; this is the best result so far.[/]")
    pieces = f"{tuned.complexity:,.1f} pieces per {'task' if tuned.draws == 1 else 'drawn run'}"
    console.print(
        f"\n{format_count(tuned.n_tasks, 'task' if tuned.replay is None else 'log')}, {pieces}, {found.seconds:.1f} s."
    )


def _list_warnings(tuned: Tuned) -> list[str]:
    """Return what to beware of."""
    warnings = [f"{each[0].upper()}{each[1:]}." for each in (() if tuned.replay is None else tuned.replay.warnings)]
    if tuned.proof is not None and not tuned.proof.holds:
        warnings.append(describe_doubts(tuned.proof, tuned.parameter))
    warnings += [f"{broken[0].upper()}{broken[1:]}" for broken in describe_skipped_work(tuned.left_out)]
    if unseen := describe_unseen(tuned):
        warnings.append(f"{unseen[0].upper()}{unseen[1:]}.")
    if is_at_an_end(tuned):
        wider = f"a wider range (--{tuned.parameter} LOW HIGH) may do better"
        warnings.append(f"The best value is at an end of the range; {wider}.")
    return warnings


def _list_facts(found: Study, words: Words) -> Table:
    tuned, name = found.tuned, found.tuned.parameter
    facts = Table.grid(padding=(0, 2))
    chosen = " (chosen to fit the scale of the rewards)" if found.chose_range else ""
    facts.add_row("  searched", f"{tuned.search.free_parameter.describe_range(*tuned.searched)}{chosen}")
    if tuned.racing is not None:
        facts.add_row("  raced", describe_racing(tuned))
    facts.add_row("  index", tuned.policy_class.describe_index(tuned.params))
    alike = "all optimal" if tuned.merged is None else "the best piece, up to the merging error"
    facts.add_row("  best", f"{format_span(tuned.interval)}: {alike}")
    if tuned.smoothed is not None and tuned.curve.n_pieces > 1:
        reach = reach_of(tuned.search.free_parameter, tuned.n_tasks, tuned.draws)
        around = format_span(Interval(tuned.smoothed / reach, min(tuned.smoothed * reach, tuned.curve.high)))
        level = words.format(tuned.curve(tuned.smoothed))
        facts.add_row("  recommended", f"{tuned.smoothed:.4g} ({level}): the least on average from {around}")
    facts.add_row("  within 1 SE", f"{format_span(tuned.within_one_se)}: {_describe_outside(found)}")
    if settings := describe_settings(tuned.policy_class, tuned.params, name):
        most = f", the best of {len(tuned.compared)} combinations" if tuned.compared else ""
        facts.add_row("  with", f"{literal(settings)}{most}")
    if tuned.steps:
        facts.add_row(
            "  in turn", f"{len(tuned.steps)} exact searches from the best of several starts, until none improved"
        )
    if tuned.source.costs is not None:
        facts.add_row("  net of costs", literal(describe_costs(tuned.source.costs)))
    for what, text in describe_rollout(found.rollout, words):
        facts.add_row(f"  {what}", literal(text))
    if drawn := describe_draws(tuned):
        facts.add_row("  drawn", drawn)
    if tuned.proof is not None:
        facts.add_row("  proved", describe_proof(tuned.proof))
    if tuned.merged is not None:
        facts.add_row("  merged", describe_merging(tuned.merged))
    if tuned.replay is not None:
        matched = int(tuned.replay.matched(tuned.recommended[name]))
        low, high = sorted(words.sign * end + 0.0 for end in tuned.replay.interval)
        facts.add_row("  matched", f"{matched:,} of {format_count(tuned.replay.events, 'event')}")
        facts.add_row("  95% interval", f"{low:.4g} to {high:.4g}, for the {words.measure}")
    return facts


def _describe_outside(found: Study) -> str:
    """Return what is known of values outside that range."""
    if found.tuned.within_one_se == found.tuned.searched:
        return "the whole range; these tasks do not rule out any value"
    return describe_outside("value", found.tuned.smoothed, found.tuned.within_one_se)


def _fit_held_out_table(held_out: HeldOutLosses, words: Words, horizon: int, console: Console) -> Table:
    """Return the comparison on held-out tasks; on a narrow terminal with fewer columns."""
    title = f"On held-out tasks (cross-validation, {held_out.n_folds} folds), {literal(words.measure)}:"
    gains = list_gains(held_out.rows, words, horizon)
    per_run = "per event" if words.replayed else "per run"
    known = {
        "difference (95% interval)": [gain.difference for gain in gains],
        "difference": [gain.difference.partition(" (")[0] for gain in gains],
        per_run: [gain.level for gain in gains],
        words.units.per_thousand: [gain.rate for gain in gains],
    }
    full, short, level, rate = known
    choices: list[tuple[str, ...]] = [(full, level), (short, level), (level,)]
    if has_rate(words, horizon):
        choices = [(full, level, rate), (full, rate), (short, level, rate), *choices]
    for heads in choices:
        table = _make_table(title)
        table.show_header, table.padding = True, (0, 1)
        for head in ("", "", "", *heads):
            table.add_column(literal(head), justify="right" if head else "left", header_style="dim", no_wrap=True)
        for k, gain in enumerate(gains):
            cells = [f"[bold green]{known[head][k]}[/]" if k == 0 else known[head][k] for head in heads]
            table.add_row("", literal(gain.name), gain.remark, *cells)
        if console.measure(table, options=console.options.update(max_width=UNBOUNDED)).maximum <= console.width:
            break
    return table


def _list_guarantees(found: Guarantees, name: str, words: Words) -> Group:
    """Return what new tasks can be expected to give, and what that is against the usual values: what says something."""
    certificate = found.certificate
    parts: list[Text | Table] = [
        Text(f"\n  With probability at least {1.0 - certificate.delta:.4g}, on new tasks from the same population:")
    ]
    table = _make_table("")
    if found.is_vacuous:
        parts.append(Text(f"      {describe_vacuous(found, words)}"))
    else:
        side = "at most" if words.lost else "at least"
        more = f"at most {certificate.excess_bound:.4g} {('above' if words.lost else 'below')} the best"
        least = f"{literal(words.measure)} with {name} = {certificate.value:.4g}, the least"
        table.add_row("", least, f"{side} {words.format(certificate.loss_bound)}", more)
    for each in found.telling:
        table.add_row(
            "",
            f"vs {name} = {each.over:g}",
            describe_saving(each, words),
            f"{each.n_tasks:,} held-out tasks, {name} = {each.value:.4g} learned on the others",
        )
    return Group(*parts, *([table] if table.row_count else []))


def _list_families(found: Families, words: Words) -> Table:
    """Return the policies that were compared, the least loss first."""
    table = _make_table(f"Policies on held-out tasks, {literal(words.measure)}, and the difference from the best:")
    for row in found.rows:
        level, extra = words.format(row.loss.mean), describe_difference(row.extra, words)
        shown = f"[bold green]{level}[/]" if row.is_level else level
        table.add_row("", literal(row.name), literal(row.learned), shown, extra if row is not found.rows[0] else "")
    return table


def _list_ways(found: PriorFindings, words: Words) -> Table:
    """Return the ways to learn that were compared."""
    measured = found.n_folds > 0
    where = f"On held-out tasks (cross-validation, {found.n_folds} folds)" if measured else "On the training tasks"
    table = _make_table(f"{where}, {literal(words.measure)}:")
    for each in found.candidates:
        chosen = each.name == found.chosen
        level = words.format(each.held_out if measured else each.loss)
        table.add_row(
            "", literal(each.name), f"[bold green]{level}[/]" if chosen else level, "chosen" if chosen else ""
        )
    return table


def _list_structures(found: FittedPrior, words: Words) -> Table:
    """Return the structures of the prior that were compared."""
    table = _make_table(f"Priors over arms, {literal(words.measure)} on held-out tasks ({found.n_folds} folds):")
    for each in found.candidates:
        chosen = each.name == found.chosen
        level = words.format(each.loss if math.isnan(each.held_out) else each.held_out)
        said = NO_PRIOR if chosen and not found.helps else "chosen" if chosen else ""
        name = f"alpha alone, {found.alpha:.4g}" if each.name == ALONE else f"{each.name} prior"
        table.add_row("", name, f"[bold green]{level}[/]" if chosen else level, said)
    return table


def _list_arms(found: FittedPrior) -> Table:
    """Return the arms with the highest prior means."""
    by_mean = sorted(found.arms, key=lambda each: -each.mean)
    table = _make_table("Prior means of the arms in a new task, highest first, and their standard deviations")
    for each in by_mean[:SHOWN_ARMS]:
        table.add_row("", literal(str(each.arm)), f"{each.mean:.4g}", f"+- {each.sd:.2g}")
    if len(by_mean) > SHOWN_ARMS:
        table.add_row("", f"and {len(by_mean) - SHOWN_ARMS} more", "", "")
    return table


def _list_priors(found: PriorFindings) -> Table:
    """Return the arms with the highest priors."""
    by_mean = sorted(found.arms, key=lambda each: -each.mean)
    table = _make_table("Learned prior means, highest first, and the range within one standard error")
    for each in by_mean[:SHOWN_ARMS]:
        table.add_row("", literal(str(each.arm)), f"{each.mean:.4g}", format_span(each.within_one_se))
    if len(by_mean) > SHOWN_ARMS:
        table.add_row("", f"and {len(by_mean) - SHOWN_ARMS} more", "", "")
    return table


def _make_table(title: str) -> Table:
    table = Table(box=None, padding=(0, 2), title_justify="left", title_style="", show_header=False)
    table.title = f"\n  {title}" if title else None
    return table
