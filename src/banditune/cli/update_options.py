"""The options that say when rewards become known, which several commands have, as one."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.options import whole, with_options

if TYPE_CHECKING:
    from banditune.policies.updates import Updates

PANEL = "When rewards become known"


def _option(*names: str, shown_as: str, help_text: str, **how: Any) -> Any:
    return typer.Option(*names, metavar=shown_as, help=help_text, show_default=False, rich_help_panel=PANEL, **how)


# Optional is what Typer reads best.
OPTIONS: dict[str, Any] = {
    "batch": Annotated[
        Optional[int],  # noqa: UP045
        _option(
            shown_as="N",
            parser=whole,
            help_text="Rewards become known after every N rounds, all of a batch together.",
        ),
    ],
    "delay": Annotated[
        Optional[int],  # noqa: UP045
        _option(shown_as="N", parser=whole, help_text="Each reward becomes known N rounds late (delayed feedback)."),
    ],
    "whole_batches": Annotated[
        bool,
        typer.Option(
            "--whole-batches",
            help="A batch goes to one arm, instead of being spread; with contexts, to a policy that does not change.",
            rich_help_panel=PANEL,
        ),
    ],
    "burn_in": Annotated[
        Optional[int],  # noqa: UP045
        _option(shown_as="N", parser=whole, help_text="Pulls of each arm before the policy chooses."),
    ],
    "floor": Annotated[
        Optional[float],  # noqa: UP045
        _option(shown_as="SHARE", help_text="Least share of the rounds for each arm, such as 0.01."),
    ],
}


def list_options(taken: Collection[str]) -> dict[str, Any]:
    """Return the options."""
    return OPTIONS


def read_updates(
    batch: int | None, delay: int | None, whole_batches: bool, burn_in: int | None, floor: float | None
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


takes_updates = with_options("updates", list_options, read_updates)
