"""What happens to a deployment, as events in one order: what every store holds, and what all else follows from."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from banditune.errors import FileError, ParameterError
from banditune.tasks.arrays import check_arms
from banditune.validation import format_value

CHOOSE, REWARD, DROP, ADD, REMOVE, RESTORE = KINDS = ("choose", "reward", "drop", "add", "remove", "restore")
FORMAT = "banditune.deployment/1"
KEY = re.compile(r"[0-9a-f]{12}")
ID = re.compile(rf"({KEY.pattern})-([1-9][0-9]{{0,17}})")

Arm = str | int


class Event(NamedTuple):
    """One thing that happened, in JSON a list; its place in the order is its sequence number, from 1."""

    kind: str
    at: float  # seconds since 1970
    decision: int | None = None  # the number of the decision it is about, from 1
    arm: Arm | None = None
    reward: float | None = None
    propensity: float | None = None
    details: Mapping[str, Any] | None = None  # contexts, points, totals: what JSON can hold

    @classmethod
    def from_json(cls, saved: object, where: str) -> "Event":
        """Restore it; what cannot be used is rejected."""
        if isinstance(saved, list) and len(saved) == len(cls._fields):
            event = cls(*saved)
            if event.kind in KINDS and _is_number(event.at) and event.is_whole():
                return event
        raise FileError(f"{where}: an event must be {list(cls._fields)}, got {format_value(saved)}")

    def is_whole(self) -> bool:
        """Tell whether it has what its kind needs."""
        is_arm = isinstance(self.arm, str) or type(self.arm) is int
        if self.kind in (CHOOSE, REWARD, DROP):
            has_number = type(self.decision) is int and self.decision > 0
            return has_number and is_arm and (self.kind != REWARD or _is_number(self.reward))
        return is_arm and (self.kind != RESTORE or self.details is not None)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice that a deployment made, and is waiting for the reward of.

    Attributes
    ----------
    id : str
        What its reward is given by: text that names the deployment and the number of the decision.
    arm : str or int
        The name of the arm that was chosen.
    propensity : float or None
        How likely the arm was to be chosen: see `banditune.deployment`. None if it was not to be computed.
    number : int
        The number of the decision, from 1.
    """

    id: str
    arm: Arm
    propensity: float | None
    number: int


def format_id(key: str, number: int) -> str:
    """Return the id of a decision of the deployment with this key."""
    return f"{key}-{number}"


def parse_id(given: object, key: str, name: str) -> int:
    """Return the number of a decision of the deployment with this key; an id of anything else is rejected."""
    text = given.id if isinstance(given, Decision) else given
    match = ID.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ParameterError(
            f"an id of a decision is what choose() gave, such as {format_id(key, 1)!r}; got {format_value(text)}"
        )
    if match[1] != key:
        raise ParameterError(
            f'{format_value(text)} is the id of another deployment: those of "{name}" begin with {key!r}'
        )
    return int(match[2])


def check_names(arms: object) -> list[Arm]:
    """Check names of arms: text or whole numbers, all different."""
    if not isinstance(arms, Sequence) or isinstance(arms, str | bytes):
        raise ParameterError(f"arms must be a list of names, got {format_value(arms)}")
    for position, arm in enumerate(arms):
        if not isinstance(arm, str) and type(arm) is not int:
            raise ParameterError(f"arms must be text or whole numbers, got {format_value(arm)} at position {position}")
        if not is_writable(arm):
            raise ParameterError(f"arms must be text that UTF-8 can write, got {arm!r} at position {position}")
    return list(check_arms(arms, len(arms), ""))  # type: ignore[arg-type]


def is_writable(name: Arm) -> bool:
    """Tell whether a name can be written: half of a surrogate pair cannot."""
    try:
        str(name).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def write_text(data: object) -> str:
    """Return data as JSON text of plain ASCII, whatever names hold: stores need not know any other character."""
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
