"""The options that say when rewards become known, which several commands have, as one."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.option_groups import Group
from banditune.cli.options import panel_option, whole

if TYPE_CHECKING:
    from banditune.policies.updates import Updates


PANEL = "Batched and delayed feedback"
_option = partial(panel_option, PANEL)


# Optional is what Typer reads best.
def read_updates(
    batch: Annotated[
        Optional[int],  # noqa: UP045
        _option("N", "Batched feedback: rewards become known after every N rounds, all together.", parser=whole),
    ] = None,
    delay: Annotated[
        Optional[int],  # noqa: UP045
        _option("N", "Delayed feedback: each reward becomes known N rounds late.", parser=whole),
    ] = None,
    whole_batches: Annotated[
        bool,
        typer.Option(
            "--whole-batches",
            help="Give each batch to one arm instead of spreading it; with contexts, keep the policy fixed during it.",
            rich_help_panel=PANEL,
        ),
    ] = False,
    burn_in: Annotated[
        Optional[int],  # noqa: UP045
        _option("N", "Pulls of each arm before the policy chooses.", parser=whole),
    ] = None,
    floor: Annotated[
        Optional[float],  # noqa: UP045
        _option("SHARE", "Least share of the rounds for each arm, such as 0.01."),
    ] = None,
) -> "Updates | None":
    """Return what the options say; None if nothing."""
    from banditune.errors import ParameterError
    from banditune.policies.updates import Batches, Delay, Updates
    from banditune.validation import LONGEST_GAME, finite_number, whole_number

    for name, given, least in (("--batch", batch, 1), ("--delay", delay, 0), ("--burn-in", burn_in, 0)):
        if given is not None:
            whole_number(name, given, least=least, most=LONGEST_GAME)
    if floor is not None:
        finite_number("--floor", floor, least=0.0, most=1.0)
    owed: dict[str, Any] = {"burn_in": burn_in or 0, "floor": floor or 0.0}
    if batch is not None and delay is not None:
        raise ParameterError("--batch and --delay contradict each other; give only one")
    if whole_batches and batch is None:
        raise ParameterError("--whole-batches needs --batch")
    if batch is not None:
        return Batches(batch, whole=whole_batches, **owed)
    if delay is not None:
        return Delay(delay, **owed)
    return Updates(**owed) if burn_in or floor else None


UpdateOptions = Annotated["Updates | None", Group(read_updates)]
