"""The options that say what is lost, which several commands have, as one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.options import whole, with_options

if TYPE_CHECKING:
    from banditune.policies.losses import Loss

PANEL = "What is lost"


def _option(shown_as: str, help_text: str, default: str | bool = False, **how: Any) -> Any:
    return typer.Option(metavar=shown_as, help=help_text, show_default=default, rich_help_panel=PANEL, **how)


# Optional is what Typer reads best.
OPTIONS: dict[str, Any] = {
    "loss": Annotated[
        Optional[str],  # noqa: UP045
        _option(
            "NAME",
            "Objective: regret, reward (minus the total reward), simple (regret of the arm recommended at the "
            "end), or rollout (regret, and that of --rollout rounds with the arm recommended).",
            "regret; with features, reward",
        ),
    ],
    "rollout": Annotated[
        Optional[int],  # noqa: UP045
        _option("M", "Rounds after the run, given to the arm recommended at its end: --loss rollout.", parser=whole),
    ],
    "recommend": Annotated[
        Optional[str],  # noqa: UP045
        _option("HOW", "Arm recommended at the end: by its mean, or by its pulls.", "mean"),
    ],
    "tail": Annotated[
        Optional[float],  # noqa: UP045
        _option(
            "SHARE",
            "Count only the worst share of the tasks, such as 0.1 (CVaR): keep the mean over the worst tenth low.",
            "all tasks",
        ),
    ],
    "cost": Annotated[
        Optional[list[str]],  # noqa: UP045
        _option(
            "ARM=COST", "What a pull of an arm costs, repeated for several arms: rewards and regret are net of it."
        ),
    ],
}


@dataclass(frozen=True, slots=True)
class LossOptions:
    """What a person said about what is lost."""

    loss: str | None
    terms: Mapping[str, Any]  # the rest, as `bt.tune` calls it

    @classmethod
    def of(cls, loss: str | None, **terms: Any) -> "LossOptions":
        """From the options as they were given."""
        if "cost" in terms:
            terms["costs"] = read_costs(terms.pop("cost"))
        return cls(loss, terms)

    @property
    def name(self) -> str | None:
        """The loss; None if nothing says which."""
        from banditune.policies.losses import ROLLOUT

        return self.loss or (None if self.terms["rollout"] is None else ROLLOUT)

    def choose(self) -> "Loss":
        """Return the loss, which is regret if nothing says otherwise."""
        from banditune.policies.losses import choose_loss

        return choose_loss(self.name or "regret", *(self.terms.get(name) for name in ("rollout", "recommend", "tail")))


def read_costs(given: list[str] | None) -> dict[str, float] | None:
    """Return the costs given with --cost, by arm.

    >>> read_costs(["call=0.25", "a=b=1"])
    {'call': 0.25, 'a=b': 1.0}
    """
    found: dict[str, float] = {}
    for each in given or ():
        arm, _, cost = each.rpartition("=")
        try:
            found[arm] = float(cost)
        except ValueError:
            arm = ""
        if not arm:
            raise typer.BadParameter(f"--cost must be ARM=COST, such as call=0.25; got '{each}'")
    return found or None


def takes_loss(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator of commands that adds these of the options, all by default, and hands them over as one."""
    return with_options("objective", lambda taken: {name: OPTIONS[name] for name in names or OPTIONS}, LossOptions.of)
