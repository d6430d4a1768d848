"""banditune reproduce: the paper's figures and tables again."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from banditune.cli.options import AsJson, Seed, Workers, read_workers
from banditune.cli.signals import Terminated

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
    from banditune.cli.reproduce_output import print_experiments, print_findings
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
