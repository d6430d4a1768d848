"""What an experiment found, for a person at the terminal."""

import json
from collections.abc import Iterable
from typing import Any

import typer
from rich import box
from rich.table import Table

from banditune.cli.output import literal, terminal
from banditune.experiments.machinery.claims import Agreement
from banditune.experiments.machinery.experiment import Experiment, Findings
from banditune.experiments.machinery.runner import HEADS

COLOURS = {Agreement.YES: "green", Agreement.NO: "red", Agreement.UNDECIDED: "yellow", Agreement.BEYOND: "dim"}


def print_experiments(experiments: Iterable[Experiment[Any, Any]], *, as_json: bool) -> None:
    """Print what can be done again."""
    if as_json:
        listed = [{"name": each.name, "title": each.title, "place": each.place} for each in experiments]
        typer.echo(json.dumps(listed, indent=2))
        return
    table = Table(box=None, padding=(0, 2), show_header=False)
    for each in experiments:
        table.add_row(f"[bold]{each.name}[/]", literal(each.title), f"[dim]{literal(each.place)}[/]")
    terminal().print(table)


def print_findings(experiment: Experiment[Any, Any], findings: Findings) -> None:
    """Print the table of an experiment, and how the paper was read."""
    console = terminal()
    title = f"{experiment.name}: {experiment.title} [dim]({literal(experiment.place)})[/]"
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for head in HEADS:
        table.add_column(head, no_wrap=head == HEADS[-1])
    for claim in findings.claims:
        colour = COLOURS[claim.agrees]
        table.add_row(literal(claim.what), literal(claim.paper), literal(claim.here), f"[{colour}]{claim.agrees}[/]")
    console.print(table)
    for reading in findings.readings:
        console.print(f"  [dim]{literal(reading)}[/]")
    console.print()
