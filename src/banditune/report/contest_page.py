"""The page of a comparison: one file that opens offline and asks the network for nothing."""

from collections.abc import Sequence
from string import Template

from banditune import __version__
from banditune.checks import counted
from banditune.comparing import Comparison, Standing
from banditune.report.contest_picture import contest_svg
from banditune.report.contest_words import advice, told_to
from banditune.report.markup import clipped, paragraphs, plain, table
from banditune.report.numerals import from_to, numeral
from banditune.report.page import asset


def contest_page(compared: Comparison, reading: Sequence[tuple[str, str]], seconds: float) -> str:
    """A comparison as a self-contained HTML document; `reading` says how the tasks were read."""
    facts = "".join(f"<div><dt>{clipped(label)}</dt><dd>{clipped(words, 600)}</dd></div>" for label, words in reading)
    made = (
        f"Made by banditune {__version__} in {seconds:.1f} s, seed {compared.seed}. "
        "This page is one file and asks the network for nothing."
    )
    return Template(asset("compared.html")).substitute(
        style=asset("page.css"),
        headline=plain(_headline(compared)),
        answer=paragraphs(advice(compared), _how(compared), kind="lead"),
        figure=contest_svg(compared),
        standings=_standings(compared),
        reading=f'<dl class="facts">{facts}</dl>',
        made=plain(made),
    )


def _headline(compared: Comparison) -> str:
    best = compared.standings[0]
    return f"{best.name} lost least: {numeral(best.regret)}"


def _how(compared: Comparison) -> str:
    return (
        f"{counted(compared.n_tasks, 'task')} were divided into {counted(int(compared.alphas.size), 'fold')}. On each "
        "fold, what was learned plays with what the other folds taught: alpha from "
        f"{numeral(float(compared.alphas.min()))} to {numeral(float(compared.alphas.max()))}. All policies play "
        f"{counted(compared.repetitions, 'game')} of "
        f"{counted(compared.horizon, 'round')} on each task, on the same rewards."
    )


def _standings(compared: Comparison) -> str:
    head = ["", "mean regret", "extra", "95% interval", "tasks: worse / equal / better", "mean rank"]
    rows = [_row(standing, compared) for standing in compared.standings]
    how = (
        "Extra is what a policy lost more than the learned alpha on the same task, averaged over the tasks; where its "
        "interval lies right of 0, the learned alpha is better. Rank 1 is the best on a task. A policy that is told "
        "the horizon, or bounds of the rewards, knows more than one that is not; bounds were taken from all tasks."
    )
    told = [[plain(what), clipped(", ".join(names), 400)] for what, names in told_to(compared).items()]
    return "\n".join(
        (
            table("How they stand", head, rows, kind="numbers"),
            paragraphs(how, kind="note"),
            table("What each was told beforehand", ["told", "who"], told),
        )
    )


def _row(standing: Standing, compared: Comparison) -> list[str]:
    if standing.name == compared.reference:
        extra, interval, counts = "", "", ""
    else:
        extra, interval = numeral(standing.extra), plain(from_to(standing.interval))
        equal = compared.n_tasks - standing.worse - standing.better
        counts = f"{standing.worse:,} / {equal:,} / {standing.better:,}"
    return [clipped(standing.name), numeral(standing.regret), extra, interval, counts, numeral(standing.rank)]
