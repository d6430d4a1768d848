"""banditune reproduce: the paper's figures and tables again."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich import box
from rich.table import Table

from banditune.cli.options import AsJson, Seed, Workers, read_workers
from banditune.cli.output import literal, terminal
from banditune.cli.signals import Terminated
from banditune.experiments.machinery.experiment import Agreement, Experiment, Findings
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


DEFAULT = "reproduced, with --quick reproduced-quick"


def reproduce(
    names: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(metavar="NAME", help="Experiments, as listed by --list.", show_default=False),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All experiments.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Reduced sizes, for a first look.")] = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the experiments and exit.")] = False,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="DIR", help="Folder for results and checkpoints.", show_default=DEFAULT),
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Run the paper's experiments, and report where the results agree with it.

    Stop it at any time: finished parts are checkpointed in DIR, and the same command resumes. Each experiment writes
    its numbers (NAME.json), the table "paper | here | agrees?" (NAME.md) and its figure (NAME.png, NAME.svg; needs
    Matplotlib: pip install "banditune[plot]").

    Example: banditune reproduce table-qd --quick
    """
    from functools import partial

    from banditune.cli.output import reject_file, say, stage_bar
    from banditune.cli.reproduce import print_experiments, print_findings
    from banditune.errors import ParameterError
    from banditune.experiments.catalogue import EXPERIMENTS, choose_experiments
    from banditune.experiments.machinery.figures import MISSING, can_draw
    from banditune.experiments.machinery.runner import conduct
    from banditune.interruption import Threads
    from banditune.io.files import make_folder
    from banditune.validation import whole_number

    if list_them:
        print_experiments(EXPERIMENTS.values(), as_json=as_json)
        return
    if bool(names) == everything:
        raise ParameterError(f"give the names of experiments, or --all; there are {', '.join(EXPERIMENTS)}")
    wanted = choose_experiments(names or EXPERIMENTS)
    seed = whole_number("--seed", seed, least=0)
    n_threads = read_workers(workers)
    place = out or Path("reproduced-quick" if quick else "reproduced")
    reject_file(place)
    target = make_folder(place)
    if not can_draw():
        say(MISSING)
    found = {}
    try:
        with Threads(n_threads) as pool:
            for experiment in wanted:
                with stage_bar(f"{experiment.name} (kernels are compiled on first use: a minute or two)") as bar:
                    conducted = conduct(
                        experiment,
                        target,
                        pool,
                        settings=experiment.settings(quick=quick),
                        seed=seed,
                        tell=partial(bar, experiment.name),
                        say=say,
                    )
                say(f"{experiment.name}: {conducted.seconds:.1f} s, wrote {', '.join(map(str, conducted.written))}")
                found[experiment.name] = conducted.numbers
                if not as_json:
                    print_findings(experiment, conducted.findings)
    except (KeyboardInterrupt, Terminated):
        say(f"finished parts are checkpointed in {target}; run the same command to resume")
        raise
    if as_json:
        typer.echo(json.dumps(found, indent=2))
