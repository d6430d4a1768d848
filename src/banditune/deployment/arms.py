"""What is known of the arms of a deployment, and the totals that it may begin with."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from banditune.deployment.events import Arm
from banditune.errors import ParameterError
from banditune.validation import finite_number, format_value, whole_number


@dataclass(frozen=True, slots=True)
class ArmState:
    """What a deployment knows of an arm.

    Attributes
    ----------
    arm : str or int
        Its name.
    pulls : int
        How many rewards it has got, with restored ones.
    total : float
        Their sum.
    pending : int
        How many of its decisions have no reward yet.
    """

    arm: Arm
    pulls: int
    total: float
    pending: int

    @property
    def mean(self) -> float:
        """The mean reward; nan before the first."""
        return self.total / self.pulls if self.pulls else math.nan


def list_totals(
    table: Mapping[Arm, Sequence[float]] | Iterable[Sequence[Any]],
) -> list[tuple[Arm, dict[str, Any]]]:
    """Return the rows of a table of totals, checked: each arm with its pulls, total and perhaps squares by name."""
    checked = []
    for row in [(arm, *row) for arm, row in table.items()] if isinstance(table, Mapping) else map(tuple, table):
        if len(row) not in (3, 4):
            raise ParameterError(f"a row of totals must be arm, pulls, total[, squares]; got {format_value(row)}")
        arm, pulls, total, *squares = row
        of = f"of arm {format_value(arm)}"
        known: dict[str, Any] = {"pulls": whole_number(f"the pulls {of}", pulls, least=0)}
        known["total"] = finite_number(f"the sum of rewards {of}", total)
        given = squares[0] if squares else None
        known["squares"] = None if given is None else finite_number(f"the sum of squares {of}", given, least=0.0)
        checked.append((arm, known))
    return checked


def sum_rewards(rewards: Iterable[tuple[Arm, float]]) -> dict[Arm, tuple[int, float, float]]:
    """Return the totals of single rewards, by arm.

    >>> sum_rewards([("a", 1.0), ("b", 0.0), ("a", 2.0)])
    {'a': (2, 3.0, 5.0), 'b': (1, 0.0, 0.0)}
    """
    by_arm: dict[Arm, list[float]] = {}
    for arm, reward in rewards:
        by_arm.setdefault(arm, []).append(finite_number(f"a reward of arm {format_value(arm)}", reward))
    squares = {arm: math.fsum(each * each for each in given) for arm, given in by_arm.items()}
    return {arm: (len(given), math.fsum(given), squares[arm]) for arm, given in by_arm.items()}
