"""The options that say what is lost, which several commands have, as one."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.option_groups import Group
from banditune.cli.options import panel_option, whole

if TYPE_CHECKING:
    from banditune.policies.losses import Loss


_option = partial(panel_option, "Objective")


@dataclass(frozen=True, slots=True)
class Objective:
    """What a person said about what is lost."""

    loss: str | None
    terms: Mapping[str, Any]  # the rest, as `bt.tune` calls it

    @classmethod
    def read(  # Optional is what Typer reads best
        cls,
        loss: Annotated[
            Optional[str],  # noqa: UP045
            _option(
                "NAME",
                "Objective: regret, reward (minus the total reward), simple (regret of the arm recommended at the "
                "end), or rollout (regret, and that of --rollout rounds with the arm recommended).",
                default="regret; with features, reward",
            ),
        ] = None,
        rollout: Annotated[
            Optional[int],  # noqa: UP045
            _option(
                "M", "Rounds after the run, given to the arm recommended at its end: --loss rollout.", parser=whole
            ),
        ] = None,
        recommend: Annotated[
            Optional[str],  # noqa: UP045
            _option("NAME", "Arm recommended at the end: by its mean, or by its pulls.", default="mean"),
        ] = None,
        tail: Annotated[
            Optional[float],  # noqa: UP045
            _option(
                "SHARE",
                "Minimise the mean over the worst share of the tasks, such as 0.1 (conditional value at risk, CVaR).",
                default="all tasks",
            ),
        ] = None,
        cost: Annotated[
            Optional[list[str]],  # noqa: UP045
            _option(
                "ARM=COST", "Cost of a pull of an arm; repeat it for several arms. Rewards and regret are net of costs."
            ),
        ] = None,
    ) -> "Objective":
        """Read the options."""
        terms = {"rollout": rollout, "recommend": recommend, "tail": tail, "costs": read_costs(cost)}
        return cls(loss, terms)

    @property
    def name(self) -> str | None:
        """The loss; None if nothing says which."""
        from banditune.policies.losses import ROLLOUT

        return self.loss or (None if self.terms["rollout"] is None else ROLLOUT)

    def choose(self, *, replayed: bool = False) -> "Loss":
        """Return the loss; if nothing says which, regret, or for logs that are replayed the reward."""
        from banditune.policies.losses import choose_loss

        usual = "reward" if replayed else "regret"
        return choose_loss(self.name or usual, *(self.terms[name] for name in ("rollout", "recommend", "tail")))


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


LossOptions = Annotated[Objective, Group(Objective.read)]
