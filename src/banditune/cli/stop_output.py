"""When to end a test: for a person, for a machine, and as files."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from banditune.cli.output import UNBOUNDED, literal, terminal
from banditune.io.files import write_texts
from banditune.report.stop_page import (
    NO_TEST,
    choose_words,
    describe_facts,
    describe_held_out,
    describe_level,
    describe_rule,
    draw_stopping,
    list_rules,
    write_stopping_page,
)
from banditune.stopping.result import Stopping

HEADS = ("", "difference (95% interval)", "regret", "test")  # of the columns, the first to be left out first


def summarize_stopping(found: Stopping, seconds: float) -> dict[str, Any]:
    """Return the rule and what it is compared with as one JSON object."""
    return {**found.summary(), "seconds": round(seconds, 3)}


def print_stopping(found: Stopping, seconds: float) -> None:
    """Print the verdict, then the rule and what it is compared with."""
    console = terminal(soft_wrap=True)
    console.print(f"[bold]{literal(found.verdict.text)}[/]\n")
    console.print(f"[bold green]{literal(describe_rule(found))}[/]. {literal(describe_level(found))}\n")
    facts = Table.grid(padding=(0, 2))
    for name, text in describe_facts(found):
        facts.add_row(f"  {name}", literal(text))
    console.print(facts)
    if found.held_out is not None:
        console.print(_list_rules(found, console))
    console.print(f"\n  {NO_TEST}")
    console.print(f"\n{found.n_tasks:,} tests, {seconds:.1f} s.")


def _list_rules(found: Stopping, console: Console) -> Table:
    """Return what held-out tests lose with the rule and without it; on a narrow terminal with fewer columns."""
    words = choose_words(found)
    for heads in (HEADS, HEADS[1:], HEADS[2:]):
        title = f"\n  {literal(describe_held_out(found, words))}:"
        table = Table(box=None, padding=(0, 1), title=title, title_justify="left", title_style="")
        for head in ("", "", *heads):
            table.add_column(head, justify="right" if head else "left", header_style="dim", no_wrap=True)
        for each in list_rules(found, words):
            cells = dict(zip(HEADS, (each.remark, each.difference, each.level, each.length), strict=True))
            table.add_row("", literal(each.name), *(cells[head] for head in heads))
        if console.measure(table, options=console.options.update(max_width=UNBOUNDED)).maximum <= console.width:
            break
    return table


def write_stopping(folder: Path, found: Stopping, reading: Sequence[tuple[str, str]], seconds: float) -> list[Path]:
    """Write stop.json, stop.html and stop.svg, and return their paths."""
    texts = {
        "stop.json": json.dumps(summarize_stopping(found, seconds), indent=1) + "\n",
        "stop.html": write_stopping_page(found, reading, seconds),
        "stop.svg": draw_stopping(found, choose_words(found)),
    }
    return write_texts(folder, texts)
