"""The options that several commands have, besides those of reading a log."""

from typing import Annotated, Optional

import typer

from banditune.cli.numbers import whole

# Optional is what Typer reads best.
Logs = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Argument(metavar="LOG", help="Files, patterns or folders of past tasks. None: bundled ones."),
]
Horizon = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(parser=whole, metavar="T", help="Rounds of a game.", show_default="fits the tasks, at most 1000"),
]
AlphaRange = Annotated[
    Optional[tuple[str, str]],  # noqa: UP045
    typer.Option(
        metavar="LOW HIGH",
        help="The range in which UCB's alpha is learned.",
        show_default="fits the scale of the rewards",
    ),
]
Seed = Annotated[int, typer.Option(parser=whole, metavar="N", help="Where the random numbers start.")]
Workers = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(parser=whole, metavar="N", help="Threads to work with.", show_default="one for each core"),
]
Bound = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        metavar="H",
        help="The largest loss possible in a game.",
        show_default="follows from --reward-range; rewards of totals are 0 or 1",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
