"""banditune convert: the learned exploration in another library's own parameters."""

import json
from pathlib import Path
from typing import Annotated

import typer

from banditune.policies.ab_platforms import PLATFORMS
from banditune.policies.registry import find_tunable_policies

LIBRARIES = sorted(
    {library for policy in find_tunable_policies().values() for library in policy.exports} | {*PLATFORMS}
)


def convert(
    tuned: Annotated[Path, typer.Argument(metavar="TUNED", help="The tuned.json written by banditune tune.")],
    to: Annotated[
        str,
        typer.Option(metavar="LIB", help=f"The target library or platform: {', '.join(LIBRARIES)}."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a script.")] = False,
) -> None:
    """Print a script with the same exploration in another library, and what differs there.

    For a platform that runs bandits of its own (growthbook, statsig, optimizely), print what can be set there and
    what is hard-coded.

    Example: banditune convert results/tuned.json --to mabwiser
    """
    from dataclasses import asdict

    from banditune.tuning.results.saved_result import load

    converted = load(tuned).to(to)
    if as_json:
        typer.echo(json.dumps(asdict(converted), indent=2))
    else:
        typer.echo(str(converted), nl=False)
