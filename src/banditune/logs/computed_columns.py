"""Columns that are computed from those of a log: the day of a time, the file, several together, minus a cost.

They are written behind a column's name, as in "timestamp:day", "seconds:cost" or "country+timestamp:day"; a column that
is really called so comes first.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from banditune.logs.engine import literal
from banditune.logs.validation import DATES, Rejection, Value, name_value
from banditune.tasks.arrays import LARGEST, SMALLEST

AND = "+"  # between columns whose values together are a name
JOINED = " / "  # between their values
PERIODS = {"hour": "%Y-%m-%d %H:00", "day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}
PLACES = (":file", ":folder")  # names by where a file is
KINDS = {  # of numbers: what may stand behind a column's name
    "reward": ("cost",),
    "mean": ("total",),
    "sd": ("variance", "se"),
}


@dataclass(frozen=True, slots=True)
class NamePart:
    """One of the columns that make a name: as it is, or the period of a time; without a column, where the file is."""

    column: str | None
    kind: str = ""


class Source(NamedTuple):
    """A column as the engine has it."""

    column: str  # what it is called there
    kind: str  # its type


def split_name(given: str, there: Sequence[str]) -> tuple[NamePart, ...] | None:
    """Take the name of a task or an arm apart, if it is not a column itself.

    Returns None if the columns that it names are not there.

    >>> split_name("site+at:day", ["site", "at"])
    (NamePart(column='site', kind=''), NamePart(column='at', kind='day'))
    >>> split_name("site:day+:file", ["at"]) is None
    True
    """
    lowered = {name.lower(): name for name in reversed(there)} | {name: name for name in there}
    parts = []
    for each in given.split(AND):
        name, _, kind = each.rpartition(":")
        known = lowered.get(each) or lowered.get(each.lower())
        if known is not None:
            parts.append(NamePart(known))
        elif each in PLACES:
            parts.append(NamePart(None, kind))
        elif kind in PERIODS and (known := lowered.get(name) or lowered.get(name.lower())) is not None:
            parts.append(NamePart(known, kind))
        else:
            return None
    return tuple(parts)


def split_kind(given: str, wanted: str) -> tuple[str, str]:
    """Separate the name of a column from what is done with its numbers.

    >>> split_kind("seconds:cost", "reward"), split_kind("a:b", "reward")
    (('seconds', 'cost'), ('a:b', ''))
    """
    name, _, kind = given.rpartition(":")
    return (name, kind) if name and kind in KINDS.get(wanted, ()) else (given, "")


def list_names(given: str) -> list[str]:
    """List what columns may be called that a name is made of, and it itself.

    >>> list_names("site+at:day")
    ['site+at:day', 'site', 'at:day', 'at']
    """
    parts = given.split(AND)
    return list(dict.fromkeys([given, *(name for part in parts for name in (part, part.rpartition(":")[0]) if name)]))


def compose_name(parts: Sequence[NamePart], there: Mapping[str, Source], where: str) -> Value:
    """Build the name of a task or an arm from columns that are there, by name."""
    values = [
        _locate(part.kind, where) if part.column is None else _read_part(part, *there[part.column]) for part in parts
    ]
    joined = f" || {literal(JOINED)} || ".join(value.expression for value in values)
    return Value(joined, tuple(rejection for value in values for rejection in value.rejections))


def _read_part(part: NamePart, column: str, kind: str) -> Value:
    if not part.kind:
        return name_value(column, f'value of "{part.column}"')
    text = f"CAST({column} AS VARCHAR)"
    is_date = kind.split("(")[0] in DATES or kind == "VARCHAR"
    moment = f"try_cast({column} AS TIMESTAMPTZ)" if is_date else "NULL::TIMESTAMPTZ"
    period = f"strftime({moment}, {literal(PERIODS[part.kind])})"
    return Value(period, (Rejection(f"{moment} IS NULL", f'"{part.column}" is not a date', text),))


def _locate(kind: str, where: str) -> Value:
    """Return the name of a file without its endings, or of the folder that it is in."""
    folder, name = os.path.split(where)
    called = name.lstrip(".").split(".")[0] if kind == "file" else os.path.basename(os.path.abspath(folder))
    return Value(literal(called or name), ())


def compute_number(value: Value, kind: str, what: str, pulls: str | None) -> Value:
    """Compute what is wanted from the number that a column holds; `pulls` is the expression of the number of pulls."""
    number = value.expression
    if kind == "cost":
        number = f"(0.0 - {number})"
    elif kind == "total":
        number = f"({number} / nullif({pulls}, 0.0))"
    elif kind == "se":
        number = f"({number} * sqrt(greatest({pulls}, 0.0)))"
    elif kind == "variance":
        value = value.reject_if(f"{number} < 0.0", "the variance is below 0")
        number = f"sqrt(greatest({number}, 0.0))"
    beyond = f"abs({number}) > {LARGEST!r} OR ({number} <> 0.0 AND abs({number}) < {SMALLEST!r})"
    computed = replace(value, expression=number)
    return computed.reject_if(beyond, f"the {what} is too large or too small to compute with")
