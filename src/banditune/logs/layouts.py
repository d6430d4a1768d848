"""What the columns of a log mean where its format or layout says so, and the user does not.

A layout is a table whose columns have a known meaning, in whatever format it is stored.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from banditune.errors import FileError, ParameterError
from banditune.logs.columns import Columns
from banditune.logs.parts import Part
from banditune.validation import format_names

MEASURES: dict[str, tuple[str, ...]] = {  # and which usual ones go with one of the user's own
    "reward": (),
    "pulls": (),
    "successes": ("pulls",),
    "mean": ("pulls", "sd"),
    "sd": ("pulls", "mean"),
}


@dataclass(frozen=True, slots=True)
class Layout:
    """A table whose columns have a known meaning."""

    name: str  # for --format
    title: str
    needs: tuple[str, ...]  # columns that such a table always has, and by which it is recognised
    usual: Mapping[str, str]  # what is wanted -> what it is called there
    only: Mapping[str, str] = field(default_factory=dict)  # rows that are taken: a column and its value
    advice: str = ""  # what else is to be said
    is_recognised: bool = True  # whether a table with these columns is taken for it, though nobody says so


# The Open Bandit Dataset: a row for each recommendation of a fashion shop, with the propensity of the choice; a file is
# a campaign (all, men, women). Saito, Aihara, Matsutani and Narita, Open Bandit Dataset and Pipeline (2021).
OPEN_BANDIT = Layout(
    "openbandit",
    "Open Bandit Dataset",
    needs=("timestamp", "item_id", "position", "click", "propensity_score"),
    usual={
        "task": ":file+timestamp:day",
        "arm": "item_id",
        "reward": "click",
        "time": "timestamp",
        "propensity": "propensity_score",
    },
)

# GrowthBook's export of an experiment's results: a row for each metric and variation, with users, mean and spread. The
# columns are those of ResultsDownloadButton in github.com/growthbook/growthbook; the tracking key names the file.
GROWTHBOOK = Layout(
    "growthbook",
    "GrowthBook",
    needs=("metric", "variation", "users", "totalValue", "perUserValue", "perUserValueStdDev"),
    usual={
        "task": ":file+metric",
        "arm": "variation",
        "pulls": "users",
        "mean": "perUserValue",
        "sd": "perUserValueStdDev",
    },
    advice='take one metric with only={"metric": ...}; read proportions as totals: successes="totalValue"',
)

# Statsig's export of an experiment's results (Pulse Summary): a row for each metric and group. The columns are those of
# "Pulse Summary File Description - For Experiments" in docs.statsig.com.
STATSIG = Layout(
    "statsig",
    "Statsig",
    needs=("name", "experiment_group", "metric_name", "metric_dimension", "units", "mean", "stderr"),
    usual={"task": "name+metric_name", "arm": "experiment_group", "pulls": "units", "mean": "mean", "sd": "stderr:se"},
    only={"metric_dimension": "!statsig_topline"},
    advice='take one metric with only={"metric_name": ...}',
)

# Optimizely's results of an experiment as totals: a row for each metric and variation, with visitors and conversions.
# What the columns of its CSV export are called is not documented, and differs between its products: these are expected,
# in whatever capitals and with blanks or underscores, and the layout is never recognised by itself.
OPTIMIZELY = Layout(
    "optimizely",
    "Optimizely",
    needs=("variation_name", "metric_name", "visitors", "conversions"),
    usual={"task": ":file+metric_name", "arm": "variation_name", "pulls": "visitors", "successes": "conversions"},
    is_recognised=False,
    advice='take one metric with only={"metric_name": ...}',
)

LAYOUTS = {each.name: each for each in (OPEN_BANDIT, GROWTHBOOK, STATSIG, OPTIMIZELY)}


class Settled(NamedTuple):
    """How a log is read: its columns, the rows that are taken, what it is read as, and what else is to be said."""

    columns: Columns
    only: dict[str, str]
    title: str
    advice: str


def settle_columns(columns: Columns, parts: Sequence[Part], chosen: str | None) -> Settled:
    """Find out what columns are called that the user has not named, by the format or layout of the parts."""
    found = []
    for part in parts:
        layout = find_layout(part.columns, part.path, chosen)
        said = layout or part
        only, advice = (dict(layout.only), layout.advice) if layout else ({}, "")
        found.append(Settled(_fill_in(columns, said.usual, part.columns), only, said.title, advice))
    first = found[0]
    for part, each in zip(parts, found, strict=True):
        if each != first:
            one, other = (read.title or "a plain table" for read in (first, each))
            raise FileError(
                f"{part.path} must be read as {parts[0].path} is ({one}), but it is {other}: give them one by one, or "
                "name the columns"
            )
    return first


def describe_columns(columns: Columns, title: str) -> str:
    """Say as what a log was read, and where its columns come from."""
    given = {name: getattr(columns, name) for name in ("task", "arm", *MEASURES, "time", "propensity")}
    used = [f"{name} = {value}" for name, value in given.items() if value is not None and value != name]
    return f"read as {title}: {', '.join(used)}" if used else f"read as {title}"


def _fill_in(columns: Columns, usual: Mapping[str, str], there: Sequence[str]) -> Columns:
    """Take the usual names for what is neither named nor there under its own name."""
    lowered = {name.lower() for name in there}
    named = {each.name for each in fields(columns) if getattr(columns, each.name) != each.default}
    filled: dict[str, Any] = {
        wanted: name
        for wanted, name in usual.items()
        if wanted not in named and not (wanted in ("task", "arm", "reward") and wanted in lowered)
    }
    if own := named & {*MEASURES}:
        kept = {other for each in own for other in MEASURES[each]}
        filled = {wanted: name for wanted, name in filled.items() if wanted not in MEASURES or wanted in kept}
    if columns.features is None:
        filled.pop("propensity", None)
    else:
        filled.pop("task", None)  # all events are of one task, unless they are said to be of several
    if columns.parameters is not None:
        filled.pop("arm", None)
    return replace(columns, **filled)


def find_layout(columns: Sequence[str], path: str, chosen: str | None) -> Layout | None:
    """Return which layout a table with these columns has: the chosen one, which must fit, or one that is recognised.

    Its names are those of the table, which may have other capitals, and blanks instead of underscores.
    """
    there = {_plain(name): name for name in reversed(columns)}
    if chosen in LAYOUTS:
        layout = LAYOUTS[chosen]
        if missing := [name for name in layout.needs if _plain(name) not in there]:
            wanted = f"{layout.title} ({format_names(layout.needs)})"
            raise FileError(f"{path} must have the columns of {wanted}, but it has no {format_names(missing)}")
        return _name_as_there(layout, there)
    if chosen is not None:
        return None
    known = [each for each in LAYOUTS.values() if each.is_recognised]
    fitting = [each for each in known if {_plain(name) for name in each.needs} <= {*there}]
    if len(fitting) > 1:
        raise ParameterError(f"{path} may be {format_names(each.title for each in fitting)}: choose with format=")
    return _name_as_there(fitting[0], there) if fitting else None


def _name_as_there(layout: Layout, there: Mapping[str, str]) -> Layout:
    """Return a layout with the names that its columns have in a table."""
    called = {name: there[_plain(name)] for name in layout.needs if there[_plain(name)] != name}
    usual = dict(layout.usual)
    for name, actual in called.items():
        usual = {wanted: re.sub(rf"\b{re.escape(name)}\b", lambda _: actual, each) for wanted, each in usual.items()}  # noqa: B023
    return replace(layout, usual=usual, only={called.get(name, name): value for name, value in layout.only.items()})


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_")
