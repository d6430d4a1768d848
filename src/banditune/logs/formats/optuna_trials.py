"""Trials of Optuna as rows, however they are stored."""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from banditune.errors import FileError
from banditune.logs.records import negate
from banditune.validation import format_names

OWN = ("study", "number", "value", "reward", "time")  # columns that are no parameters
PREFIX = "params_"  # of a parameter that is called as one of them, as in Optuna's own tables
COMPLETE, CUT_OFF = "COMPLETE", "cut off"
ENDINGS = {
    "RUNNING": "the trial has not ended",
    "WAITING": "the trial has not begun",
    "PRUNED": "the trial was pruned",
    "FAIL": "the trial failed",
    CUT_OFF: "the line cannot be read",
}
SHOWN = 5  # names in a note


@dataclass(slots=True)
class Trial:
    """One trial: its study, how it ended, its value and its parameters."""

    study: str
    state: str
    n_values: int  # how many objectives its study has
    minimised: bool
    value: str | None  # as it is written
    own_number: str | None = None
    ended: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    categories: set[str] = field(default_factory=set)  # which parameters are categorical
    logarithmic: set[str] = field(default_factory=set)
    deleted: bool = False

    def add_parameter(self, name: str, internal: Any, distribution: Any) -> None:
        """Note a parameter by its internal value: of categories, the number of the choice.

        In the distribution, numbers are as they are written.
        """
        known = distribution.get("attributes") if isinstance(distribution, dict) else None
        try:
            number = float(internal)
        except (TypeError, ValueError):
            number = math.nan
        if not isinstance(known, dict) or not math.isfinite(number):
            raise FileError(f"parameter {name!r} of a trial cannot be understood")
        if isinstance(choices := known.get("choices"), list):
            if not 0 <= number < len(choices):
                raise FileError(f"parameter {name!r} of a trial is none of its choices")
            choice = choices[int(number)]
            self.parameters[name] = choice if isinstance(choice, str) else json.dumps(choice)
            self.categories.add(name)
        else:
            whole = "Int" in str(distribution.get("name")) and number.is_integer()
            self.parameters[name] = str(int(number)) if whole else repr(number)
        if known.get("log") is True or "Log" in str(distribution.get("name")):
            self.logarithmic.add(name)

    @property
    def problem(self) -> str | None:
        """Why it is not used, if it is not."""
        if self.deleted:
            return "the study was deleted"
        if self.state != COMPLETE:
            return ENDINGS.get(self.state, "the trial is in a state that is not known")
        return f"the study has {self.n_values} objectives, not one" if self.n_values != 1 else None

    def look_up(self, name: str) -> str | None:
        """Return the value of a column."""
        if name == "reward":
            return self.value if self.value is None or not self.minimised else negate(self.value)
        own = {"study": self.study, "number": self.own_number, "value": self.value, "time": self.ended}
        return own[name] if name in own else self.parameters.get(name, self.parameters.get(name.removeprefix(PREFIX)))


def describe_trials(
    trials: Iterable[tuple[int, Trial]], path: str
) -> tuple[tuple[str, ...], dict[str, str], tuple[str, ...]]:
    """Return the columns of trials, what they mean, and what is to be known of them."""
    names: dict[str, None] = {}
    categories: dict[str, None] = {}
    logarithmic: dict[str, None] = {}
    directions: dict[bool, int] = {}
    last = ""
    for _, trial in trials:
        names |= dict.fromkeys(trial.parameters)
        categories |= dict.fromkeys(sorted(trial.categories))
        logarithmic |= dict.fromkeys(sorted(trial.logarithmic))
        if trial.study != last and trial.state != CUT_OFF:
            directions[trial.minimised] = directions.get(trial.minimised, 0) + 1
            last = trial.study
    if not directions:
        raise FileError(f"{path} has no trials of Optuna")
    usual = {"task": "study"}
    if len(categories) == 1:
        usual["arm"] = next(PREFIX + name if name in OWN else name for name in categories)
    notes = []
    if directions.get(True):
        which = "studies that are minimised" if directions.get(False) else "the studies are minimised"
        notes.append(f"{which}: rewards are minus the values")
    if len(categories) != 1:
        among = format_names(list(names)[:SHOWN]) if names else "none"
        notes.append(f"no single categorical parameter is the arm: name it among {among}, or give parameters=")
    if logarithmic:
        notes.append(f"on a log scale in Optuna: {format_names(list(logarithmic)[:SHOWN])}")
    return (*OWN, *(PREFIX + name if name in OWN else name for name in names)), usual, tuple(notes)
